import type { Handler, Middleware } from '../protocol/exchange.ts'

/**
 * Wraps the innermost handler in layers. The first middleware is outermost: for `[a, b]` a call runs
 * `a > b > handler > b > a`. A layer that names its methods is passed by every other method.
 */
export function compose(layers: readonly Middleware[], innermost: Handler): Handler {
  return layers.reduceRight((next, layer) => {
    const wrapped = layer.wrap(next)
    const { methods } = layer
    if (!methods) return wrapped
    const wanted = new Set(methods)
    return (exchange) => (wanted.has(exchange.method) ? wrapped(exchange) : next(exchange))
  }, innermost)
}
