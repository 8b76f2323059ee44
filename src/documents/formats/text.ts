/** Plain text, and results of several blocks: their lines, repeats and kinds. */
import { isObject } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import type { LineIndex } from '../../text/lines.ts'
import { literal } from '../../text/patterns/literal.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { Document } from '../document.ts'
import { messagePatterns } from '../overview/message-patterns.ts'
import type { Overview } from '../overview/overview.ts'
import { endsOf } from '../overview/sample.ts'
import { telling } from '../overview/words.ts'
import { call, type Template } from '../template.ts'
import { type FormatDefinition, PLAIN } from './define.ts'

/** Plain text: what it is made of, what repeats in it, how it begins and ends, words to look for. */
function overviewOfText(document: Document): Overview {
  const lines = document.lines()
  const encoded = encodedOf(document.text)
  const words =
    encoded === undefined
      ? telling(paragraphs(document.text), 6).filter((words) => standsAlone(words, document.text))
      : []
  const { patterns, looked } = messagePatterns(lines.count, (index) => lines.at(index))
  const repeated = patterns.filter(
    ({ count, pattern }) => count > 2 && count > looked * 0.01 && /\p{L}{3}/u.test(pattern),
  )
  const outline = encoded === undefined ? outlineOf(lines, document.text) : undefined
  const failures = outline?.code || encoded !== undefined ? undefined : failuresOf(lines, document.text)
  const covered = repeated.reduce((sum, { count }) => sum + count, 0) / Math.max(1, looked)
  const sampled = looked < lines.count ? ` of ${formatCount(looked)} sampled` : ''
  const blocks = document.format === 'blocks' ? blockFacts(document) : []
  return {
    totals: [formatPlural(lines.count, 'line')],
    type: () => '',
    facts: [
      ...(encoded === undefined ? [] : [encoded]),
      ...blocks,
      ...(outline ? [outline.fact] : []),
      ...(failures ? [failures.fact] : []),
      ...repeated
        .slice(0, 8)
        .map(({ pattern, count }) => `${formatCount(count)}×${sampled} ${ellipsis(pattern, 110)}`),
      ...(words.length > 0 ? [`words to search for: ${words.join(', ')}`] : []),
    ],
    // Lines that repeat are told already; a few show how they look.
    sample: (max) =>
      endsOf(lines, encoded !== undefined ? Math.min(max, 160) : covered > 0.8 ? Math.min(max, 480) : max),
    // A line that no model can read answers no question.
    calls:
      document.text.trim() === '' || encoded !== undefined
        ? []
        : textCalls({ words, outline, failures }, document),
  }
}

/** True for words that stand by themselves somewhere near the beginning, so that a search for them finds them. */
function standsAlone(words: string, text: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, 'u').test(text.slice(0, 200_000))
}

interface Leads {
  words: readonly string[]
  outline: Outline | undefined
  failures: Failures | undefined
}

/** Failures first, then a part by its name, then a word that leads to a few places, then the end. */
function textCalls({ words: [word], outline, failures }: Leads, document: Document): Template[] {
  const { count } = document.lines()
  const calls = [
    ...(failures
      ? [call('proxy_search', { pattern: failures.pattern, context_lines: 2, max_results: 10 })]
      : []),
    ...(outline?.name
      ? [call('proxy_search', { pattern: literal(outline.name), context_lines: 10, max_results: 1 })]
      : []),
    ...(word === undefined ? [] : [call('proxy_search', { pattern: word, mode: 'bm25', top_k: 3 })]),
    count > 100
      ? call('proxy_filter', { offset: count - 40, limit: 40 })
      : call('proxy_filter', { limit: 50 }),
  ]
  return calls
}

function paragraphs(text: string): string[] {
  const start = text.slice(0, 200_000)
  const parts = start.split(/\n\s*\n/)
  return parts.length > 3 ? parts : start.split('\n')
}

function blockFacts(document: Document): string[] {
  const blocks = (document.records()?.values ?? []).filter(isObject)
  return blocks.slice(0, 12).map(({ block, name, text }) => {
    const said = typeof text === 'string' ? text : ''
    const named = typeof name === 'string' ? ` ${ellipsis(name, 90)}` : ''
    return `block ${block}${named}, ${formatPlural(said.length, 'character')}: ${ellipsis(said.trim().replace(/\s+/g, ' '), 90)}`
  })
}

/** Lines that are looked at, and characters of one. Facts about longer texts say that they are about the beginning. */
const MOST_LINES = 100_000
const OUTLINED_LINES = 20_000
const LONGEST = 400
/** A part of a text is told by so many characters of names. */
const ROOM = 240

interface Part {
  /** Its name, plural. */
  title: string
  /** Its name is the first group that matched. */
  pattern: RegExp
  /** Not these. */
  but?: RegExp
}

const PARTS: readonly Part[] = [
  { title: 'files of a diff', pattern: /^diff --git a\/(\S+)/ },
  {
    title: 'declarations',
    pattern:
      /^(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|abstract|final|sealed|async|unsafe|extern|override|virtual|inline|declare|data) +)*(?:function\*?|class|interface|enum|namespace|module|struct|trait|impl|def|fn|func|fun|record|object|sub|type(?= +\w+ *[=<{])) +(?:\([^)]*\) *)?([A-Za-z_$][\w$]*)/,
  },
  { title: 'sections', pattern: /^\[{1,2}([^\][\s][^\][]*)\]{1,2}\s*(?:[#;].*)?$/ },
  {
    title: 'headings',
    // `24. LIABILITY` and `Article IV. TERM` as well.
    pattern:
      /^((?:(?:(?:ARTICLE|SECTION|CHAPTER|PART|Article|Section|Chapter|Part) )?(?:\d{1,3}(?:\.\d{1,3}){0,4}|[IVXLC]{1,6})[.:)]? +)?[A-Z][A-Z0-9 ,&'()/-]{2,60})$/,
    // Sequences of genes are written in capitals.
    but: /^[ACGTUN]+$|\S{30}/,
  },
  { title: 'keys', pattern: /^([A-Za-z_][\w./-]*):(?:\s|$)/, but: /^(?:https?|note|warning|error|info)$/i },
]

export interface Outline {
  /** How many parts, and the first of them by line and name. */
  fact: string
  /** The name of one part, for a question about it; none in XML. */
  name?: string
  /** True for source code and diffs, where words like `error` are part of the code. */
  code?: boolean
}

/** The parts of a text with their numbers, first names and lines; of XML its elements. */
export function outlineOf(lines: LineIndex, text: string): Outline | undefined {
  const looked = Math.min(lines.count, OUTLINED_LINES)
  const starts = Array.from({ length: looked }, (_, index) => lines.at(index).slice(0, LONGEST))
  for (const { title, pattern, but } of PARTS) {
    const found: string[] = []
    const names: string[] = []
    for (const [index, start] of starts.entries()) {
      const name = pattern.exec(start)?.[1]
      if (name === undefined || but?.test(name)) continue
      found.push(`${index + 1} ${ellipsis(name, 60)}`)
      names.push(name)
    }
    // Parts have names of their own; what repeats is rather a pattern.
    if (found.length < 3 || found.length < looked * 0.005 || new Set(names).size < names.length * 0.5)
      continue
    const fact = `${formatCount(found.length)} ${title}${partly(looked < lines.count)} (line, name): ${joined(found)}`
    return { fact, name: names[0] ?? '', code: title !== 'keys' }
  }
  return elementsOf(text)
}

/** `elements: item ×150, title ×151`, when the text is XML. */
function elementsOf(text: string): Outline | undefined {
  const start = text.slice(0, 1_000_000)
  if (!/^\s*<(?:\?xml|!DOCTYPE|[A-Za-z][\w:.-]*[\s>])/.test(start.slice(0, 2000))) return undefined
  const counts = new Map<string, number>()
  for (const [, name = ''] of start.matchAll(/<([A-Za-z][\w:.-]{0,60})(?=[\s/>])/g)) {
    if (counts.size < 500 || counts.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const listed = [...counts]
    .sort((one, other) => other[1] - one[1])
    .map(([name, count]) => `${name} ×${count}`)
  return { fact: `elements${partly(start.length < text.length)}: ${joined(listed)}`, code: true }
}

/** As programs write it, not as prose speaks of it. */
const FAILURE =
  /\b(?:ERROR|FAILED|FAILURE|FATAL|PANIC|CRITICAL|SEVERE)\b|\b[Ee]rror(?:\[\w+\])?:|\berror [A-Z]+\d+|\bTraceback \(most|^panic:|\b\w*(?:Error|Exception)(?:: | in )|\b(?:[Bb]uild|[Tt]ests?|[Cc]ommand|[Ss]tep|[Jj]ob|[Tt]ask) failed\b|\bfailed (?:with|to)\b|\b[Pp]ermission denied\b/

/** Lines that tell of failures. */
export interface Failures {
  fact: string
  /** The pattern of a search for them: the word that is found most. */
  pattern: string
}

/** The words that each failure has: found at once in all of the text, so that few lines are looked at. */
const TRACE = /rror|ERROR|FAIL|FATAL|PANIC|panic:|CRITICAL|SEVERE|Traceback|xception|ailed\b|ermission d/g

/** Lines that tell of failures, when they are few enough to stand out. */
function failuresOf(lines: LineIndex, text: string): Failures | undefined {
  const looked = Math.min(lines.count, MOST_LINES)
  const found: string[] = []
  const words = new Map<string, number>()
  let count = 0
  const trace = new RegExp(TRACE)
  for (let hit = trace.exec(text); hit !== null; hit = trace.exec(text)) {
    const index = lines.lineAt(hit.index)
    if (index >= looked) break
    trace.lastIndex = Math.max(trace.lastIndex, lines.end(index))
    const line = lines.at(index).slice(0, LONGEST)
    const match = FAILURE.exec(line)?.[0]
    if (match === undefined) continue
    count += 1
    const word = /[A-Za-z]{3,}/.exec(match)?.[0] ?? match
    words.set(word, (words.get(word) ?? 0) + 1)
    if (found.length < 4) found.push(`${index + 1} ${ellipsis(line.trim().replace(/\s+/g, ' '), 100)}`)
  }
  const [first] = [...words].sort((one, other) => other[1] - one[1])
  if (first === undefined || count > Math.max(4, looked * 0.1)) return undefined
  const more = count > found.length ? ' | …' : ''
  return {
    fact: `${formatPlural(count, 'line')} of failure${partly(looked < lines.count)}: ${found.join(' | ')}${more}`,
    pattern: first[0],
  }
}

/** The encoding of a text without words: base64 with its content, or hexadecimal digits. */
export function encodedOf(text: string): string | undefined {
  const start = text.slice(0, 4096).replace(/[\r\n]/g, '')
  if (start.length < 200 || /\s/.test(start)) return undefined
  if (/^[0-9a-fA-F]+$/.test(start))
    return `hexadecimal digits, ${formatCount(Math.floor(text.length / 2))} bytes or fewer`
  const base64 = /^(?:data:[\w/+.-]{1,60};base64,)?([\w+/-]+={0,2})$/.exec(start)?.[1]
  if (base64 === undefined || !/\d/.test(base64) || !/[A-Z]/.test(base64)) return undefined
  const bytes = Buffer.from(base64.slice(0, 64), 'base64').toString('latin1')
  const kind = MAGIC.find(([magic]) => bytes.startsWith(magic))?.[1]
  return `looks like base64${kind === undefined ? '' : ` of a ${kind}`}: nothing to read or search`
}

const MAGIC: readonly [string, string][] = [
  ['\x89PNG', 'PNG image'],
  ['\xff\xd8\xff', 'JPEG image'],
  ['GIF8', 'GIF image'],
  ['%PDF', 'PDF'],
  ['PK\x03\x04', 'ZIP archive'],
  ['\x1f\x8b', 'gzip archive'],
  ['RIFF', 'RIFF file'],
]

function partly(partly: boolean): string {
  return partly ? ' in the beginning' : ''
}

/** As many as fit, and how many are left. */
function joined(items: readonly string[]): string {
  let text = ''
  for (const [index, item] of items.entries()) {
    const next = `${index > 0 ? ', ' : ''}${item}`
    if (index > 0 && text.length + next.length > ROOM)
      return `${text}, …${formatCount(items.length - index)} more`
    text += next
  }
  return text
}

/** The format for the remaining texts. */
export const text: FormatDefinition<true> = {
  ...PLAIN.text,
  detect: () => true,
  read: () => undefined,
  overview: overviewOfText,
}

/** Several blocks of content that are not one value; no text is so. */
export const blocks: FormatDefinition<never> = {
  ...PLAIN.blocks,
  detect: () => undefined,
  read: () => undefined,
  overview: overviewOfText,
}
