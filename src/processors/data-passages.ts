/** JSON as passages to rank: each record, in pieces where it is long, and what stands beside the records. */
import { SpanList, type Spans } from '../text/spans.ts'
import type { LeafIndex } from './leaves.ts'

/** Where a passage comes from: leaves `first` up to `after` of a record, -1 for what is outside of all. */
export interface Source {
  readonly record: number
  readonly first: number
  readonly after: number
}

export interface DataPassages {
  readonly text: string
  readonly passages: Spans
  /** One for each passage, in order. */
  readonly sources: readonly Source[]
  /** How many passages are beside the records. */
  readonly beside: number
}

/** Characters after which a passage ends with its leaf: a record may be a whole book. */
const longestOfRecord = 2_000
const longestOutside = 600

/** All of a document. The words of a passage are its values and the names of the fields that lead to them. */
export function dataPassages(leaves: LeafIndex, records: number): DataPassages {
  const texts: string[] = []
  const spans = new SpanList()
  const sources: Source[] = []
  let offset = 0
  let unit = 0

  function add(record: number, longest: number): void {
    let words = ''
    let first = unit
    let length = 0
    let before: readonly (string | number)[] = []
    const end = (): void => {
      if (unit === first) return
      texts.push(words)
      spans.add(offset, offset + words.length)
      offset += words.length + 1
      sources.push({ record, first, after: unit })
      words = ''
      first = unit
      length = 0
      before = []
    }
    leaves.visit(record, (value, path) => {
      let at = 0
      while (at < path.length - 1 && path[at] === before[at]) at++
      for (; at < path.length; at++) {
        const name = path[at]
        if (typeof name === 'string') words += words === '' ? name : `\n${name}`
      }
      before = path.slice()
      const word = String(value)
      words += words === '' ? word : `\n${word}`
      length += word.length
      unit++
      if (length >= longest) end()
    })
    end()
  }

  for (let record = 0; record < records; record++) add(record, longestOfRecord)
  const inside = sources.length
  add(-1, longestOutside)
  return { text: texts.join('\n'), passages: spans.spans(), sources, beside: sources.length - inside }
}
