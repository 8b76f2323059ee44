/** `group_by`: what records are grouped by, and the groups. */
import type { JsonPrimitive, JsonValue } from '../../protocol/json.ts'
import { type Field, resolveExactly, resolveField } from '../fields.ts'
import { acrossMap, holdsObjects, nameWithin } from '../inner-fields.ts'
import { parsePath } from '../path/parse.ts'
import { newWork, type Path, type Work } from '../path/path.ts'
import { readValues, scalarAt, several } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Refusal } from '../refusal.ts'
import { unwind } from '../unwind.ts'
import { fieldTitle } from './call.ts'
import { type DatePart, datePart, partOf } from './date-part.ts'
import { identity } from './functions.ts'

/** A field, or the month and so on of a date. */
export interface GroupKey {
  /** As it is called in the groups: `state`, `created_at:month`. */
  name: string
  field: Field
  part: DatePart | undefined
}

/** What is collected of each group: the values of a field. */
export interface Collected {
  field: Field
  /** True: only from the elements of the list that are in the group. */
  ofElements: boolean
}

/** Records that have the same values in the fields they are grouped by. */
export interface Group {
  /** In the order of the group keys. */
  values: JsonValue[]
  /** How many records. */
  count: number
  /** The last record that was counted. */
  last: number
  /** By what is collected: values without nulls. */
  collected: JsonValue[][]
}

export interface Groups {
  groups: Group[]
  /** Per group key: the records that have no value there, which are in no group. */
  missing: number[]
  /** True when a record has several values and is therefore in several groups. */
  several: boolean
  /** By what is collected: the values of all records, and how many records have none. */
  all: JsonValue[][]
  without: number[]
}

/** `state`, or `created_at:month`. A field with a colon in its name comes first. Throws a `Refusal`. */
export function parseGroupKey(records: Records, reference: string): GroupKey {
  const exact = resolveExactly(records, parsePath(reference))
  if (exact && !holdsObjects(records, exact))
    return { name: fieldTitle(exact.name), field: exact, part: undefined }
  const [, plain = reference, alias] = /^(.+?)\s+as\s+["'`]?([\w -]{1,60}?)["'`]?$/is.exec(reference) ?? []
  const [name, part] = partIn(plain)
  const whole = resolveField(records, name)
  const within = holdsObjects(records, whole)
    ? (acrossMap(records, whole) ?? nameWithin(records, whole))
    : undefined
  const field = within ?? whole
  return { name: alias ?? fieldTitle(field.name) + (part ? `:${part}` : ''), field, part }
}

/** `created_at:month`, `created_at by month`, `month of created_at`, `month(created_at)`: what, and which part. */
function partIn(reference: string): [string, DatePart | undefined] {
  const [, before = '', after = ''] = /^(.*\S)\s*(?::|\sby\s|\sper\s)\s*([\w -]+)$/is.exec(reference) ?? []
  const trailing = datePart(after)
  if (trailing) return [before, trailing]
  const [, word = '', called, of] = /^(\w+)\s*(?:\(\s*(.+?)\s*\)|\sof\s+(.+))$/is.exec(reference) ?? []
  const leading = datePart(word)
  const inner = called ?? of
  if (leading && inner !== undefined) return [inner, leading]
  // `date_trunc('month', created_at)`, `extract(month from created_at)`.
  const [, first = '', second = ''] =
    /^(?:date_?trunc|extract|date_?part)\s*\(\s*(.+?)\s*(?:,|\sfrom\s)\s*(.+?)\s*\)$/is.exec(reference) ?? []
  const bare = (text: string): string => text.replace(/^["'`](.*)["'`]$/s, '$1')
  const either = datePart(bare(first))
  if (either) return [bare(second), either]
  const other = datePart(bare(second))
  return other ? [bare(first), other] : [reference, undefined]
}

/** Groups in the order in which they first occur. With `list`, each element of that list in a record belongs to a group of its own. */
export function groupRecords(
  records: Records,
  keys: readonly GroupKey[],
  collected: readonly Collected[],
  list: Path | undefined,
): Groups {
  const grouping = new Grouping(keys, collected, list)
  const { values } = records
  for (let at = 0; at < values.length; at++) {
    const record = values[at] ?? null
    if (!grouping.addPlain(record, at)) grouping.add(record, at)
  }
  return grouping
}

class Grouping implements Groups {
  readonly groups: Group[] = []
  readonly missing: number[]
  readonly all: JsonValue[][]
  readonly without: number[]
  several = false
  /** What is collected of the record at hand. */
  private readonly scalars: JsonPrimitive[] = []
  private readonly known = new Map<JsonValue, Group>()
  private readonly work: Work = newWork(20_000_000)
  private readonly keys: readonly GroupKey[]
  private readonly collected: readonly Collected[]
  private readonly list: Path | undefined

  constructor(keys: readonly GroupKey[], collected: readonly Collected[], list: Path | undefined) {
    this.keys = keys
    this.collected = collected
    this.list = list
    this.missing = keys.map(() => 0)
    this.all = collected.map(() => [])
    this.without = collected.map(() => 0)
    // Without keys there is one group, of no record as well.
    if (keys.length === 0) this.groupOf([])
  }

  /** Counts a record of which one scalar is the key and all that is collected are scalars. False: nothing was done. */
  addPlain(record: JsonValue, at: number): boolean {
    const [key] = this.keys
    if (key === undefined || this.keys.length > 1 || key.part !== undefined || this.list) return false
    const value = scalarAt(record, key.field.path)
    if (value === several || value === undefined) return false
    const { collected, scalars } = this
    for (let nth = 0; nth < collected.length; nth++) {
      const one = scalarAt(record, (collected[nth] as Collected).field.path)
      if (one === several) return false
      scalars[nth] = one ?? null
    }
    const group = this.known.get(identity(value)) ?? this.groupOf([value])
    group.count += 1
    group.last = at
    for (let nth = 0; nth < collected.length; nth++) {
      const one = scalars[nth] ?? null
      if (one === null) this.without[nth] = (this.without[nth] ?? 0) + 1
      else {
        this.all[nth]?.push(one)
        group.collected[nth]?.push(one)
      }
    }
    return true
  }

  add(record: JsonValue, at: number): void {
    const ofRecord = this.collected.map(({ field, ofElements }) =>
      ofElements ? [] : this.read(record, field),
    )
    const units = this.list ? unwind(record, this.list, this.work, (element) => [element]) : [record]
    const found = this.keys.map(() => false)
    let groups = 0
    for (const unit of units) {
      const ofUnit = this.collected.map(({ field, ofElements }, nth) =>
        ofElements ? this.read(unit, field) : (ofRecord[nth] ?? []),
      )
      for (const [nth, { ofElements }] of this.collected.entries())
        if (ofElements) push(this.all[nth], ofUnit[nth] ?? [])
      for (const row of this.rowsOf(unit, found)) {
        const group = this.groupOf(row)
        const isNew = group.last !== at
        if (isNew) {
          group.count += 1
          group.last = at
          groups += 1
        }
        for (const [nth, { ofElements }] of this.collected.entries())
          if (isNew || ofElements) push(group.collected[nth], ofUnit[nth] ?? [])
      }
      for (const [nth, { ofElements }] of this.collected.entries())
        if (ofElements && (ofUnit[nth]?.length ?? 0) > 0) ofRecord[nth] = ofUnit[nth] ?? []
    }
    for (const [nth, { ofElements }] of this.collected.entries()) {
      const values = ofRecord[nth] ?? []
      if (!ofElements) push(this.all[nth], values)
      if (values.length === 0) this.without[nth] = (this.without[nth] ?? 0) + 1
    }
    for (const [nth, has] of found.entries()) if (!has) this.missing[nth] = (this.missing[nth] ?? 0) + 1
    if (groups > 1) this.several = true
  }

  /** The values of a field, those in lists one by one, without nulls. */
  private read(record: JsonValue, { path }: Field): JsonValue[] {
    const found: JsonValue[] = []
    readValues(record, path, found, this.work)
    const [only] = found
    if (found.length === 1 && only !== undefined && !Array.isArray(only)) return only === null ? [] : found
    return found.flat(1).filter((value) => value !== null)
  }

  /** The values of all keys, once for each combination. */
  private rowsOf(unit: JsonValue, found: boolean[]): JsonValue[][] {
    let rows: JsonValue[][] = [[]]
    for (const [nth, key] of this.keys.entries()) {
      const values = this.distinctValues(unit, key)
      if (values.length > 0) found[nth] = true
      const [only] = values
      if (values.length === 1 && only !== undefined) for (const row of rows) row.push(only)
      else rows = rows.flatMap((row) => values.map((value) => [...row, value]))
    }
    this.work.left -= rows.length
    if (this.work.left < 0)
      throw new Refusal(
        'These fields make too many groups. Group by fewer, or narrow down with `where` first.',
      )
    return rows
  }

  private distinctValues(record: JsonValue, { field, part }: GroupKey): JsonValue[] {
    const found: JsonValue[] = []
    readValues(record, field.path, found, this.work)
    const flat = found.length === 1 && !Array.isArray(found[0]) ? found : found.flat(1)
    const values = part ? flat.flatMap((value) => partOf(value, part) ?? []) : flat
    if (values.length < 2) return values
    return [...new Map(values.map((value) => [identity(value), value])).values()]
  }

  private groupOf(values: JsonValue[]): Group {
    const [only = null] = values
    const id = values.length === 1 ? identity(only) : JSON.stringify(values)
    const before = this.known.get(id)
    if (before) return before
    const group: Group = { values, count: 0, last: -1, collected: this.collected.map(() => []) }
    this.known.set(id, group)
    this.groups.push(group)
    return group
  }
}

function push(into: JsonValue[] | undefined, values: readonly JsonValue[]): void {
  if (into) for (const value of values) into.push(value)
}
