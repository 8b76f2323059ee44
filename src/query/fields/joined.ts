/** Texts that hold several values each, as `bug, ui` of labels: the mark between them, and the values by themselves. */
import type { Column } from '../../documents/columns/column.ts'
import { equals, type Operand } from '../../text/values/compare.ts'

/** Marks between values in one text. */
const BETWEEN = ['; ', ', ', ' | ', ';', ',', '|'] as const
/** Texts that are looked at for several values, characters of one, and texts with several that there must be. */
const MOST_TEXTS = 2_000
const LONGEST_JOINED = 500
const LEAST_JOINED = 3

/** The mark between the values that the texts of a column hold; undefined where each text is one value. */
export function markBetween(column: Column): string | undefined {
  return column.derived('mark between values', () => ({ mark: foundMark(column) })).mark
}

function foundMark(column: Column): string | undefined {
  if (column.size > MOST_TEXTS) return undefined
  const texts: string[] = []
  for (let code = 0; code < column.size; code++) {
    const text = column.scalar(code)
    if (typeof text === 'string' && text !== '') texts.push(inside(text))
  }
  if (texts.some(({ length }) => length > LONGEST_JOINED)) return undefined
  return BETWEEN.find((between) => {
    if (standAlone(texts, between)) return true
    if (texts.filter((text) => text.includes(between)).length < LEAST_JOINED) return false
    const parts = texts.map((text) => text.split(between))
    // As many in each are the parts of one value: `Smith, Ann`.
    if (new Set(parts.map(({ length }) => length)).size < 2) return false
    const values = new Set(parts.flat())
    const words = [...values].filter((value) => /\p{L}/u.test(value)).length
    // `1,5` is a number.
    return values.size < texts.length && words * 2 >= values.size
  })
}

/** Whether texts are lists of tags: `work` by itself and in `work, home`, and `home` in another one as well. */
function standAlone(texts: readonly string[], between: string): boolean {
  const joined = texts.flatMap((text) => (text.includes(between) ? [text.split(between)] : []))
  const values = joined.flat()
  const different = new Set(values)
  return (
    values.every((value) => TAG.test(value)) &&
    different.size < values.length &&
    texts.some((text) => different.has(text) && /\p{L}/u.test(text))
  )
}

const TAG = /^\S{1,40}$/

/** True where the operand is one of the values in a text. */
export function isOneOf(text: string, mark: string, operand: Operand): boolean {
  return inside(text)
    .split(mark)
    .some((value) => equals(value.trim(), operand, 'loose'))
}

/** The values of a list as PostgreSQL writes it, `{vip,eu}`, without its braces. */
function inside(text: string): string {
  return text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).replaceAll('"', '') : text
}
