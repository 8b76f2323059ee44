/** The first answer about a large result: what it is, what stands out, and what to ask next. */
import { ellipsis } from '../text/cut.ts'
import { formatBytes, formatCount } from '../text/format.ts'
import type { Document } from './document.ts'
import type { Template } from './fit.ts'
import { overviewOfLog } from './overview/log.ts'
import { overviewOfHtml, overviewOfMarkdown } from './overview/markup.ts'
import type { Overview } from './overview/overview.ts'
import { overviewOfData } from './overview/records.ts'
import { overviewOfText, overviewOfTree } from './overview/text.ts'
import { clip, concat, HOLE, lengthOf, lines } from './template.ts'

export interface PreviewOptions {
  /** The most characters, the handle (12 characters) counted in at each place. */
  budget: number
  /** The tool it came from, as the client calls it. */
  tool: string
  /** Bytes and tokens of the whole result. */
  bytes: number
  tokens: number
  /** Replaces the first line; `{cache_id}`, `{size}` (bytes) and `{tokens}` are filled in. */
  notice?: string
}

/**
 * Previews a document: the handle and the true totals, the type, facts, a sample, and up to three calls that work.
 * Byte-stable: the same document and options give the same text.
 */
export function preview(document: Document, options: PreviewOptions): Template {
  const overview = overviewOf(document)
  const first = firstLine(document, overview, options)
  let room = options.budget - lengthOf(first)
  const calls = chooseCalls(overview.calls, Math.floor(room * 0.4))
  room -= calls.reduce((sum, made) => sum + lengthOf(made) + 3, calls.length > 0 ? NEXT.length + 1 : 0)
  const type = section('type: ', overview.type(Math.floor(room * 0.4) - 7))
  room -= lengthOfLines(type)
  const asides = document.asides
    .slice(0, 6)
    .map((aside) => ellipsis(`also: ${aside}`, Math.max(0, Math.floor(room / 4))))
  room -= lengthOfLines(asides)
  const sample = overview.sample(Math.floor(room * 0.5) - SAMPLE.length - 6)
  const shown = sample.length > 0 && room > 200 ? [SAMPLE, ...sample] : []
  room -= lengthOfLines(shown)
  const facts = asManyAs(overview.facts, room)
  return clip(lines([first, ...type, ...asides, ...facts, ...shown, ...nextLines(calls)]), options.budget)
}

/** The overview that fits the format. */
export function overviewOf(document: Document): Overview {
  switch (document.format) {
    case 'log':
      return overviewOfLog(document)
    case 'markdown':
      return overviewOfMarkdown(document)
    case 'html':
      return overviewOfHtml(document)
    case 'tree':
      return overviewOfTree(document)
    case 'text':
    case 'blocks':
      return overviewOfText(document)
    default:
      return overviewOfData(document)
  }
}

const SAMPLE = 'sample:'
const NEXT = 'next:'

function firstLine(document: Document, { totals }: Overview, options: PreviewOptions): Template {
  const size = formatBytes(options.bytes)
  const tokens = formatCount(options.tokens)
  if (options.notice !== undefined) {
    const filled = options.notice.replaceAll('{size}', size).replaceAll('{tokens}', tokens)
    return filled.split('{cache_id}')
  }
  const facts = [...totals, size, `${formatCount(document.characters)} characters`, `${tokens} tokens`]
  const tool = ellipsis(options.tool, 80)
  return concat(
    'cache_id ',
    HOLE,
    ` keeps the whole result of ${tool} (${document.format}: ${facts.join(', ')}). Overview:`,
  )
}

function section(title: string, text: string): string[] {
  return text === '' ? [] : [title + text]
}

function lengthOfLines(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 1, 0)
}

/** Lines while there is room; one that is too long is left out, since a shorter one may follow. */
function asManyAs(facts: readonly string[], room: number): string[] {
  const kept: string[] = []
  let left = room
  for (const fact of facts) {
    const line = ellipsis(fact, 260)
    if (line.length + 1 > left) continue
    kept.push(line)
    left -= line.length + 1
  }
  return kept
}

function chooseCalls(calls: readonly Template[], room: number): Template[] {
  const chosen: Template[] = []
  let left = room - NEXT.length
  for (const made of calls.slice(0, 3)) {
    left -= lengthOf(made) + 3
    if (left < 0) break
    chosen.push(made)
  }
  return chosen
}

function nextLines(calls: readonly Template[]): (Template | string)[] {
  return calls.length === 0 ? [] : [NEXT, ...calls.map((made) => concat('  ', made))]
}
