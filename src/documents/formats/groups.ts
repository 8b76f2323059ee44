/** Labelled lines below a label of a record: `Service:`, and below it `Name: api` and `Kind: web`. */
import { type JsonObject, own, setOwn } from '../../protocol/json.ts'
import { exactNumber } from './cells.ts'

const LABELLED = /^([\p{L}_][\p{L}\p{N}_ .-]{0,39}):(?: +(.*))?$/u

interface Group {
  values: number
  isOne: boolean
  first?: string
  readonly labels: Map<string, number>
}

/** Values of several labelled lines are objects where all values of the field are such lines, and say the same labels. */
export function withGroups(records: JsonObject[]): JsonObject[] {
  const groups = new Map<string, Group>()
  for (const record of records)
    for (const [key, value] of Object.entries(record)) {
      if (OTHERS.has(key) || value === '' || value === null) continue
      const group = groups.get(key) ?? { values: 0, isOne: true, labels: new Map<string, number>() }
      groups.set(key, group)
      if (!group.isOne) continue
      const held = typeof value === 'string' && value.includes('\n') ? groupIn(value) : undefined
      const [first = ''] = Object.keys(held ?? {})
      group.first ??= first
      // Words before a colon differ, as `fix: …` of commits; labels begin alike.
      group.isOne = held !== undefined && first === group.first && areAlike(Object.keys(held))
      group.values += 1
      for (const label of Object.keys(held ?? {})) group.labels.set(label, (group.labels.get(label) ?? 0) + 1)
    }
  const keys = [...groups].flatMap(([key, { values, isOne, labels }]) =>
    isOne && values >= LEAST && [...labels.values()].every((count) => count > 1) ? key : [],
  )
  for (const record of records)
    for (const key of keys) {
      const value = own(record, key)
      const held = typeof value === 'string' ? groupIn(value) : undefined
      if (held) setOwn(record, key, held)
    }
  return records
}

/** Where a record begins, and words that are no value of a label. */
const OTHERS: ReadonlySet<string> = new Set(['line', 'text', '_text'])
const LEAST = 3
const LONGEST = 1_000

function areAlike(labels: readonly string[]): boolean {
  return new Set(labels.map((label) => /^\p{Lu}/u.test(label))).size === 1
}

function groupIn(value: string): JsonObject | undefined {
  const held: JsonObject = {}
  if (value.length > LONGEST) return undefined
  for (const line of value.split('\n')) {
    const [, label, said = ''] = LABELLED.exec(line) ?? []
    if (label === undefined || own(held, label) !== undefined) return undefined
    setOwn(held, label, exactNumber(said) ?? said)
  }
  return held
}
