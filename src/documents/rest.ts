/** The call that shows what a page does not: the next rows, or what is missing of a row that no page could hold. */
import { isObject, type JsonValue, own } from '../protocol/json.ts'
import { pathStep } from './collections.ts'
import type { Document } from './document.ts'
import type { Template } from './fit.ts'
import type { Page } from './page.ts'
import { isWithin } from './size.ts'
import { call } from './template.ts'

/** Calls for the kept document of which `page` shows the rows from `first` on: one for the next rows, one for the first cut row. */
export function restOf(document: Document, first: number, page: Page): Template[] {
  const next = first + page.taken
  const calls = next < document.rows().count ? [call('proxy_filter', { offset: next })] : []
  const [cut] = page.shortened
  if (cut !== undefined) calls.push(restOfRow(document, first + cut, page.lines[cut] ?? ''))
  return calls.length > 0 ? calls : [call('proxy_explore', {})]
}

/** Paths longer than this are no use. */
const longestPath = 120

function restOfRow(document: Document, at: number, line: string): Template {
  const [row = null] = document.rows().slice(at, at + 1)
  const path = pathOf(document, at, row)
  if (path === undefined) return elsewhere(row)
  const inside = typeof row === 'string' ? `[${samePart(row, line)}:]` : largestPart(row)
  const whole = path + inside
  return whole.length > longestPath ? elsewhere(row) : call('proxy_filter', { path: whole })
}

function elsewhere(row: JsonValue): Template {
  return typeof row === 'string'
    ? call('proxy_search', { pattern: wordIn(row), mode: 'context' })
    : call('proxy_explore', {})
}

/** Where a row is: the path of a record, the number of a line where the document has no data. */
function pathOf(document: Document, at: number, row: JsonValue): string | undefined {
  const records = document.records()
  if (records && records.values.length === document.rows().count) {
    const value = records.values[at]
    // A row of a map is its record with the key added.
    if (value !== row && !records.keys) return undefined
    const key = records.keys?.[at]
    return records.path + (key === undefined ? `[${at}]` : pathStep(key))
  }
  const value = document.json()
  if (value === undefined) return `[${at}]`
  return value === row ? '$' : undefined
}

/** How much of a text is shown before it is cut. */
function samePart(text: string, line: string): number {
  let same = 0
  while (same < line.length && line.charCodeAt(same) === text.charCodeAt(same)) same += 1
  return same
}

const deepest = 6
/** Sizes are told apart up to this, which is more than any page holds. */
const largest = 1_000_000

/** The way to the largest part of a value, and on in it as long as nearly all of it is in one part. */
function largestPart(row: JsonValue): string {
  let path = ''
  let value = row
  for (let depth = 0; depth < deepest && isObject(value); depth++) {
    const whole = value
    const sizes = Object.keys(whole)
      .slice(0, 2_000)
      .map((key) => ({ key, part: own(whole, key) ?? null, size: sizeOf(own(whole, key) ?? null) }))
    const [most, second] = sizes.sort((a, b) => b.size - a.size)
    if (!most || (depth > 0 && second && second.size * 4 > most.size)) break
    path += pathStep(most.key)
    value = most.part
  }
  return path
}

/** Characters of a value as JSON, to within a factor of two. */
function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return Math.min(value.length, largest)
  let size = 16
  while (size < largest && !isWithin([value], size)) size *= 2
  return size
}

/** A word from the part of a long row that was cut. */
function wordIn(text: string): string {
  const middle = Math.floor(text.length / 2)
  return /[\p{L}\p{N}_]{3,20}/u.exec(text.slice(middle, middle + 2000))?.[0] ?? '.'
}
