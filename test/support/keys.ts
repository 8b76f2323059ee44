/** Keys of objects that JSON.parse reads as they are written. */
import type fc from 'fast-check'

/**
 * In Node 24, JSON.parse may take a key that begins with an escape (`"\n"`) for one it met before that holds what is written
 * (`"\\"`). No test could say what is right then.
 */
const confuses = ((): boolean => {
  JSON.parse('{"confuses":1,"\\\\":2}')
  return !Object.hasOwn(JSON.parse('{"confuses":1,"\\n":2}'), '\n')
})()

/** The same values, or JSON texts, without texts that JSON.parse could read wrongly; all of them where it reads everything right. */
export function soundKeys<T>(values: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return confuses ? values.filter((value) => !holdsBackslash(value)) : values
}

/** No key is mistaken for another one without a backslash. Of a text: no string of it holds one. */
function holdsBackslash(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\\\\')
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(holdsBackslash)
  return Object.entries(value).some(([key, held]) => key.includes('\\') || holdsBackslash(held))
}
