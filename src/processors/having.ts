/** Conditions on groups: `count > 5` beside `group_by` is about what was counted, not about the records. */
import { fromRows } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import { resolveExactly } from './fields.ts'
import { aggregate, type Call, columnName, parseCall } from './group.ts'
import { aggregateParams, whereParams } from './parameters.ts'
import { parsePath } from './path/parse.ts'
import type { Path } from './path/path.ts'
import type { PipelineStep } from './pipeline.ts'
import type { ProcessorResult } from './processor.ts'
import { type Records, recordsOf } from './records.ts'
import { listed, Refusal } from './refusal.ts'
import { failed, unchanged } from './step.ts'
import { isOn, listName, listOn } from './unnest.ts'
import { type Condition, parseCondition } from './where/condition.ts'
import { where } from './where.ts'

interface Asked {
  where?: string[] | undefined
  group_by?: string[] | undefined
  aggregate?: string[] | undefined
}

const params = whereParams.extend(aggregateParams.shape)

/** `where`, without the conditions that are about groups. */
export const whereOfRecords: PipelineStep = {
  name: where.name,
  params,
  wanted: (asked) => where.wanted(asked as Asked),
  process(document, asked) {
    const { ofRecords } = split(document, asked as Asked)
    return ofRecords.length === 0 ? unchanged(document) : where.process(document, { where: ofRecords })
  },
}

/** `aggregate`, and of its groups those that fulfil the conditions about them. */
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

/** Says where a function is over all elements of a list although a condition was about some of them: it chose whole records. */
function strayElements(
  document: Document,
  { where: conditions = [], aggregate: calls = [] }: Asked,
): string[] {
  const records = recordsOf(document)
  if (!records) return []
  const found = (name: string): Path | undefined =>
    unlessRefused(() => resolveExactly(records, parsePath(name))?.path)
  const chosen = conditions.flatMap((condition) => fieldsIn(condition).map(found))
  const lists = chosen
    .map((path) => path && listOn(records, path))
    .filter((list): list is Path => list !== undefined && list.length > 0)
  const over = calls.flatMap((written) => {
    const path = callOf(written)?.field === undefined ? undefined : found(callOf(written)?.field ?? '')
    const list = path && lists.find((one) => isOn(one, path))
    return list ? [{ written, name: listName(list) }] : []
  })
  const [first] = over
  return first
    ? [
        `${listed(over.map(({ written }) => written))} is over all \`${first.name}\` of the records that match; for those elements alone that fulfil the condition, set \`path\` to \`${first.name}[*]\`.`,
      ]
    : []
}

function withNotes(result: ProcessorResult, notes: readonly string[]): ProcessorResult {
  return {
    ...result,
    metadata: { ...result.metadata, notes: [...(result.metadata.notes ?? []), ...notes] },
    originalSize: result.originalSize,
    get processedSize() {
      return result.content.characters
    },
  }
}

function only(document: Document, grouped: ProcessorResult, conditions: string[]): ProcessorResult {
  const all = grouped.content.rows().count
  if (all === 0) return grouped
  const kept = where.process(grouped.content, { where: conditions })
  if (kept.error !== undefined) return failed(document, kept.error)
  const { items } = kept.content.rows()
  const said = `${formatCount(items.length)} of ${formatPlural(all, 'group')} fulfil ${listed(conditions)}.`
  const notes = [...(grouped.metadata.notes ?? []), said, ...(kept.metadata.notes ?? [])]
  const content = fromRows({ noun: 'group', items })
  return {
    ...grouped,
    content,
    metadata: { ...grouped.metadata, matched: items.length, notes },
    applied: true,
    originalSize: grouped.originalSize,
    get processedSize() {
      return content.characters
    },
  }
}

interface Split {
  ofRecords: string[]
  ofGroups: string[]
  /** Columns that conditions are about and nobody asked for. */
  missing: string[]
}

function split(
  document: Document,
  { where: conditions = [], group_by = [], aggregate: calls }: Asked,
): Split {
  const parted: Split = { ofRecords: [], ofGroups: [], missing: [] }
  if (group_by.length === 0) return { ...parted, ofRecords: conditions }
  const columns = namesOf(calls ?? ['count'])
  const records = recordsOf(document)
  for (const condition of conditions) {
    const named = columnsIn(condition, columns, records)
    if (!named) parted.ofRecords.push(condition)
    else {
      parted.ofGroups.push(
        named.reduce((text, { field, name }) => text.replace(field, () => name), condition),
      )
      for (const { name } of named)
        if (!columns.has(name) && !parted.missing.includes(name)) parted.missing.push(name)
    }
  }
  return parted
}

function namesOf(calls: readonly string[]): Set<string> {
  return new Set(calls.flatMap((written) => nameOf(written) ?? []))
}

function nameOf(written: string): string | undefined {
  const call = callOf(written)
  return call && columnName(call, call.field)
}

function callOf(written: string): Call | undefined {
  return unlessRefused(() => parseCall(written))
}

function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function fieldsIn(condition: string): string[] {
  return unlessRefused(() => fieldsOf(parseCondition(condition))) ?? []
}

/** The columns that a condition is about; undefined when it is about the records, or about both. */
function columnsIn(
  condition: string,
  columns: ReadonlySet<string>,
  records: Records | undefined,
): { field: string; name: string }[] | undefined {
  return unlessRefused(() => {
    const names = fieldsOf(parseCondition(condition)).map((field) => {
      if (records && resolveExactly(records, parsePath(field))) return undefined
      const isCall = /^\w+\s*\(.*\)$|^count$/is.test(field)
      const name = columns.has(field) ? field : isCall ? nameOf(field) : undefined
      return name === undefined ? undefined : { field, name }
    })
    return names.length > 0 && names.every((name) => name !== undefined) ? names : undefined
  })
}

function fieldsOf(condition: Condition): string[] {
  if (condition.kind === 'comparison') return [condition.field]
  if (condition.kind === 'and' || condition.kind === 'or') return condition.parts.flatMap(fieldsOf)
  return condition.kind === 'not' ? fieldsOf(condition.part) : ['']
}
