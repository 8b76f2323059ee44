/** The overview of a log: how bad, when, what repeats. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { Document } from '../document.ts'
import { fieldsOf } from '../shape/fields.ts'
import { profile } from '../shape/profile.ts'
import { typeNotations } from '../shape/type-notation.ts'
import { call, type Template } from '../template.ts'
import { factsOf, type Records } from './facts.ts'
import { isBad, isSerious } from './levels.ts'
import { messagePatterns } from './message-patterns.ts'
import type { Overview } from './overview.ts'
import { callsOn } from './record-calls.ts'
import { digest, sampleFields } from './sample.ts'
import { unusualOf } from './unusual.ts'

export function overviewOfEntries(document: Document): Overview {
  const values = document.records()?.values ?? []
  const records: Records = { values, keys: undefined, profile: profile({ values }) }
  const facts = [
    ...messages(values),
    ...factsOf(records).filter((fact) => !/^(?:size is mostly|line|message)\b/.test(fact)),
  ]
  return {
    totals: [formatPlural(document.lines().count, 'line'), formatPlural(values.length, 'record')],
    type: typeNotations(records.profile.record, { depth: 2, enumerate: false, implicit: true }),
    facts: first(facts, (fact) => /^(?:level|severity|status|code) /.test(fact)),
    sample: (max) => sample(document, records, max),
    calls: callsFor(records),
  }
}

/** Facts that pass come before the others. */
function first(facts: readonly string[], test: (fact: string) => boolean): string[] {
  return [...facts.filter(test), ...facts.filter((fact) => !test(fact))]
}

interface Said {
  level: string
  pattern: string
  count: number
  /** ` of 6,000 sampled` where not all were looked at. */
  sampled: string
}

/** The messages at each bad level, most frequent first. The same can be said as a warning and as an error. */
function worstOf(values: readonly JsonValue[]): Said[] {
  const byLevel = new Map<JsonValue | undefined, { level: string; held: JsonValue[] | undefined }>()
  for (const value of values) {
    const written = field(value, 'level')
    let said = byLevel.get(written)
    if (said === undefined) {
      const level = String(written)
      said = { level, held: isBad(level) ? [] : undefined }
      byLevel.set(written, said)
    }
    said.held?.push(value)
  }
  return [...byLevel.values()]
    .flatMap(({ level, held = [] }) => {
      const text = (index: number) => String(field(held[index], 'message') ?? '')
      const { patterns, looked } = messagePatterns(held.length, text)
      const sampled = sampledOf(looked, held.length)
      return patterns.map(({ pattern, count }) => ({ level, pattern, count, sampled }))
    })
    .sort((one, other) => other.count - one.count)
}

function sampledOf(looked: number, count: number): string {
  return looked < count ? ` of ${formatCount(looked)} sampled` : ''
}

/** The messages, bad ones first. */
function messages(values: readonly JsonValue[]): string[] {
  const text = (index: number) => String(field(values[index], 'message') ?? '')
  if (!values.some((value) => field(value, 'message') !== undefined)) return []
  const worst = worstOf(values)
  const all = messagePatterns(values.length, text)
  // A message that came once is an example, not a pattern; two are enough.
  const said = worst.filter(({ count }, index) => count > 1 || index < 2)
  const listed = said.slice(0, 5).map(({ pattern, count, level, sampled }) => {
    return `${formatCount(count)}×${sampled} ${level} ${ellipsis(pattern, 110)}`
  })
  const seen = new Set(worst.map(({ pattern }) => pattern))
  const sampled = sampledOf(all.looked, values.length)
  for (const { pattern, count } of all.patterns.slice(0, 12)) {
    if (!seen.has(pattern) && count > 1 && listed.length < 10 && /\p{L}{3}/u.test(pattern))
      listed.push(`${formatCount(count)}×${sampled} ${ellipsis(pattern, 110)}`)
  }
  return listed
}

function field(record: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(record) ? own(record, name) : undefined
}

/** Lines as they are: the first, the last, one that stands out. */
function sample(document: Document, records: Records, max: number): string[] {
  const unusual = unusualOf(records, fieldsOf(records.profile.record, 1))
  const at = unusual ? records.values[unusual.index] : undefined
  const picked: [string, number][] = [
    // Text above the first record says nothing of the records.
    ['first', lineOf(records.values[0]) ?? 0],
    ['last', lineOf(records.values.at(-1)) ?? lastLine(document)],
  ]
  if (unusual && isObject(at) && typeof at.line === 'number') {
    const line = at.line - 1
    const same = picked.find(([, other]) => other === line)
    if (same) same[0] = `${same[0]}, ${unusual.why}`
    else picked.splice(1, 0, [unusual.why, line])
  }
  // A line cut to pieces shows nothing: rather fewer lines.
  const shown = picked.slice(0, Math.max(1, Math.floor(max / 130)))
  const each = Math.floor(max / shown.length)
  const fields = areOfPairs(records.values) ? sampleFields(fieldsOf(records.profile.record, 2)) : []
  return shown.map(([name, line]) => {
    const record = fields.length > 0 ? records.values.find((value) => lineOf(value) === line) : undefined
    return record === undefined
      ? ellipsis(`${name}: ${document.lines().at(line)}`, Math.min(each, 240))
      : `${name}: ${digest(record, fields, Math.min(each, 240) - name.length - 2)}`
  })
}

/** True for records of several lines that say nothing but their keys: the first line of one tells little of it. */
function areOfPairs(values: readonly JsonValue[]): boolean {
  const [first, second] = values
  const height = (lineOf(second) ?? 0) - (lineOf(first) ?? 0)
  return height > 2 && field(first, 'message') === undefined && field(first, 'code') === undefined
}

/** The line of a record, from 0. */
function lineOf(record: JsonValue | undefined): number | undefined {
  const line = field(record, 'line')
  return typeof line === 'number' ? line - 1 : undefined
}

/** The last line that says something. */
function lastLine(document: Document): number {
  const lines = document.lines()
  let last = lines.count - 1
  while (last > 0 && lines.count - last < 20 && lines.at(last).trim() === '') last--
  return last
}

/** Errors first; where there are none, what records in general are asked for. */
function callsFor(records: Records): Template[] {
  const first = serious(records)
  const others = callsOn(records, '$')
  return [...first, ...(first.length > 0 ? others.slice(1) : others)].slice(0, 3)
}

/** The calls that a look at errors begins with. */
function serious({ values }: Records): Template[] {
  const record = values.find((value) => isObject(value) && isSerious(String(value.level)))
  if (!isObject(record)) return []
  const fields = ['line', 'time', 'message'].filter((name) => Object.hasOwn(record, name))
  const word = /[A-Za-z]{5,24}/.exec(String(record.message))?.[0]
  const context = { context_lines: 3, max_results: 5 }
  return [
    call('proxy_filter', { where: [`level = ${record.level}`], fields, limit: 20 }),
    ...(word === undefined ? [] : [call('proxy_search', { pattern: word, ...context })]),
  ]
}
