/**
 * Lists keep saying whose their items are. A symbol tells it (`protocol/origin.ts`), which is gone where a module gives back what it read
 * from JSON: without it whatever blocks, pins or counts by server would no longer know the item.
 */
import type { Client, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf, withOrigin } from '../protocol/origin.ts'
import { LargeResult, plain, type Result } from '../protocol/result.ts'
import { KINDS, type Kind, kindOfList } from './roster.ts'

type Items = readonly unknown[]

/** `wrap(next)`, whose lists say of their items what those of `next` said. */
export function keepOrigins(wrap: (next: Handler) => Handler, next: Handler): Handler {
  /** What each client was listed last further in. */
  const listed = new WeakMap<Client, Partial<Record<Kind, Items>>>()

  const handler = wrap((exchange) => {
    const kind = kindOfList(exchange.method)
    if (kind === undefined) return next(exchange)
    return next(exchange).then((result) => {
      if (!(result instanceof LargeResult) && Array.isArray(result[kind]))
        listed.set(exchange.client, { ...listed.get(exchange.client), [kind]: result[kind] })
      return result
    })
  })

  return (exchange) => {
    const kind = kindOfList(exchange.method)
    if (kind === undefined) return handler(exchange)
    return handler(exchange).then((result) => {
      const before = listed.get(exchange.client)?.[kind]
      return before === undefined ? result : withOrigins(result, kind, before)
    })
  }
}

function withOrigins(passing: Result, kind: Kind, before: Items): Result {
  const result = plain(passing)
  const items = result[kind]
  if (!Array.isArray(items)) return passing
  // What no server listed says of nobody, here and further in.
  const isLost = (item: unknown, at: number): boolean =>
    isObject(item) && item !== before[at] && originOf(item) === undefined
  if (!items.some(isLost)) return passing
  const { key } = KINDS[kind]
  const known = new Map(before.flatMap((item) => (isObject(item) ? [[item[key], item]] : [])))
  const names = new Set(items.map((item) => (isObject(item) ? item[key] : undefined)))
  const restored = items.map((item, at) => {
    if (!isObject(item) || !isLost(item, at)) return item
    // One that got another name stands where it stood.
    const there = items.length === before.length ? before[at] : undefined
    const same: JsonObject | undefined =
      known.get(item[key]) ?? (isObject(there) && !names.has(there[key]) ? there : undefined)
    const origin = same && originOf(same)
    return origin ? withOrigin(item, origin) : item
  })
  return { ...result, [kind]: restored }
}
