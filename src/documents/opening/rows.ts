/** Rows, all at hand or made as they are asked for. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Rows } from '../document.ts'

/** Rows that are there. */
export function rowsOf(noun: string, items: readonly JsonValue[]): Rows {
  return { noun, items, count: items.length, slice: (from, to) => items.slice(from, to) }
}

/** Rows of which mostly one page is seen: `at` makes one, and is asked for it again when `items` are. */
export function madeRows(noun: string, count: number, at: (index: number) => JsonValue): Rows {
  let all: readonly JsonValue[] | undefined
  const made = (from: number, to: number): JsonValue[] => {
    const some: JsonValue[] = []
    for (let index = from; index < Math.min(to, count); index++) some.push(at(index))
    return some
  }
  return {
    noun,
    count,
    get items() {
      all ??= made(0, count)
      return all
    },
    slice: (from, to) => all?.slice(from, to) ?? made(from, to),
  }
}
