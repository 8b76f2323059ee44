/** The declaration of a format, and the defaults of one that declares nothing more. */

import type { JsonValue } from '../../protocol/json.ts'
import type { Document, Format, Traits } from '../document.ts'
import type { Overview } from '../overview/overview.ts'
import { overviewOfData } from '../overview/records.ts'

/** A format. `Evidence` is what its detection found and its reader needs again. */
export interface FormatDefinition<Evidence = unknown> extends Traits {
  /** The evidence that a text is of this format; undefined for any other text. Linear in the length of the text. */
  detect(text: string): Evidence | undefined
  /** The data. Called once at most, unless the format is `renewed`. */
  read(text: string, evidence: Evidence): JsonValue | undefined
  /** The records of a long text, each made when it is asked for, with their profile (`knownList`). Default, and where undefined: those of the data. */
  glimpse?(text: string, evidence: Evidence): JsonValue[] | undefined
  /** The parts of the result beside its data. Default: nothing. */
  asides?(text: string, evidence: Evidence): readonly string[]
  /** The content of a preview. Default: what is in the data. */
  overview(document: Document): Overview
}

type Declared<Evidence> = Pick<FormatDefinition<Evidence>, 'name' | 'family' | 'detect' | 'read'> &
  Partial<FormatDefinition<Evidence>>

/** A format with what follows where it declares nothing. */
export function defineFormat<Evidence>(declared: Declared<Evidence>): FormatDefinition<Evidence> {
  return { ...traitsOf(declared), overview: overviewOfData, ...declared }
}

/** Traits with what follows where nothing is said. */
export function traitsOf(declared: Pick<Traits, 'name' | 'family'> & Partial<Traits>): Traits {
  const own = { kind: 'text', line: 'text', ...OF_FAMILY[declared.family], ...declared } as const
  return {
    rows: own.kind === 'json' ? 'records' : 'lines',
    search: 'lines',
    outlined: false,
    isOwnFact: (fact) => fact.startsWith('beside the records:'),
    renewed: false,
    ...own,
  }
}

/** The traits that formats of one family share. */
const OF_FAMILY: Partial<Record<Traits['family'], Partial<Traits>>> = {
  entries: { line: 'entry' },
  table: { kind: 'json', line: 'record' },
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
