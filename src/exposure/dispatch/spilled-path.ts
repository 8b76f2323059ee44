/** Files with results among the arguments of a call: its server would read one, and the answer would be such a file again. */
import { fileURLToPath } from 'node:url'
import { handleOfFile } from '../../arguments/reference.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { Spills } from '../../spill/spills.ts'

/** The path of such a file that is an argument, or an element of one, as a path or a `file:` URL. */
export function spilledPath(args: JsonObject, spills: Pick<Spills, 'holds'>): string | undefined {
  for (const text of stringsIn(args)) {
    const path = pathOf(text)
    if (path !== undefined && spills.holds(path)) return path
  }
  return undefined
}

/** True when such a file is named anywhere, in a command for example. */
export function namesSpill(args: JsonObject, { owns }: Pick<Spills, 'owns'>): boolean {
  for (const text of stringsIn(args)) if (owns(text)) return true
  return false
}

/** Longer texts are content. */
const longestPath = 5000

function pathOf(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > longestPath) return undefined
  if (!/^file:/i.test(trimmed)) return trimmed
  try {
    return fileURLToPath(trimmed)
  } catch {
    return undefined
  }
}

/** A file as a reference: the proxy puts its content in, no server is told the path. */
function isReference(value: JsonValue): boolean {
  return (
    isObject(value) &&
    Object.keys(value).every((key) => key === '$from' || key === 'path') &&
    typeof value.$from === 'string' &&
    handleOfFile(value.$from) !== undefined
  )
}

function* stringsIn(args: JsonObject): Generator<string> {
  const left: JsonValue[] = [args]
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'string') yield value
    else if (typeof value === 'object' && value !== null && !isReference(value))
      for (const one of Object.values(value)) left.push(one)
  }
}
