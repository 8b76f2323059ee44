/** Reads what `sort` asks for: a field, its direction, or its length. */
import { type Field, resolveExactly, resolveField } from '../fields.ts'
import { parsePath } from '../path/parse.ts'
import type { Records } from '../records.ts'

/** A field to sort by. */
export interface Order {
  field: Field
  descending: boolean
  /** By how many elements, keys or characters its value has. */
  length?: true
}

/** `-a`, `a desc`, `a:desc`, `desc(a)`, `+a`, `a asc`; a field that has such a name itself comes first. */
export function parseOrder(records: Records, reference: string): Order {
  const exact = resolveExactly(records, parsePath(reference))
  if (exact) return { field: exact, descending: false }
  const [, sign = '', signed = ''] = /^\s*([-+]?)\s*(.*?)\s*$/s.exec(reference) ?? []
  const [, called, inParentheses, bare] =
    /^(asc|desc)(?:ending)?(?:\s*\((.*)\)|\s+(.*))$/is.exec(signed) ?? []
  const [, before, after] = /^(.*?)(?:\s+|:)(asc|desc)(?:ending)?$/is.exec(signed) ?? []
  const descending = sign === '-' || (called ?? after)?.toLowerCase() === 'desc'
  const name = (inParentheses ?? bare ?? before ?? signed).trim()
  const measured = resolveExactly(records, parsePath(name)) ? undefined : lengthOf(name)
  if (measured === undefined) return { field: resolveField(records, name), descending }
  return { field: resolveField(records, measured), descending, length: true }
}

/** `items` of `items.length`, `len(items)`, `size(items)`, `count(items)`. */
function lengthOf(name: string): string | undefined {
  const [, called, before] =
    /^(?:len|length|size|count)\s*\(\s*(.+?)\s*\)$|^(.+?)\s*(?:\.(?:length|len|size|count)(?:\(\))?|\|\s*length)$/is.exec(
      name,
    ) ?? []
  return called ?? before
}
