/** Which of the blocks of a result are its data, and which are a few words beside it: `Found 60 issues`, an error, a hint. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { parseJson } from '../json/stringify.ts'
import { fromRecognised } from './derive.ts'
import { recognise } from './detect.ts'

/** Blocks with data, and the others, each in their order. */
interface Parted {
  readonly sent: readonly string[]
  readonly remarks: readonly string[]
}

/** Remarks beside one block, and for each block beside many. */
const MOST_REMARKS = 3
const FOR_EACH = 0.25
/** Characters of a remark, and how much more data there is than words that are no such remarks. */
const LONGEST_REMARK = 600
const SMALLER = 4

function areRemarks({ sent, remarks }: Parted): boolean {
  const [data, words] = [lengthOf(sent), lengthOf(remarks)]
  if (remarks.length > Math.max(MOST_REMARKS, sent.length * FOR_EACH) || words > data) return false
  const isRemark = (text: string): boolean =>
    text.length <= LONGEST_REMARK && recognise(text).format === 'text'
  return words * SMALLER <= data || remarks.every(isRemark)
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0)
}

/** The blocks that are JSON objects or arrays, with their values: a list that came one record a block is a list again. */
export function jsonAmong(texts: readonly string[]): (Parted & { readonly values: JsonValue[] }) | undefined {
  const isLikely = texts.map((text) => /^\s*[[{]/.test(text))
  if (!areRemarks(parted(texts, (at) => isLikely[at] === true))) return undefined
  const found = texts.map((text, at) => (isLikely[at] ? parseJson(text) : undefined))
  const data = parted(texts, (at) => found[at] !== undefined)
  const values = found.flatMap((one) => (one ? [one.value] : []))
  return values.length > 1 && areRemarks(data) ? { ...data, values } : undefined
}

/** The one block that is the content. */
export function dominant(texts: readonly string[]): Parted | undefined {
  const lengths = texts.map(({ length }) => length)
  const main = lengths.indexOf(lengths.reduce((one, other) => Math.max(one, other)))
  const data = parted(texts, (at) => at === main)
  return areRemarks(data) && recognise(texts[main] ?? '').format !== 'text' ? data : undefined
}

function parted(texts: readonly string[], isData: (at: number) => boolean): Parted {
  return {
    sent: texts.filter((_, at) => isData(at)),
    remarks: texts.filter((_, at) => !isData(at)),
  }
}

/** Blocks that are records: so many at least, and so long on average at most. So many at each end are looked at first. */
const LEAST_RECORDS = 3
const LONGEST_RECORD = 20_000
const SAMPLE = 10
/** How many blocks above and below them may be remarks, the fewest first. */
const AROUND = [
  [0, 0],
  [1, 0],
  [0, 1],
  [1, 1],
  [0, 2],
  [1, 2],
] as const

/** The blocks that are a record each where they are read as one text, as cards of `Key: value`. */
export function recordEach(texts: readonly string[]): Parted | undefined {
  if (texts.length < LEAST_RECORDS || lengthOf(texts) > texts.length * LONGEST_RECORD) return undefined
  const some = texts.length > 2 * SAMPLE ? [...texts.slice(0, SAMPLE), ...texts.slice(-SAMPLE)] : texts
  // Those in the middle tell it of most results in one go.
  const inner = some.slice(1, -2)
  if (inner.length >= LEAST_RECORDS && !areRecords(inner)) return undefined
  for (const [above, below] of AROUND) {
    if (!areRecords(some.slice(above, some.length - below))) continue
    const data = parted(texts, (at) => at >= above && at < texts.length - below)
    return some === texts || areRecords(data.sent) ? data : undefined
  }
  return undefined
}

/** Blocks one below the other. Between records of several lines an empty line says where one ends. */
export function asOneText(texts: readonly string[]): string {
  return texts.join('\n\n')
}

/** True where each has one record of several fields, in the order of the blocks. */
function areRecords(texts: readonly string[]): boolean {
  if (texts.length < LEAST_RECORDS) return false
  const records = fromRecognised(asOneText(texts)).records()?.values ?? []
  if (records.length !== texts.length) return false
  let next = 1
  return texts.every((text, at) => {
    const first = next
    next += text.split('\n').length + 1
    const { line, ...fields } = recordAt(records, at)
    return typeof line === 'number' && line >= first && line < next && Object.keys(fields).length > 1
  })
}

function recordAt(records: readonly JsonValue[], at: number): Record<string, JsonValue> {
  const record = records[at] ?? null
  return isObject(record) ? record : {}
}
