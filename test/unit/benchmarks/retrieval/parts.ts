/** The parts of the benchmark of the search, which is plain JavaScript, with their types. */
import { fileURLToPath } from 'node:url'

export interface Tool {
  server: string
  name: string
  definition: { name: string; description: string; inputSchema: object }
}
interface Question {
  query: string
  kind: string
  half: number
  right: Set<string>
}
export interface LabelledSet {
  ids: string[]
  tools: Tool[]
  questions: Question[]
}
interface Hit {
  index: number
  score: number
}
interface Answer {
  right: Set<string>
  found: string[]
}
/** How tools or questions change. */
type Variation = object

async function part<T>(path: string): Promise<T> {
  return (await import(
    fileURLToPath(new URL(`../../../../benchmarks/retrieval/${path}`, import.meta.url))
  )) as T
}

export const { graphOf } = await part<{
  graphOf(tools: Tool[]): {
    neighbours(place: number): number[]
    extend(found: Hit[], more: number): Hit[]
  }
}>('related.mjs')
export const { recall, scoreOf } = await part<{
  recall(answer: Answer, first: number): number
  scoreOf(answers: Answer[]): Record<string, number | null>
}>('score.mjs')
export const { resized } = await part<{ resized(set: LabelledSet, size: number): LabelledSet }>('set.mjs')
export const { VARIATIONS, vary } = await part<{
  VARIATIONS: Record<string, Variation>
  vary(set: LabelledSet, variation: Variation | undefined): LabelledSet
}>('variations.mjs')
