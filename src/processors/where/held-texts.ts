/** The texts of the records' fields that could be taken for more than one condition. */
import type { JsonValue } from '../../protocol/json.ts'
import { resolveExactly } from '../fields.ts'
import { parsePath } from '../path/parse.ts'
import { newWork } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Refusal } from '../refusal.ts'
import { type Held, joint, longestHeld } from './held.ts'

/** More of them are not gone through. */
const mostHeld = 20_000

const none: ReadonlySet<string> = new Set()

/** Remembers what it found of each field. */
export function heldBy(records: Records): Held {
  const known = new Map<string, ReadonlySet<string>>()
  return (field) => {
    const found = known.get(field) ?? textsOf(records, field)
    known.set(field, found)
    return found
  }
}

function textsOf(records: Records, name: string): ReadonlySet<string> {
  const texts = new Set<string>()
  try {
    const path = resolveExactly(records, parsePath(name))?.path
    if (path === undefined) return none
    const work = newWork()
    const add = (value: JsonValue): void => {
      if (Array.isArray(value)) value.forEach(add)
      else if (typeof value === 'string' && value.length <= longestHeld && joint.test(value))
        texts.add(value.trim().toLowerCase())
    }
    for (const record of records.values) {
      const values: JsonValue[] = []
      readValues(record, path, values, work)
      values.forEach(add)
      if (texts.size > mostHeld) return texts
    }
  } catch (error) {
    // Too much to look at, or no path: then nothing is known.
    if (!(error instanceof Refusal)) throw error
  }
  return texts
}
