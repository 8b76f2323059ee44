/** Integers beyond 2^53: as doubles they cannot be told from their neighbours, by their digits they can. */
import type { JsonValue } from '../protocol/json.ts'

const written = /^\s*[-+]?\d{16,400}\s*$/

/** The integer to the digit, of a number or a text; undefined for what a double holds exactly, and for all else. */
export function longInteger(value: JsonValue): bigint | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(plainDigits(value)) : undefined
  return typeof value === 'string' && written.test(value) ? BigInt(value.trim()) : undefined
}

/** `10000000000000000000000000` of 1e25. A number has the digits that it is written with: those that were not are kept as texts. */
function plainDigits(number: number): string {
  const [digits = '', exponent] = String(number).split('e+')
  if (exponent === undefined) return digits
  const [whole = '', fraction = ''] = digits.split('.')
  return `${whole}${fraction.padEnd(Number(exponent), '0')}`
}

/** -1, 0 or 1 for two values that are the same double; 0 unless both are such integers. */
export function besideToTheDigit(one: JsonValue, other: JsonValue): number {
  const [first, second] = [longInteger(one), longInteger(other)]
  if (first === undefined || second === undefined || first === second) return 0
  return first < second ? -1 : 1
}
