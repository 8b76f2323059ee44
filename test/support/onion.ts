/** One layer, or a module, around a server. */
import type { Module } from '../../src/module-runtime/module.ts'
import type { Handler, Middleware } from '../../src/protocol/exchange.ts'
import { compose } from '../../src/proxy/layers.ts'

export function around(layer: Middleware | Module, server: Handler): Handler {
  return compose([{ name: 'layer', wrap: (next) => next, ...layer }], server).handler
}
