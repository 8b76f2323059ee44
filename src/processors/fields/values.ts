import type { JsonValue } from '../../protocol/json.ts'

/** True when a scalar is written like `text`, case aside. */
export function equalsText(value: JsonValue, text: string): boolean {
  if (value === null || typeof value === 'object') return false
  return String(value).toLowerCase() === text.toLowerCase()
}
