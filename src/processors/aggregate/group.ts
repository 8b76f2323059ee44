/** `group_by`: the groups, and what the functions are over in each of them. */
import type { JsonValue } from '../../protocol/json.ts'
import { type Coded, codedOf } from '../coded.ts'
import type { Field } from '../fields.ts'
import type { Path } from '../path/path.ts'
import type { Records } from '../records.ts'
import { type Census, censusOf } from './census.ts'
import { type GroupKey, keyCodes } from './group-key.ts'
import { grouped, type Members, sizesOf } from './members.ts'
import { type Units, unitsOf } from './units.ts'
import { type Values, valuesOf } from './values.ts'

/** What is collected of each group: the values of a field. */
export interface Collected {
  field: Field
  /** True: only from the elements of the list that are in the group. */
  ofElements: boolean
}

/** The values of a field in all records and in each group. */
export interface Gathered {
  readonly values: Values
  /** The code of each row: a record, or an element of the list. */
  readonly codes: Uint32Array
  /** Which rows are in which group. */
  readonly members: Members
  /** Of all records, those that are in no group included. */
  readonly census: Census
  /** Records without a value. */
  readonly without: number
}

export interface Groups {
  /** How many there are, in the order in which they first occur. */
  readonly count: number
  /** The values of the group keys. */
  valuesOf(group: number): JsonValue[]
  /** By group: how many records. */
  readonly records: Uint32Array
  /** Per group key: the records that have no value there, which are in no group. */
  readonly missing: readonly number[]
  /** True: it is one group of all records, for nothing was named to group by. */
  readonly together: boolean
  /** True when a record has several values and is therefore in several groups. */
  readonly several: boolean
  /** By what is collected. */
  readonly gathered: readonly Gathered[]
}

/**
 * The groups of all records. Without keys it is one, of no record as well. With `list`, each element of that list in a
 * record belongs to a group of its own.
 */
export function groupRecords(
  { values: records }: Records,
  keys: readonly GroupKey[],
  collected: readonly Collected[],
  list: Path | undefined,
): Groups {
  const asked = [...keys, ...collected.filter(({ ofElements }) => ofElements)].map(({ field }) => field.path)
  const units = list && unitsOf(records, list, asked)
  const read = (path: Path): Coded => units?.codes(path) ?? codedOf(records, path)
  const coded = keys.map((key) => keyCodes(read(key.field.path), key))
  const { members, items } = grouped(records.length, coded)
  const { ofRecords, several } = recordsIn(members, units?.records)
  return {
    count: members.count,
    together: keys.length === 0,
    valuesOf: (group) => items(group).map((item, at) => coded[at]?.values.items[item] ?? null),
    records: sizesOf(ofRecords),
    missing: coded.map((key) =>
      units ? withoutIn(key.values, key.codes, units, records.length) : censusOf(key, key.values).without,
    ),
    several,
    gathered: collected.map(({ field, ofElements }) => {
      const inUnits = ofElements ? units : undefined
      const one = inUnits?.codes(field.path) ?? codedOf(records, field.path)
      return gatheredIn(one, inUnits ? members : ofRecords, records.length, inUnits)
    }),
  }
}

function gatheredIn(coded: Coded, members: Members, records: number, units: Units | undefined): Gathered {
  const values = valuesOf(coded.column)
  const { codes } = coded
  const census = censusOf(coded, values)
  const without = units ? withoutIn(values, codes, units, records) : census.without
  return { values, codes, members, census, without }
}

/** How many records have no value in any of their elements. */
function withoutIn({ starts }: Values, codes: Uint32Array, units: Units, records: number): number {
  const has = new Uint8Array(records)
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] as number
    if (starts[code] !== starts[code + 1]) has[units.records[row] as number] = 1
  }
  return has.reduce((count, one) => count - one, records)
}

/** Each record once in each of the groups that its rows are in. */
function recordsIn(
  members: Members,
  recordOf: Uint32Array | undefined,
): { ofRecords: Members; several: boolean } {
  const { rows, groups, count } = members
  let several = false
  if (!recordOf) {
    for (let pair = 1; pair < rows.length && !several; pair++) several = rows[pair] === rows[pair - 1]
    return { ofRecords: members, several }
  }
  const last = new Int32Array(count).fill(-1)
  const own = new Uint32Array(rows.length)
  const into = new Uint32Array(rows.length)
  let size = 0
  for (let pair = 0; pair < rows.length; pair++) {
    const record = recordOf[rows[pair] as number] as number
    const group = groups[pair] as number
    if (last[group] === record) continue
    last[group] = record
    if (size > 0 && own[size - 1] === record) several = true
    own[size] = record
    into[size++] = group
  }
  return { ofRecords: { rows: own.subarray(0, size), groups: into.subarray(0, size), count }, several }
}
