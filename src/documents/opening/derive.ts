/** Documents of what servers send, and of values. */

import type { JsonValue } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'
import { withColumns } from '../columns/columnar.ts'
import type { Document, Traits } from '../document.ts'
import { wordsAround } from '../formats/cells.ts'
import { toJson } from '../json/stringify.ts'
import { unfold } from '../json/unfold.ts'
import type { Collection } from '../shape/collections.ts'
import { recognise } from './detect.ts'
import { makeDocument } from './make.ts'
import { readDocument } from './read.ts'

export { fromMadeRows, fromRows, fromTable } from './made.ts'

/** A text that as JSON would be a number or a word, and would be written another way: `1.20`, `1e5`. */
const BARE = /^\s*(?:[-+]?[\d.][\d.eE+-]*|true|false|null)\s*$/

/**
 * A value as a document. A string is recognised like any text a server sends, but for one that holds a number alone; `noun` names one row.
 */
export function fromValue(value: JsonValue, options: { noun?: string } = {}): Document {
  if (typeof value === 'string') return BARE.test(value) ? fromText(value) : fromRecognised(value)
  return readDocument({
    format: 'json',
    text: () => toJson(value),
    json: () => withColumns(unfold(value)),
    ...(options.noun === undefined ? {} : { noun: options.noun }),
  })
}

/** A text of JSON of which the value is at hand: the same document as the text alone would be. */
export function fromJson(text: string, value: JsonValue): Document {
  return readDocument({
    format: 'json',
    text: () => text,
    json: () => withColumns(unfold(value)),
  })
}

/** A text as lines, whatever it looks like. */
export function fromText(text: string): Document {
  return makeDocument({ format: 'text', text: () => text })
}

/** From this length on the text of JSON is not kept beside its data: hardly any question needs it. */
const LARGE = 1_000_000

/** Nothing here may refer to the text, or it would be kept. */
function fromData(
  format: Traits,
  value: JsonValue | undefined,
  characters: number,
  asides: readonly string[],
  text: () => string,
  bytes: number | undefined,
): Document {
  const parts = { format, text, characters, json: () => value, asides }
  return readDocument(bytes === undefined ? parts : { ...parts, bytes })
}

/**
 * A text as what it is: JSON, a table, a log. `bytes` defaults to those of the text; `again` gives it once more. `remarks` are words beside
 * it: where lines are searched, they stand below it.
 */
export function fromRecognised(
  written: string,
  beside: {
    bytes?: number
    asides?: readonly string[]
    again?: () => string
    remarks?: readonly string[]
  } = {},
): Document {
  const { text, traits, json, glimpse, asides: around } = recognise(written)
  const { bytes, again, remarks = [] } = beside
  const words = remarks.flatMap((remark) => wordsAround(remark, ''))
  const asides = [...(beside.asides ?? []), ...words, ...around]
  if (traits.search === 'values' && json && again && text.length > LARGE && text.length === written.length)
    return fromData(traits, json(), text.length, asides, again, bytes)
  return readDocument({
    format: traits,
    text: () => (traits.search === 'lines' ? [text, ...remarks].join('\n\n') : text),
    ...(bytes === undefined ? {} : { bytes }),
    ...(json ? { json, glimpse } : {}),
    asides,
  })
}

const others = new WeakMap<Collection, Document>()

/** The document with these as its records; the same each time. */
export function withRecords(document: Document, records: Collection): Document {
  const { traits, bytes, characters, asides } = document
  const make = () =>
    makeDocument({
      format: traits,
      bytes,
      characters,
      text: () => document.text,
      json: () => document.json(),
      records: () => records,
      asides,
    })
  return keptFor(others, records, make)
}
