/** Pairs of keys and values on each line, `id=3 addr=10.0.0.1 idle=5`, with a text before them or none: what `CLIENT LIST` and `ping` print. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfData } from '../overview/records.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

const PAIR = /(?:^|[\s,;])([A-Za-z_][\w.-]{0,40})=("[^"]*"|[^\s,;]*)/g
const LONGEST = 4_096
/** Lines that are looked at, the fewest of them, pairs of a line, and the part of the lines that have such pairs. */
const SAMPLE = 60
const LEAST_LINES = 6
const LEAST_PAIRS = 3
const SHARE = 0.9
/** Lines that are none of records, at most. */
const MOST_ODD = 12

/** The text before the pairs of a line, and the pairs; a word behind a number is its unit. */
interface PairedLine {
  readonly text: string
  readonly pairs: readonly (readonly [string, string])[]
}

function pairsIn(line: string): PairedLine | undefined {
  if (line.length > LONGEST || !line.includes('=')) return undefined
  const found = [...line.matchAll(PAIR)]
  if (found.length < LEAST_PAIRS) return undefined
  const pairs = found.map(({ 1: key = '', 2: value = '', 0: all, index }, nth): [string, string] => {
    const end = found[nth + 1]?.index ?? line.length
    const [, unit = ''] = /^\s([a-zA-Zµ%/]{1,8})\s*$/.exec(line.slice(index + all.length, end)) ?? []
    const bare = value.replace(/^"(.*)"$/s, '$1')
    return [key, unit !== '' && /\d$/.test(bare) ? `${bare} ${unit}` : bare]
  })
  const covered = pairs.reduce((sum, [key, value]) => sum + key.length + value.length + 1, 0)
  const text = line.slice(0, found[0]?.index).trim().replace(/[:,]$/, '')
  // In prose few words are pairs.
  return covered + text.length >= line.trim().length * SHARE && text.length <= covered
    ? { text, pairs }
    : undefined
}

/** The keys that most of the lines have; undefined for lines that are no such pairs. */
function readPairs(text: string): LineIndex | undefined {
  const lines = indexLines(text)
  const sample: PairedLine[] = []
  let looked = 0
  for (let index = 0; index < lines.count && looked < SAMPLE; index++) {
    const line = lines.at(index).trim()
    if (line === '') continue
    looked += 1
    const found = pairsIn(line)
    if (found) sample.push(found)
    else if (looked - sample.length > Math.max(1, looked * (1 - SHARE)) + 1) return undefined
  }
  if (sample.length < LEAST_LINES || sample.length < looked * SHARE) return undefined
  const counts = new Map<string, number>()
  for (const { pairs } of sample)
    for (const key of new Set(pairs.map(([name]) => name))) counts.set(key, (counts.get(key) ?? 0) + 1)
  const shared = [...counts.values()].filter((count) => count >= sample.length * SHARE)
  return shared.length >= LEAST_PAIRS - 1 ? lines : undefined
}

/** A value is a number where all of its key are numbers as they are written. */
function recordsOf(lines: LineIndex): { records: JsonObject[]; odd: string[] } {
  const found: PairedLine[] = []
  const odd: string[] = []
  const words = new Set<string>()
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const read = pairsIn(line)
    if (read) found.push(read)
    else if (line.trim() !== '') odd.push(line.trim())
    for (const [key, value] of read?.pairs ?? [])
      if (value !== '' && exactNumber(value) === undefined) words.add(key)
  }
  const records = found.map(({ text, pairs }) => {
    const record: JsonObject = {}
    if (text !== '') record.text = text
    for (const [key, value] of pairs)
      setOwn(record, key, words.has(key) ? value : (exactNumber(value) ?? null))
    return record
  })
  return { records, odd }
}

/** Tried behind logs, which have times and levels. Never takes settings, which have one pair on a line. */
export const pairs = defineFormat<LineIndex>({
  name: 'pairs',
  family: 'table',
  kind: 'json',
  line: 'record',
  detect: readPairs,
  read: (_, lines): JsonValue => {
    const { records, odd } = recordsOf(lines)
    return odd.length > MOST_ODD ? [...records, ...odd.map((_line) => ({ _line }))] : records
  },
  asides: (_, lines) => {
    const { odd } = recordsOf(lines)
    return odd.length > MOST_ODD ? [] : odd.map((line) => `text beside it: ${line}`)
  },
  overview: overviewOfData,
})
