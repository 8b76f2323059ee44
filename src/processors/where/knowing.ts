/** Whether a name in a condition is a field of the records. */
import { resolveExactly, resolveField } from '../fields.ts'
import { parsePath } from '../path/parse.ts'
import type { Records } from '../records.ts'
import { Refusal } from '../refusal.ts'
import { Remembered } from '../remembered.ts'
import type { Knows } from './operators.ts'

const known = new Remembered<ReturnType<Knows>>(500)

/** How well each name is known. Remembers, for a condition is cut in many ways. */
export function knowing(records: Records): Knows {
  return (name) => {
    if (name === '' || name.length > 200) return undefined
    return known.of(records, name, () => lookedUp(records, name))
  }
}

function lookedUp(records: Records, name: string): ReturnType<Knows> {
  if (records.values.length === 0) return undefined
  try {
    const path = parsePath(name)
    if (path.length === 0) return name === '@' || name === '$' || name === '.' ? 'exactly' : undefined
    if (resolveExactly(records, path)) return 'exactly'
    return resolveField(records, name).path.length > 0 ? 'nearly' : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
