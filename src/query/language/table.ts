/** The tables of functions, aggregates and windows: each row is found by its name or by one that other languages have for it. */
import { bareName } from '../../text/words/bare-name.ts'

/** The other names of a row, which its table has in one text. */
export function otherNames(words: string): string[] {
  return words.split(' ').filter((word) => word !== '')
}

/** The rows by all their names. A name of its own goes before another's other name. */
export function byName<Row extends { name: string; otherNames: readonly string[] }>(
  rows: readonly Row[],
  form: (name: string) => string = bareName,
): ReadonlyMap<string, Row> {
  return new Map([
    ...rows.flatMap((row) => row.otherNames.map((name) => [form(name), row] as const)),
    ...rows.map((row) => [form(row.name), row] as const),
  ])
}
