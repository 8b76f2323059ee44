/** Pages of one collection as one result. */
import { blocksOf, textBlock, textsOf } from '../../protocol/content.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { parseJson, toJson } from '../json/stringify.ts'
import { roleOf } from '../json/structured.ts'
import { IDS, plainName } from '../shape/identity.ts'

/** Several pages in one. */
export interface Joined {
  /** A CallToolResult. */
  readonly result: JsonObject
  /** The value of its one text. Undefined: it is no data. */
  readonly value?: JsonValue
  /** Undefined: texts, one below the other. */
  readonly records?: number
  /** Records that came again unchanged, which are kept once, and records that came again changed, which are all kept. */
  readonly repeated: number
  readonly changed: number
  /** The field that told. */
  readonly key?: string
}

/** `place`: steps from the root to the records, as on the first page. The parts around them are those of the last page. */
export function joinPages(
  pages: readonly JsonObject[],
  place: readonly (string | number)[] | undefined,
): Joined {
  const lists = place && listsOf(pages, place)
  return lists === undefined ? joinTexts(pages) : joinLists(lists, place ?? [])
}

interface Page {
  readonly root: JsonValue
  readonly list: readonly JsonValue[]
}

function listsOf(pages: readonly JsonObject[], place: readonly (string | number)[]): Page[] | undefined {
  const lists: Page[] = []
  for (const page of pages) {
    const root = dataOf(page)
    const list = root === undefined ? undefined : at(root, place)
    // A page behind the last one may say so in place of a list.
    if (root === undefined || (list !== undefined && list !== null && !Array.isArray(list))) return undefined
    lists.push({ root, list: Array.isArray(list) ? list : [] })
  }
  return lists
}

/** The data of a result: its structured content where that says more than the text, else the JSON of its texts. */
function dataOf(page: JsonObject): JsonValue | undefined {
  const texts = textsOf(page)
  const { structuredContent } = page
  if (isObject(structuredContent)) {
    const role = roleOf(structuredContent, texts)
    if (role === 'data' || role === 'parsed' || texts.length === 0) return structuredContent
  }
  const values = texts.map((text) => parseJson(text)?.value)
  // One record a block is a list; with one block more than its JSON, that is a remark.
  if (values.length > 1 && values.every((value) => value !== undefined)) return values as JsonValue[]
  return values.find((value) => typeof value === 'object' && value !== null)
}

function at(root: JsonValue, place: readonly (string | number)[]): JsonValue | undefined {
  let value: JsonValue | undefined = root
  for (const step of place) {
    if (Array.isArray(value)) value = value[Number(step)]
    else value = isObject(value) ? own(value, String(step)) : undefined
  }
  return value
}

function joinLists(pages: readonly Page[], place: readonly (string | number)[]): Joined {
  const key = keyOf(pages)
  const seen = new Map<JsonValue, JsonValue>()
  const records: JsonValue[] = []
  let repeated = 0
  let changed = 0
  for (const { list } of pages)
    for (const record of list) {
      const id = key !== undefined && isObject(record) ? own(record, key) : undefined
      if (id !== undefined) {
        const before = seen.get(id)
        if (before !== undefined && toJson(before) === toJson(record)) {
          repeated += 1
          continue
        }
        if (before !== undefined) changed += 1
        seen.set(id, record)
      }
      records.push(record)
    }
  const root = withAt(pages.at(-1)?.root ?? [], place, records)
  return {
    result: { content: [textBlock(toJson(root))] },
    value: root,
    records: records.length,
    repeated,
    changed,
    ...(key !== undefined && { key }),
  }
}

/** The field by which records are told apart: one that all have, and no two of a page alike. */
function keyOf(pages: readonly Page[]): string | undefined {
  const [first] = pages.find(({ list }) => list.length > 0)?.list ?? []
  if (first === undefined || !isObject(first)) return undefined
  const rank = (name: string): number => IDS.indexOf(plainName(name))
  const names = Object.keys(first)
    .filter((name) => rank(name) >= 0 && !VAGUE.has(plainName(name)))
    .sort((one, other) => rank(one) - rank(other))
  return names.find((name) => pages.every(({ list }) => tellsApart(list, name)))
}

/** Of these, several records may have the same for long. */
const VAGUE: ReadonlySet<string> = new Set(['line', 'code', 'ip', 'ref'])

function tellsApart(list: readonly JsonValue[], name: string): boolean {
  const values = new Set<JsonValue>()
  for (const record of list) {
    const value = isObject(record) ? own(record, name) : undefined
    if (typeof value !== 'string' && typeof value !== 'number') return false
    values.add(value)
  }
  return values.size === list.length
}

/** A copy with the value at this place. */
function withAt(root: JsonValue, place: readonly (string | number)[], value: JsonValue): JsonValue {
  const [step, ...rest] = place
  if (step === undefined) return value
  if (Array.isArray(root)) {
    const copy = [...root]
    copy[Number(step)] = withAt(root[Number(step)] ?? null, rest, value)
    return copy
  }
  const object = isObject(root) ? root : {}
  return { ...object, [step]: withAt(own(object, String(step)) ?? null, rest, value) }
}

/** A heading that all pages have, as those of a table, stands once. */
function joinTexts(pages: readonly JsonObject[]): Joined {
  const texts = pages.map((page) => textsOf(page).join('\n').replace(/\n$/, ''))
  const [first = '', ...others] = texts
  const heading = first.slice(0, first.indexOf('\n') + 1)
  const isShared = heading.includes(',') && others.every((text) => text.startsWith(heading))
  const joined = [first, ...others.map((text) => (isShared ? text.slice(heading.length) : text))].join('\n')
  const media = pages.flatMap((page) => blocksOf(page).filter((block) => block.type !== 'text'))
  return { result: { content: [textBlock(joined), ...media] }, repeated: 0, changed: 0 }
}
