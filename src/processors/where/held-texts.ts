/** The texts of the records' fields that could be taken for more than one condition. */
import type { JsonValue } from '../../protocol/json.ts'
import { columnOf } from '../column.ts'
import { resolveExactly, resolveField } from '../fields.ts'
import { parsePath } from '../path/parse.ts'
import type { Records } from '../records.ts'
import { Refusal } from '../refusal.ts'
import { Remembered } from '../remembered.ts'
import { type Held, joint, longestHeld } from './held.ts'
import { columnWork } from './verdict.ts'

/** More of them are not gone through. */
const mostHeld = 20_000

const none: ReadonlySet<string> = new Set()

const known = new Remembered<ReadonlySet<string>>(20)

/** Remembers what it found of each field. */
export function heldBy(records: Records): Held {
  return (field) => known.of(records, field, () => textsOf(records, field))
}

function textsOf(records: Records, name: string): ReadonlySet<string> {
  const texts = new Set<string>()
  try {
    const { path } = resolveExactly(records, parsePath(name)) ?? resolveField(records, name)
    if (path.length === 0) return none
    const add = (value: JsonValue): void => {
      if (Array.isArray(value)) value.forEach(add)
      else if (typeof value === 'string' && value.length <= longestHeld && joint.test(value))
        texts.add(value.trim().toLowerCase())
    }
    const column = columnOf(records.values, path, columnWork())
    for (let code = 0; code < column.size; code++) {
      column.values(code).forEach(add)
      if (texts.size > mostHeld) return texts
    }
  } catch (error) {
    // Too much to look at, or no path: then nothing is known.
    if (!(error instanceof Refusal)) throw error
  }
  return texts
}
