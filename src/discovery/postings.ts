/** Which tools have a word, and how much they are about it: the BM25 index of wink, asked word by word. */
import winkBm25 from 'wink-bm25-text-search'
import { fieldNames, type ToolFields } from './fields.ts'

/** How often a word counts by where it stands; 0 leaves the field out. */
export type Weights = Readonly<Record<keyof ToolFields, number>>

export interface Postings {
  /** Places of the tools in the list that was indexed. */
  readonly places: readonly number[]
  /** 0 to 1, one for each place: how much the tool is about the word, whatever other tools are about. */
  readonly strengths: readonly number[]
}

export interface WordIndex {
  readonly vocabulary: ReadonlySet<string>
  /** Empty for a word that no tool has. */
  postings(word: string): Postings
  /** What a word is worth that so many tools have: Robertson's inverse document frequency, as wink has it. */
  worth(tools: number): number
}

/** wink's default for the saturation of repeated words; a strength is what it leaves of this and one. */
const k1 = 1.2
/** wink needs this many documents. */
const fewest = 3
const nothing: Postings = { places: [], strengths: [] }

export function indexWords(tools: readonly ToolFields[], weights: Weights): WordIndex {
  const fields = fieldNames.filter((name) => weights[name] > 0)
  const engine = winkBm25()
  engine.defineConfig({ fldWeights: Object.fromEntries(fields.map((name) => [name, weights[name]])) })
  // The fields come as words already, and so do questions.
  engine.definePrepTasks([
    (given: string | readonly string[]) => (typeof given === 'string' ? [given] : given),
  ])
  const vocabulary = new Set<string>()
  const add = (tool: ToolFields, place: number): void => {
    for (const name of fields) for (const word of tool[name]) vocabulary.add(word)
    engine.addDoc({ ...tool }, place)
  }
  tools.forEach(add)
  for (let place = tools.length; place < fewest; place++) add(noFields, place)
  engine.consolidate()

  const size = Math.max(fewest, tools.length)
  const worth = (having: number): number => Math.log(1 + (size - having + 0.5) / (having + 0.5))

  const known = new Map<string, Postings>()
  function lookUp(word: string): Postings {
    const found = engine.search(word, size)
    const most = worth(found.length) * (k1 + 1)
    return {
      places: found.map(([place]) => Number(place)),
      strengths: found.map(([, score]) => Math.min(1, score / most)),
    }
  }

  return {
    vocabulary,
    worth,
    postings(word) {
      if (!vocabulary.has(word)) return nothing
      const postings = known.get(word) ?? lookUp(word)
      known.set(word, postings)
      return postings
    },
  }
}

const noFields: ToolFields = { name: [], server: [], description: [], parameters: [] }
