/** Values that join records: equal to the letter, or as numbers and regardless of case where nothing is. */
import type { JsonValue } from '../../protocol/json.ts'
import { plainNumber } from '../where/quantity.ts'

/** More digits than this are names: as numbers they would be rounded. */
const mostDigits = 15

/** Undefined for null and for what is no scalar. */
export function exactKey(value: JsonValue): string | undefined {
  return value === null || typeof value === 'object' ? undefined : String(value).trim()
}

/** What keys have in common that mean the same: `7`, `"07"` and `"7.0"`; `"DE"` and `"de"`. */
export function looseKey(key: string): string {
  const number = key.replaceAll(/\D/g, '').length <= mostDigits ? plainNumber(key) : undefined
  return number === undefined ? key.toLowerCase() : String(number)
}

/** Positions of records by their keys. */
export class KeyIndex {
  private readonly exact = new Map<string, number[]>()
  private loose: Map<string, number[]> | undefined

  add(key: readonly string[], position: number): void {
    put(this.exact, joined(key), position)
  }

  /** The positions of the records with this key. `loosely`: none has it to the letter. */
  find(key: readonly string[]): { positions: readonly number[]; loosely: boolean } {
    const same = this.exact.get(joined(key))
    if (same) return { positions: same, loosely: false }
    this.loose ??= this.loosened()
    return { positions: this.loose.get(joined(key.map(looseKey))) ?? [], loosely: true }
  }

  private loosened(): Map<string, number[]> {
    const loose = new Map<string, number[]>()
    for (const [key, positions] of this.exact)
      for (const position of positions) put(loose, joined(split(key).map(looseKey)), position)
    return loose
  }
}

function put(into: Map<string, number[]>, key: string, position: number): void {
  const before = into.get(key)
  if (!before) into.set(key, [position])
  else if (before.at(-1) !== position) before.push(position)
}

const BETWEEN = '\u0001'

function joined(key: readonly string[]): string {
  return key.length === 1 ? (key[0] ?? '') : key.map((part) => part.replaceAll(BETWEEN, ' ')).join(BETWEEN)
}

function split(key: string): string[] {
  return key.split(BETWEEN)
}
