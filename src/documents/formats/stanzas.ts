/** Texts of records that each begin with the same key: `Title: …`, `URL: …`, then the next `Title: …`. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indentOf, indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { asideOf, exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'
import { readAligned } from './table.ts'

// `Key: value`, `- **Key:** value`, `key<tab>: value`; `key:: value` of LDIF is in base64 (RFC 2849).
const PAIR =
  /^(?:[-*•] +)?(?:\*\*([A-Za-z][\w ./()-]{0,39}?)(?::\*\*|\*\*\s*:)|([A-Za-z][\w ./()-]{0,39}?)\s*::?)(?:\s+(.*))?$/
/** The separators of records. */
const RULE = /^[ \t]*(?:(?:-{3,}|={3,})[ \t]*)?$/
const LONGEST = 16_384
/** Lines before the first record, and records that there must be. */
const MOST_BEFORE = 6
const LEAST = 3
/** Lines that are looked at to decide. */
const SAMPLE = 2_000
/** The field for a line above the first key of a record. */
const HEADING = 'heading'
/** The share of records that have a key, for it to be one. */
const COMMON = 0.2

interface Stanzas {
  readonly read: () => JsonValue[]
  /** The lines above the first record. */
  readonly above: readonly string[]
}

/** The records, or undefined when the text is something else. `line` is a record's first, counted from 1. */
function readStanzas(text: string): Stanzas | undefined {
  const lines = indexLines(text)
  const first = firstKey(lines)
  const isKey = first === undefined ? undefined : keysOf(lines, first)
  if (first === undefined || !isKey) {
    const read = readHeadedBlocks(lines)
    return read && { read, above: [] }
  }
  const headed = areHeaded(lines, first)
  const above: string[] = []
  for (let at = 0; at + Number(headed) < lines.count; at++) {
    if (pairAt(lines, at + Number(headed))?.key === first) break
    if (lines.at(at).trim() !== '') above.push(lines.at(at))
  }
  return { read: () => records(lines, first, isKey, headed), above: [...above, ...behindComment(lines)] }
}

/** The last lines of a text that begins with a comment, from a comment below the records on: how many entries were found. */
function behindComment(lines: LineIndex): string[] {
  if (!lines.at(0).startsWith('#')) return []
  const last = Array.from({ length: Math.min(MOST_BEHIND, lines.count - 1) }, (_, at) =>
    lines.at(lines.count - 1 - at),
  ).reverse()
  const from = last.findIndex((line) => line.startsWith('#'))
  return from < 0 ? [] : last.slice(from).filter((line) => line.trim() !== '')
}

const MOST_BEHIND = 8

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

/**
 * Whether a key is one of a record; undefined when they are no records of one kind. Where every line at the margin is a pair, each of
 * them is a key, as in the control files of packages. In other texts a line may only look like a pair: a key is what several records have.
 */
function keysOf(lines: LineIndex, first: string): ((key: string) => boolean) | undefined {
  const counts = new Map<string, number>()
  const sampled = Math.min(lines.count, SAMPLE)
  let [within, seen, atMargin] = [0, 0, 0]
  for (let index = 0; index < sampled; index++) {
    const pair = pairAt(lines, index)
    if (pair) counts.set(pair.key, (counts.get(pair.key) ?? 0) + 1)
    const line = lines.at(index)
    if (line.trim() === '') continue
    seen += 1
    if (pair === undefined && /^\S/.test(line)) atMargin += 1
  }
  const stanzas = counts.get(first) ?? 0
  if (stanzas < LEAST) return undefined
  const keys = [...counts].filter(([, count]) => count >= Math.max(2, stanzas * COMMON))
  for (const [, count] of keys) within += count
  if (!areApart(lines, first, sampled) && !areInOrder(lines, first, sampled)) return undefined
  const shared = keys.filter(([, count]) => count >= stanzas * 0.6)
  // A key that stands more often than the first is said within a record, as people are in a conversation.
  if (shared.length < 2 || within < seen * 0.15) return undefined
  if (atMargin === 0) return () => true
  const common = new Set(keys.map(([key]) => key))
  return (key) => common.has(key)
}

/** Records are set apart by empty lines or rules, unless there are no empty lines at all: then nothing stands before a first key. */
function areApart(lines: LineIndex, first: string, sampled: number): boolean {
  let [apart, together, empty] = [0, 0, 0]
  for (let index = 1; index < sampled; index++) {
    const before = lines.at(index - 1).trim()
    if (before === '') empty += 1
    if (pairAt(lines, index)?.key !== first) continue
    if (isBorder(before) || isHeading(lines, index - 1)) apart += 1
    else together += 1
  }
  return apart >= together * 4 || empty === 0
}

function isBorder(line: string): boolean {
  return line === '' || /^[-=*_]{3,}$/.test(line)
}

/** True for a line that says nothing but the name of what is below it, next to an empty line or a rule: `Monday Night:`. */
function isHeading(lines: LineIndex, index: number): boolean {
  return pairAt(lines, index)?.value === '' && (index === 0 || isBorder(lines.at(index - 1).trim()))
}

/** Keys behind the first one that make an order; two people who speak in turns have none. */
const IN_ORDER = 3

/** True where the same few keys follow the first one nearly each time: then nothing else needs to set the records apart. */
function areInOrder(lines: LineIndex, first: string, sampled: number): boolean {
  const orders = new Map<string, number>()
  let all = 0
  for (let index = 0; index + IN_ORDER < sampled; index++) {
    if (pairAt(lines, index)?.key !== first) continue
    all += 1
    const keys = Array.from({ length: IN_ORDER }, (_, at) => pairAt(lines, index + 1 + at)?.key ?? '')
    if (new Set([first, ...keys]).size > IN_ORDER && !keys.includes(''))
      orders.set(keys.join(':'), (orders.get(keys.join(':')) ?? 0) + 1)
  }
  const most = [...orders.values()].sort((one, other) => other - one).slice(0, FEW_ORDERS)
  return all > 0 && most.reduce((sum, count) => sum + count, 0) >= all * 0.9
}

/** A key that some records lack makes another order. */
const FEW_ORDERS = 3

function records(
  lines: LineIndex,
  first: string,
  isKey: (key: string) => boolean,
  headed: boolean,
): JsonValue[] {
  const found: JsonObject[] = []
  let record: JsonObject | undefined
  let key = ''
  const isCommented = lines.at(0).startsWith('#')
  for (let index = 0; index < lines.count; index++) {
    // A line behind a comment is no more of the record above.
    if (isCommented && lines.at(index).startsWith('#')) record = undefined
    const pair = pairAt(lines, index)
    const begins = headed
      ? index + 1 < lines.count && pairAt(lines, index + 1)?.key === first
      : pair?.key === first
    if (begins) {
      record = { line: index + 1 }
      found.push(record)
      if (headed) {
        key = HEADING
        setOwn(record, key, lines.at(index).replace(/:\s*$/, ''))
        continue
      }
    }
    if (!record) continue
    const held = own(record, key) as string | string[]
    if (pair && isKey(pair.key) && own(record, pair.key) === undefined) {
      key = pair.key
      setOwn(record, key, pair.value)
    } else if (pair?.key === key && isKey(key) && !/^\s/.test(lines.at(index)))
      if (Array.isArray(held))
        // A key that comes again at once has several values.
        held.push(pair.value)
      else setOwn(record, key, [held, pair.value])
    else if (Array.isArray(held)) held.push(`${held.pop()}\n${lines.at(index)}`)
    else setOwn(record, key, `${held}\n${lines.at(index)}`)
  }
  return found.map(tidied)
}

/** True when a line that is no pair stands above the first key of every record: it is the heading of that record. */
function areHeaded(lines: LineIndex, first: string): boolean {
  let [headed, all] = [0, 0]
  for (let index = 0; index < Math.min(lines.count, SAMPLE); index++) {
    const pair = pairAt(lines, index)
    if (pair?.key === HEADING) return false
    if (pair?.key !== first) continue
    all += 1
    const above = index === 0 ? '' : lines.at(index - 1)
    const isNamed = /^\S/.test(above) && /\w/.test(above)
    if (isNamed && (pairAt(lines, index - 1) === undefined || isHeading(lines, index - 1))) headed += 1
  }
  return all > 0 && headed === all
}

/** Values without the lines that separate records; numbers become numbers. */
function tidied(record: JsonObject): JsonObject {
  for (const key of Object.keys(record)) {
    const value = own(record, key)
    if (Array.isArray(value))
      setOwn(
        record,
        key,
        value.map((one) => exactNumber(String(one).trim()) ?? String(one).trim()),
      )
    if (typeof value !== 'string') continue
    const whole = withoutRules(value)
    const block =
      whole.startsWith('\n') && whole.length <= LONGEST ? blockIn(whole.slice(1).split('\n')) : undefined
    const text = whole.replace(/^\n/, '')
    setOwn(record, key, block ?? exactNumber(text) ?? text)
  }
  return record
}

// Headings with keys below them that are set in, as `dmidecode` and `iw` write them.

const LEAST_HEADED = 3
const MOST_HEADS = 3
/** The field for the lines above a heading that stand next to it. */
const ABOVE = 'above'
const SET_IN = /^([ \t]+)([A-Za-z][\w ./()+-]{0,59}?):(?:\s+(.*))?$/

/** Records of a heading and its keys; undefined where most lines that are set in are no keys, or a heading is one itself. */
function readHeadedBlocks(lines: LineIndex): (() => JsonValue[]) | undefined {
  const sampled = Math.min(lines.count, SAMPLE)
  const counts = new Map<string, number>()
  let [headed, alone, pairs, others, base] = [0, 0, 0, 0, '']
  for (let index = 0; index < sampled; index++) {
    if (lines.end(index) - lines.start(index) > LONGEST) return undefined
    const line = lines.at(index)
    if (line.trim() === '') continue
    const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
    if (indent === '') {
      const isHead = index + 1 < lines.count && /^[ \t]+\S/.test(lines.at(index + 1))
      if (isHead && (pairAt(lines, index)?.value ?? '') !== '') return undefined
      base = ''
      if (isHead) headed += 1
      else alone += 1
      continue
    }
    if (base === '') base = indent
    if (indent !== base) continue
    const key = SET_IN.exec(line)?.[2]
    if (key === undefined) others += 1
    else {
      pairs += 1
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const shared = [...counts.values()].filter((count) => count > 1).length
  const isRead =
    headed >= LEAST_HEADED &&
    shared > 1 &&
    pairs >= headed &&
    pairs > others * 2 &&
    alone <= headed * MOST_HEADS
  return isRead ? () => headedBlocks(lines) : undefined
}

function headedBlocks(lines: LineIndex): JsonValue[] {
  const found: JsonObject[] = []
  let heads: number[] = []
  let [key, base] = ['', '']
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
    if (line.trim() === '') {
      heads = []
      continue
    }
    if (indent === '') {
      heads.push(index)
      base = ''
      continue
    }
    if (base === '') {
      base = indent
      const [head = index, ...above] = heads.slice(-MOST_HEADS).reverse()
      const heading = lines.at(head).replace(/:\s*$/, '')
      const record: JsonObject = { line: Math.min(head, ...above) + 1, [HEADING]: heading }
      if (above.length > 0)
        record[ABOVE] = above
          .reverse()
          .map((at) => lines.at(at))
          .join('\n')
      found.push(record)
      key = ''
      heads = []
    }
    const record = found.at(-1) ?? {}
    const pair = indent === base && line.length <= LONGEST ? SET_IN.exec(line) : undefined
    if (pair?.[2] !== undefined && own(record, pair[2]) === undefined) {
      key = pair[2]
      setOwn(record, key, pair[3] ?? '')
    } else setOwn(record, key || 'text', [own(record, key || 'text'), line.trim()].filter(Boolean).join('\n'))
  }
  return found.map(tidied)
}

// Blocks: lines below a key that are set in, as `kubectl describe` writes them.

const IN_BLOCK = /^( *)([A-Za-z][\w ./()-]{0,79}?):(?:\s+(.*))?$/
const DEEPEST = 6

/** A table, or the keys of a block. Undefined where some line is neither. */
function blockIn(lines: readonly string[], depth = 0): JsonValue | undefined {
  const base = indentOf(lines[0] ?? '')
  if (base === 0 || depth > DEEPEST) return undefined
  const table = readAligned(indexLines(lines.map((line) => line.slice(base)).join('\n')))
  return table?.json() ?? keysIn(lines, base, depth)
}

function keysIn(lines: readonly string[], base: number, depth: number): JsonValue | undefined {
  const block: JsonObject = {}
  let isNamed = true
  for (let at = 0; at < lines.length; ) {
    const [, indent = '', key, value = ''] = IN_BLOCK.exec(lines[at] ?? '') ?? []
    if (key === undefined || indent.length !== base || own(block, key) !== undefined) return undefined
    let end = at + 1
    while (end < lines.length && indentOf(lines[end] ?? '') > base) end += 1
    const below = lines.slice(at + 1, end)
    const inner =
      below.length === 0 ? undefined : (blockIn(below, depth + 1) ?? below.map((line) => line.trim()))
    at = end
    if (value !== '' || !isObject(inner) || own(inner, 'name') !== undefined) isNamed = false
    if (value === '') setOwn(block, key, inner ?? null)
    else setOwn(block, key, exactNumber(value) ?? value.trim())
    // Facts about a value, as in `State: Waiting` with a reason below it.
    if (value !== '' && isObject(inner))
      for (const [name, said] of Object.entries(inner)) {
        if (own(block, `${key} ${name}`) !== undefined) return undefined
        setOwn(block, `${key} ${name}`, said)
      }
    else if (value !== '' && inner !== undefined) return undefined
  }
  // Keys that only name what is below them are the names of records.
  return isNamed ? Object.entries(block).map(([name, inner]) => ({ name, ...(inner as JsonObject) })) : block
}

function withoutRules(value: string): string {
  let end = value.length
  for (let at = value.lastIndexOf('\n'); at >= 0 && RULE.test(value.slice(at + 1, end)); ) {
    end = at
    at = at === 0 ? -1 : value.lastIndexOf('\n', at - 1)
  }
  return value.slice(0, end)
}

/** Tried after Markdown. Never takes a conversation, in which the same people speak again and again. */
export const stanzas = defineFormat<Stanzas>({
  name: 'stanzas',
  family: 'entries',
  line: 'entry',
  detect: readStanzas,
  read: (_, { read }) => read(),
  asides: (_, { above }) => above.map(asideOf),
  overview: overviewOfEntries,
})
