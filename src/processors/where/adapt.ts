/** What an operand means beside the values of its field: a year among epochs, seconds among milliseconds. */
import { formatCount } from '../../text/format.ts'
import { Refusal, shown } from '../refusal.ts'
import type { Comparison } from './condition.ts'
import { offset, zoneIn } from './dates.ts'
import { holdsLevels, levelAsNumber } from './levels.ts'
import type { Operand } from './operand.ts'
import type { Sample } from './sample.ts'

const ordering: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'between'])

export function isOrdering({ operator }: Comparison): boolean {
  return ordering.has(operator)
}

/** The comparison with its operands as the values of its field, `name`, suggest. Throws a `Refusal` where the two have no order. */
export function adapted(
  comparison: Comparison,
  name: string,
  sample: Sample,
  note: (text: string) => void,
): Comparison {
  if (comparison.measure !== undefined) return comparison
  if (!isOrdering(comparison) && comparison.operator !== '=' && comparison.operator !== 'in')
    return comparison
  const operands = comparison.operands.map((operand) =>
    inZone(adaptedOperand(operand, name, sample, note), name, sample, note),
  )
  if (isOrdering(comparison))
    for (const operand of operands) refuseUnordered(operand, comparison, name, sample)
  return { ...comparison, operands }
}

function adaptedOperand(
  operand: Operand,
  name: string,
  { values, numbers }: Sample,
  note: (text: string) => void,
): Operand {
  if (numbers.length === 0 || numbers.length < values.length / 2) return operand
  if (/^(?:19|20|21)\d\d$/.test(operand.text) && operand.date && numbers.every((value) => value > 1e9)) {
    note(`\`${operand.text}\` read as a year, \`${name}\` as seconds or milliseconds since 1970.`)
    return { ...operand, number: undefined, size: undefined }
  }
  const level = holdsLevels(name) ? levelAsNumber(operand.lower, numbers) : undefined
  if (level !== undefined) {
    note(`\`${operand.text}\` read as ${level}, the number of that level.`)
    return {
      ...operand,
      text: String(level),
      lower: String(level),
      quoted: false,
      number: level,
      size: undefined,
    }
  }
  const unit = operand.duration === undefined ? undefined : unitIn(name, times)
  if (unit !== undefined && operand.duration !== undefined) {
    const number = operand.duration / unit
    note(`\`${operand.text}\` read as ${formatCount(number)}, the unit of \`${name}\`.`)
    return { ...operand, number, size: undefined }
  }
  if (operand.size === undefined || !/[a-z]/i.test(operand.text)) return operand
  const number = operand.size / (unitIn(name, sizes) ?? 1)
  if (number !== operand.size || operand.size >= 1_000)
    note(`\`${operand.text}\` read as ${formatCount(number)}.`)
  return { ...operand, size: number }
}

/** Ends of names that tell the unit, in milliseconds and in bytes. */
const times: readonly (readonly [RegExp, number])[] = [
  [/(?:_ns|Ns|nanos(?:econds)?)$/i, 1e-6],
  [/(?:_us|_µs|micros(?:econds)?)$/i, 1e-3],
  [/(?:_ms|Ms|_msec|millis(?:econds)?)$/i, 1],
  [/(?:_s|_secs?|[a-z]Secs?|seconds)$/i, 1_000],
  [/(?:_mins?|minutes)$/i, 60_000],
  [/(?:_h|_hrs?|hours)$/i, 3_600_000],
  [/(?:_d|_days?|days)$/i, 86_400_000],
]
const sizes: readonly (readonly [RegExp, number])[] = [
  [/(?:_kb|KB|kilobytes)$/, 1e3],
  [/(?:_mb|MB|megabytes)$/, 1e6],
  [/(?:_gb|GB|gigabytes)$/, 1e9],
  [/(?:_kib|KiB)$/, 1024],
  [/(?:_mib|MiB|InMiB)$/, 1024 ** 2],
  [/(?:_gib|GiB|InGiB)$/, 1024 ** 3],
]

function unitIn(name: string, units: readonly (readonly [RegExp, number])[]): number | undefined {
  return units.find(([ending]) => ending.test(name))?.[1]
}

const relative =
  /^(?:now|today|yesterday|tomorrow|current_|curdate|getdate|sysdate|date\.now|(?:last|past|this|next|previous)\s|\d+\s+\w+\s+ago)|\bago$|^(?:start|end)of/i

function refuseUnordered(operand: Operand, comparison: Comparison, name: string, sample: Sample): void {
  const { text, number, size, duration, date, clock } = operand
  const { values, texts, numbers } = sample
  if (values.length === 0) return
  const isRead = date !== undefined || clock !== undefined || number !== undefined || size !== undefined
  if (isRead && (date || !relative.test(text))) return
  const { dates } = sample
  const isTime = dates.length > texts.length * 0.6 || numbers.some((value) => value > 1e9)
  if (isTime && relative.test(text) && !date)
    throw new Refusal(
      `The date of today is not known here. Write it: \`${name} ${comparison.operator} 2024-05-31\`. ${rangeOf(name, dates, numbers)}`,
    )
  if (isRead) return
  if (dates.length > texts.length * 0.6 && dates.length >= numbers.length)
    throw new Refusal(
      `\`${shown(text, 40)}\` is no date that can be read; write it as 2024-05-31. ${rangeOf(name, dates, numbers)}`,
    )
  if (numbers.length === values.length) {
    const hint =
      duration === undefined ? 'is no number' : 'has a unit, the field has none: write the number alone'
    throw new Refusal(`\`${shown(text, 40)}\` ${hint}. ${rangeOf(name, dates, numbers)}`)
  }
}

function rangeOf(name: string, dates: readonly string[], numbers: readonly number[]): string {
  const held: readonly (string | number)[] =
    dates.length > 0 ? [...dates].sort() : [...numbers].sort((a, b) => a - b)
  return `\`${name}\` holds ${dates.length > 0 ? 'dates' : 'numbers'} such as ${held[0]} and ${held.at(-1)}.`
}

/** A time without a zone is one of the zone that all times of the field have, because so they are read. */
function inZone(operand: Operand, name: string, sample: Sample, note: (text: string) => void): Operand {
  const { date, text } = operand
  if (!date || date.yearless || zoneIn(text) !== undefined) return operand
  const { zone } = sample
  const shift = zone === undefined ? 0 : offset(zone)
  if (shift === 0) return operand
  note(`\`${text}\` read in the zone of \`${name}\`, ${zone}.`)
  return { ...operand, date: { ...date, from: date.from - shift, to: date.to - shift } }
}

/** True when days are asked for of times that have several zones. */
export function hasZones({ operands }: Comparison, sample: Sample): boolean {
  const day = operands.some(({ text, date }) => date !== undefined && text.length <= 10)
  return day && sample.hasZones && sample.zone === undefined
}
