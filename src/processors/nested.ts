/** Says of records that hold others of their kind how many more a path reaches: a question without one is about the outer ones. */
import type { Document } from '../documents/document.ts'
import { allNested, nestedPath, nestingOf } from '../documents/nesting.ts'
import { withField } from '../documents/records.ts'
import { isObject, type JsonValue } from '../protocol/json.ts'
import { countOf, type Matcher } from '../query/verdict.ts'
import { formatCount } from '../text/format.ts'
import { parsePath } from './path/parse.ts'
import { newWork } from './path/path.ts'
import { walk } from './path/walk.ts'
import type { PipelineStep } from './pipeline.ts'
import { type Records, recordsOf } from './records.ts'
import { Refusal } from './refusal.ts'
import { Remembered } from './remembered.ts'
import { siblingMatches } from './siblings.ts'

/** Records looked at below other records. */
const mostNested = 200_000

/** One remark where records within records fulfil the conditions as well, `found` of the outer ones aside. */
export function nestedMatches(
  document: Document,
  records: Records,
  matches: Matcher,
  found: number,
): string[] {
  const place = placeOf(document, records)
  if (!place) return []
  const nested = place.records()
  const all = nested.length
  const matched = countOf(matches(nested))
  if (matched === 0 || (place.whole && matched <= found)) return []
  const of = matched === all ? '' : ` of ${formatCount(all)}`
  const counted = `${formatCount(matched)}${of}${place.whole ? ' in all' : ' more'}`
  return [`Nested in such records are others: "path": ${JSON.stringify(place.path)} has ${counted}.`]
}

/** A step that says how many records are nested in those it was about, or lie beside them, where no other step chose some of them. */
export function tellingOfNested(step: PipelineStep, others: readonly string[]): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const result = step.process(document, params)
      if (!result.applied || result.error !== undefined || others.some((name) => isGiven(params, name)))
        return result
      const records = document.json() === undefined ? undefined : recordsOf(document)
      const told = records
        ? [
            ...nestedMatches(document, records, every, records.values.length),
            ...siblingMatches(document, records, every),
          ]
        : []
      if (told.length === 0) return result
      const notes = [...(result.metadata.notes ?? []), ...told]
      result.metadata = { ...result.metadata, notes }
      return result
    },
  }
}

const every: Matcher = (records) => new Uint8Array(records.length).fill(1)

function isGiven(params: unknown, name: string): boolean {
  const held = isObject(params as JsonValue) ? (params as Record<string, unknown>)[name] : undefined
  return Array.isArray(held) ? held.length > 0 : held !== undefined && held !== null
}

/** The records at a path, kept with those they are nested in, so that their columns are read once. */
const nestedAt = new Remembered<readonly JsonValue[]>(4)

interface Place {
  path: string
  /** The path reaches the outer records as well. */
  whole: boolean
  records(): readonly JsonValue[]
}

function placeOf(document: Document, records: Records): Place | undefined {
  const origin = document.provenance.path
  if (origin === '' || origin.includes('..') || /[?,:]/.test(origin)) return undefined
  const nesting = nestingOf(records.values, origin)
  if (!nesting) return undefined
  const { path, whole } = nestedPath(origin, nesting)
  // What a path chose does not have the root that paths begin at.
  const data = document.records()?.path === origin ? document.json() : undefined
  const root = typeof data === 'object' && data !== null ? data : undefined
  return {
    path,
    whole,
    records: () =>
      root === undefined || !whole
        ? nestedAt.of(records.values, `${path} ${whole}`, () =>
            allNested(records.values, nesting, mostNested, whole),
          )
        : nestedAt.of(root, path, () => reached(root, path)),
  }
}

function reached(root: JsonValue, path: string): JsonValue[] {
  const found: JsonValue[] = []
  try {
    walk(
      root,
      parsePath(path),
      (value, key) => found.push(key === undefined ? value : withField('_key', key, value)),
      newWork(),
    )
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return []
  }
  return found
}
