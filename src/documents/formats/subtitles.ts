/** Subtitles and transcripts with times: SubRip (`.srt`), WebVTT, and lines such as `[01:05] Hello` or `[0:05 - 0:09] Ann: Hello`. A record for each. */
import type { JsonObject } from '../../protocol/json.ts'
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

/** `01:05`, `00:01:05.200`, `65.20s`. */
const CLOCK = String.raw`(?:\d{1,2}:)?\d{1,2}:\d\d(?:[.,]\d{1,3})?|\d{1,6}(?:\.\d{1,3})?s`
const MARK = `(${CLOCK})(?: ?(?:-{1,2}>|[-–—→]) ?(${CLOCK}))?`
/** `[01:05] Hello`, `(1:05) Hello`, `[01:05 --> 01:07] Hello`; and `1:05` by itself, above what is said. */
const POINT = new RegExp(String.raw`^\s{0,8}(?:\[${MARK}\]|\(${MARK}\)|((?:\d{1,2}:)?\d{1,2}:\d\d)\s*$)(.*)$`)
/** A transcript begins soon, the lines of a log at any time of the day; and the share of lines that begin with a time. */
const SOON = 5 * 60
const MOSTLY = 0.4
const SAMPLE = 400

interface Point {
  readonly start: string
  readonly end?: string
  readonly seconds: number
  readonly rest: string
}

function pointAt(line: string): Point | undefined {
  const [, one, until, other, last = until, alone, rest = ''] =
    (line.length <= LONGEST && POINT.exec(line)) || []
  const time = one ?? other ?? alone
  if (time === undefined) return undefined
  const start = full(time)
  const [hours = 0, minutes = 0, seconds = 0] = start.split(':').map(Number)
  return {
    start,
    ...(last !== undefined && { end: full(last) }),
    seconds: (hours * 60 + minutes) * 60 + seconds,
    rest: rest.trim(),
  }
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

/** Records `{line, start, end?, seconds, text}`: the time as `00:01:05`, and as seconds. */
function readPoints(lines: LineIndex): JsonObject[] {
  const found: (JsonObject & { text: string })[] = []
  for (let index = 0; index < lines.count; index++) {
    const point = pointAt(lines.at(index))
    const last = found.at(-1)
    if (point) {
      const { rest, ...times } = point
      found.push({ line: index + 1, ...times, text: rest })
    } else if (last) last.text = `${last.text} ${lines.at(index).trim()}`.trim()
  }
  return found
}

/** The speaker before the words: `Ann: Hello`, `Speaker 1: Hello`, `[SPEAKER_00]: Hello`. */
const SPEAKER = /^\[?((?:[\p{Lu}\d][\p{L}\d.'’_-]{0,30} ?){1,4})\]?: (\S.*)$/su
/** The share of entries that say who speaks. */
const SPOKEN = 0.8

/** With the speaker as a field of its own, where most entries begin with one and some speak twice. */
function withSpeakers(entries: JsonObject[]): JsonObject[] {
  const read = entries.map(({ text }) => SPEAKER.exec(String(text)))
  const spoken = read.flatMap((one) => one?.[1] ?? [])
  if (spoken.length < entries.length * SPOKEN || new Set(spoken).size * 2 > spoken.length) return entries
  return entries.map((entry, at) => {
    const [, speaker, said] = read[at] ?? []
    if (speaker === undefined || said === undefined) return entry
    const { text: _, ...others } = entry
    return { ...others, speaker: speaker.trim(), text: said }
  })
}

/** Records `{line, start, end, speaker?, text}`: times as `00:01:02.500`, the text without marks. */
function readSpans(lines: LineIndex): JsonObject[] {
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
  if (time.endsWith('s')) return new Date(Number.parseFloat(time) * 1_000).toISOString().slice(11, 23)
  const parts = time.replace(',', '.').split(':')
  return [...(parts.length < 3 ? ['00'] : []), ...parts]
    .map((part) => (/^\d$/.test(part) ? `0${part}` : part))
    .join(':')
}

/** Never takes a text in which only some lines have times, or a log, which begins at any time of the day. */
export const subtitles = defineFormat<Times>({
  name: 'subtitles',
  family: 'entries',
  detect,
  read: (text, times) => withSpeakers((times === 'spans' ? readSpans : readPoints)(indexLines(text))),
  overview: overviewOfEntries,
})
