/** Which of several fields of one name really hold values: one that is null wherever it is there is no candidate. */
import type { JsonValue } from '../../protocol/json.ts'
import { parsePath } from '../path/parse.ts'
import { newWork } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { Refusal } from '../refusal.ts'

/** The names of which some record has a value that is neither null nor empty. */
export function holding({ whole }: Pick<Records, 'whole'>, names: readonly string[]): string[] {
  const work = newWork()
  return names.filter((name) => {
    const path = parsePath(name)
    try {
      return whole.some((record) => {
        const values: JsonValue[] = []
        readValues(record, path, values, work)
        return values.some(isValue)
      })
    } catch (error) {
      // Too much to look at: then it is not ruled out.
      if (error instanceof Refusal) return true
      throw error
    }
  })
}

function isValue(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(isValue)
  return value !== null && value !== ''
}
