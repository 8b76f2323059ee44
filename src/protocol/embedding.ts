/** The onion for layers and modules of a program that embeds the proxy. They get a true AbortSignal, which they may hand to `fetch`. */
import type * as onion from './exchange.ts'
import { abortSignalOf } from './peer.ts'

/** One JSON-RPC request under way, as a layer or module of an embedding program gets it. */
export type Exchange = onion.Exchange<AbortSignal>
/** Answers such an exchange. Rejects with RpcError what the client is to read, with ProxyError what went wrong here. */
export type Handler = onion.Handler<AbortSignal>
/** The list that such a layer makes of another. */
export type ShowList = onion.ShowList<AbortSignal>
/** One layer of the onion by an embedding program. */
export type Middleware = onion.Middleware<AbortSignal>

/** The same exchange with a true AbortSignal. */
export function withAbortSignal(exchange: onion.Exchange): Exchange {
  return { ...exchange, signal: abortSignalOf(exchange.signal) }
}

/** A layer of such a program as one of the onion. */
export function embedded(layer: Middleware): onion.Middleware {
  return {
    name: layer.name,
    ...(layer.methods && { methods: layer.methods }),
    ...(layer.list && {
      list: (listed, exchange, inside) =>
        layer.list?.(listed, withAbortSignal(exchange), inside) ?? listed.items,
    }),
    wrap: (next, inside) => {
      const handler = layer.wrap(next, inside)
      return (exchange) => handler(withAbortSignal(exchange))
    },
  }
}
