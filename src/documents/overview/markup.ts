/** The common parts of overviews of Markdown and HTML: an outline of headings, tables. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { type Collection, tablesIn } from '../shape/collections.ts'
import { call, type Template } from '../template.ts'
import type { Overview } from './overview.ts'

/** The objects of a list by its name. */
export function listOf(json: JsonValue | undefined, name: string): JsonObject[] {
  const list = isObject(json) ? own(json, name) : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** The headings above tables, by the table. They are no part of its rows. */
const headings = new WeakMap<readonly JsonValue[], string>()

/** Says under which heading a table stands. */
export function underHeading(table: readonly JsonValue[], heading: string): void {
  if (heading !== '') headings.set(table, heading)
}

/** The paths of the tables that stand below a heading, case aside. */
export function tablesUnder(json: JsonValue | undefined, heading: string): string[] {
  const wanted = heading.trim().toLowerCase()
  return tablesOf(json).flatMap((table, at) =>
    headings.get(table)?.trim().toLowerCase() === wanted ? `$.tables[${at}]` : [],
  )
}

/** The heading above each row of the tables of a page or a text; undefined where there are no such tables. */
export function headingsOfRows(json: JsonValue | undefined): ReadonlyMap<JsonValue, string> | undefined {
  const tables = tablesOf(json)
  if (!tables.some((table) => headings.has(table))) return undefined
  return new Map(tables.flatMap((table) => table.map((row) => [row, headings.get(table) ?? ''] as const)))
}

export function tablesOf(json: JsonValue | undefined): JsonValue[][] {
  const list = isObject(json) ? own(json, 'tables') : undefined
  return Array.isArray(list) ? list.filter((table) => Array.isArray(table)) : []
}

/** The largest table of a page or a text, where it has two rows; tables of one kind are one. */
export function largestTable(json: JsonValue | undefined): Collection | undefined {
  const tables = tablesOf(json)
  const together = tablesIn(tables, '$.tables')
  const each = tables.map((values, at) => ({ path: `$.tables[${at}]`, keys: undefined, values }))
  let largest: Collection | undefined
  for (const table of together.length > 0 ? together : each)
    if (table.values.length > (largest?.values.length ?? 1)) largest = table
  return largest
}

/** So many headings are listed; of a level with more, the first ones and the last. */
const MOST_HEADINGS = 40
const FIRST = 24
const LAST = 3

/** Headings with their indentation; the deepest levels of a long outline are counted only. */
export function outlined(
  headings: readonly { level: number; text(): string }[],
): NonNullable<Overview['outline']> & { facts: readonly string[] } {
  const upTo = (most: number) => headings.reduce((count, { level }) => (level <= most ? count + 1 : count), 0)
  let deepest = 6
  while (deepest > 1 && upTo(deepest) > MOST_HEADINGS && upTo(deepest - 1) > 2) deepest -= 1
  const shown = headings.filter(({ level }) => level <= deepest)
  const deeper = headings.length - shown.length
  const rest = deeper > 0 ? [`${formatPlural(deeper, 'deeper heading')}`] : []
  const total = headings.length
  const least = shown.reduce((lowest, { level }) => Math.min(lowest, level), 6)
  const lines = (some: typeof shown) =>
    some.map(({ level, text }) => `${'  '.repeat(Math.max(0, level - least))}${text()}`)
  if (shown.length <= MOST_HEADINGS) {
    const all = lines(shown)
    return { facts: [...all, ...rest], headings: all, notes: rest, total }
  }
  const more = `… ${shown.length - FIRST - LAST} more headings`
  const [first, last] = [lines(shown.slice(0, FIRST)), lines(shown.slice(-LAST))]
  return {
    facts: [...first, more, ...last, ...rest],
    headings: [...first, ...last],
    notes: [more, ...rest],
    total,
  }
}

/** A heading without links and the sign of its own link. */
export function plain(heading: string): string {
  return heading.replace(/\[([^\][]*)\]\([^()]*\)/g, '$1').replace(/\s*[#§¶]$|^[#§¶]\s*/g, '')
}

export function tableFacts(json: JsonValue | undefined): string[] {
  const tables = tablesOf(json)
  const titled = tables.filter((table) => headings.has(table)).length
  const all = titled > 1 ? ['$.tables[*]: the rows of all, with the `heading` of each'] : []
  const each = tables.slice(0, 8).map((table, index) => {
    const [record] = table
    const names = isObject(record) ? Object.keys(record) : []
    const heading = headings.get(table)
    const title = heading === undefined ? '' : ` ${ellipsis(heading, 40)}`
    return `$.tables[${index}]${title}: ${formatPlural(table.length, 'row')} of ${ellipsis(names.join(', '), 120)}`
  })
  return [...each, ...all]
}

export function tableCalls(json: JsonValue | undefined): Template[] {
  const tables = tablesOf(json)
  const largest = tables.reduce(
    (best, table, index) => (table.length > (tables[best]?.length ?? 0) ? index : best),
    0,
  )
  return tables.length > 0 ? [call('proxy_filter', { path: `$.tables[${largest}]`, limit: 20 })] : []
}
