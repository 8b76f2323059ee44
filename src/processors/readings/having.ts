/** Conditions on groups: `count > 5` beside `group_by` is about what was counted, not about the records. */

import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/made.ts'
import { isObject } from '../../protocol/json.ts'
import { exactPath } from '../../query/fields/fields.ts'
import { type Records, recordsOf } from '../../query/fields/records.ts'
import { aggregateNamed } from '../../query/language/aggregates.ts'
import { HAVING } from '../../query/language/dialects/sql.ts'
import { isAggregateCall, parseCondition, parseNamed } from '../../query/language/parser.ts'
import { scan } from '../../query/language/scanner.ts'
import { type Expression, mapped, sourceOf } from '../../query/language/tree.ts'
import { listed, safely } from '../../query/refusal.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { type Asked, aggregateParams, whereParams } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import type { ProcessorResult } from '../processor.ts'
import { failed, unchanged, withNotes } from '../step.ts'
import { aggregate, columnOfCall } from '../steps/group.ts'
import { where } from '../steps/where.ts'
import { countedElements, strayElements } from './stray.ts'

const params = whereParams.extend(aggregateParams.shape)

/** `where`, without the conditions that are about groups. */
export const whereOfRecords: PipelineStep = {
  name: where.name,
  params,
  wanted: (asked) => where.wanted(asked as Asked),
  process(document, asked) {
    const { ofRecords } = split(document, asked as Asked)
    if (ofRecords.length === 0) return unchanged(document)
    const first = where.process(document, { where: ofRecords })
    const made = first.error === undefined ? first : (besideAll(document, ofRecords) ?? first)
    if (made.error !== undefined) return made
    const counted = countedElements(document, asked as Asked, made.content)
    return counted.length > 0 ? withNotes(made, counted) : made
  },
}

/** The conditions with the values of aggregates over all records in their place: `price > avg(price)`. Undefined where one has none. */
function besideAll(document: Document, conditions: readonly string[]): ProcessorResult | undefined {
  const notes = new Set<string>()
  const literalOf = (call: string, isAlone: boolean): string | undefined => {
    const { content, error, metadata } = aggregate.process(document, { aggregate: [call] })
    const row = error === undefined ? content.rows().items[0] : undefined
    const value = row !== undefined && isObject(row) ? Object.values(row)[0] : undefined
    if (typeof value !== 'number' && typeof value !== 'string') return undefined
    notes.add(
      `\`${call}\` of all ${formatPlural(recordsOf(document)?.values.length ?? 0, 'record')} is ${JSON.stringify(value)}.`,
    )
    const isSpan = metadata.notes?.some((note) => note.endsWith(' is in milliseconds.'))
    return isSpan && isAlone ? `${value}ms` : JSON.stringify(value)
  }
  const read = conditions.map((condition) => {
    let text = ''
    let from = 0
    const tokens = scan(condition)
    for (const [at, { kind, text: word, from: start }] of tokens.entries()) {
      const open = tokens[at + 1]
      if (kind !== 'word' || open?.kind !== 'open' || start < from || !aggregateNamed(word)) continue
      const end = tokens[open.match]?.to ?? condition.length
      // A span that is computed with is a number.
      const isAlone =
        !/[*/+-]\s*$/.test(condition.slice(0, start)) && !/^\s*[*/+-]/.test(condition.slice(end))
      const value = literalOf(condition.slice(start, end), isAlone)
      if (value === undefined) return undefined
      text += condition.slice(from, start) + value
      from = end
    }
    return text + condition.slice(from)
  })
  if (notes.size === 0 || read.includes(undefined)) return undefined
  const made = where.process(document, { where: read as string[] })
  return made.error === undefined ? withNotes(made, [...notes]) : undefined
}

/** `aggregate`, and of its groups only the ones that fulfil the conditions about groups. */
export const aggregateWithHaving: PipelineStep = {
  name: aggregate.name,
  params,
  wanted: (asked) => aggregate.wanted(asked as Asked),
  process(document, asked) {
    const { group_by, aggregate: calls } = asked as Asked
    const { ofGroups, missing } = split(document, asked as Asked)
    const columns = missing.length > 0 ? [...(calls ?? ['count']), ...missing] : calls
    const made = aggregate.process(document, { group_by, aggregate: columns })
    const stray = made.error === undefined ? strayElements(document, asked as Asked) : []
    const grouped = stray.length > 0 ? withNotes(made, stray) : made
    return ofGroups.length === 0 || grouped.error !== undefined ? grouped : only(document, grouped, ofGroups)
  },
}

function only(
  document: Document,
  grouped: ProcessorResult,
  conditions: readonly OfGroups[],
): ProcessorResult {
  const all = grouped.content.rows().count
  if (all === 0) return grouped
  const kept = where.process(grouped.content, { where: conditions.map(({ text }) => text) })
  if (kept.error !== undefined) return failed(document, kept.error)
  const { items } = kept.content.rows()
  const said = `${formatCount(items.length)} of ${formatPlural(all, 'group')} fulfil ${listed(conditions.map(({ written }) => written))}.`
  const notes = [...(grouped.metadata.notes ?? []), said, ...(kept.metadata.notes ?? [])]
  return {
    ...grouped,
    content: fromRows({ noun: 'group', items }),
    metadata: { ...grouped.metadata, matched: items.length, notes },
    applied: true,
  }
}

/** A condition on groups, about their columns. */
interface OfGroups {
  text: string
  /** As the caller wrote it. */
  written: string
  /** The names of the columns in it. */
  names: readonly string[]
}

interface Split {
  ofRecords: string[]
  ofGroups: OfGroups[]
  /** Columns that conditions name and `aggregate` does not. */
  missing: string[]
}

function split(
  document: Document,
  { where: conditions = [], group_by = [], aggregate: calls }: Asked,
): Split {
  const parted: Split = { ofRecords: [], ofGroups: [], missing: [] }
  const columns = new Set([
    ...namesOf(calls ?? ['count']),
    // Of a key without a name of its own, a condition on the records says the same.
    ...group_by.flatMap((key) => parseNamed(key).as ?? []),
  ])
  const records = recordsOf(document)
  for (const written of conditions) {
    const [, said] = HAVING.exec(written) ?? []
    const condition = said ?? written
    const isOfGroups = said === undefined ? group_by.length > 0 : calls !== undefined || group_by.length > 0
    // A column that is called like a field of the records is meant where the condition says that it is about groups.
    const fields = said === undefined ? records : undefined
    const found = isOfGroups ? ofGroups(condition, columns, fields) : undefined
    if (!found) {
      parted.ofRecords.push(condition)
      continue
    }
    parted.ofGroups.push(found)
    for (const name of found.names)
      if (!columns.has(name) && !parted.missing.includes(name)) parted.missing.push(name)
  }
  return parted
}

function namesOf(calls: readonly string[]): Set<string> {
  return new Set(calls.flatMap((written) => parseNamed(written).as ?? columnOfCall(written) ?? []))
}

/** The condition with the columns that it is about in place of calls; undefined when it is about the records, or about both. */
function ofGroups(
  condition: string,
  columns: ReadonlySet<string>,
  records: Records | undefined,
): OfGroups | undefined {
  return safely(() => {
    const names: string[] = []
    let isOfRecords = false
    const replaced = mapped(parseCondition(condition), (one: Expression) => {
      if (one.kind !== 'field' && !isAggregateCall(one)) {
        if (one.kind === 'within') isOfRecords = true
        return undefined
      }
      const written = sourceOf(one)
      const isField = records && exactPath(records, written) !== undefined
      const isCall = one.kind === 'call' || /^count$/i.test(written)
      const name = isField
        ? undefined
        : columns.has(written)
          ? written
          : isCall
            ? columnOfCall(written)
            : undefined
      if (name === undefined) isOfRecords = true
      else names.push(name)
      return { kind: 'field', name: name ?? written }
    })
    return isOfRecords || names.length === 0
      ? undefined
      : { text: sourceOf(replaced), written: condition, names }
  })
}
