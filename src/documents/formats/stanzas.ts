/** Texts of records that each begin with the same key: `Title: …`, `URL: …`, then the next `Title: …`. */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

// `Key: value`, `**Key:** value`, `key<tab>: value`.
const PAIR = /^(?:\*\*([A-Za-z][\w ./()-]{0,39}?):?\*\*:?|([A-Za-z][\w ./()-]{0,39}?)\s*:)(?:\s+(.*))?$/
const LONGEST = 16_384
/** Lines before the first record, and records that there must be. */
const MOST_BEFORE = 6
const LEAST = 3
/** Lines that are looked at to decide. */
const SAMPLE = 2_000
/** The share of records that have a key, for it to be one. */
const COMMON = 0.2

/** The records, or undefined when the text is something else. `line` is a record's first, counted from 1. */
function readStanzas(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  const first = firstKey(lines)
  if (first === undefined) return undefined
  const keys = commonKeys(lines, first)
  return keys && (() => records(lines, first, keys))
}

function pairAt(lines: LineIndex, index: number): { key: string; value: string } | undefined {
  if (lines.end(index) - lines.start(index) > LONGEST) return undefined
  const match = PAIR.exec(lines.at(index))
  const key = match?.[1] ?? match?.[2]
  return key === undefined || /^https?$/i.test(key) ? undefined : { key, value: match?.[3] ?? '' }
}

function firstKey(lines: LineIndex): string | undefined {
  for (let index = 0; index < Math.min(lines.count, MOST_BEFORE); index++) {
    const pair = pairAt(lines, index)
    // A key above its records, such as `Results:`, stands alone.
    if (pair && pair.value !== '') return pair.key
  }
  return undefined
}

/** The keys that several records have; undefined when they are no records of one kind. */
function commonKeys(lines: LineIndex, first: string): ReadonlySet<string> | undefined {
  const counts = new Map<string, number>()
  const sampled = Math.min(lines.count, SAMPLE)
  let [within, seen] = [0, 0]
  for (let index = 0; index < sampled; index++) {
    const pair = pairAt(lines, index)
    if (pair) counts.set(pair.key, (counts.get(pair.key) ?? 0) + 1)
    if (lines.at(index).trim() !== '') seen += 1
  }
  const stanzas = counts.get(first) ?? 0
  if (stanzas < LEAST) return undefined
  const keys = [...counts].filter(([, count]) => count >= Math.max(2, stanzas * COMMON))
  for (const [, count] of keys) within += count
  if (!areApart(lines, first, sampled)) return undefined
  const shared = keys.filter(([, count]) => count >= stanzas * 0.6)
  // A key that stands more often than the first is said within a record, as people are in a conversation.
  if (shared.length < 2 || within < seen * 0.15) return undefined
  return new Set(keys.map(([key]) => key))
}

/** Records are set apart by empty lines or rules, unless there are no empty lines at all: then nothing stands before a first key. */
function areApart(lines: LineIndex, first: string, sampled: number): boolean {
  let [apart, together, empty] = [0, 0, 0]
  for (let index = 1; index < sampled; index++) {
    const before = lines.at(index - 1).trim()
    if (before === '') empty += 1
    if (pairAt(lines, index)?.key !== first) continue
    if (before === '' || /^[-=*_]{3,}$/.test(before)) apart += 1
    else together += 1
  }
  return apart >= together * 4 || empty === 0
}

function records(lines: LineIndex, first: string, keys: ReadonlySet<string>): JsonValue[] {
  const found: JsonObject[] = []
  let record: JsonObject | undefined
  let key = ''
  for (let index = 0; index < lines.count; index++) {
    const pair = pairAt(lines, index)
    if (pair && pair.key === first) {
      record = { line: index + 1 }
      found.push(record)
    }
    if (!record) continue
    if (pair && keys.has(pair.key) && own(record, pair.key) === undefined) {
      key = pair.key
      setOwn(record, key, pair.value)
    } else setOwn(record, key, `${own(record, key) as string}\n${lines.at(index)}`)
  }
  return found.map(tidied)
}

/** Values without the lines that separate records; those that are numbers as numbers. */
function tidied(record: JsonObject): JsonObject {
  for (const key of Object.keys(record)) {
    const value = own(record, key)
    if (typeof value !== 'string') continue
    const whole = value.replace(/(?:\n[ \t]*(?:-{3,}|={3,})?[ \t]*)+$/, '').replace(/^\n/, '')
    setOwn(record, key, exactNumber(whole) ?? whole)
  }
  return record
}

/** Tried after Markdown. Never takes a conversation, in which the same people speak again and again. */
export const stanzas = defineFormat({
  name: 'stanzas',
  family: 'entries',
  line: 'entry',
  detect: readStanzas,
  read: (_, read) => read(),
  overview: overviewOfEntries,
})
