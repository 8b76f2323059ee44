/** Which part of a page or a Markdown text a question without a path is about. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Collection, Format } from '../document.ts'

/** The sections of Markdown, the largest table of a page; undefined where the usual choice will do. */
export function mainPart(format: Format, json: JsonValue | undefined): Collection | undefined {
  if (format !== 'markdown' && format !== 'html') return undefined
  const sections = listAt(json, 'sections')
  if (sections && sections.length > 1) return { path: '$.sections', keys: undefined, values: sections }
  let largest: Collection | undefined
  for (const [index, table] of (listAt(json, 'tables') ?? []).entries()) {
    if (Array.isArray(table) && table.length > (largest?.values.length ?? 1))
      largest = { path: `$.tables[${index}]`, keys: undefined, values: table }
  }
  return largest
}

function listAt(json: JsonValue | undefined, name: string): JsonValue[] | undefined {
  const list = isObject(json) ? own(json, name) : undefined
  return Array.isArray(list) ? list : undefined
}
