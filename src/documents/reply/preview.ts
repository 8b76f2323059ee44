/** The first answer about a large result: what it is, what stands out, and what to ask next. */

import { formatBytes, formatCount } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { countTokens } from '../../text/tokens.ts'
import type { Document } from '../document.ts'
import { overviewOf } from '../formats/index.ts'
import type { Overview } from '../overview/overview.ts'
import { call, clip, concat, HOLE, LONGEST_HANDLE, lines, type Template } from '../template.ts'

export interface PreviewOptions {
  /** The most characters, the handle counted in at each place. */
  budget: number
  /** The tool it came from, as the client calls it. */
  tool: string
  /** Bytes and tokens of the document. */
  bytes: number
  tokens: number
  /** Whether this is all of its collection. Absent: that is not known. */
  standing?: Standing
  /** Lines after the first one, whatever they cost. */
  beside?: readonly Template[]
  /** Replaces the first line; `{cache_id}`, `{size}` (bytes) and `{tokens}` are filled in. */
  notice?: string
}

/** `PARTIAL: 30 of 1,214`; `all`: the rest can be asked for. */
export interface Standing {
  readonly said: string
  readonly all?: boolean
}

/**
 * Previews a document: the handle and the true totals, the type, facts, a sample, and up to three calls that work. At most
 * `budget` characters, and about a quarter as many tokens. Byte-stable: the same document and options give the same text.
 */
export function preview(document: Document, options: PreviewOptions): Template {
  const overview = overviewOf(document)
  const [total] = overview.totals
  shapes.set(document, ellipsis(total === undefined ? document.format : `${document.format}: ${total}`, 80))
  const first = firstLine(document, overview, options)
  const { beside = [] } = options
  let room = options.budget - costOfTemplate(lines([first, ...beside]))
  const calls = chooseCalls(overview.calls, Math.floor(room * CALLS))
  const next = [...nextLines(calls), ...passingOn(options)]
  room -= costOfTemplate(lines(next))
  const spend = (share: number, make: (max: number) => readonly string[]): readonly string[] => {
    const made = within(Math.floor(room * share), make)
    room -= costOfLines(made)
    return made
  }
  const type = spend(overview.wide ? WIDE_TYPE : TYPE, (max) => section('type: ', overview.type(max - 7)))
  const asides = spend(0.6, (max) =>
    document.asides.slice(0, 6).map((aside) => ellipsis(`also: ${aside}`, Math.floor(max / 2))),
  )
  const leading = asManyAs(overview.facts, room * FACTS)
  const before = room
  room -= costOfLines(leading)
  const shown = room > 160 ? spend(1, (max) => sample(overview.sample(max - SAMPLE.length - 6))) : []
  const facts = allOrCounted(overview, before - costOfLines(shown))
  return clip(lines([first, ...beside, ...type, ...asides, ...facts, ...shown, ...next]), options.budget)
}

/** Shares of what is left: for calls, for the type, and for facts before a sample is taken. */
const CALLS = 0.34
const TYPE = 0.48
const WIDE_TYPE = 0.64
const FACTS = 0.68

function sample(shown: readonly string[]): readonly string[] {
  return shown.length > 0 ? [SAMPLE, ...shown] : []
}

/** Of documents that were previewed. An overview costs too much to be made again, and too much to be kept. */
const shapes = new WeakMap<Document, string>()

/** The description of a previewed document, in a few words: `json: 900 records in $.users`. */
export function shapeOf(document: Document): string {
  return shapes.get(document) ?? document.format
}

const SAMPLE = 'sample:'
const NEXT = 'next:'
/** Characters of a preview. */
const LEAST_FOR_PASSING = 1000

function firstLine(document: Document, { totals }: Overview, options: PreviewOptions): Template {
  const size = formatBytes(options.bytes)
  const tokens = formatCount(options.tokens)
  if (options.notice !== undefined) {
    const filled = options.notice.replaceAll('{size}', size).replaceAll('{tokens}', tokens)
    return concat(filled.split('{cache_id}'), ...standingIn(options))
  }
  const facts = [...totals, `${formatCount(options.bytes)} bytes`, `${roughly(options.tokens)} tokens`]
  const tool = ellipsis(options.tool, 80)
  return concat(
    'cache_id ',
    HOLE,
    ` keeps the whole result of ${tool} (${document.format}: ${facts.join(', ')})`,
    ...standingIn(options),
  )
}

/** The end of the first line: whether the result is complete, and how the rest is asked for. */
function standingIn({ standing }: PreviewOptions): (Template | string)[] {
  if (standing === undefined) return []
  const said = ellipsis(standing.said, 400)
  return standing.all ? [`. ${said}. All: `, call('proxy_filter', { all: true })] : [`. ${said}`]
}

/** `9,341` or `≈105k`: large counts come from samples, so their last digits mean nothing. */
function roughly(count: number): string {
  if (count < 10_000) return formatCount(count)
  return count < 999_500 ? `≈${Math.round(count / 1000)}k` : `≈${(count / 1_000_000).toFixed(1)}M`
}

function section(title: string, text: string): string[] {
  return text === '' ? [] : [title + text]
}

/** Lines while there is room; one that is too long is left out, since a shorter one may follow. */
function asManyAs(facts: readonly string[], room: number): string[] {
  const kept: string[] = []
  let left = room
  for (const fact of facts) {
    if (left < 12) break
    const line = ellipsis(fact, 300)
    const cost = line.length > left ? line.length : costOfLines([line])
    if (cost > left) continue
    kept.push(line)
    left -= cost
  }
  return kept
}

/** Facts while there is room; where headings of an outline have none, a line says how many. */
function allOrCounted({ facts, outline }: Overview, room: number): string[] {
  const kept = asManyAs(facts, room)
  const { headings, notes, total, noun = 'headings' } = outline ?? { headings: [], notes: [], total: 0 }
  if ([...headings, ...notes].every((line) => kept.includes(line))) return kept
  const said = (left: number): string => `… ${formatCount(left)} of ${formatCount(total)} ${noun} left out`
  // In place of what the outline itself says, which would not be all.
  const others = facts.filter((fact) => !notes.includes(fact))
  const fewer = asManyAs(others, room - costOfLines([said(total)]))
  return [...fewer, said(total - fewer.filter((line) => headings.includes(line)).length)]
}

/** A call that is too long is left out, since a shorter one may follow. */
function chooseCalls(calls: readonly Template[], room: number): Template[] {
  const chosen: Template[] = []
  let left = room - NEXT.length
  for (const made of calls) {
    const cost = costOfTemplate(made) + 4
    if (cost > left || chosen.length === 3) continue
    chosen.push(made)
    left -= cost
  }
  return chosen
}

/** Its holes filled with a handle of the highest cost. */
function costOfTemplate(template: Template): number {
  return template.length === 0 ? 0 : costOf(`${template.join(LONGEST_HANDLE)}\n`)
}

/**
 * How the result is given to another tool, in previews that have room for it. It is a form, because the proxy suggests no call that may
 * write or send.
 */
function passingOn({ budget }: PreviewOptions): Template[] {
  if (budget < LEAST_FOR_PASSING) return []
  return [concat('to pass it on: {"$from":"', HOLE, '"} in any argument of another tool')]
}

function nextLines(calls: readonly Template[]): (Template | string)[] {
  return calls.length === 0 ? [] : [NEXT, ...calls.map((made) => concat('  ', made))]
}

// The cost of a text for a reader: room in a reply is counted in characters, but tokens fill a context.

/** Characters that a token has in plain English; dense text (digits, ids, CJK) has fewer. */
const CHARACTERS = 4

/** The characters of a text, or four for each of its tokens when that is more. */
function costOf(text: string): number {
  return Math.max(text.length, CHARACTERS * countTokens(text))
}

/** The cost of lines, the line breaks behind them included. */
function costOfLines(lines: readonly string[]): number {
  return lines.length === 0 ? 0 : costOf(`${lines.join('\n')}\n`)
}

/**
 * The outcome of `make` for the most characters that cost at most `limit`: dense text is asked for again, shorter. Empty when nothing
 * fits.
 */
function within(limit: number, make: (max: number) => readonly string[]): readonly string[] {
  let max = Math.floor(limit)
  for (let round = 0; round < 6 && max > 8; round++) {
    const made = make(max)
    const cost = costOfLines(made)
    if (cost <= limit) return made
    max = Math.floor(Math.min(max, cost) * Math.min(0.95, (limit / cost) * 0.97))
  }
  return []
}
