/** Subtitles and transcripts with times: SubRip (`.srt`) and WebVTT. A record for each. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
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

/** True unless the text begins otherwise, or has fewer than three. */
function detect(text: string): true | undefined {
  const lines = indexLines(text)
  const begins = /^\s{0,8}(?:WEBVTT\b|\d{1,9}\s*$)/.test(lines.at(0)) || timesAt(lines.at(0)) !== null
  if (!begins) return undefined
  let [found, last] = [0, 0]
  for (let index = 0; index < lines.count && index - last < MOST_BEFORE; index++) {
    if (timesAt(lines.at(index)) === null) continue
    last = index
    if (++found >= LEAST) return true
  }
  return undefined
}

/** Records `{line, start, end, speaker?, text}`: times as `00:01:02.500`, the text without marks. */
function read(text: string): JsonValue[] {
  const lines = indexLines(text)
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

/** Never takes a text in which only some lines have two times. */
export const subtitles = defineFormat<true>({
  name: 'subtitles',
  family: 'entries',
  line: 'entry',
  detect,
  read,
  overview: overviewOfEntries,
})
