/** The outline and the tables of Markdown (CommonMark headings, GitHub tables). */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { indexLines, type LineIndex, linesUpTo } from '../../text/lines.ts'
import { literal } from '../../text/patterns/literal.ts'
import { ellipsis } from '../../text/shorten.ts'
import { isUnderlined, underlinesOf } from '../../text/underlines.ts'
import type { Document } from '../document.ts'
import { factsOf } from '../overview/facts.ts'
import {
  largestTable,
  listOf,
  outlined,
  plain,
  tableCalls,
  tableFacts,
  underHeading,
} from '../overview/markup.ts'
import type { Overview } from '../overview/overview.ts'
import { callsOn } from '../overview/record-calls.ts'
import { telling } from '../overview/words.ts'
import { profile } from '../shape/profile.ts'
import { typeNotations } from '../shape/type-notation.ts'
import { call, type Template } from '../template.ts'
import { findAlike } from './alike.ts'
import { freeName, joinerOf, namesOfSheet, withoutEmphasis } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'
import { addFields, fieldsAt, findItems, isList, itemRecords, listIn, MARKED, maySayFields } from './items.ts'
import { markedPairs } from './marked-pairs.ts'
import { stanzas } from './stanzas.ts'

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/
const FENCE = /^ {0,3}(```|~~~)/
/** Lines that programs have and texts have not. */
const CODE =
  /^(?:import [\w.{*"']|from [\w.]+ import |(?:async )?def \w+\(|class \w+[:({ ]|func \w+\(|(?:export|public|static|const|let|var|fn|pub|package|using|#include) [\w<{].*[;{(=>)]\s*$|@\w+\s*$|[A-Za-z_]\w* = )/
const SEPARATOR = /^\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*\|?$/
/** Longer lines are neither headings nor rows. */
const LONGEST = 4096
const lineOf = linesUpTo(LONGEST, '')

/** `name: value`, `- name: value`, `name:` as YAML writes them. */
const PAIR = /^\s*(?:- )?[\w.$/-]+:(?:\s|$)/
/** An item of a list at the margin that is such a pair. */
const LISTED = /^- ([\w.$/-]+):\s/

/** True for a text with headings or a table, judged by its beginning. */
function looksLikeMarkdown(start: string): boolean {
  const lines = indexLines(start)
  if (start.startsWith('#!')) return false
  let headings = 0
  let deeper = 0
  let marks = 0
  let comments = 0
  let statements = 0
  let [written, pairs, listed] = [0, 0, 0]
  const keys = new Set<string>()
  let previous = false
  let fenced = false
  for (let index = 0; index < lines.count && index < 2000; index++) {
    const line = lineOf(lines, index)
    const heading = HEADING.exec(line)
    // Comments stand under each other, with bare marks between them.
    if (/^#[ \t]*$/.test(line) || (heading && previous)) comments += 1
    previous = heading !== null
    if (heading) {
      headings += 1
      if ((heading[1]?.length ?? 0) > 1) deeper += 1
    }
    const isFence = FENCE.test(line) && !isUnderline(line, index === 0 ? '' : lineOf(lines, index - 1))
    if (isFence || /^\s*(?:[-*+] |\d+\. |> )|\*\*\w|\]\(|`\w/.test(line)) marks += 1
    if (isTableStart(lines, index)) return true
    if (isFence) fenced = !fenced
    if (!fenced && CODE.test(line)) statements += 1
    if (line.trim() !== '') written += 1
    if (fenced || !PAIR.test(line)) continue
    pairs += 1
    const key = LISTED.exec(line)?.[1]
    if (key === undefined) continue
    listed += 1
    keys.add(key)
  }
  // Most lines of YAML are names with values, and its lists look like those of Markdown. They have no items with a name each.
  const areItems = listed === pairs && keys.size > 1 && deeper > 0
  if (pairs > written / 2 && !areItems) return false
  // `#` begins comments as well: there are no deeper headings then, and hardly a mark.
  if (statements >= 3 && statements >= headings / 4) return false
  if (headings === 0) return isUnderlined(lines)
  return deeper > 0 ? headings + marks >= 2 : marks >= 1 && comments === 0
}

/** reStructuredText underlines titles with tildes as well, also in comments of code. */
function isUnderline(line: string, title: string): boolean {
  return /^~{4,}$/.test(line) && title.trim() !== '' && Math.abs(line.length - title.length) <= 2
}

/** True for records on a line each below a heading or two. */
function isOneList(text: string): boolean {
  const found = findAlike(indexLines(text))
  if (!found || found.rows.some(({ heading }) => heading !== undefined)) return false
  return found.around.filter((line) => HEADING.test(line)).length <= MOST_OVER
}

/** Headings over a list. */
const MOST_OVER = 3

/** True for records that begin before any heading, with texts that may be Markdown: pages that were found. */
function areTexts(text: string): boolean {
  const heading = text.search(/^ {0,3}#{1,6}[ \t]/m)
  const [front = ''] = FRONT_MATTER.exec(text) ?? []
  return (
    heading > 0 && /^\w.*: \S/m.test(text.slice(front.length, heading)) && stanzas.detect(text) !== undefined
  )
}

/** The fields of a note itself, before its text. */
const FRONT_MATTER = /^---[ \t]*\r?\n(?:.*\r?\n){0,100}?---[ \t]*\r?\n/

/**
 * `{sections: [{level, heading, line, text}], records?: [{heading, …fields, line, text?}], tables: [[record…]…], links?: [{text, href, line}]}`:
 * `line` counts from 1, `text` is a section's own text up to the next heading of any level. Text before the first heading is a section of
 * level 0. Sections of one level that say the same fields are records. A list of items with fields is a table.
 */
function readMarkdown(text: string): JsonObject {
  const lines = indexLines(text)
  const sections: JsonObject[] = []
  const tables: JsonValue[][] = []
  const links: JsonObject[] = []
  const saying = new Set<number>()
  let open = { level: 0, heading: '', line: 0, body: 0 }
  const underlines = underlinesOf(lines)
  let fence: string | undefined
  const close = (before: number) => {
    const body = before > open.body ? text.slice(lines.start(open.body), lines.end(before - 1)).trim() : ''
    if (open.level === 0 && body === '') return
    sections.push({ level: open.level, heading: open.heading, line: open.line + 1, text: body })
    if (!maySayFields(body)) return
    saying.add(sections.length - 1)
    const found = findItems(lines, open.body, before, 1)
    if (!found) return
    const rows = itemRecords(found)
    tables.push(rows)
    underHeading(rows, open.heading)
  }
  let belowAt = 0
  let below = markAt(text, lines, belowAt)
  let link = text.indexOf('](')
  for (let index = 0; index < lines.count; index++) {
    const mark = belowAt === index ? below : markAt(text, lines, index)
    belowAt = index + 1
    below = markAt(text, lines, belowAt)
    // Most lines are told by their first character, and that of the next one, to be none of all this.
    const isLinked = link >= 0 && link < lines.start(index + 1) && link < lines.end(index)
    if (isLinked) link = text.indexOf('](', lines.end(index))
    const isPlain =
      fence === undefined ? !isLinked && (below & OVER) === 0 && (mark & OPENS) === 0 : (mark & FENCES) === 0
    if (isPlain && !underlines.areOwn) continue
    const line = lineOf(lines, index)
    const marker = underlines.areOwn ? undefined : FENCE.exec(line)?.[1]
    if (marker !== undefined && (fence === undefined || fence === marker)) {
      fence = fence === undefined ? marker : undefined
      continue
    }
    if (fence !== undefined) continue
    for (const [, image, words = '', target = ''] of line.matchAll(LINK))
      if (image === '' && links.length < MOST_LINKS)
        links.push({ text: words, href: target, line: index + 1 })
    const heading = HEADING.exec(line)
    const under = heading ? undefined : underlines.at(index)
    const level = under?.level
    if (heading || under) {
      close(under?.overlined ? index - 1 : index)
      const title = heading ? withoutLinks(withoutClosing(heading[2] ?? '')) : withoutLinks(line.trim())
      open = {
        level: level ?? heading?.[1]?.length ?? 1,
        heading: title,
        line: index,
        body: index + (level === undefined ? 1 : 2),
      }
      if (level !== undefined) index += 1
    } else if (isTableStart(lines, index)) {
      const { rows, end } = readTable(lines, index)
      if (rows.length > 0) tables.push(rows)
      underHeading(rows, open.heading)
      index = end - 1
    }
  }
  close(lines.count)
  const ofSections = recordsAmong(sections, saying, links)
  const records = ofSections.length > 0 ? ofSections : markedPairs(lines)
  return {
    sections,
    ...(records.length > 0 ? { records } : {}),
    tables,
    ...(links.length > 0 ? { links } : {}),
  }
}

/** Sections of one level that must say a field, and the share of them, for them to be records. */
const LEAST_ALIKE = 3
const ALIKE = 0.6
/** The shares of records that have a key, and a heading below theirs, for it to be a field. */
const SOME = 0.05
const SOME_PARTS = 0.2
/** Lines of a section that are looked at to find its keys. */
const LOOKED = 60

/** A rule before the next section. */
const LAST_RULE = /(?:^|\n)[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/

/** The members that each section has. */
const SECTION = { level: 0, heading: '', line: 0, text: '' }

/** Sections of one level: the keys that most of them say, and the places of sections that say one. */
interface Alike {
  readonly level: number
  readonly shared: ReadonlySet<string>
  readonly saying: readonly number[]
}

/**
 * The records that sections are where most of a level say the same fields: `- **State:** open` below each heading. They are those of the
 * level with most of them; sections of other levels get such fields, and keep their text. `mayHave`: the places of sections with a colon that
 * has something behind it.
 */
function recordsAmong(
  sections: readonly JsonObject[],
  mayHave: ReadonlySet<number>,
  links: readonly JsonObject[],
): JsonObject[] {
  const [main, ...others] = [...new Set(sections.map((section) => Number(section.level)))]
    .flatMap((level) => alikeAt(sections, level, mayHave) ?? [])
    .sort((one, other) => other.saying.length - one.saying.length || one.level - other.level)
  for (const { shared, saying } of others)
    for (const at of saying) {
      const section = sections[at] ?? {}
      const rest = addFields(section, linesOf(section), (key) => shared.has(key))
        .join('\n')
        .trim()
      if (rest !== '') section._text = rest
    }
  return main ? sectionRecords(sections, main, links) : []
}

function alikeAt(
  sections: readonly JsonObject[],
  level: number,
  mayHave: ReadonlySet<number>,
): Alike | undefined {
  const places = sections.flatMap((section, at) => (section.level === level ? at : []))
  const some = places.filter((at) => mayHave.has(at))
  const least = Math.max(LEAST_ALIKE, places.length * ALIKE)
  if (some.length < least) return undefined
  const keys = some.map((at) => keysIn(linesOf(sections[at])))
  const shared = namesOfAll(keys, least)
  return shared.size === 0
    ? undefined
    : { level, shared, saying: some.filter((_, nth) => keys[nth]?.some((key) => shared.has(key))) }
}

function linesOf(section: JsonObject | undefined): string[] {
  return String(section?.text ?? '').split('\n')
}

/** The names that at least so many have. A name that stands again and again in one is of the items in it. */
function namesOfAll(each: readonly (readonly string[])[], least: number): Set<string> {
  const counts = new Map<string, number>()
  const repeated = new Map<string, number>()
  for (const names of each) {
    const own = new Set<string>()
    const again = new Set<string>()
    for (const name of names) (own.has(name) ? again : own).add(name)
    for (const name of own) {
      const map = again.has(name) ? repeated : counts
      map.set(name, (map.get(name) ?? 0) + 1)
    }
  }
  return new Set(
    [...counts].flatMap(([name, count]) =>
      count >= least && (repeated.get(name) ?? 0) < LEAST_ALIKE ? name : [],
    ),
  )
}

/**
 * Records `{heading, href?, section?, …fields, line, text?}`: `section` is the heading above, where they stand below several; `text` what is
 * no field. A heading that comes below several of them is a field. Names that the text gives come before these. A section among them is a
 * record, be it without fields.
 */
function sectionRecords(
  sections: readonly JsonObject[],
  { level, saying }: Alike,
  links: readonly JsonObject[],
): JsonObject[] {
  const [first = 0, last = -1] = [saying[0], saying.at(-1)]
  const places = sections.flatMap((section, at) =>
    section.level === level && at >= first && at <= last ? at : [],
  )
  const parts = places.map((at) => {
    let end = at + 1
    while (Number(sections[end]?.level ?? 0) > level) end += 1
    return sections.slice(at + 1, end)
  })
  const some = Math.max(2, places.length * SOME)
  const keys = namesOfAll(
    places.map((at) => keysIn(linesOf(sections[at]))),
    some,
  )
  const headings = namesOfAll(
    parts.map((below) => below.map(({ heading }) => String(heading))),
    Math.max(LEAST_ALIKE, places.length * SOME_PARTS),
  )
  const below = namesOfAll(
    parts.map((each) => each.flatMap((part) => keysIn(linesOf(part)))),
    some,
  )
  const names = new Set([...keys, ...headings, ...below])
  const free = (name: string): string => freeName(names, name)
  const [ofHeading, ofLink, ofSection] = [free('heading'), free('href'), free('section')]
  const [ofLine, ofText] = [free('line'), free('text')]
  // A heading leads where its first link does.
  const hrefs = new Map(links.toReversed().map(({ line, href }) => [line, href]))
  const above = headingsAbove(sections, places, level)
  const isApart = new Set(above).size > 1
  return places.map((at, nth) => {
    const section = sections[at] ?? {}
    const record: JsonObject = { [ofHeading]: section.heading ?? '' }
    const href = hrefs.get(section.line ?? 0)
    if (href !== undefined) record[ofLink] = href
    if (isApart) record[ofSection] = above[nth] ?? ''
    const rest = addFields(record, linesOf(section), (key) => keys.has(key))
    for (const part of parts[nth] ?? []) {
      const heading = String(part.heading)
      // Below a heading of its own a text may look like fields.
      const isKey = (key: string, line: string): boolean => below.has(key) && MARKED.test(line)
      const said = addFields(record, linesOf(part), isKey)
      const isField = headings.has(heading) && own(record, heading) === undefined
      if (isField) setOwn(record, heading, listIn(said) ?? said.join('\n').trim())
      else
        rest.push(
          ...(rest.at(-1) === '' ? [] : ['']),
          `${'#'.repeat(Number(part.level))} ${heading}`,
          ...said,
        )
    }
    record[ofLine] = section.line ?? 0
    const text = rest.join('\n').replace(LAST_RULE, '').trim()
    if (text !== '') record[ofText] = text
    return record
  })
}

/** The heading of the nearest section above that is of a higher level, for each of these places; empty where there is none. */
function headingsAbove(sections: readonly JsonObject[], places: readonly number[], level: number): string[] {
  let [at, above] = [0, '']
  return places.map((place) => {
    for (; at < place; at++) if (Number(sections[at]?.level) < level) above = String(sections[at]?.heading)
    return above
  })
}

/** The keys that the first lines of a section say, outside of code: those with a value, or a list below them. */
function keysIn(lines: readonly string[]): string[] {
  let isCode = false
  return lines.slice(0, LOOKED).flatMap((line, at) => {
    if (FENCE.test(line)) isCode = !isCode
    if (isCode) return []
    return fieldsAt(line).flatMap(({ key, value }) =>
      value !== '' || isList(line, lines[at + 1]) ? key : [],
    )
  })
}

/**
 * The kinds that a line may have by its first character. It may be a fence, a heading or a fence, or the line under a heading or
 * under the names of a table.
 */
const [FENCES, OPENS, OVER] = [1, 2, 4]
const ANYTHING = FENCES | OPENS | OVER
const MARKS = Uint8Array.from({ length: 127 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (code <= 32) return ANYTHING
  if (character === '`' || character === '~') return FENCES | OPENS
  return (character === '#' ? OPENS : 0) | ('=-|:'.includes(character) ? OVER : 0)
})

/**
 * The same of the first character of a line that is no blank. A line that is not ASCII may be anything, and a line of blanks is nothing.
 */
function markAt(text: string, lines: LineIndex, line: number): number {
  let at = lines.start(line)
  let code = text.charCodeAt(at)
  while (code === 32 || code === 9) code = text.charCodeAt(++at)
  if (Number.isNaN(code) || code === 10 || code === 13) return at >= lines.end(line) ? 0 : ANYTHING
  const mark = MARKS[code] ?? ANYTHING
  return mark === OVER && !isRule(text, at) ? 0 : mark
}

/** True for a line of nothing but what rules are made of, from here on. A character outside of ASCII may be white space. */
function isRule(text: string, from: number): boolean {
  let at = from
  while (at < text.length && RULE.includes(text.charAt(at))) at += 1
  return at === text.length || text.charCodeAt(at) < 32 || text.charCodeAt(at) > 127
}

const RULE = '=-|: \t'

/** `[words](target)`; a bang before it makes it an image. */
const LINK = /(!?)\[([^[\]]{1,200})\]\(([^\s()]{1,500})(?: "[^"]{0,200}")?\)/g
const MOST_LINKS = 5_000

/** `[12.4.0](https://…)` → `12.4.0`. */
function withoutLinks(title: string): string {
  return title.includes('](')
    ? title.replace(LINK, (_, image: string, words: string) => image + words)
    : title
}

/** `Title ##` → `Title`. A loop, because an expression would be quadratic in white space. */
function withoutClosing(title: string): string {
  const trimmed = title.trimEnd()
  let end = trimmed.length
  while (end > 0 && trimmed[end - 1] === '#') end -= 1
  return end < trimmed.length && /[ \t]/.test(trimmed[end - 1] ?? '')
    ? trimmed.slice(0, end).trimEnd()
    : trimmed
}

/** A row of names over a row of dashes with as many cells. */
function isTableStart(lines: LineIndex, index: number): boolean {
  const below = lineOf(lines, index + 1)
  if (!below.includes('-') || !below.includes('|') || !SEPARATOR.test(below.trim())) return false
  return lineOf(lines, index).includes('|') && cells(lineOf(lines, index)).length === cells(below).length
}

function readTable(lines: LineIndex, start: number): { rows: JsonValue[]; end: number } {
  const names = cells(lineOf(lines, start)).map((name, index) => name || `column_${index + 1}`)
  const all: string[][] = []
  let index = start + 2
  for (; index < lines.count; index++) {
    const line = lineOf(lines, index)
    if (!line.includes('|')) break
    all.push(cells(line))
  }
  const isLonger = ({ length }: readonly string[]): boolean => length > names.length
  const joined = all.some(isLonger)
    ? joinerOf(
        all.filter(({ length }) => length === names.length),
        names.length,
      )
    : undefined
  const ofSheet = namesOfSheet(names, all)
  const rows = all.slice(ofSheet ? 1 : 0).map((row) => {
    const record: JsonObject = {}
    ;(joined?.(row) ?? row).forEach((cell, column) => {
      setOwn(record, (ofSheet ?? names)[column] ?? `column_${column + 1}`, cell)
    })
    return record
  })
  return { rows, end: index }
}

/** The cells of a row; `\|` is a bar inside a cell. */
function cells(line: string): string[] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => withoutEmphasis(cell.trim().replaceAll('\\|', '|')))
}

/** The overview of a Markdown text: its headings with their lines, its tables. */
function overviewOfMarkdown(document: Document): Overview {
  const json = document.json()
  const sections = listOf(json, 'sections').filter(({ level }) => level !== 0)
  const outline = sections.map((section) => ({
    level: Number(section.level),
    text: () => `${section.line} ${ellipsis(plain(String(section.heading)), 80)}${length(section)}`,
  }))
  const shown = outlined(outline)
  const longest = sections
    .toSorted((one, other) => size(other) - size(one))
    .find(({ heading }) => isOnly(String(heading), sections))
  const table = sections.length < 2 ? largestTable(json) : undefined
  const records = listOf(json, 'records')
  const fields =
    fieldsOfSections(records, '$.records') ??
    fieldsOfSections(sections.filter(sayMore), '$') ??
    (table && fieldsOf(table.values, table.path))
  return {
    totals: [
      formatPlural(document.lines().count, 'line'),
      formatPlural(sections.length, 'heading'),
      ...(records.length > 0 ? [formatPlural(records.length, 'record')] : []),
    ],
    type: fields?.type ?? (() => ''),
    facts: [
      ...(fields?.facts ?? []),
      ...tableFacts(json),
      ...(outline.length > 0 ? ['outline (line, heading, [characters]):'] : []),
      ...shown.facts,
    ],
    outline: shown,
    sample: (max) => beginning(document, max),
    calls: [
      ...(fields?.calls ?? []),
      ...sectionCall(longest ?? sections[0], document.lines()),
      ...tableCalls(json),
      ...wordCall(document.text.slice(0, 200_000)),
    ].slice(0, 3),
  }
}

/** Facts about fields that leave room for the outline, and for other rows of tables. */
const MOST_FACTS = 4
const MOST_OF_TABLE = 8

/** Facts about the members of every section. */
const OWN = /^(?:level|heading|line|text|numbers: (?:line|level)|size is|same in all: level = \d+$)/

/** The fields that sections share: their types, values and a call that asks for them. Undefined where they have none. */
function fieldsOfSections(
  values: readonly JsonObject[],
  path: string,
): Pick<Overview, 'type' | 'facts' | 'calls'> | undefined {
  if (values.length === 0) return undefined
  const { type, facts, calls } = fieldsOf(values, path)
  return {
    type,
    facts: facts.filter((fact) => !OWN.test(fact)).slice(0, MOST_FACTS),
    calls: calls.slice(0, 1),
  }
}

function sayMore(section: JsonObject): boolean {
  return Object.keys(section).length > Object.keys(SECTION).length
}

/** The types, values and calls of records that a text holds. */
function fieldsOf(values: readonly JsonValue[], path: string): Pick<Overview, 'type' | 'facts' | 'calls'> {
  const records = { values, keys: undefined, profile: profile({ values }) }
  return {
    type: typeNotations(records.profile.record, { depth: 2, enumerate: false, implicit: true }),
    facts: factsOf(records).slice(0, MOST_OF_TABLE),
    calls: callsOn(records, path),
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

function size(section: JsonObject): number {
  return typeof section.text === 'string' ? section.text.length : -1
}

function length(section: JsonObject): string {
  return size(section) >= 1000 ? ` [${size(section)}]` : ''
}

/** The search reads the lines as they are written, in which a link or a mark may part the words of a heading. */
function sectionCall(section: JsonObject | undefined, lines: LineIndex): Template[] {
  const told = typeof section?.heading === 'string' ? section.heading : ''
  const written = told === '' ? '' : lines.at(Number(section?.line) - 1).replace(/^[\s#>*+-]+/, '')
  const heading = (written.includes(told) ? told : written).slice(0, 60)
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
  const [word] = telling(text.split(/\n\s*\n/), 1)
  return word === undefined ? [] : [call('proxy_search', { pattern: word, mode: 'bm25' })]
}

function beginning(document: Document, max: number): string[] {
  const start = document.text.slice(0, max * 4).trim()
  return [ellipsis(start.replace(/\s*\n\s*/g, '\n'), Math.min(max, 160))]
}

/** Tried after what may hold a heading of Markdown, as diffs do. Never takes programs, settings or YAML, where `#` begins a comment. */
export const markdown = defineFormat<true>({
  name: 'markdown',
  family: 'markdown',
  outlined: true,
  isOwnFact: () => true,
  mainPart(json) {
    const records = listOf(json, 'records')
    if (records.length > 0) return { path: '$.records', keys: undefined, values: records }
    const sections = listOf(json, 'sections')
    return sections.length > 1
      ? { path: '$.sections', keys: undefined, values: sections }
      : largestTable(json)
  },
  detect: (text) =>
    (looksLikeMarkdown(text.slice(0, BEGINNING)) && !isOneList(text) && !areTexts(text)) || undefined,
  read: readMarkdown,
  overview: overviewOfMarkdown,
})
