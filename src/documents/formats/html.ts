/** HTML pages: title, headings, tables as records, links, and the words as a reader sees them. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { indexLines } from '../../text/lines.ts'
import { literal } from '../../text/patterns/literal.ts'
import { ellipsis } from '../../text/shorten.ts'
import { withoutEnd } from '../../text/trim.ts'
import type { Document } from '../document.ts'
import {
  largestTable,
  listOf,
  outlined,
  plain,
  tableCalls,
  tableFacts,
  tablesOf,
} from '../overview/markup.ts'
import type { Overview } from '../overview/overview.ts'
import { endsOf } from '../overview/sample.ts'
import { telling } from '../overview/words.ts'
import { call } from '../template.ts'
import { asideOf, namesOfSheet } from './cells.ts'
import { defineFormat } from './define.ts'
import { type MarkupTokens, readMarkup } from './markup-tokens.ts'
import { belowWords } from './words-above.ts'

const TAG =
  /<(?:!doctype html|html|head|body|div|table|p|h[1-6]|ul|ol|span|a|section|article|main|br|tr|td|form)\b/i

/** Stands behind a heading, and links to it. */
const LINK_MARK = /[\s#§¶]/

/** True for a page or a fragment of one. */
function looksLikeHtml(text: string): true | undefined {
  const start = text.slice(0, 4096).trimStart()
  if (!start.startsWith('<') || start.startsWith('<?xml')) return undefined
  const isPage = WHOLE.test(start) || (TAG.test(start) && /<\/[a-z]/i.test(start))
  return isPage || undefined
}

/**
 * `{title, headings: [{level, text}], tables: [[record…]…], links: [{text, href}]}`. A table's first row names the
 * fields of its records.
 */
function readHtml(html: string): JsonObject {
  const page = new Page()
  scanHtml(html, page)
  return page.finish()
}

/** Every open element collects text: the title, a heading, a link, a cell. */
class Page implements HtmlSink {
  readonly #tables = new HtmlTables()
  readonly #lists = new DescriptionLists()
  readonly #headings: { level: number; text: string }[] = []
  readonly #links: { text: string; href: string }[] = []
  #title: string | undefined
  #inTitle = false
  #heading: { level: number; text: string } | undefined
  #link: PageLink | undefined

  open(tag: string, attributes: Attributes): void {
    if (tag === 'title') this.#inTitle = this.#title === undefined
    else if (isHeading(tag)) {
      this.#endHeading()
      this.#heading = { level: Number(tag[1]), text: '' }
    } else if (tag === 'a') {
      this.#endLink()
      const href = attributes.get('href')
      if (href !== undefined) {
        this.#link = { text: '', href }
        this.#tables.link(this.#link)
      }
    } else if (tag === 'br' || tag === 'img') this.text(attributes.get('alt') ?? ' ')
    else if (tag === 'dl') this.#lists.begin(this.#headings.at(-1)?.text, this.#links.at(-1))
    else if (!this.#lists.open(tag)) this.#tables.open(tag, attributes)
  }

  close(tag: string): void {
    if (tag === 'title') this.#inTitle = false
    else if (isHeading(tag)) this.#endHeading()
    else if (tag === 'a') this.#endLink()
    else if (!this.#lists.close(tag)) this.#tables.close(tag)
  }

  text(text: string): void {
    if (this.#inTitle) this.#title = (this.#title ?? '') + text
    if (this.#heading) this.#heading.text += text
    if (this.#link) this.#link.text += text
    this.#tables.text(text)
    this.#lists.text(text)
  }

  readsText(): boolean {
    const isNamed = this.#inTitle || this.#heading !== undefined || this.#link !== undefined
    return isNamed || this.#tables.readsText() || this.#lists.readsText()
  }

  finish(): JsonObject {
    this.#endHeading()
    this.#endLink()
    const title = this.#title?.trim()
    return {
      ...(title ? { title } : {}),
      headings: this.#headings,
      tables: [...this.#tables.finish(), ...this.#lists.finish()],
      links: this.#links,
    }
  }

  #endHeading(): void {
    const text = tidy(withoutEnd(this.#heading?.text ?? '', LINK_MARK))
    if (this.#heading && text !== '') this.#headings.push({ level: this.#heading.level, text })
    this.#heading = undefined
  }

  #endLink(): void {
    if (this.#link) {
      this.#link.text = tidy(this.#link.text)
      this.#links.push({ ...this.#link })
    }
    this.#link = undefined
  }
}

function isHeading(tag: string): boolean {
  return tag.length === 2 && tag >= 'h1' && tag <= 'h6'
}

function tidy(text: string): string {
  return tidied(text).trim()
}

/** A link of a page. */
export interface PageLink {
  text: string
  href: string
}

const linksInRecords = new WeakMap<JsonObject, readonly PageLink[]>()

/** The links in the cells of a record of a table: its fields hold their words only. */
export function linksOfRecord(record: JsonObject): readonly PageLink[] {
  return linksInRecords.get(record) ?? []
}

/** Lists that are records of one kind, and the share of them with a name. */
const LEAST_LISTS = 3
const SHARED = 0.5

/** Records of `<dl>` lists: names in `<dt>`, values in `<dd>`, and the heading above each list. */
class DescriptionLists {
  readonly #lists: JsonObject[] = []
  #list: Map<string, JsonValue[]> | undefined
  #place: JsonObject = {}
  #name = ''
  #said = ''
  #in = ''

  begin(heading: string | undefined, link: PageLink | undefined): void {
    this.close('dl')
    this.#list = new Map()
    this.#place = {
      ...(heading !== undefined && { heading }),
      ...(heading !== undefined && link?.text === heading && { href: link.href }),
    }
  }

  /** Whether the tag is of a list. */
  open(tag: string): boolean {
    if (tag !== 'dt' && tag !== 'dd') return false
    this.#end()
    if (this.#list) this.#in = tag
    return true
  }

  close(tag: string): boolean {
    if (tag !== 'dt' && tag !== 'dd' && tag !== 'dl') return false
    this.#end()
    if (tag === 'dl' && this.#list && this.#list.size > 0) {
      const record = { ...this.#place }
      for (const [name, values] of this.#list)
        setOwn(record, name, values.length === 1 ? (values[0] ?? '') : values)
      this.#lists.push(record)
    }
    if (tag === 'dl') this.#list = undefined
    return true
  }

  text(text: string): void {
    if (this.#in !== '') this.#said += text
  }

  readsText(): boolean {
    return this.#in !== ''
  }

  /** One table of all lists; none where they have no name in common. */
  finish(): JsonValue[] {
    this.close('dl')
    const counts = new Map<string, number>()
    for (const name of this.#lists.flatMap((list) => Object.keys(list)))
      if (name !== 'heading' && name !== 'href') counts.set(name, (counts.get(name) ?? 0) + 1)
    const most = Math.max(0, ...counts.values())
    return most >= LEAST_LISTS && most > this.#lists.length * SHARED ? [this.#lists] : []
  }

  #end(): void {
    const said = tidy(this.#said)
    if (this.#in === 'dt') this.#name = said
    else if (this.#in === 'dd' && this.#name !== '')
      this.#list?.set(this.#name, [...(this.#list.get(this.#name) ?? []), said])
    this.#in = ''
    this.#said = ''
  }
}

interface Cell {
  text: string
  links: PageLink[]
  /** Names what stands below or beside it. */
  heading: boolean
  columns: number
  rows: number
}

interface OpenTable {
  rows: Cell[][]
  row: Cell[] | undefined
  cell: Cell | undefined
}

/** Deeper tables are layout; their cells count as text of the outer one. */
const MAX_DEPTH = 16
/** Columns of a table, and columns and rows that one cell may cover. */
const MAX_COLUMNS = 500
const MAX_SPAN = 60

/** Collects rows and cells as tags open and close; end tags may be missing, as HTML allows. */
class HtmlTables {
  readonly #open: OpenTable[] = []
  readonly #done: JsonValue[] = []

  open(tag: string, attributes: Attributes): void {
    if (tag === 'table') {
      if (this.#open.length < MAX_DEPTH) this.#open.push({ rows: [], row: undefined, cell: undefined })
      return
    }
    const table = this.#open.at(-1)
    if (!table) return
    if (tag === 'tr') {
      endRow(table)
      table.row = []
    } else if (tag === 'td' || tag === 'th') {
      endCell(table)
      table.row ??= []
      table.cell = {
        text: '',
        links: [],
        heading: tag === 'th',
        columns: span(attributes, 'colspan'),
        rows: span(attributes, 'rowspan'),
      }
    }
  }

  close(tag: string): void {
    const table = this.#open.at(-1)
    if (!table) return
    if (tag === 'td' || tag === 'th') endCell(table)
    else if (tag === 'tr') endRow(table)
    else if (tag === 'table') this.#finishTable()
  }

  text(text: string): void {
    const table = this.#open.at(-1)
    if (table?.cell !== undefined) table.cell.text += text
  }

  link(link: PageLink): void {
    const cell = this.#open.at(-1)?.cell
    if (cell !== undefined) cell.links.push(link)
  }

  readsText(): boolean {
    return this.#open.at(-1)?.cell !== undefined
  }

  finish(): JsonValue[] {
    while (this.#open.length > 0) this.#finishTable()
    return this.#done
  }

  #finishTable(): void {
    const table = this.#open.pop()
    if (!table) return
    endRow(table)
    const rows = spread(table.rows)
    if (rows.length >= 2 && rows.some((row) => row.length > 1)) this.#done.push(records(rows))
  }
}

function span(attributes: Attributes, name: string): number {
  const count = Number(attributes.get(name) ?? 1)
  return Number.isInteger(count) && count > 1 ? Math.min(count, MAX_SPAN) : 1
}

function endCell(table: OpenTable): void {
  if (table.cell === undefined) return
  table.cell.text = tidied(table.cell.text).trim()
  table.row?.push(table.cell)
  table.cell = undefined
}

function endRow(table: OpenTable): void {
  endCell(table)
  if (table.row && table.row.length > 0) table.rows.push(table.row)
  table.row = undefined
}

/** Rows with as many cells as columns: what covers several places stands in each of them. */
function spread(rows: readonly Cell[][]): Cell[][] {
  let above: { cell: Cell; left: number }[] = []
  return rows.map((row) => {
    const placed: Cell[] = []
    const below: typeof above = []
    const put = (cell: Cell, left: number) => {
      if (left > 0) below[placed.length] = { cell, left }
      placed.push(cell)
    }
    const fromAbove = () => {
      for (let held = above[placed.length]; held !== undefined; held = above[placed.length])
        put(held.cell, held.left - 1)
    }
    for (const cell of row) {
      fromAbove()
      for (let column = 0; column < cell.columns && placed.length < MAX_COLUMNS; column++)
        put(cell, cell.rows - 1)
    }
    fromAbove()
    above = below
    return placed
  })
}

/** The rows at the top that hold headings alone name the columns; without any, the first row does. */
function records(rows: Cell[][]): JsonValue[] {
  const headings = rows.findIndex((row) => !row.every(({ heading }) => heading))
  const beside =
    headings === 0 &&
    rows.every(([first, ...others]) => first?.heading && others.some((cell) => !cell.heading))
  const top = headings < 0 || beside ? 0 : Math.max(1, headings)
  const width = Math.max(...rows.map((row) => row.length))
  const named = headings < 0 ? rows.slice(0, 1) : rows.slice(0, top)
  const names = namesOf(named, width)
  const body = rows.slice(named.length)
  const ofSheet =
    named.length === 1
      ? namesOfSheet(
          names,
          body.map((row) => row.map(({ text }) => text)),
        )
      : undefined
  return body.slice(ofSheet ? 1 : 0).map((row) => {
    const record: JsonObject = {}
    row.forEach(({ text }, index) => {
      setOwn(record, (ofSheet ?? names)[index] ?? `column_${index + 1}`, text)
    })
    const links = row.flatMap((cell) => cell.links)
    if (links.length > 0) linksInRecords.set(record, links)
    return record
  })
}

/** Under several rows of headings a column is named by all of them: `Count m`. */
function namesOf(rows: readonly Cell[][], width: number): string[] {
  const header = Array.from({ length: width }, (_, column) => {
    const cells = rows.flatMap((row) => row[column] ?? [])
    return [...new Set(cells)]
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' ')
  })
  return header.map((name, index) =>
    name === '' || header.indexOf(name) < index ? `column_${index + 1}` : name,
  )
}

/** Elements that begin on a line of their own. */
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form header hr legend li main nav ol option p pre section select summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)
const HEADING = /^h[1-6]$/
/** Elements around which a line is left empty, so that passages end there. */
const APART = /^(?:h[1-6]|p|table|ul|ol|dl|pre|section|article|nav|main|aside|header|footer|form|blockquote)$/

/**
 * Headings as `## Heading`, list items as `- item`, rows of tables as `a | b`, controls as `<button submit> Send`. Scripts
 * and styles are left out. Linear in the length of the page.
 */
export function htmlText(html: string): string {
  const page = new PageText()
  scanHtml(html, page)
  return page.finish()
}

class PageText implements HtmlSink {
  readonly #lines: string[] = []
  #line = ''
  /** To look at the end of a long line takes time each time. */
  #endsBlank = true
  #inHeading = false
  #cells = 0
  #inTitle = false

  open(tag: string, attributes: Attributes): void {
    if (APART.test(tag)) this.#gap()
    else if (BLOCKS.has(tag)) this.#break()
    if (HEADING.test(tag)) {
      this.#line = `${'#'.repeat(Number(tag[1]))} `
      this.#inHeading = true
    } else if (tag === 'li') this.#line = '- '
    else if (tag === 'title') {
      this.#inTitle = true
      this.#break()
    } else if (tag === 'tr') this.#cells = 0
    else if (tag === 'td' || tag === 'th') {
      if (this.#cells++ > 0) {
        this.#line += ' | '
        this.#endsBlank = true
      }
    } else if (tag === 'img') this.#add(attributes.get('alt') ?? '')
    else if (tag === 'input' || tag === 'button' || tag === 'textarea' || tag === 'select')
      this.#control(tag, attributes)
  }

  close(tag: string): void {
    if (tag === 'title' && this.#inTitle) {
      this.#inTitle = false
      this.#gap()
    } else if (APART.test(tag)) this.#gap()
    else if (BLOCKS.has(tag)) this.#break()
  }

  text(text: string): void {
    this.#add(text)
  }

  finish(): string {
    this.#break()
    return this.#lines.join('\n').trim()
  }

  #control(tag: string, attributes: Attributes): void {
    // Those of a heading open and close what is below it.
    if (tag === 'button' && this.#inHeading) return this.#add(' ')
    const said = ['type', 'name', 'placeholder', 'value', 'aria-label'].flatMap((name) => {
      const value = attributes.get(name)
      return value === undefined || value === ''
        ? []
        : [name === 'type' ? value : `${name}=${JSON.stringify(value)}`]
    })
    if (attributes.get('type')?.toLowerCase() !== 'hidden') this.#add(` <${[tag, ...said].join(' ')}> `)
  }

  #add(text: string): void {
    const added = this.#endsBlank ? text.trimStart() : text
    if (added === '') return
    this.#line += added
    this.#endsBlank = /\s/.test(added.charAt(added.length - 1))
  }

  #break(): void {
    const whole = this.#line.trim()
    const line = /^#{1,6} /.test(whole) ? withoutEnd(whole, LINK_MARK) : whole
    if (line !== '' && line !== '-' && !/^(?:#+|[| ]+)$/.test(line)) this.#lines.push(line)
    this.#line = ''
    this.#endsBlank = true
    this.#inHeading = false
  }

  #gap(): void {
    this.#break()
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('')
  }
}

/** The attributes of a tag by their names in small letters. */
type Attributes = ReadonlyMap<string, string>

/** The parts of a page, in order. Text is decoded and its white space is single. */
export interface HtmlSink {
  open(tag: string, attributes: Attributes): void
  close(tag: string): void
  text(text: string): void
  /** False: what is written here is not told, since nothing is done with it. Default: it is. */
  readsText?(): boolean
}

/** Elements that hold no text of the page. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg'])
/** Attributes that say something of a page, and characters of one that are read. */
const READ: ReadonlySet<string> = new Set(
  'href alt colspan rowspan type name placeholder value aria-label'.split(' '),
)
const LONGEST_NAME = 12
const LONGEST_VALUE = 4096

/**
 * Tells a sink the tags and texts of a page, whatever it holds: forgiving, each character read once, nothing fetched. The tokens come from
 * htmlparser2 without its tree, which takes quadratic time where elements are nested deeply.
 */
export function scanHtml(html: string, sink: HtmlSink): void {
  const tokens = new HtmlTokens(html, sink)
  readMarkup(html, 'html', tokens)
  tokens.flush()
}

const NONE: Attributes = new Map()

/** Makes tags and whole texts of tokens, which are places in the page. */
class HtmlTokens implements MarkupTokens {
  readonly #html: string
  readonly #sink: HtmlSink
  #text = ''
  #tag = ''
  #attributes: Map<string, string> | undefined
  #name = ''
  #value = ''
  /** The open element that holds no text of the page. */
  #hidden = ''

  constructor(html: string, sink: HtmlSink) {
    this.#html = html
    this.#sink = sink
  }

  flush(): void {
    if (this.#text !== '') this.#sink.text(tidied(this.#text))
    this.#text = ''
  }

  ontext(start: number, end: number): void {
    if (this.#isRead()) this.#text += this.#html.slice(start, end)
  }

  ontextentity(code: number): void {
    if (this.#isRead()) this.#text += String.fromCodePoint(code)
  }

  #isRead(): boolean {
    return this.#hidden === '' && this.#sink.readsText?.() !== false
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase()
    this.#attributes = undefined
  }

  onattribname(start: number, end: number): void {
    const name = end - start > LONGEST_NAME ? '' : this.#html.slice(start, end).toLowerCase()
    this.#name = READ.has(name) ? name : ''
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    const room = LONGEST_VALUE - this.#value.length
    if (this.#name !== '' && room > 0) this.#value += this.#html.slice(start, Math.min(end, start + room))
  }

  onattribentity(code: number): void {
    if (this.#name !== '' && this.#value.length < LONGEST_VALUE) this.#value += String.fromCodePoint(code)
  }

  onattribend(): void {
    if (this.#name === '') return
    this.#attributes ??= new Map()
    if (!this.#attributes.has(this.#name)) this.#attributes.set(this.#name, tidied(this.#value))
  }

  onopentagend(): void {
    if (this.#hidden !== '') return
    this.flush()
    this.#sink.open(this.#tag, this.#attributes ?? NONE)
    if (HIDDEN.has(this.#tag)) this.#hidden = this.#tag
  }

  onselfclosingtag(): void {
    if (this.#hidden !== '') return
    this.flush()
    this.#sink.open(this.#tag, this.#attributes ?? NONE)
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase()
    if (this.#hidden !== '' && this.#hidden !== tag) return
    this.#hidden = ''
    this.flush()
    this.#sink.close(tag)
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

/** White space single; marks that only say where a word may break are no part of it. */
function tidied(text: string): string {
  const whole = text.includes('\u00ad') ? text.replaceAll('\u00ad', '') : text
  return UNTIDY.test(whole) ? whole.replace(/\s+/g, ' ') : whole
}

/** Looking is much cheaper than replacing, and most texts have single blanks. */
const UNTIDY = /[^\S ]| \s/

/** Characters that are looked at for words. */
const LOOKED = 200_000

/** The overview of a page: title, headings, tables, links; without headings its words and lines. */
function overviewOfHtml(document: Document): Overview {
  const json = document.json()
  const title =
    isObject(json) && typeof json.title === 'string' ? [`title: ${ellipsis(json.title, 160)}`] : []
  const headings = listOf(json, 'headings')
  const links = listOf(json, 'links')
  const outline = outlined(
    headings.map(({ level, text }) => ({
      level: Number(level),
      text: () => ellipsis(plain(String(text)), 80),
    })),
  )
  const named = links.filter(({ text }) => text !== '').slice(0, 12)
  const linked = named.map(({ text }) => ellipsis(String(text), 30)).join(' | ')
  // Without an outline the text has to tell what the page is about.
  const text = headings.length === 0 ? htmlText(document.text).replace(/\n\s*\n/g, '\n') : ''
  const words = telling(text.slice(0, LOOKED).split('\n'), 6)
  const lead = headings.length > 0 ? String(headings[0]?.text) : words[0]
  return {
    totals: [
      formatPlural(document.lines().count, 'line'),
      formatPlural(tablesOf(json).length, 'table'),
      formatPlural(links.length, 'link'),
    ],
    type: () => '{title, headings: {level, text}[], tables: record[][], links: {text, href}[]}',
    facts: [
      ...title,
      ...tableFacts(json),
      ...outline.facts,
      ...(linked === '' ? [] : [`links: ${linked}`]),
      ...(words.length > 0 ? [`words to search for: ${words.join(', ')}`] : []),
    ],
    outline,
    sample: (max) => (text.trim() === '' ? [] : endsOf(indexLines(text), max)),
    calls: [
      ...tableCalls(json),
      ...(links.length > 0 ? [call('proxy_filter', { path: '$.links', limit: 20 })] : []),
      ...(lead === undefined ? [] : [call('proxy_search', { pattern: literal(lead), max_results: 5 })]),
    ].slice(0, 3),
  }
}

const LONGEST_END = 64
/** A page that a line of words may stand above. */
const WHOLE = /^<(?:!doctype html|html)\b/i

/** Tried after XML. Never takes a text that does not begin with a tag, but for a whole page below a few words. */
export const html = defineFormat<readonly string[]>({
  name: 'html',
  family: 'html',
  outlined: true,
  isOwnFact: () => true,
  readable: (document) => htmlText(document.text),
  source: 'The text of the page does not match; these are lines of its HTML source.',
  mainPart: largestTable,
  detect: (text) =>
    looksLikeHtml(text)
      ? []
      : /<\/html>\s*$/i.test(text.slice(-LONGEST_END))
        ? belowWords(text, (rest) => WHOLE.test(rest), looksLikeHtml)?.above
        : undefined,
  read: readHtml,
  asides: (_, above) => above.map(asideOf),
  overview: overviewOfHtml,
})
