/** The overview of what has an outline: Markdown and HTML. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import { formatPlural } from '../../text/format.ts'
import { literal } from '../../text/literal.ts'
import type { Collection, Document } from '../document.ts'
import type { Template } from '../fit.ts'
import { call } from '../template.ts'
import type { Overview } from './overview.ts'
import { distinctiveWord } from './words.ts'

/** The overview of a Markdown text: its headings with their lines, its tables. */
export function overviewOfMarkdown(document: Document): Overview {
  const json = document.json()
  const sections = listOf(json, 'sections').filter(({ level }) => level !== 0)
  const outline = sections.map((section) => ({
    level: Number(section.level),
    text: `${section.line} ${ellipsis(plain(String(section.heading)), 80)}${length(section)}`,
  }))
  const shown = outlined(outline)
  const longest = sections
    .filter(({ heading }) => isOnly(String(heading), sections))
    .reduce<JsonObject | undefined>(
      (best, section) => (size(section) > size(best) ? section : best),
      undefined,
    )
  return {
    totals: [formatPlural(document.lines().count, 'line'), formatPlural(sections.length, 'heading')],
    type: () => '',
    facts: [...tableFacts(json), 'outline (line, heading, [characters]):', ...shown.facts],
    outline: shown,
    sample: (max) => beginning(document, max),
    calls: [
      ...sectionCall(longest ?? sections[0]),
      ...tableCalls(json),
      ...wordCall(document.text.slice(0, 200_000)),
    ].slice(0, 3),
  }
}

/** Headings that are compared with each other. */
const COMPARED = 500

/** True for a heading that leads to one section. */
function isOnly(heading: string, sections: readonly JsonObject[]): boolean {
  if (sections.length > COMPARED) return heading.length > 8
  return (
    heading.length > 3 && sections.filter((other) => String(other.heading).includes(heading)).length === 1
  )
}

/** The overview of a page: title, headings, tables, links. */
export function overviewOfHtml(document: Document): Overview {
  const json = document.json()
  const title =
    isObject(json) && typeof json.title === 'string' ? [`title: ${ellipsis(json.title, 160)}`] : []
  const headings = listOf(json, 'headings')
  const links = listOf(json, 'links')
  const outline = outlined(
    headings.map(({ level, text }) => ({ level: Number(level), text: ellipsis(plain(String(text)), 80) })),
  )
  const named = links.filter(({ text }) => text !== '').slice(0, 12)
  const linked = named.map(({ text }) => ellipsis(String(text), 30)).join(' | ')
  return {
    totals: [
      formatPlural(document.lines().count, 'line'),
      formatPlural(tablesOf(json).length, 'table'),
      formatPlural(links.length, 'link'),
    ],
    type: () => '{title, headings: {level, text}[], tables: record[][], links: {text, href}[]}',
    facts: [...title, ...tableFacts(json), ...outline.facts, ...(linked === '' ? [] : [`links: ${linked}`])],
    outline,
    sample: () => [],
    calls: [
      ...tableCalls(json),
      ...(links.length > 0 ? [call('proxy_filter', { path: '$.links', limit: 20 })] : []),
      ...(headings.length > 0
        ? [call('proxy_search', { pattern: literal(String(headings[0]?.text)), max_results: 5 })]
        : []),
    ].slice(0, 3),
  }
}

/** The objects of a list by its name. */
export function listOf(json: JsonValue | undefined, name: string): JsonObject[] {
  const list = isObject(json) ? own(json, name) : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

function tablesOf(json: JsonValue | undefined): JsonValue[][] {
  const list = isObject(json) ? own(json, 'tables') : undefined
  return Array.isArray(list) ? list.filter((table) => Array.isArray(table)) : []
}

/** The largest table of a page or a text, where it has two rows. */
export function largestTable(json: JsonValue | undefined): Collection | undefined {
  let largest: Collection | undefined
  for (const [index, table] of tablesOf(json).entries())
    if (table.length > (largest?.values.length ?? 1))
      largest = { path: `$.tables[${index}]`, keys: undefined, values: table }
  return largest
}

/** So many headings are listed; of a level with more, the first ones and the last. */
const MOST_HEADINGS = 40
const FIRST = 24
const LAST = 3

/** Headings with their indentation; the deepest levels of a long outline are counted only. */
function outlined(
  headings: readonly { level: number; text: string }[],
): NonNullable<Overview['outline']> & { facts: readonly string[] } {
  const upTo = (level: number) => headings.filter((heading) => heading.level <= level)
  let deepest = 6
  while (deepest > 1 && upTo(deepest).length > MOST_HEADINGS && upTo(deepest - 1).length > 2) deepest -= 1
  const shown = upTo(deepest)
  const least = Math.min(...shown.map(({ level }) => level))
  const lines = shown.map(({ level, text }) => `${'  '.repeat(Math.max(0, level - least))}${text}`)
  const deeper = headings.length - shown.length
  const rest = deeper > 0 ? [`${formatPlural(deeper, 'deeper heading')}`] : []
  const total = headings.length
  if (lines.length <= MOST_HEADINGS)
    return { facts: [...lines, ...rest], headings: lines, notes: rest, total }
  const more = `… ${lines.length - FIRST - LAST} more headings`
  const [first, last] = [lines.slice(0, FIRST), lines.slice(-LAST)]
  return {
    facts: [...first, more, ...last, ...rest],
    headings: [...first, ...last],
    notes: [more, ...rest],
    total,
  }
}

/** A heading without links and the sign of its own link. */
function plain(heading: string): string {
  return heading.replace(/\[([^\][]*)\]\([^()]*\)/g, '$1').replace(/\s*[#§¶]$|^[#§¶]\s*/g, '')
}

function tableFacts(json: JsonValue | undefined): string[] {
  return tablesOf(json)
    .slice(0, 8)
    .map((table, index) => {
      const [record] = table
      const names = isObject(record) ? Object.keys(record) : []
      return `$.tables[${index}]: ${formatPlural(table.length, 'row')} of ${ellipsis(names.join(', '), 120)}`
    })
}

function tableCalls(json: JsonValue | undefined): Template[] {
  const tables = tablesOf(json)
  const largest = tables.reduce(
    (best, table, index) => (table.length > (tables[best]?.length ?? 0) ? index : best),
    0,
  )
  return tables.length > 0 ? [call('proxy_filter', { path: `$.tables[${largest}]`, limit: 20 })] : []
}

function size(section: JsonObject | undefined): number {
  return typeof section?.text === 'string' ? section.text.length : -1
}

function length(section: JsonObject): string {
  return size(section) >= 1000 ? ` [${size(section)}]` : ''
}

function sectionCall(section: JsonObject | undefined): Template[] {
  const heading = typeof section?.heading === 'string' ? section.heading.slice(0, 60) : ''
  return heading === ''
    ? []
    : [
        call('proxy_search', {
          pattern: literal(heading),
          mode: 'context',
          context_type: 'section',
          max_results: 1,
        }),
      ]
}

function wordCall(text: string): Template[] {
  const word = distinctiveWord(text.split(/\n\s*\n/))
  return word === undefined ? [] : [call('proxy_search', { pattern: word, mode: 'bm25' })]
}

function beginning(document: Document, max: number): string[] {
  const start = document.text.slice(0, max * 4).trim()
  return [ellipsis(start.replace(/\s*\n\s*/g, '\n'), Math.min(max, 160))]
}
