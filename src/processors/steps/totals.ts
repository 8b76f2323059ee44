/** Records that are sums of other records, as tables for people end, or have below each group. */
import { fromTable } from '../../documents/opening/derive.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { type Path, parsePath } from '../../query/fields/path.ts'
import { type Field, type Records, requireRecords } from '../../query/fields/records.ts'
import { valuesAt } from '../../query/fields/walk.ts'
import { newWork } from '../../query/work.ts'
import { formatCount } from '../../text/format.ts'
import { looseNumber } from '../../text/values/quantities.ts'

/** Labels of a record that is the sum of all others. */
const TOTAL = /^(?:(?:grand|over)?totals?|all|sums?|gesamt|insgesamt|summe)$/i
/** Labels of a record that is the mean of all others. Files have weights; `average` is a grade as well, so there the mean is computed. */
const MEAN = /^(?:allfiles|averages?|avg|means?|durchschnitt|mittelwert)$/i
const WEIGHTED = /^allfiles$/i
/** The same of a group: `Travel Total`, `Subtotal`. */
const OF_GROUP = /(?:sub)?totals?$/i
/** Functions over numbers of which a sum among them makes something else. */
const SWAYED = new Set(['sum', 'avg', 'median', 'max', 'stddev', 'percentile'])
const MOST_SUMMED = 100_000
/** A printed sum is rounded. */
const ROUNDED = 0.005

/** Remarks that may stand below the totals of a table. */
const MOST_BELOW = 2

/** A column of an answer: its function, and the field it is over. */
interface Summed {
  readonly call: { readonly name: string }
  readonly field?: Field | undefined
}

/**
 * Leaves the record that is the sum of the others out of sums and means, as tables for people end. Left in where it alone was asked for, and
 * where the groups are those of its label. The notes tell it. Undefined where there is none.
 */
export function withoutTotal(
  records: Records,
  columns: readonly Summed[],
  keys: readonly { readonly name: string }[],
): { records: Records; notes: string[] } | undefined {
  const { table } = records
  const fields = columns.flatMap(({ call, field }) => (SWAYED.has(call.name) && field ? [field] : []))
  const total = totalAmong(records, fields)
  if (!total || table.count < 2 || keys.some(({ name }) => name === total.name)) return undefined
  const { at } = total
  const others = Uint32Array.from({ length: table.count - 1 }, (_, nth) => (nth < at ? nth : nth + 1))
  const note = `${total.told}, and was left out.`
  return { records: requireRecords(fromTable('record', table.choose(others)), 'aggregate'), notes: [note] }
}

/** Says that such a record is counted as well, where records are counted alone. */
export function countedTotal(records: Records, columns: readonly Summed[]): string[] {
  if (!columns.some(({ call, field }) => call.name === 'count' && !field)) return []
  const total = totalAmong(records, fieldsOfTotal(records.whole))
  return total ? [`${total.told}, and is counted: ${formatCount(records.table.count - 1)} without it.`] : []
}

/** The record that is the sum of the others in one of these fields: its position among the records, its label, and how it is told. */
export function totalAmong(
  { table, whole }: Records,
  fields: readonly Pick<Field, 'name' | 'path'>[],
): { at: number; name: string; told: string } | undefined {
  const total = fields
    .map(({ name, path }) => table.whole.derived(`total of ${name}`, () => totalOf(whole, path)))
    .find((found) => found)
  if (!total) return undefined
  const { positions } = table.columns
  const at = positions ? positions.indexOf(total.at) : total.at
  const told = `The record with \`${total.name}\` = ${JSON.stringify(total.label)} is the ${total.kind} of the others`
  return at < 0 ? undefined : { at, name: total.name, told }
}

/** Where a total may stand among so many records: at the end, or first. */
function placesOfTotal(count: number): number[] {
  return [...Array.from({ length: MOST_BELOW + 1 }, (_, below) => count - 1 - below), 0]
}

/** The fields with numbers of what says it is a total: each of them may tell that it is one. */
function fieldsOfTotal(values: readonly JsonValue[]): Pick<Field, 'name' | 'path'>[] {
  if (values.length < 3 || values.length > MOST_SUMMED) return []
  const total = placesOfTotal(values.length).find((at) => labelled(values[at], TOTAL))
  const record = total === undefined ? null : (values[total] ?? null)
  if (!isObject(record)) return []
  const isNumber = (held: JsonValue): boolean =>
    typeof held === 'number' || (typeof held === 'string' && looseNumber(held) !== undefined)
  return Object.keys(record).flatMap((key) =>
    isNumber(own(record, key) ?? null) ? [{ name: key, path: parsePath(`[${JSON.stringify(key)}]`) }] : [],
  )
}

/** The record that says it is a total and has the sum of the others in a field, or their mean. */
function totalOf(
  values: readonly JsonValue[],
  path: Path,
): { at: number; name: string; label: string; kind: 'sum' | 'mean' } | undefined {
  if (values.length < 3 || values.length > MOST_SUMMED) return undefined
  for (const at of placesOfTotal(values.length)) {
    const [name, label] = labelled(values[at], TOTAL) ?? []
    if (name !== undefined && label !== undefined && areSums(values, path, [at], (other) => other !== at))
      return { at, name, label, kind: 'sum' }
    const [mean, said] = labelled(titleOnly(values[at]), MEAN) ?? []
    if (mean !== undefined && said !== undefined && isMean(values, path, at, WEIGHTED.test(bareLabel(said))))
      return { at, name: mean, label: said, kind: 'mean' }
  }
  return undefined
}

/** Records with totals of groups are looked for in tables that people read. */
const MOST_GROUPED = 5000

/** Says that records are sums of others and are counted with them, where a table has them below each group. */
export function subtotals({ values }: Records, columns: readonly Summed[]): string[] {
  const fields = columns.flatMap(({ call, field }) => (SWAYED.has(call.name) && field ? [field] : []))
  if (values.length < 3 || values.length > MOST_GROUPED || fields.length === 0) return []
  const all = values.map((value) => labelled(value, OF_GROUP))
  const [name, label] = all.find((found) => found) ?? []
  const places = all.flatMap((found, at) => (found && !isTotal(found[1]) ? [at] : []))
  if (name === undefined || places.length < 2 || all.some((found) => found && found[0] !== name)) return []
  if (!fields.some(({ path }) => areSums(values, path, places, (at) => all[at] === undefined))) return []
  return [
    `${all.filter((found) => found).length} records are sums of others, as that with \`${name}\` = ${JSON.stringify(label)}, and were counted with them. Leave them out: \`where\`: "${name} not like '%total%'".`,
  ]
}

const isTotal = (label: string): boolean => TOTAL.test(bareLabel(label))
const bareLabel = (label: string): string => label.slice(0, 40).replaceAll(/[\s*_:]/g, '')

/** The text of a record that says it is a total, with the name of its field. */
function labelled(record: JsonValue | undefined, form: RegExp): [name: string, label: string] | undefined {
  const found =
    isObject(record ?? null) &&
    Object.entries(record as JsonObject).find(
      ([, held]) => typeof held === 'string' && form.test(bareLabel(held)),
    )
  return found ? [found[0], String(found[1])] : undefined
}

/** A record with nothing but its first text, its title: further ones are grades and the like. */
function titleOnly(record: JsonValue | undefined): JsonObject {
  const isTitle = ([, held]: [string, JsonValue]): boolean =>
    typeof held === 'string' && held !== '' && looseNumber(held) === undefined
  const title = isObject(record ?? null) && Object.entries(record as JsonObject).find(isTitle)
  return title ? Object.fromEntries([title]) : {}
}

/** The number that a record has in a field; undefined for none. */
function numbersIn(values: readonly JsonValue[], path: Path): (at: number) => number | undefined {
  const work = newWork()
  return (at) => {
    const [value] = valuesAt(values[at] ?? null, path, work)
    return typeof value === 'string' ? looseNumber(value) : typeof value === 'number' ? value : undefined
  }
}

/** True where the number of a record is the mean of the others, as it is rounded. With weights it is somewhere between the least and the largest. */
function isMean(values: readonly JsonValue[], path: Path, place: number, weighted: boolean): boolean {
  const numberAt = numbersIn(values, path)
  const mine = numberAt(place)
  const others = values.flatMap((_, at) => (at === place ? [] : (numberAt(at) ?? [])))
  if (mine === undefined || !others.some((other) => other < mine) || !others.some((other) => other > mine))
    return false
  const digits = /\.(\d+)$/.exec(String(mine))?.[1]?.length ?? 0
  const mean = others.reduce((sum, other) => sum + other, 0) / others.length
  return weighted || Math.abs(mean - mine) <= 0.5001 / 10 ** digits
}

/** True where the numbers of some records are together those of the others. */
function areSums(
  values: readonly JsonValue[],
  path: Path,
  places: readonly number[],
  isOther: (at: number) => boolean,
): boolean {
  const read = numbersIn(values, path)
  const numberAt = (at: number): number => read(at) ?? 0
  const total = places.reduce((sum, at) => sum + numberAt(at), 0)
  let others = 0
  for (let at = 0; at < values.length; at++) if (isOther(at)) others += numberAt(at)
  return total !== 0 && Math.abs(others - total) <= Math.abs(total) * ROUNDED
}
