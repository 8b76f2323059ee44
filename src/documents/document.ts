/** A kept result, seen as something to explore. This file is the contract; `open.ts` and `derive.ts` make documents. */

import type { JsonValue } from '../protocol/json.ts'
import type { LineIndex } from '../text/lines.ts'
import type { Collection } from './shape/collections.ts'
import type { Provenance, Table } from './table.ts'

/**
 * The format of the content. `table`: drawn with bars or aligned, lists of files. `tree`: indented lines that name a role
 * each, as accessibility snapshots do. `entries`: lines or groups of lines that begin alike. Examples are commits, hunks of a diff,
 * messages of compilers, `Key: value` lines, settings and drawn trees. `files`: several files, each under its name. `code`: a program, by
 * its definitions. `blocks`: several content blocks that are neither JSON nor a record each.
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
  | 'toml'
  | 'files'
  | 'code'
  | 'text'
  | 'blocks'

/** The facts of the format of a document that every step may ask for. */
export interface Traits {
  /** Its own name, such as `diff`. */
  readonly name: string
  /** Its name in previews. Several formats share one: `entries`, `table`. */
  readonly family: Format
  /** Default: that of the family, else text. */
  readonly kind: Document['kind']
  /** The units that a reply pages through. Default: records of data, lines of text. */
  readonly rows: 'records' | 'lines'
  /** The units that a search goes through: the values of the data, or the lines as they came. Default: lines. */
  readonly search: 'values' | 'lines'
  /**
   * The meaning of a line. `record`: a whole record. `entry`: the head of an entry or a line after it. `node`: a node with the lines that
   * are indented below it. `text`: a part of a text. Default: that of the family, else text.
   */
  readonly line: 'record' | 'entry' | 'node' | 'text'
  /** True for what is told by its outline rather than field by field. Default: false. */
  readonly outlined: boolean
  /** Which facts of the overview are no repetition of what its fields tell. Default: what stands beside the records. */
  readonly isOwnFact: (fact: string) => boolean
  /** The data is kept by its reader while it is used, and given again, equal, later. Default: false. */
  readonly renewed: boolean
  /** The form that a search reads in place of the source: words as a text, values as data. Default: the source. */
  readonly readable?: (document: Document) => JsonValue | undefined
  /** The name of the source where the readable form has no match. */
  readonly source?: string
  /** Which part a question without a path is about. Default: the main collection of the data. */
  readonly mainPart?: (json: JsonValue | undefined) => Collection | undefined
  /** Of entries, which lines begin one. Default: the lines that records name in `line`. */
  readonly entryTest?: (lines: LineIndex) => (line: string, index: number) => boolean
}

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
  /** The text that a reader would see: the text as sent, or the JSON text of a structured result. */
  readonly text: string
  /** The parts of the result beside its content, one remark each: images, a line of text around the data. */
  readonly asides: readonly string[]
  /**
   * The content as data, which callers must not change. JSON is parsed (JSON inside strings where `records()` needs it). It is an array
   * for NDJSON,
   * elements as fields for XML, records for CSV, tables, logs and trees. HTML gives `{title, headings, tables, links}`, Markdown
   * `{sections, tables}`, blocks `[{block, text}]`. Undefined for prose.
   */
  json(): JsonValue | undefined
  lines(): LineIndex
  /** The main collection, or undefined when there is nothing that repeats. */
  records(): Collection | undefined
  /**
   * For a first look: the data and its main collection, which may make its records one by one where that takes less time. To go through all
   * of them takes longer than to ask `records()`.
   */
  glimpse(): Glimpse
  /** The same as a table, those of a map with their key in `_key`; the same table each time while the data is there. */
  table(): Table | undefined
  /** The lines as rows, for a text that has no records. */
  lineTable(): Table
  /** Where the records are, or this document where it has none, in the kept result. */
  readonly provenance: Provenance
  /**
   * The rows that a reply pages through. Of JSON, NDJSON, CSV and tables these are the records; records of a map have their key in `_key`
   * (see `keyedRecords`). Of logs, prose and markup these are the lines.
   */
  rows(): Rows
}

/** The bytes of a first look. */
export interface Glimpse {
  readonly value: JsonValue | undefined
  readonly records: Collection | undefined
}

/** Found things in their order. Strings are shown as they are (lines, passages, hits); other values as JSON. */
export interface Rows {
  /** The name of one of them, singular: `record`, `line`, `hit`, `passage`, `group`. */
  readonly noun: string
  /** All of them, which may have to be made for it. */
  readonly items: readonly JsonValue[]
  readonly count: number
  /** Rows `from` to `to`, that one not included; no others are made for it. Neither is negative. */
  slice(from: number, to: number): readonly JsonValue[]
}
