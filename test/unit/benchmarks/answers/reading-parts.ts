/** The reading and scoring parts of the answers benchmark, which is plain JavaScript, with types. */
import { fileURLToPath } from 'node:url'

type Way = string[]
type Row = Record<string, unknown>
type Answer = { answer: unknown } | { none: true } | { unanswered: string }
interface Type {
  fields?: Map<string, Type>
}
interface Preview {
  handle: string
  records: number
  main: string
  type: Type
  values: Map<string, [string, number][]>
  beside: Map<string, string>
}
interface Reading {
  rows: unknown[]
  passages: string[]
  matched?: number
  next?: number
  more: boolean
  nothing: boolean
}

async function part<T>(path: string): Promise<T> {
  return (await import(
    fileURLToPath(new URL(`../../../../benchmarks/answers/${path}`, import.meta.url))
  )) as T
}

export const { objectsIn, wantedIn } = await part<{
  objectsIn(text: string, fromStart?: boolean): Row[]
  wantedIn(ask: { where: object[]; want: Way }, records: Row[]): unknown[]
}>('systems/fragments.mjs')
export const { conclude } = await part<{ conclude(ask: object, reading: Reading): Answer }>(
  'systems/proxy/conclude.mjs',
)
export const { fieldNames, nameOf, readPreview } = await part<{
  fieldNames(preview: { type?: Type | undefined }): string[] | undefined
  nameOf(way: Way, type: Type): string
  readPreview(text: string): Preview
}>('systems/proxy/preview.mjs')
export const { readReply, valuesIn } = await part<{
  readReply(text: string): Reading
  valuesIn(row: Row, way: Way): unknown[] | undefined
}>('systems/proxy/read.mjs')
export const { readType } = await part<{ readType(text: string): Type | undefined }>(
  'systems/proxy/type-line.mjs',
)
export const { score } = await part<{ score(gold: object, answer: object): string }>('score.mjs')
export const { clusteredInterval, median } = await part<{
  clusteredInterval<T>(
    rows: T[],
    clusterOf: (row: T) => string,
    figure: (rows: T[]) => number,
    options: { seed: number },
  ): [number, number] | undefined
  median(values: number[]): number
}>('statistics.mjs')
