/** Lists of records of which a profile is known before any of them is made. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Profile } from './profile.ts'

/** Knowledge of a list of records where it is written. */
export interface KnownList {
  readonly profile: Profile
  /** The first record that lacks a field of the records themselves; -1: none does, or it is no such field. */
  firstWithout(name: string): number
  /** The first record that has it; -1: none. */
  firstWith(name: string): number
}

/** Where such a list tells it. */
const KNOWN = Symbol('known list')

/** Knowledge of a list that makes its records one by one on demand; undefined for a list of values. */
export function knownOf(list: readonly JsonValue[]): KnownList | undefined {
  return (list as { readonly [KNOWN]?: KnownList })[KNOWN]
}

/** A list that makes its records one by one, when they are asked for. To go through all of them takes longer than to make them at once. Read only. */
export function knownList(count: number, known: KnownList, make: (index: number) => JsonValue): JsonValue[] {
  const made = new Map<number, JsonValue>()
  const record = (index: number): JsonValue => {
    let value = made.get(index)
    if (value === undefined) {
      value = make(index)
      made.set(index, value)
    }
    return value
  }
  const isIndex = (key: string | symbol): key is string =>
    typeof key === 'string' && /^\d{1,10}$/.test(key) && Number(key) < count
  return new Proxy<JsonValue[]>([], {
    get: (target, key) => {
      if (key === 'length') return count
      if (key === KNOWN) return known
      return isIndex(key) ? record(Number(key)) : Reflect.get(target, key)
    },
    has: (target, key) => isIndex(key) || Reflect.has(target, key),
  })
}
