/**
 * The recorded corpus: questions as models write them, the document each is asked of, and what the engine answered when it was
 * recorded. `corpus.test.ts` asks all of them again.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Document } from '../../src/documents/document.ts'
import { combine } from '../../src/documents/opening/combine.ts'
import { fromRecognised, fromText } from '../../src/documents/opening/derive.ts'
import { exploreParams, filterParams, searchParams } from '../../src/processors/parameters.ts'
import { runPipeline } from '../../src/processors/pipeline.ts'
import { exploreSteps, filterSteps, searchSteps } from '../../src/processors/pipelines.ts'
import { isObject, type JsonValue } from '../../src/protocol/json.ts'

/** What each tool of the proxy reads and runs. */
const TOOLS = {
  filter: [filterParams, filterSteps],
  search: [searchParams, searchSteps],
  explore: [exploreParams, exploreSteps],
} as const

export type Kind = keyof typeof TOOLS

/** One question. Several documents are asked as one. */
export interface Asked {
  readonly kind: Kind
  readonly docs: readonly string[]
  readonly params: Readonly<Record<string, unknown>>
}

/** What the engine says to it. */
export interface Answered {
  /** Records or hits that match, as the step that counts them says; the rows where none does. */
  readonly matched: number
  readonly rows: number
  /** Of the rows, in their order. */
  readonly hash: string
  /** The beginning of the refusal; empty where there is none. */
  readonly refused: string
  /** The beginning of what the reply remarks. */
  readonly notes: string
  /** The beginning of the rows, for a reader. */
  readonly sample: string
}

/** A question with its answer as one row of a file of the corpus. */
export type Row = readonly [
  id: string,
  kind: Kind,
  docs: readonly string[],
  params: Asked['params'],
  matched: number,
  rows: number,
  hash: string,
  refused: string,
  notes: string,
  sample: string,
]

const FILES = ['tests', 'benchmark', 'written', 'generated'] as const

/** Reads the rows of the corpus, of all its files or of some. */
export function readCorpus(names: readonly string[] = FILES): Row[] {
  return names.flatMap((name) => read<Row>(`${name}.ndjson`))
}

function read<Line>(name: string): Line[] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line)
}

const sha = (text: string): string => createHash('sha1').update(text).digest('hex')

/** Characters kept of a refusal, of notes and of rows. */
const SHORT = 90

/** The first lines of what is lines: the corpus is asked often. */
function part(name: string, text: string): string {
  return /\.(?:csv|ndjson|log)$/.test(name) ? text.split('\n').slice(0, 200).join('\n') : text
}

/** Makes the payloads of the answers benchmark, which is plain JavaScript. */
interface Generator {
  generatedPayloads(options: { seed: string; scale: number }): { name: string; text: string }[]
}
const GENERATOR = fileURLToPath(new URL('../../benchmarks/answers/payloads/generated.mjs', import.meta.url))

/** A document that was made for a test. `plain`: a text as lines, whatever it looks like. */
type Kept = readonly [name: string, format: 'plain' | 'recognised', text: string]

/** Opens the documents of the corpus by name, each once. */
export async function documentsOfCorpus(): Promise<(name: string) => Document> {
  const { generatedPayloads }: Generator = await import(GENERATOR)
  const made = generatedPayloads({ seed: 'corpus', scale: 0.12 }).map(
    ({ name, text }): Kept => [`made:${name}`, 'recognised', part(name, text)],
  )
  const kept = new Map([...read<Kept>('documents.ndjson'), ...made].map((one) => [one[0], one]))
  const opened = new Map<string, Document>()
  return (name) => {
    const before = opened.get(name)
    if (before !== undefined) return before
    const [, format, text] = kept.get(name) ?? []
    if (text === undefined) throw new Error(`the corpus has no document ${name}`)
    const document = format === 'plain' ? fromText(text) : fromRecognised(text)
    opened.set(name, document)
    return document
  }
}

/** Asks the engine as it is now. */
export function answer({ kind, docs, params }: Asked, open: (name: string) => Document): Answered {
  const [schema, steps] = TOOLS[kind]
  const nothing = { matched: 0, rows: 0, hash: '', notes: '', sample: '' }
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null))
  const asked = schema.safeParse(given)
  if (!asked.success) return { ...nothing, refused: short(asked.error.issues.map(({ message }) => message)) }
  const document = combine(docs.map((handle) => ({ handle, document: open(handle) })))
  const { document: found, steps: reports, error } = runPipeline(document, steps, asked.data)
  if (error !== undefined) return { ...nothing, refused: short([error]) || 'refused' }
  const items = [...found.rows().items]
  const counted = reports.filter(({ metadata }) => metadata.matched !== undefined).at(-1)
  const text = JSON.stringify(kind === 'search' ? items.map(hitOf) : items)
  return {
    matched: counted?.metadata.matched ?? items.length,
    rows: items.length,
    hash: sha(text).slice(0, 10),
    refused: '',
    notes: short(reports.flatMap(({ metadata }) => metadata.notes ?? [])),
    sample: short([text]),
  }
}

/** Of a hit that is an object: where it is, and what matches. What stands beside that is a matter of form. */
function hitOf(hit: JsonValue): JsonValue {
  if (!isObject(hit)) return hit
  return [hit.at ?? hit.path ?? null, hit.match ?? hit.value ?? hit.field ?? null]
}

function short(texts: readonly string[]): string {
  return texts.join(' ').replaceAll(/\s+/g, ' ').slice(0, SHORT)
}
