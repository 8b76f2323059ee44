/** Several files in one text, each under a line that names it: what readers of files send, and what packs a project into one text. */
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { Document } from '../document.ts'
import type { Overview } from '../overview/overview.ts'
import { call } from '../template.ts'
import { defineFormat } from './define.ts'

/** A name with a folder or an ending, without what no name of a file has. */
const NAME = String.raw`((?:[A-Za-z]:)?[^\s:*?"<>|=\x60](?:[^:*?"<>|\x60\n]{0,300}[^\s:*?"<>|=\x60])?)`

interface Heading {
  /** Its first group is the name. */
  readonly line: RegExp
  /** The form of the line above or below. */
  readonly above?: RegExp
  readonly below?: RegExp
  /** The last line of a file, which is no part of it. */
  readonly end?: RegExp
  /** The text is something else in which such lines stand: `at` are their places. */
  readonly isOther?: (lines: LineIndex, at: readonly Place[]) => boolean
}

/** The line of a heading, and the name in it. */
interface Place {
  readonly line: number
  readonly name: string
}

const FENCE = /^(?:\x60{3,}|~~~)/
const RULE = /^[=#*-]{3,}$/

/** From the most telling on. */
const HEADINGS: readonly Heading[] = [
  { line: new RegExp(`^==> ${NAME} <==$`) },
  {
    line: new RegExp(
      `^<(?:file|document|source)\\b[^>]{0,200}?\\b(?:path|name|filename|source)="${NAME}"[^>]{0,200}>$`,
    ),
    end: /^<\/(?:file|document|source)>$/,
    isOther: isReport,
  },
  { line: new RegExp(`^(?:File|FILE|Path|file): ?${NAME}$`), above: RULE, below: RULE },
  {
    line: new RegExp(
      `^(?:={3,}|-{3,}|#{3,}|\\*{3,}) (?:(?:File|FILE|file): )?${NAME} (?:={3,}|-{3,}|#{3,}|\\*{3,})$`,
    ),
  },
  { line: new RegExp(`^#{1,6} (?:(?:File|FILE|file): )?\\x60?${NAME}\\x60?$`), below: FENCE },
  { line: new RegExp(`^(?:\\*\\*)?\\x60${NAME}\\x60(?:\\*\\*)?:?$`), below: FENCE },
  { line: new RegExp(`^(?://|#|--) (?:File|FILE|file): ${NAME}$`) },
  { line: new RegExp(`^${NAME}:$`), above: /^---$/ },
]

/** Lines before the first file, characters of a heading, and lines between a heading and its fence. */
const MOST_BEFORE = 12
const LONGEST = 400
const NEAR = 2

interface Found {
  lines: LineIndex
  heading: Heading
  at: Place[]
}

/** The first kind of heading that stands twice, from near the beginning on. */
function findFiles(text: string): Found | undefined {
  const lines = indexLines(text)
  for (const heading of HEADINGS) {
    const first = firstOf(lines, heading)
    if (first === undefined) continue
    const at: Place[] = []
    for (let index = first; index < lines.count; index++) {
      const name = nameAt(lines, index, heading)
      if (name !== undefined) at.push({ line: index, name })
    }
    const names = new Set(at.map(({ name }) => name))
    if (at.length >= 2 && names.size >= at.length * 0.6 && heading.isOther?.(lines, at) !== true)
      return { lines, heading, at }
  }
  return undefined
}

/** An element of XML with attributes, by its beginning; pages and components begin with one of theirs. */
const ELEMENT = /^\s*<(?!(?:html|script|template|style|svg|div|main)\b)[\w:.-]+(?:\s+[\w:.-]+="[^"]*")+/i
/** Files that are looked into. */
const FEW = 3

/** XML about files, such as what a linter found in each: it says that it is XML, or elements are all that its first files hold. */
function isReport(lines: LineIndex, found: readonly Place[]): boolean {
  return (
    /^\ufeff?\s*<\?xml\b/.test(at(lines, 0)) ||
    found.slice(0, FEW).every(({ line }) => ELEMENT.test(at(lines, line + 1)))
  )
}

function firstOf(lines: LineIndex, heading: Heading): number | undefined {
  for (let index = 0; index < Math.min(lines.count, MOST_BEFORE); index++)
    if (nameAt(lines, index, heading) !== undefined) return index
  return undefined
}

/** The name that a line says when it is such a heading. */
function nameAt(lines: LineIndex, index: number, { line, above, below }: Heading): string | undefined {
  const name = line.exec(at(lines, index))?.[1]
  if (name === undefined || !isName(name)) return undefined
  // The first file has nothing above it.
  if (above && index > 0 && !above.test(said(lines, index, -1)) && !(below === undefined && index < NEAR))
    return undefined
  return below === undefined || below.test(said(lines, index, 1)) ? name : undefined
}

/** A file has a folder or an ending; a sentence, an address and a number have words between blanks, a scheme or digits alone. */
function isName(name: string): boolean {
  return (
    (/[/\\]/.test(name) || /\.[A-Za-z][\w+-]{0,9}$/.test(name)) &&
    !/^\w+:\/\/|[,;!?]$|^[\d./-]+$/.test(name) &&
    name.split(' ').length <= 4
  )
}

function at(lines: LineIndex, index: number): string {
  return index < 0 || index >= lines.count || lines.end(index) - lines.start(index) > LONGEST
    ? ''
    : lines.at(index).trimEnd()
}

/** The next line above or below that says something. */
function said(lines: LineIndex, index: number, step: 1 | -1): string {
  for (let near = 1; near <= NEAR; near++) {
    const line = at(lines, index + step * near)
    if (line !== '') return line
  }
  return ''
}

/** Records `{path, line, lines, characters, text}`: `line` is the first of the file's own, counted from 1, `text` what the file holds. */
function readFiles(text: string, { lines, heading, at: found }: Found): JsonValue {
  return found.map(({ line, name }, nth): JsonObject => {
    let first = line + 1
    let last = (found[nth + 1]?.line ?? lines.count) - 1
    const isEmpty = (index: number): boolean => at(lines, index) === ''
    const isBorder = (index: number): boolean =>
      (heading.below?.test(at(lines, index)) ?? false) ||
      (heading.above?.test(at(lines, index)) ?? false) ||
      (heading.end?.test(at(lines, index)) ?? false)
    while (first <= last && isEmpty(first)) first++
    if (first <= last && (heading.below?.test(at(lines, first)) ?? false)) first++
    while (last >= first && (isEmpty(last) || isBorder(last))) last--
    const own = first > last ? '' : text.slice(lines.start(first), lines.end(last))
    return {
      path: name,
      line: first + 1,
      lines: Math.max(0, last - first + 1),
      characters: own.length,
      text: own,
    }
  })
}

/** Each file with its place, the largest calls first. */
function overviewOfFiles(document: Document): Overview {
  const files = (document.records()?.values ?? []).filter(isObject)
  const largest = files.reduce<JsonObject | undefined>(
    (best, file) => (Number(file.characters) > Number(best?.characters ?? -1) ? file : best),
    undefined,
  )
  const name = String(largest?.path ?? '')
  const told = files.map(
    ({ path, line, lines, characters }) =>
      `${ellipsis(String(path), 120)}: ${formatPlural(Number(lines), 'line')} from line ${line}, ${formatCount(Number(characters))} characters`,
  )
  return {
    totals: [formatPlural(files.length, 'file'), formatPlural(document.lines().count, 'line')],
    type: (max) => (max > TYPE.length ? TYPE : ''),
    facts: told,
    outline: { headings: told, notes: [], total: told.length, noun: 'files' },
    sample: () => [],
    calls: [
      call('proxy_filter', { where: [`path = ${name}`], fields: ['text'] }),
      call('proxy_filter', { fields: ['path', 'line', 'lines'], limit: 100 }),
    ],
  }
}

const TYPE = '{path, line: number, lines: number, characters: number, text}'

/** Tried before the formats of single files, which the first file may look like. Never takes a text with one such line, or chapters of a guide. */
export const files = defineFormat<Found>({
  name: 'files',
  family: 'files',
  isOwnFact: () => true,
  detect: findFiles,
  read: readFiles,
  overview: overviewOfFiles,
})
