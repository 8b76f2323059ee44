/** Parts of kept results as data, for programs: the same steps as answer a question, and none of the words around an answer. */

import type { Document } from '../documents/document.ts'
import { combine, type Part } from '../documents/opening/combine.ts'
import { extract, jsonOf } from '../processors/extract.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { Refusal } from '../query/refusal.ts'
import { formatCount } from '../text/format.ts'
import type { ReadAnswer, Reading, Source } from './contract.ts'
import { type Outcomes, pursue } from './query.ts'
import type { Views } from './views.ts'

/** A mistake of the program is an `error` that says what to write instead. */
export function read(
  views: Views,
  sources: readonly Source[],
  wanted: Reading,
  told: (step: string) => void = () => {},
): ReadAnswer {
  try {
    if (wanted.op === 'rows') return rowsOf(views, sources, wanted, told)
    const parts = sources.map(
      (source): Part => ({ handle: source.handle, document: views.open(source).document }),
    )
    if (wanted.op === 'info') return infoOf(combine(parts), parts, sources)
    const [only, another] = parts
    if (only === undefined || another !== undefined)
      throw new Refusal('This asks one document: take doc(id) with one cache_id.')
    return wanted.op === 'text' ? textOf(only.document, wanted) : valueAt(only.document, wanted)
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
}

/** The last answer: pages of it are taken one after the other. */
let last: { key: string; outcomes: Outcomes } | undefined

/** Gives back what the last answer holds. */
export function forgetPages(): void {
  last = undefined
}

/** Rows that are made at once. */
const STRETCH = 200

function rowsOf(
  views: Views,
  sources: readonly Source[],
  { kind, params, offset, limit, maxLength }: Extract<Reading, { op: 'rows' }>,
  told: (step: string) => void,
): ReadAnswer {
  const key = JSON.stringify([sources.map(({ hash }) => hash), kind, params])
  if (last?.key !== key) {
    last = undefined
    const pursued = pursue(views, sources, { kind, params }, told)
    if ('error' in pursued) return { error: pursued.error }
    last = { key, outcomes: pursued }
  }
  const { document, notes } = last.outcomes
  const rows = document.rows()
  const end = Math.min(rows.count, offset + limit)
  const written: string[] = []
  let length = 2
  for (let at = offset; at < end; at += STRETCH)
    for (const row of rows.slice(at, Math.min(end, at + STRETCH))) {
      const json = JSON.stringify(row)
      length += json.length + 1
      if (length > maxLength && written.length > 0) {
        at = end
        break
      }
      written.push(json)
    }
  return { json: `[${written.join(',')}]`, total: rows.count, count: written.length, notes }
}

/** The most rows with listed members, and the most members of each. */
const LOOKED_AT = 1000
const MOST_FIELDS = 200

function infoOf(document: Document, parts: readonly Part[], sources: readonly Source[]): ReadAnswer {
  const rows = document.rows()
  const fields = new Map<string, Set<string>>()
  for (const row of rows.slice(0, LOOKED_AT))
    if (isObject(row))
      for (const [name, value] of Object.entries(row)) {
        const types = fields.get(name) ?? new Set()
        if (fields.size < MOST_FIELDS || fields.has(name)) fields.set(name, types.add(typeOf(value)))
      }
  const info: JsonObject = {
    cache_id: parts.map(({ handle }) => handle).join(', '),
    tool: [...new Set(sources.map(({ tool }) => tool))].join(', '),
    format: document.format,
    records: rows.count,
    noun: rows.noun,
    bytes: parts.reduce((sum, part) => sum + part.document.bytes, 0),
    characters: parts.reduce((sum, part) => sum + part.document.characters, 0),
    path: document.records()?.path ?? null,
    fields: [...fields].map(([name, types]) => ({ name, type: [...types].join('|') })),
  }
  return { json: JSON.stringify(info), total: 1, count: 1, notes: [] }
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function textOf({ text }: Document, { from, to }: Extract<Reading, { op: 'text' }>): ReadAnswer {
  const part = text.slice(from, to)
  return { json: JSON.stringify(part), total: text.length, count: part.length, notes: [] }
}

function valueAt(document: Document, { path, maxLength }: Extract<Reading, { op: 'at' }>): ReadAnswer {
  const json = jsonOf(extract(document, { path, as: 'any' }))
  if (json.length > maxLength)
    throw new Refusal(
      `What is at ${path ?? '$'} has ${formatCount(json.length)} characters, and ${formatCount(maxLength)} are the most at once: take rows() with where or fields, group(), or each().`,
    )
  return { json, total: 1, count: 1, notes: [] }
}
