/** JSON that its server cut off, mostly at a megabyte: read up to the last value that is whole. */
import type { JsonValue } from '../../protocol/json.ts'
import { withColumns } from '../columns/columnar.ts'
import { parseJson } from '../json/stringify.ts'
import { unfold } from '../json/unfold.ts'
import { overviewOfData } from '../overview/records.ts'
import { wordsAround } from './cells.ts'
import { defineFormat, PLAIN } from './define.ts'

/** Shorter texts are not cut by servers, and prose may begin with a bracket. */
const SHORTEST = 400
/** Characters of words before the value, and after it. */
const AROUND = 600
/** Levels that may be open at the cut. */
const DEEPEST = 500
/** Values that must be whole. */
const LEAST = 5

interface CutJson {
  value: JsonValue
  asides: string[]
}

/** The value up to the cut, and what is said around it. Linear: one pass to the end, and one parse of what is whole. */
function findCut(text: string): CutJson | undefined {
  if (text.length < SHORTEST) return undefined
  const start = /(?:^|\n|: )[ \t]*(?=[[{]\s*["[{])/.exec(text.slice(0, AROUND))
  if (!start) return undefined
  const from = start.index + start[0].length
  // The words of a server behind the cut; a quote that the cut left open would take it for a part of the text.
  const said =
    /\s*(?:<error>[^<]*<\/error>|\n[^\n"{}[\]]*(?:truncat|cut off|omitted|more characters|too (?:long|large))[^\n"{}]*)\s*$/i.exec(
      text.slice(-AROUND),
    )?.[0]
  const end = text.length - (said?.length ?? 0)
  const whole = wholePart(text, from, end)
  if (!whole || whole.values < LEAST || whole.end - from < (end - from) / 2) return undefined
  const parsed = parseJson(text.slice(from, whole.end) + whole.closing)
  if (typeof parsed?.value !== 'object' || parsed.value === null) return undefined
  const left = end - whole.end
  return {
    value: withColumns(unfold(parsed.value)),
    asides: [
      `the server cut this JSON off: read up to there, but for its last ${left.toLocaleString('en')} characters`,
      ...wordsAround(text.slice(0, from), said ?? ''),
    ],
  }
}

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [
  34, 92, 44, 91, 93, 123, 125,
]

/**
 * Where the last whole element or member ends, what closes the rest, and how many there are. Records that are whole are preferred to a part of
 * the last one, where that leaves out little. Undefined where the text is no JSON, or all of it.
 */
function wholePart(
  text: string,
  from: number,
  end: number,
): { end: number; closing: string; values: number } | undefined {
  const open: string[] = []
  /** By level, where the last whole value ended that is still in an open list or object. */
  const ends: number[] = []
  let values = 0
  const ended = (at: number): void => {
    values += 1
    ends.length = open.length
    ends[open.length] = at
  }
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = closingQuote(text, at + 1, end)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (open.length === DEEPEST) return undefined
      open.push(code === OPEN_BRACE ? '}' : ']')
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (open.pop() !== (code === CLOSE_BRACE ? '}' : ']') || open.length === 0) return undefined
      ended(at + 1)
    } else if (code === COMMA) ended(at)
  }
  const little = Math.max(2_000, (end - from) * 0.02)
  const level = ends.findIndex((at) => at !== undefined && end - at <= little)
  const depth = level < 0 ? ends.length - 1 : level
  const at = ends[depth]
  return at === undefined
    ? undefined
    : { end: at, closing: open.slice(0, depth).toReversed().join(''), values }
}

/** The place of the quote that closes; the end where there is none. */
function closingQuote(text: string, from: number, end: number): number {
  for (let at = text.indexOf('"', from); at >= 0 && at < end; at = text.indexOf('"', at + 1)) {
    let before = at
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1
    if ((at - before) % 2 === 0) return at
  }
  return end
}

/** Tried after lines of JSON, of which the last may be cut. Never takes what is whole, or a text of which less than half is JSON. */
export const jsonCut = defineFormat<CutJson>({
  ...PLAIN.json,
  name: 'cut json',
  detect: findCut,
  read: (_, { value }) => value,
  asides: (_, { asides }) => asides,
  overview(document) {
    const overview = overviewOfData(document)
    return { ...overview, totals: [...overview.totals, 'cut off by the server'] }
  },
})
