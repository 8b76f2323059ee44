/** Units of one kind, such as g and kg, in which the values of one field are written: all are read in one of them. */
import { areClocks, clockIn } from './clocks.ts'
import { areCounts, countIn } from './counts.ts'
import { LEADS, LONGEST_NUMBER, quantity } from './quantities.ts'

interface Kind {
  /** The amount of one of each unit. Numbers are told in the unit that is 1. */
  readonly units: Readonly<Record<string, number>>
  /** The name of that unit, for remarks; none where numbers are told as they are. */
  readonly told?: string
}

const PREFIXES: readonly (readonly [string, number])[] = [
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
]
const withPrefixes = (unit: string): Readonly<Record<string, number>> =>
  Object.fromEntries(PREFIXES.map(([prefix, factor]) => [prefix + unit, factor]))

const KINDS = {
  /** As Kubernetes writes processors: "250m", "2". */
  cores: { units: { '': 1, m: 1e-3, u: 1e-6, n: 1e-9 }, told: 'processors' },
  weight: { units: { µg: 1e-6, mg: 1e-3, g: 1, kg: 1e3, t: 1e6 }, told: 'g' },
  length: { units: { µm: 1e-6, mm: 1e-3, cm: 1e-2, m: 1, km: 1e3 }, told: 'm' },
  volume: { units: { ml: 1e-3, mL: 1e-3, cl: 1e-2, dl: 0.1, l: 1, L: 1 }, told: 'l' },
  energy: { units: withPrefixes('Wh'), told: 'Wh' },
  power: { units: withPrefixes('W'), told: 'W' },
  frequency: { units: withPrefixes('Hz'), told: 'Hz' },
  /** `361.43B` beside `1.2M`: billions, for there is no part of a byte. */
  billions: {
    units: {
      '': 1,
      k: 1e3,
      K: 1e3,
      m: 1e6,
      M: 1e6,
      mn: 1e6,
      b: 1e9,
      B: 1e9,
      bn: 1e9,
      t: 1e12,
      T: 1e12,
      tn: 1e12,
    },
  },
} as const satisfies Record<string, Kind>

/** `counts` are numbers with the same words behind all of them, `clocks` are `54:37` beside `1:02:03`. */
export type Family = keyof typeof KINDS | 'counts' | 'clocks'

const NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[]
export const FAMILIES: readonly Family[] = [...NAMES, 'counts', 'clocks']

const AMOUNT = new RegExp(
  `^\\s*([-+]?[$€£¥₹]?(?:\\d{1,3}(?:,\\d{3})+|\\d{1,15})(?:\\.\\d{1,20})?)\\s?([µa-zA-Z]{0,3})${LEADS}\\s*$`,
  'u',
)

/** The number and the unit of a text. */
function parts(text: string): { number: number; unit: string } | undefined {
  const [, number, unit = ''] = (text.length <= LONGEST_NUMBER && AMOUNT.exec(text)) || []
  return number === undefined ? undefined : { number: Number(number.replaceAll(/[,$€£¥₹]/g, '')), unit }
}

/** True of a number with or without a unit of a few letters. */
export function isAmount(text: string): boolean {
  return parts(text) !== undefined
}

/** 20,000 of "20 kg" among weights, 0.25 of "250m" among processors. Undefined for what has another unit, or none. */
export function amountOf(family: Family, text: string): number | undefined {
  if (family === 'counts') return countIn(text)
  if (family === 'clocks') return clockIn(text)
  const { number = 0, unit = '?' } = parts(text) ?? {}
  const { units }: Kind = KINDS[family]
  if (family === 'billions' && !Object.hasOwn(units, unit)) return quantity(text)
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined
  // Without what a double adds: 0.3 of "300m".
  return factor === undefined ? undefined : Number((number * factor).toPrecision(15))
}

/** Where a name ends with a unit: `weight_kg`, `distance (km)`, `heightCm`, `freqMHz`. */
const NAMED_UNIT = /(?:[_\s([]([µa-zA-Z]{1,3})[)\]"']*|^([µa-zA-Z]{2,3})|[a-z]([A-Z][A-Za-z]{1,2}))$/

/**
 * The number of a text with a unit, in the unit that the name of its field ends with: 2,000 of "2 kg" under `weight_g`. Undefined where
 * the two are not of one kind.
 */
export function inUnitOf(name: string, text: string): number | undefined {
  const [, ending, whole, tail = ''] = NAMED_UNIT.exec(name) ?? []
  const named = ending ?? whole ?? tail
  const isMilliwatts = named.toLowerCase() === 'mw' && named !== 'MW'
  const unit = parts(text)?.unit
  // `1t` beside `disk_g` are bytes.
  const mayBeBytes = named !== unit && /^[gt]{2}$/.test(`${named}${unit}`)
  if (named === '' || isMilliwatts || unit === '' || mayBeBytes) return undefined
  for (const family of NAMES) {
    const { units }: Kind = KINDS[family]
    if (family === 'cores' || family === 'billions') continue
    const keys = Object.keys(units)
    const key =
      keys.find((one) => one === named) ?? keys.find((one) => one.toLowerCase() === named.toLowerCase())
    const amount = key === undefined ? undefined : amountOf(family, text)
    if (amount !== undefined) return Number((amount / (units[key ?? ''] ?? 1)).toPrecision(15))
  }
  return undefined
}

/** `amountOf` for each family. */
export const FAMILY_READERS = Object.fromEntries(
  FAMILIES.map((family) => [family, (text: string) => amountOf(family, text)]),
) as Readonly<Record<Family, (text: string) => number | undefined>>

/** The unit that the amounts of a family are told in; counts are told as they are. */
export function toldIn(family: Family): string | undefined {
  if (family === 'clocks') return 'milliseconds'
  const { told }: Partial<Kind> = family === 'counts' ? {} : KINDS[family]
  return told
}

/** A part of a byte is none. */
const OF_BYTES = /size|bytes|memory|disk|storage|usage|traffic/i
const BILLIONS = /\.\d*[1-9]\d*\s?b\s*$/i

/**
 * The family in which all texts of a field are written, in two units at least, or as counts. `hasNumbers`: some values are plain numbers, which only
 * processors are. `name`: of the field.
 */
export function familyOf(texts: readonly string[], hasNumbers: boolean, name = ''): Family | undefined {
  const units = new Set<string>()
  let isWhole = hasNumbers
  for (const text of texts) {
    const found = parts(text)
    if (found === undefined)
      return hasNumbers ? undefined : areClocks(texts) ? 'clocks' : areCounts(texts) ? 'counts' : undefined
    units.add(found.unit)
    if (found.unit === '' && found.number !== 0) isWhole = true
  }
  const isMoney = texts.some((text) => /[$€£¥₹]/.test(text))
  const names = isMoney ? (['billions'] as const) : NAMES
  const family = names.find((one) => [...units].every((unit) => Object.hasOwn(KINDS[one].units, unit)))
  if (family === 'cores')
    return units.size > (units.has('') ? 1 : 0) && (isWhole || /cpu|cores/i.test(name)) ? family : undefined
  if (family === 'billions') {
    const areMixed = [...units].some((unit) => /^[kmt]/i.test(unit))
    return areMixed && !OF_BYTES.test(name) && texts.some((text) => BILLIONS.test(text)) ? family : undefined
  }
  if (hasNumbers || family === undefined) return undefined
  // `20g` and `1.8t` are bytes, `871 g` is not.
  const mayBeBytes = [...units].every((unit) => unit === 'g' || unit === 't')
  return (mayBeBytes ? texts.every((text) => /\d\sg\s*$/.test(text)) : units.size > 1) ? family : undefined
}
