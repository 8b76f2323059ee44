/** The only way from a document to a reply. */

import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatCount, formatPlural, plural } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { abridge } from '../abridge.ts'
import type { Document, Rows } from '../document.ts'
import { toJson } from '../json/stringify.ts'
import { pathStep } from '../shape/collections.ts'
import type { Template } from '../template.ts'
import { call, clip, concat, HOLE, lengthOf, lines } from '../template.ts'
import { compactRows } from './compact.ts'
import { encodeRow, encodeTable, isUniform } from './encode.ts'
import { isWithin } from './size.ts'

export interface FitOptions {
  /** The most characters the text may have, the handle counted in. */
  budget: number
  /** First line: what this is. Counts of rows are added here by `fit`. */
  title: string
  /** True when the title says how many there are: the count of rows is added only where not all of them are shown. */
  counted?: boolean
  /** Remarks under the title: how a field name was read, what was skipped. */
  notes?: readonly string[]
  /**
   * Rows that this page leaves out at the beginning. With `total`, and a document that holds one page: how many rows
   * lie before the document's first. Default 0.
   */
  offset?: number
  /** The most rows to show. Default: what fits. */
  limit?: number
  /** False: the document will not be kept, so there is no handle to point to. Default true. */
  kept?: boolean
  /** Rows in all when `document` holds one page of them. Default: the rows of `document`. */
  total?: number
  /** The remark on a page that does not show all rows, behind the counts: by its first row and the one after its last. */
  about?: (first: number, end: number) => string
  /**
   * Where a page of several records does not fit or is large, each is shown in the fields that tell most. These names come first.
   * Absent: as many whole records as fit.
   */
  compact?: ReadonlySet<string>
  /** A few records are shown so as well where they are large; a single one that was asked for is not. Default false. */
  compactFew?: boolean
  /** Where one page does not hold all rows, a first look at some of them will do. Default false. */
  glance?: boolean
  /** The searched words: of a passage that no page holds, the part with most of them is shown. */
  sought?: string
}

export interface Fitted {
  text: Template
  /** Rows shown in full, and rows in all. */
  shown: number
  total: number
  /** The offset of the next page; undefined after the last row. */
  next: number | undefined
  /** False: rows or parts of rows are left out. */
  complete: boolean
  /** True when nothing but rows after this page is left out, as `limit` asked: the same question with the next offset shows them. */
  paged: boolean
}

/** Which rows of the document may be shown, and where they lie in the whole. */
interface Window {
  first: number
  end: number
  /** Rows of the whole that lie before the document's first row. */
  before: number
  total: number
}

/**
 * Cuts nothing but whole rows and rows that no page could hold. Says how much there is and how to get the rest: the next offset, and a
 * call on the kept document when the budget cut something.
 */
export function fit(document: Document, options: FitOptions): Fitted {
  const all = document.rows()
  const { noun } = all
  const window = windowOf(all.count, options)
  const whole = window.end === all.count
  const asked = all.slice(window.first, window.end).map((row) => onOneLine(row, noun))
  const notes = notesFor(options)
  const top = titleRoom(options) + COUNTS + (options.about ? ABOUT : 0) + lengthOf([notes]) + 2
  const words = wordsOf(options.sought)
  const glance = options.glance === true && !whole ? glanceAt(asked, options.budget - top) : undefined
  const rows = glance ?? asked
  let page = pageOf(rows, options.budget - top, words)
  let rest: Template[] = []
  const held = page.taken === rows.length && page.shortened.length === 0
  const enough = glance ? GLANCE : LARGE
  const short =
    held && lengthIn(page) <= enough ? undefined : shortRows(all, rows, page, options, options.budget - top)
  const fits = held && short === undefined
  if (short) page = short.page
  // Where the limit leaves rows to the next page anyway, the rows that the budget cut are on it too.
  const paged = !whole && page.taken > 0 && page.shortened.length === 0
  if (!fits && !paged && !short && options.kept !== false) {
    const room = options.budget - top - REST * (page.shortened.length > 0 ? 2 : 1)
    page = pageOf(rows, room, words)
    rest = restOf(document, window.first, page)
  }
  const head =
    ellipsis(options.title, titleRoom(options)) + counts(noun, window, page, options.counted ?? false)
  const parts = [
    head + (options.about ? aboutPage(options.about, window, page) : ''),
    ...(notes === '' ? [] : [notes]),
    ...(short
      ? [paged || options.kept === false ? short.note : concat(short.note, WHOLE_ANSWER, HOLE, '.')]
      : []),
    ...page.lines,
    ...rest,
  ]
  const last = window.before + window.first + page.taken
  return {
    text: clip(lines(parts), options.budget),
    shown: page.taken - page.shortened.length,
    total: window.total,
    next: last < window.total && (page.taken > 0 || rows.length === 0) ? last : undefined,
    complete: whole && fits,
    paged: !whole && (fits || paged),
  }
}

/** Text that a line of a reply cannot hold as it is. */
const BREAKING = /[^\P{Cc}\t]/u

/** A text among the records of data that would break its line, as JSON, so that rows can be told apart. Passages and hits are shown as they are. */
function onOneLine(row: JsonValue, noun: string): JsonValue {
  const isData = noun === 'record' || noun === 'value' || noun === 'element'
  return isData && typeof row === 'string' && BREAKING.test(row) ? toJson(row) : row
}

/** Characters of a first look at some of many rows, and so many of them at least. */
const GLANCE = 1_500
const GLANCED = 20

/** As many rows as a first look has room for; of large ones a few, which are shown in short. */
function glanceAt(rows: readonly JsonValue[], room: number): readonly JsonValue[] {
  const { taken, shortened } = pageOf(rows, Math.min(room, GLANCE))
  return rows.slice(0, shortened.length > 0 ? GLANCED : Math.max(taken, GLANCED))
}

/** So many records are few. */
const FEW = 3
/** Characters of records that are more than most questions about them need. */
const LARGE = 3_500

/** All records of a page that does not fit, or of a large one, in some of their fields. */
function shortRows(
  all: Rows,
  rows: readonly JsonValue[],
  whole: Page,
  { compact, compactFew, budget }: FitOptions,
  room: number,
): { page: Page; note: string } | undefined {
  if (!compact || (rows.length <= FEW && !compactFew) || budget < MENTION * 4) return undefined
  const short = compactRows(rows, all.slice(0, SAMPLED), compact, room - MENTION)
  const page = short && pageOf(short.rows, room - MENTION)
  if (!page || page.shortened.length > 0) return undefined
  const fits = whole.taken === rows.length && whole.shortened.length === 0
  if ((fits || rows.length <= FEW) && lengthIn(page) > lengthIn(whole) * WORTH) return undefined
  const isCut = short.shown === short.of
  const note = isCut
    ? 'Long texts are cut: name them in "fields", or "*" for all.'
    : `Rows show ${short.shown} of ${formatPlural(short.of, 'field')}: name others in "fields", or "*" for all.`
  return { page, note }
}

/** The most that records in short form may have of their length, to be worth it. */
const WORTH = 0.6

function lengthIn({ lines }: Page): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}

const WHOLE_ANSWER = ' The whole answer: cache_id '
/** Room for the words about short rows, and records that their fields are chosen by. */
const MENTION = 170
const SAMPLED = 200

/** Room for the counts behind the title, and for a line with a call. */
const COUNTS = 64
const REST = 96
/** Room for what is said of a page. */
const ABOUT = 48

function aboutPage(
  about: (first: number, end: number) => string,
  { first, total }: Window,
  page: Page,
): string {
  return first === 0 && page.taken === total ? '' : ellipsis(about(first, first + page.taken), ABOUT)
}

function windowOf(
  held: number,
  { offset = 0, limit = Number.POSITIVE_INFINITY, total = held }: FitOptions,
): Window {
  const isPage = total > held && offset + held <= total
  const first = isPage ? 0 : Math.min(offset, held)
  return { first, end: Math.min(held, first + limit), before: isPage ? offset : 0, total }
}

/** Titles may be long where budgets are. */
function titleRoom({ budget, title }: FitOptions): number {
  return Math.max(16, Math.min(title.length, Math.floor(budget / 4)))
}

function notesFor({ notes = [], budget }: FitOptions): string {
  return ellipsis(notes.join('\n'), Math.floor(budget / 4))
}

/** ` · 12 of 12 records` or ` · records 51-100 of 1,373, next: offset 100`. */
function counts(noun: string, { first, before, total }: Window, page: Page, counted: boolean): string {
  const from = before + first
  const to = from + page.taken
  const cut = page.shortened.length > 0 ? `, ${formatCount(page.shortened.length)} cut short` : ''
  if (counted && from === 0 && to === total && cut === '') return ''
  if (page.taken === 0)
    return ` · 0 of ${formatPlural(total, noun)}${from > 0 && from >= total ? ', the offset is after the last' : ''}`
  if (from === 0 && to === total) return ` · ${formatCount(to)} of ${formatPlural(total, noun)}${cut}`
  const range =
    page.taken === 1
      ? `${noun} ${formatCount(to)}`
      : `${plural(noun)} ${formatCount(from + 1)}-${formatCount(to)}`
  return ` · ${range} of ${formatCount(total)}${cut}${to < total ? `, next: offset ${to}` : ''}`
}

// As many rows as a space holds.

interface Page {
  /** A line each, in order; several lines where a row has several. */
  lines: string[]
  /** Rows shown, whole or shortened. */
  taken: number
  /** Indexes of the rows that no page could hold and that are shown shortened. */
  shortened: number[]
}

/** Less than this is no use for a shortened row among others. */
const SMALLEST_ROW = 160

/**
 * Fills `room` characters, one for the newline of each row counted in. A row that is larger than the whole room is shortened, so no row
 * is ever skipped. All others are shown whole or left to the next page.
 */
function pageOf(rows: readonly JsonValue[], room: number, words?: RegExp): Page {
  return tableOf(rows, room) ?? listOf(rows, room, words)
}

/** Finds the words of a text, with capitals or without; undefined where it has none. */
function wordsOf(text = ''): RegExp | undefined {
  const words = text.match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  return words.length === 0 ? undefined : new RegExp(words.slice(0, MOST_WORDS).join('|'), 'giu')
}

const MOST_WORDS = 40

function listOf(rows: readonly JsonValue[], room: number, words: RegExp | undefined): Page {
  const page: Page = { lines: [], taken: 0, shortened: [] }
  let left = room
  for (const row of rows) {
    let line = isWithin([row], room * 2) ? encodeRow(row) : undefined
    if (line === undefined || line.length + 1 > left) {
      if (line !== undefined && line.length + 1 <= room) break
      const allowed = page.taken === 0 && rows.length > 1 ? Math.max(left / 2, Math.min(left, 400)) : left
      if (page.taken > 0 && allowed < SMALLEST_ROW) break
      line = abridge(row, Math.max(0, Math.floor(allowed) - 1), words)
      page.shortened.push(page.taken)
    }
    page.lines.push(line)
    page.taken += 1
    left -= line.length + 1
  }
  return page
}

/** The most rows a table can have in this room: by the shortest possible line, then by trial. */
function tableOf(rows: readonly JsonValue[], room: number): Page | undefined {
  const [first] = rows
  if (typeof first !== 'object' || first === null || !isUniform([first])) return undefined
  const shortest = Object.keys(first).length * 2 + 2
  let count = Math.min(rows.length, Math.floor(room / shortest))
  const same = rows.slice(0, count).findIndex((row) => !isUniform([first, row]))
  if (same >= 0) count = same
  const all = encodeTable(rows.slice(0, count))
  if (all === undefined || (same >= 0 && same < rows.length && all.length <= room)) return undefined
  const lines = all.split('\n')
  let used = (lines[0]?.length ?? 0) + 1
  let taken = 0
  for (const line of lines.slice(1)) {
    if (used + line.length + 1 > room) break
    used += line.length + 1
    taken += 1
  }
  const table = taken === count ? all : encodeTable(rows.slice(0, taken))
  return table === undefined ? undefined : { lines: [table], taken, shortened: [] }
}

// The call that shows what a page does not: the next rows, or what is missing of a row that no page could hold.

/** Calls for the kept document of which `page` shows the rows from `first` on: one for the next rows, one for the first cut row. */
function restOf(document: Document, first: number, page: Page): Template[] {
  const next = first + page.taken
  const calls = next < document.rows().count ? [call('proxy_filter', { offset: next })] : []
  const [cut] = page.shortened
  if (cut !== undefined) calls.push(restOfRow(document, first + cut, page.lines[cut] ?? ''))
  return calls.length > 0 ? calls : [call('proxy_explore', {})]
}

/** Paths longer than this are no use. */
const longestPath = 120

function restOfRow(document: Document, at: number, line: string): Template {
  const [row = null] = document.rows().slice(at, at + 1)
  const path = pathOf(document, at, row)
  if (path === undefined) return elsewhere(row)
  const inside = typeof row === 'string' ? `[${samePart(row, line)}:]` : largestPart(row)
  const whole = path + inside
  return whole.length > longestPath ? elsewhere(row) : call('proxy_filter', { path: whole })
}

function elsewhere(row: JsonValue): Template {
  return typeof row === 'string'
    ? call('proxy_search', { pattern: wordIn(row), mode: 'context' })
    : call('proxy_explore', {})
}

/** Where a row is: the path of a record, the number of a line where the document has no data. */
function pathOf(document: Document, at: number, row: JsonValue): string | undefined {
  const records = document.records()
  if (records?.gathered) return records.values[at] === row ? records.gathered.placeOf?.(at) : undefined
  if (records && records.values.length === document.rows().count) {
    const value = records.values[at]
    // A row of a map is its record with the key added.
    if (value !== row && !records.keys) return undefined
    const key = records.keys?.[at]
    return records.path + (key === undefined ? `[${at}]` : pathStep(key))
  }
  const value = document.json()
  if (value === undefined) return `[${at}]`
  return value === row ? '$' : undefined
}

/** How much of a text is shown before it is cut. */
function samePart(text: string, line: string): number {
  let same = 0
  while (same < line.length && line.charCodeAt(same) === text.charCodeAt(same)) same += 1
  return same
}

const deepest = 6
/** Sizes are told apart up to this, which is more than any page holds. */
const largest = 1_000_000

/** The way to the largest part of a value, and on in it as long as nearly all of it is in one part. */
function largestPart(row: JsonValue): string {
  let path = ''
  let value = row
  for (let depth = 0; depth < deepest && isObject(value); depth++) {
    const whole = value
    const sizes = Object.keys(whole)
      .slice(0, 2_000)
      .map((key) => ({ key, part: own(whole, key) ?? null, size: sizeOf(own(whole, key) ?? null) }))
    const [most, second] = sizes.sort((a, b) => b.size - a.size)
    if (!most || (depth > 0 && second && second.size * 4 > most.size)) break
    path += pathStep(most.key)
    value = most.part
  }
  return path
}

/** Characters of a value as JSON, to within a factor of two. */
function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return Math.min(value.length, largest)
  let size = 16
  while (size < largest && !isWithin([value], size)) size *= 2
  return size
}

/** A word from the part of a long row that was cut. */
function wordIn(text: string): string {
  const middle = Math.floor(text.length / 2)
  return /[\p{L}\p{N}_]{3,20}/u.exec(text.slice(middle, middle + 2000))?.[0] ?? '.'
}
