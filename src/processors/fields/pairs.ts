/** Objects that are a name and a value: `{Key: "Env", Value: "prod"}`. */
import { isObject, type JsonValue } from '../../protocol/json.ts'

/** Names of the two halves, in the order in which they are believed. */
const halves: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:key|k)$/i, /^(?:value|val|v)$/i],
  [
    /^(?:name|@name|header|field|label|attribute|property|code|param)$/i,
    /^(?:value|val|#text|@value|text|content|string_?value)$/i,
  ],
  [/^(?:type|id|@type|@key)$/i, /^(?:value|status|address|#text)$/i],
]

/** The names of the halves, when `element` is a pair: few fields, two of them called so. */
export function halvesOf(element: JsonValue): { key: string; value: string } | undefined {
  if (!isObject(element)) return undefined
  const names = Object.keys(element)
  if (names.length < 2 || names.length > 8) return undefined
  for (const [left, right] of halves) {
    const key = names.find((name) => left.test(name))
    const value = names.find((name) => right.test(name))
    if (key !== undefined && value !== undefined) return { key, value }
  }
  return undefined
}
