/** Subtitles and transcripts with times: SubRip (`.srt`), WebVTT, and lines such as `[01:05] Hello`. A record for each. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { defineFormat } from './define.ts'

const TIME = String.raw`(?:\d{1,3}:)?\d{1,2}:\d\d[.,]\d{1,3}`
const TIMES = new RegExp(String.raw`^\s{0,8}(${TIME})\s{1,8}-->\s{1,8}(${TIME})(?:\s.*)?$`)
const VOICE = /^<v(?:\.[\w.-]{1,60})? ([^<>]{1,120})>/
const LONGEST = 4_096
const MOST_BEFORE = 40
const LEAST = 3

function timesAt(line: string): RegExpExecArray | null {
  return line.length > LONGEST ? null : TIMES.exec(line)
}

/** How the times of a text are written: as a span over what is said, or as a point before it. */
type Times = 'spans' | 'points'

/** Undefined where the text begins otherwise, or has fewer than three. */
function detect(text: string): Times | undefined {
  const lines = indexLines(text)
  if (areSpans(lines)) return 'spans'
  return arePoints(lines) ? 'points' : undefined
}

function areSpans(lines: LineIndex): boolean {
  const begins = /^\s{0,8}(?:WEBVTT\b|\d{1,9}\s*$)/.test(lines.at(0)) || timesAt(lines.at(0)) !== null
  if (!begins) return false
  let [found, last] = [0, 0]
  for (let index = 0; index < lines.count && index - last < MOST_BEFORE; index++) {
    if (timesAt(lines.at(index)) === null) continue
    last = index
    if (++found >= LEAST) return true
  }
  return false
}

/** `[01:05] Hello`, `(1:05) Hello`; and `1:05` by itself, above what is said. */
const POINT =
  /^\s{0,8}(?:\[((?:\d{1,2}:)?\d{1,2}:\d\d(?:\.\d{1,3})?)\]|\(((?:\d{1,2}:)?\d{1,2}:\d\d(?:\.\d{1,3})?)\)|((?:\d{1,2}:)?\d{1,2}:\d\d)\s*$)(.*)$/
/** A transcript begins soon, the lines of a log at any time of the day; and the share of lines that begin with a time. */
const SOON = 5 * 60
const MOSTLY = 0.4
const SAMPLE = 400

function pointAt(line: string): { start: string; seconds: number; rest: string } | undefined {
  const [, one, other, alone, rest = ''] = (line.length <= LONGEST && POINT.exec(line)) || []
  const time = one ?? other ?? alone
  if (time === undefined) return undefined
  const start = full(time)
  const [hours = 0, minutes = 0, seconds = 0] = start.split(':').map(Number)
  return { start, seconds: (hours * 60 + minutes) * 60 + seconds, rest: rest.trim() }
}

/** True where times come in their order from near zero on. */
function arePoints(lines: LineIndex): boolean {
  if (pointAt(lines.at(0)) === undefined && pointAt(lines.at(1)) === undefined) return false
  let [found, seen, before] = [0, 0, 0]
  for (let index = 0; index < Math.min(lines.count, SAMPLE); index++) {
    if (lines.end(index) === lines.start(index)) continue
    seen += 1
    const point = pointAt(lines.at(index))
    if (!point) continue
    if (point.seconds < before || (found === 0 && point.seconds > SOON)) return false
    before = point.seconds
    found += 1
  }
  return found >= LEAST && found >= seen * MOSTLY
}

/** Records `{line, start, seconds, text}`: the time as `00:01:05`, and as seconds. */
function readPoints(lines: LineIndex): JsonValue[] {
  const found: { line: number; start: string; seconds: number; text: string }[] = []
  for (let index = 0; index < lines.count; index++) {
    const point = pointAt(lines.at(index))
    const last = found.at(-1)
    if (point) found.push({ line: index + 1, start: point.start, seconds: point.seconds, text: point.rest })
    else if (last) last.text = `${last.text} ${lines.at(index).trim()}`.trim()
  }
  return found
}

/** Records `{line, start, end, speaker?, text}`: times as `00:01:02.500`, the text without marks. */
function readSpans(lines: LineIndex): JsonValue[] {
  const found: JsonObject[] = []
  for (let index = 0; index < lines.count; index++) {
    const [, start, end] = timesAt(lines.at(index)) ?? []
    if (start === undefined || end === undefined) continue
    const said: string[] = []
    const line = index + 1
    while (index + 1 < lines.count && lines.at(index + 1).trim() !== '') said.push(lines.at(++index))
    const speaker = VOICE.exec(said[0] ?? '')?.[1]
    found.push({
      line,
      start: full(start),
      end: full(end),
      ...(speaker === undefined ? {} : { speaker }),
      text: said.join(' ').replace(/<\/?[a-z][^<>]{0,120}>/gi, ''),
    })
  }
  return found
}

/** With hours, and a point before the milliseconds, so that times compare as texts. */
function full(time: string): string {
  const parts = time.replace(',', '.').split(':')
  return [...(parts.length < 3 ? ['00'] : []), ...parts]
    .map((part) => (/^\d$/.test(part) ? `0${part}` : part))
    .join(':')
}

/** Never takes a text in which only some lines have times, or a log, which begins at any time of the day. */
export const subtitles = defineFormat<Times>({
  name: 'subtitles',
  family: 'entries',
  line: 'entry',
  detect,
  read: (text, times) => (times === 'spans' ? readSpans : readPoints)(indexLines(text)),
  overview: overviewOfEntries,
})
