/** A kept result, seen as something to explore. This file is the contract; `open.ts` and `derive.ts` make documents. */
import type { JsonValue } from '../protocol/json.ts'
import type { LineIndex } from '../text/lines.ts'
import type { Traits } from './formats/define.ts'
import type { Provenance, Table } from './table.ts'

/**
 * What the content was recognised as. `table`: drawn with bars or aligned, lists of files. `tree`: indented lines that name a role
 * each, as accessibility snapshots do. `entries`: lines or groups of them that begin alike, as commits, hunks of a diff, messages of
 * compilers, `Key: value` lines, settings and trees that are drawn do. `files`: several files, each under its name. `code`: a program, by
 * its definitions. `blocks`: several content blocks that are not one JSON value.
 */
export type Format =
  | 'json'
  | 'ndjson'
  | 'csv'
  | 'table'
  | 'log'
  | 'markdown'
  | 'html'
  | 'tree'
  | 'entries'
  | 'xml'
  | 'yaml'
  | 'files'
  | 'code'
  | 'text'
  | 'blocks'

/** Views are computed once, on first use, and never change: a document is immutable. */
export interface Document {
  readonly kind: 'json' | 'text' | 'mixed'
  readonly format: Format
  /** How steps treat this format. */
  readonly traits: Traits
  /** UTF-8 bytes of the text where it is one, else of the kept original. */
  readonly bytes: number
  /** UTF-16 code units of `text`. */
  readonly characters: number
  /** What a reader would see: the text as sent, or the JSON text of a structured result. */
  readonly text: string
  /** What the result holds beside its content, one remark each: images, a line of text around the data. */
  readonly asides: readonly string[]
  /**
   * The content as data, never to be mutated: parsed JSON (JSON inside strings parsed where `records()` needs it), an
   * array for NDJSON, elements as fields for XML, records for CSV, tables, logs and trees, `{title, headings, tables, links}` for HTML,
   * `{sections, tables}` for Markdown, `[{block, text}]` for blocks. Undefined for prose.
   */
  json(): JsonValue | undefined
  lines(): LineIndex
  /** The main collection, or undefined when there is nothing that repeats. */
  records(): Collection | undefined
  /** The same as a table, those of a map with their key in `_key`; the same table each time while the data is there. */
  table(): Table | undefined
  /** The lines as rows, for a text that has no records. */
  lineTable(): Table
  /** Where the records are, or this document where it has none, in the kept result. */
  readonly provenance: Provenance
  /**
   * What a reply pages through: the records of JSON, NDJSON, CSV and tables (those of a map with their key in `_key`, see
   * `keyedRecords`), the lines of what is read: logs, prose, markup.
   */
  rows(): Rows
}

/** Things of one kind that a document holds: the elements of an array, the values of an object used as a map. */
export interface Collection {
  /** JSONPath from the root to the collection: `$`, `$.items`, `$.definitions`. */
  readonly path: string
  /** The key of each record when the collection is a map; undefined for arrays. */
  readonly keys: readonly string[] | undefined
  readonly values: readonly JsonValue[]
}

/** Found things in their order. Strings are shown as they are (lines, passages, hits); other values as JSON. */
export interface Rows {
  /** What one of them is called, singular: `record`, `line`, `hit`, `passage`, `group`. */
  readonly noun: string
  /** All of them, which may have to be made for it. */
  readonly items: readonly JsonValue[]
  readonly count: number
  /** Rows `from` to `to`, that one not included; no others are made for it. Neither is negative. */
  slice(from: number, to: number): readonly JsonValue[]
}
