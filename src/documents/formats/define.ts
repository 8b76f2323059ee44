/** What a format declares, and what is true of one that declares nothing more. */
import type { JsonValue } from '../../protocol/json.ts'
import type { LineIndex } from '../../text/lines.ts'
import type { Collection, Document, Format } from '../document.ts'
import type { Overview } from '../overview/overview.ts'

/** What every step may ask of the format of a document. */
export interface Traits {
  /** Its own name, such as `diff`. */
  readonly name: string
  /** What previews call it. Several formats share one: `entries`, `table`. */
  readonly family: Format
  readonly kind: Document['kind']
  /** What a reply pages through. Default: records of data, lines of text. */
  readonly rows: 'records' | 'lines'
  /** What a search goes through: the values of the data, or the lines as they came. Default: lines. */
  readonly search: 'values' | 'lines'
  /**
   * What a line is: a record of its own; the head of an entry or what goes on after it; a node with what is indented below it; or a part of
   * a text. Default: text.
   */
  readonly line: 'record' | 'entry' | 'node' | 'text'
  /** True for what is told by its outline rather than field by field. Default: false. */
  readonly outlined: boolean
  /** Which facts of the overview are no repetition of what its fields tell. Default: what stands beside the records. */
  readonly isOwnFact: (fact: string) => boolean
  /** The data is kept by its reader while it is used, and given again, equal, later. Default: false. */
  readonly renewed: boolean
  /** What a search reads in place of the source: words as a text, values as data. Default: the source. */
  readonly readable?: (document: Document) => JsonValue | undefined
  /** What the source is called where the readable form has no match. */
  readonly source?: string
  /** Which part a question without a path is about. Default: the main collection of the data. */
  readonly mainPart?: (json: JsonValue | undefined) => Collection | undefined
  /** Of entries, which lines begin one. Default: those that records name in `line`. */
  readonly entryTest?: (lines: LineIndex) => (line: string, index: number) => boolean
}

/** A format. `Evidence` is what its detection found and its reader needs again. */
export interface FormatDefinition<Evidence = unknown> extends Traits {
  /** What tells that a text is of this format; undefined for any other text. Linear in the length of the text. */
  detect(text: string): Evidence | undefined
  /** The data. Called once at most, unless the format is `renewed`. */
  read(text: string, evidence: Evidence): JsonValue | undefined
  /** What the result holds beside its data. Default: nothing. */
  asides?(text: string, evidence: Evidence): readonly string[]
  /** What a preview says. */
  overview(document: Document): Overview
}

type Declared<Evidence> = Pick<
  FormatDefinition<Evidence>,
  'name' | 'family' | 'detect' | 'read' | 'overview'
> &
  Partial<FormatDefinition<Evidence>>

/** A format with what follows where it declares nothing. */
export function defineFormat<Evidence>(declared: Declared<Evidence>): FormatDefinition<Evidence> {
  return { ...traitsOf(declared), ...declared }
}

/** Traits with what follows where nothing is said. */
export function traitsOf(declared: Pick<Traits, 'name' | 'family'> & Partial<Traits>): Traits {
  const kind = declared.kind ?? 'text'
  return {
    kind,
    rows: kind === 'json' ? 'records' : 'lines',
    search: 'lines',
    line: 'text',
    outlined: false,
    isOwnFact: (fact) => fact.startsWith('beside the records:'),
    renewed: false,
    ...declared,
  }
}

/** Formats that a document may have without a reader: what steps make, and several blocks. */
export const PLAIN = {
  json: traitsOf({ name: 'json', family: 'json', kind: 'json', search: 'values' }),
  ndjson: traitsOf({ name: 'ndjson', family: 'ndjson', kind: 'json', search: 'values' }),
  text: traitsOf({ name: 'text', family: 'text', outlined: true, isOwnFact: () => true }),
  blocks: traitsOf({
    name: 'blocks',
    family: 'blocks',
    kind: 'mixed',
    rows: 'lines',
    outlined: true,
    isOwnFact: () => true,
  }),
} satisfies Partial<Record<Format, Traits>>

/** Formats that are told by their beginning are judged by this many characters. */
export const BEGINNING = 65_536
