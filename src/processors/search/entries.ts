/** The entries of a log by their lines: a head, and what goes on after it, such as a stack trace. */

import type { Document } from '../../documents/document.ts'
import { isObject } from '../../protocol/json.ts'
import type { LineIndex } from '../../text/lines.ts'
import type { LineRange } from '../../text/passages.ts'

/** Lines of one entry. */
const mostLines = 500

/** Tells of a line and its index, from 0, whether an entry begins there. */
export type EntryTest = (line: string, index: number) => boolean

/** Tells which lines begin an entry. */
export function entryTest(document: Document): EntryTest {
  return document.traits.entryTest?.(document.lines()) ?? recordTest(document)
}

/** Records say at which line they begin. */
function recordTest(document: Document): EntryTest {
  const values = document.records()?.values ?? []
  const starts = new Set(values.map((value) => (isObject(value) ? value.line : undefined)))
  return (_, index) => starts.has(index + 1)
}

/** The lines of the entry that holds `line`. */
export function entryAround(lines: LineIndex, line: number, begins: EntryTest): LineRange {
  let first = line
  while (first > 0 && line - first < mostLines && !begins(lines.at(first), first)) first--
  // A line above which nothing begins is no part of an entry.
  if (!begins(lines.at(first), first)) return { first: line, last: line }
  let last = line
  while (last + 1 < lines.count && last - line < mostLines && !begins(lines.at(last + 1), last + 1)) last++
  while (last > line && lines.at(last).trim() === '') last--
  return { first, last }
}
