/** The one class behind every document: parts that are computed when first asked for. */

import type { JsonValue } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import type { Document, Format, Glimpse, Rows, Traits } from '../document.ts'
import { PLAIN } from '../formats/define.ts'
import { type Collection, keyedRecords } from '../shape/collections.ts'
import { type Provenance, type Table, tableOf } from '../table.ts'
import { madeRows, rowsOf } from './rows.ts'

/** The parts of a document. Each function is called once at most, but for the text where it is not kept. */
export interface DocumentParts {
  /** How it was read; a name stands for one of the formats that need no reader. */
  format: Traits | keyof typeof PLAIN
  /** Default: the bytes of `text`. */
  bytes?: number
  text: () => string
  /** Its length, when that is known. Then the text is not kept: `text` is called again for each use, which is rare. */
  characters?: number
  /** Default: no data. */
  json?: () => JsonValue | undefined
  /** Of its data, which is made only where they need it. Default: none. */
  records?: (json: () => JsonValue | undefined) => Collection | undefined
  /** Records that are made one by one, of data that is a list of them. Default: those of `json`. */
  glimpse?: (() => JsonValue[] | undefined) | undefined
  /** Default: that of `records`, of which then nothing has to be said. */
  table?: () => Table | undefined
  /** Default: records, array elements, or lines for what is read rather than queried. */
  rows?: () => Rows
  /** The name of a row. Default: `record`, `element` or `line`. */
  noun?: string
  asides?: readonly string[]
}

export function makeDocument(parts: DocumentParts): Document {
  return new LazyDocument(parts)
}

/** How the text of a document was read. */
export function traitsOfParts({ format }: Pick<DocumentParts, 'format'>): Traits {
  return typeof format === 'string' ? PLAIN[format] : format
}

/** A document that was just made, of which is known where it stands in the kept result. */
export function placed(document: Document, provenance: Provenance): Document {
  if (document instanceof LazyDocument) document.placeAt(provenance)
  return document
}

/** Calls `compute` on first use and keeps its answer. */
function once<T>(compute: () => T): () => T {
  let kept: { value: T } | undefined
  return () => {
    kept ??= { value: compute() }
    return kept.value
  }
}

/** Calls `compute` once for each value that `of` gives, and keeps its answer as long as that value is there. */
function onceEach<T>(of: () => unknown, compute: () => T): () => T {
  const kept = new WeakMap<object, { value: T }>()
  return () => {
    const value = of()
    if (typeof value !== 'object' || value === null) return compute()
    return keptFor(kept, value, () => ({ value: compute() })).value
  }
}

/** A list of no more may be looked into for another one. */
const FEW = 3

class LazyDocument implements Document {
  readonly traits: Traits
  readonly asides: readonly string[]
  readonly json: () => JsonValue | undefined
  readonly lines: () => LineIndex
  readonly records: () => Collection | undefined
  readonly glimpse: () => Glimpse
  readonly table: () => Table | undefined
  readonly lineTable: () => Table
  readonly rows: () => Rows
  #provenance: Provenance | undefined
  readonly #text: () => string
  readonly #characters: number | undefined
  readonly #bytes: () => number

  constructor(parts: DocumentParts) {
    this.traits = traitsOfParts(parts)
    this.asides = parts.asides ?? []
    this.#characters = parts.characters
    this.#text = parts.characters === undefined ? once(parts.text) : parts.text
    const known = parts.bytes
    this.#bytes = known === undefined ? once(() => Buffer.byteLength(this.text)) : () => known
    const json = parts.json ?? (() => undefined)
    this.json = this.traits.renewed ? json : once(json)
    this.lines = once(() => indexLines(this.text))
    this.lineTable = once(() =>
      tableOf(Array.from({ length: this.lines().count }, (_, at) => this.lines().at(at))),
    )
    const { records: given } = parts
    const records = () => given?.(this.json)
    this.records = this.traits.renewed ? onceEach(this.json, records) : once(records)
    const { glimpse } = parts
    this.glimpse = () => {
      const seen = glimpse?.()
      return seen && seen.length > FEW
        ? { value: seen, records: { path: '$', keys: undefined, values: seen } }
        : { value: this.json(), records: this.records() }
    }
    const table = parts.table ?? (() => tableIn(this.records(), this.provenance))
    this.table = this.traits.renewed ? onceEach(this.json, table) : once(table)
    const rows = parts.rows ?? (() => usualRows(this, parts.noun))
    this.rows = this.traits.renewed && this.traits.rows === 'records' ? onceEach(this.json, rows) : once(rows)
  }

  get kind(): Document['kind'] {
    return this.traits.kind
  }

  get format(): Format {
    return this.traits.family
  }

  get provenance(): Provenance {
    const records = this.records()
    if (this.#provenance) return this.#provenance
    if (!records) return { path: '$' }
    const { path, keys, gathered } = records
    return { path, keys, ...(gathered && { scattered: true, placeOf: gathered.placeOf }) }
  }

  /** For who makes the document, before anybody asks. */
  placeAt(provenance: Provenance): void {
    this.#provenance = provenance
  }

  get text(): string {
    return this.#text()
  }

  get bytes(): number {
    return this.#bytes()
  }

  get characters(): number {
    return this.#characters ?? this.text.length
  }
}

function tableIn(records: Collection | undefined, provenance: Provenance): Table | undefined {
  return records && tableOf(keyedRecords(records), records.path, provenance)
}

function usualRows(document: Document, noun: string | undefined): Rows {
  if (document.traits.rows === 'records') {
    const records = document.records()
    if (records) {
      const scalar = typeof records.values[0] !== 'object'
      return rowsOf(noun ?? (scalar ? 'value' : 'record'), keyedRecords(records))
    }
    const value = document.json()
    if (value !== undefined) return rowsOf(noun ?? 'value', [value])
  }
  const lines = document.lines()
  return madeRows(noun ?? 'line', lines.count, lines.at)
}
