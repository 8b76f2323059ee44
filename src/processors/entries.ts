/** The entries of a log by their lines: a head, and what goes on after it, such as a stack trace. */

import { headReader } from '../documents/formats/log.ts'
import { readAccess } from '../documents/formats/log-access.ts'
import type { LineIndex } from '../text/lines.ts'
import type { LineRange } from '../text/passages.ts'

/** What is looked at of a line. */
const longestHead = 1_024
/** Lines of one entry. */
const mostLines = 500

/** Tells which lines begin an entry. Heads of one log begin alike, so most lines are not parsed for it. */
export function entryTest(lines: LineIndex): (line: string) => boolean {
  const readHead = headReader(lines)
  let head = ''
  return (line) => {
    if (head !== '' && line.startsWith(head)) return true
    const start = line.slice(0, longestHead)
    if (readHead(start) === undefined && readAccess(start) === undefined) return false
    head = /^[^\s]/.test(start) ? start.slice(0, 4) : ''
    return true
  }
}

/** The lines of the entry that holds `line`. */
export function entryAround(lines: LineIndex, line: number, begins: (line: string) => boolean): LineRange {
  let first = line
  while (first > 0 && line - first < mostLines && !begins(lines.at(first))) first--
  // A line above which nothing begins is no part of an entry.
  if (!begins(lines.at(first))) return { first: line, last: line }
  let last = line
  while (last + 1 < lines.count && last - line < mostLines && !begins(lines.at(last + 1))) last++
  while (last > line && lines.at(last).trim() === '') last--
  return { first, last }
}
