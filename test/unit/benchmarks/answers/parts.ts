/** The parts of the answers benchmark, which is plain JavaScript, with the types its contract gives in words. */
import { fileURLToPath } from 'node:url'

type Way = string[]
interface Condition {
  field: Way
  op: string
  value: string | number | boolean
}
interface Collection {
  at: Way
  keyed: boolean
  records: Record<string, unknown>[]
}
export interface Payload {
  name: string
  kind: string
  text: string
  source: string
  data?: unknown
  collections: Collection[]
  lines?: string[]
  sections?: { title: string; level: number; text: string }[]
}
export interface Ask {
  collection?: Way
  where?: Condition[]
  want?: Way
  aggregate?: string
  of?: Way
  by?: Way
  order?: { field: Way; descending: boolean }
  k?: number
  words?: string
  structure?: string
  join?: { payload: string; collection: Way; on: Way; equals: Way; want: Way }
}
export interface Gold {
  value?: unknown
  number?: number
  set?: unknown[]
  list?: unknown[]
  table?: [unknown, number][]
  contains?: string
  none?: true
}
export interface Question {
  id: string
  type: string
  payload: string
  text: string
  ask: Ask
  gold: Gold
}

async function part<T>(path: string): Promise<T> {
  return (await import(
    fileURLToPath(new URL(`../../../../benchmarks/answers/${path}`, import.meta.url))
  )) as T
}

export const { TYPES } = await part<{ TYPES: readonly string[] }>('contract.mjs')
export const { policies } = await part<{ policies(folder?: string): string }>('systems/policies.mjs')
export const { loadPayloads, readPayload, kindOf } = await part<{
  loadPayloads(dir: string, limits?: { maxBytes?: number }): Payload[]
  readPayload(name: string, text: string, kind?: string): Payload[]
  kindOf(name: string, text: string): string
}>('payloads/load.mjs')
export const { rowsOf } = await part<{ rowsOf(text: string, delimiter: string): { cells: string[] }[] }>(
  'payloads/csv.mjs',
)
export const { cell } = await part<{ cell(value: unknown): string }>('payloads/generated/lines.mjs')
export const { keepsNumbers } = await part<{ keepsNumbers(text: string): boolean }>('payloads/json.mjs')
export const { generatedPayloads } = await part<{
  generatedPayloads(options?: { seed?: number; scale?: number }): { name: string; text: string }[]
}>('payloads/generated.mjs')
export const { evaluate } = await part<{ evaluate(ask: Ask, payload: Payload, payloads?: Payload[]): Gold }>(
  'questions/evaluate.mjs',
)
export const { questionsOf } = await part<{
  questionsOf(payloads: Payload[], options?: { seed?: number; perType?: number }): Question[]
}>('questions/index.mjs')
export const { mutate, withoutGold } = await part<{
  mutate(payloads: Payload[], questions: Question[]): { payloads: Payload[]; questions: Question[] }
  withoutGold(payload: Payload, question: Question): Payload | undefined
}>('mutation.mjs')

/** The payload of a name that is there. */
export function named(payloads: Payload[], name: string): Payload {
  const payload = payloads.find((one) => one.name === name)
  if (payload === undefined) throw new Error(`no payload ${name}`)
  return payload
}

/** The only payload of a text that is no JSON, or the minified one. */
export function read(name: string, text: string): Payload {
  const [payload] = readPayload(name, text)
  if (payload === undefined) throw new Error(`nothing read from ${name}`)
  return payload
}
