/** Fields of what holds the records: `groups.name` of the rules at `$.groups[*].services[*].rules[*]`. */

import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { headingsOfRows } from '../../documents/overview/markup.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { exactPath } from '../../query/fields/fields.ts'
import { type Path, parsePath } from '../../query/fields/path.ts'
import { recordsOf, withNames } from '../../query/fields/records.ts'
import { safely } from '../../query/refusal.ts'
import type { ProcessorResult } from '../processor.ts'
import { namedIn } from './elsewhere.ts'

type Asked = Readonly<Record<string, unknown>>

/** By the names of the lists above it: the element of each that holds a record. */
type Holders = Readonly<Record<string, JsonObject>>

/** A field of a holder that the question names: as it is written, and what it is called beside the record's own fields. */
interface Held {
  written: string
  holder: string
  field: string
}

/** Elements of lists above the records that are followed. */
const MOST = 200_000

/**
 * The records that a path reached, with the fields of their holders that the question names beside their own. The same document where it
 * names none, or where each record has one of that name itself.
 */
export function withHolders(root: Document, selected: ProcessorResult, asked: Asked): ProcessorResult {
  const content = withHeadings(root, contentWith(root, selected.content, asked), asked)
  if (content === selected.content) return selected
  return {
    ...selected,
    content,
    originalSize: selected.originalSize,
    get processedSize() {
      return content.characters
    },
  }
}

/** The rows of tables in a text, with the heading above their table as `heading`. Only where the question names it and no row has it. */
function withHeadings(root: Document, rows: Document, asked: Asked): Document {
  if (!namedIn(asked).includes('heading')) return rows
  const records = recordsOf(rows)
  const headings = headingsOfRows(root.json())
  if (!records || !headings || exactPath(records, 'heading')) return rows
  if (!records.values.every((record) => headings.has(record))) return rows
  const items = records.values.map((record) =>
    isObject(record) ? { heading: headings.get(record) ?? '', ...record } : record,
  )
  return placed(fromRows({ noun: 'record', items }), rows.provenance)
}

function contentWith(root: Document, selected: Document, asked: Asked): Document {
  const { path: place, scattered } = selected.provenance
  const path = scattered ? safely(() => parsePath(place)) : undefined
  const steps = path && namesAlong(path)
  const lists = new Set(steps?.filter((step) => step !== EACH).slice(0, -1))
  if (!steps || lists.size === 0) return selected
  const records = recordsOf(selected)
  const held = records ? heldIn(asked, lists).filter(({ written }) => !exactPath(records, written)) : []
  if (!records || held.length === 0) return selected
  const all: Holders[] = []
  follow(root.json() ?? null, steps, 0, {}, all)
  if (all.length !== records.values.length) return selected
  const items = records.values.map((record, at) => {
    const row: JsonObject = isObject(record) ? { ...record } : { _value: record }
    for (const { holder, field } of held) {
      const value = own(all[at]?.[holder] ?? {}, field)
      if (value !== undefined) setOwn(row, titleOf(holder, field), value)
    }
    return row
  })
  const content = placed(fromRows({ noun: 'record', items }), selected.provenance)
  const names = new Map(held.map(({ written, holder, field }) => [written, titleOf(holder, field)]))
  return withNames(content, [...names.keys()], (_, name) => {
    const title = names.get(name) ?? name
    return { name: title, path: parsePath(`[${JSON.stringify(title)}]`) }
  })
}

const titleOf = (holder: string, field: string): string => `${holder}.${field}`

const EACH = Symbol('each element')

/** The names and `[*]` on a path; undefined for one with anything else. */
function namesAlong(path: Path): (string | typeof EACH)[] | undefined {
  const steps: (string | typeof EACH)[] = []
  for (const { selectors, deep } of path) {
    const [only, another] = selectors
    if (deep || another || (only?.kind !== 'name' && only?.kind !== 'all')) return undefined
    steps.push(only.kind === 'name' ? only.name : EACH)
  }
  return steps
}

/** The fields of holders that a question names. A list is called by its name, also with the way to it: `$.groups[*].name`. */
function heldIn(asked: Asked, lists: ReadonlySet<string>): Held[] {
  return [...new Set(namedIn(asked))].flatMap((name) => {
    const path = safely(() => parsePath(name))
    const names = (path && namesAlong(path))?.filter((step) => typeof step === 'string') ?? []
    const [holder = '', field = ''] = names.slice(-2)
    return lists.has(holder) && names.length > 1 ? [{ written: name, holder, field }] : []
  })
}

/** Goes along a path as `select` does, and gathers the holders of each record. */
function follow(
  value: JsonValue,
  steps: readonly (string | typeof EACH)[],
  at: number,
  holders: Holders,
  found: Holders[],
): void {
  if (found.length > MOST) return
  const step = steps[at]
  const before = steps.slice(0, at).findLast((one) => typeof one === 'string')
  const within = (element: JsonValue): Holders =>
    before !== undefined && isObject(element) ? { ...holders, [before]: element } : holders
  if (Array.isArray(value)) {
    // A list that is crossed by a name, or that the path ends at, gives its elements.
    for (const element of value) follow(element, steps, step === EACH ? at + 1 : at, within(element), found)
  } else if (step === undefined) {
    // Of lists with a name, one that is null has no elements.
    if (value !== null || steps.at(-1) === EACH) found.push(holders)
  } else if (isObject(value) && step === EACH)
    for (const element of Object.values(value)) follow(element, steps, at + 1, within(element), found)
  else if (isObject(value) && typeof step === 'string' && Object.hasOwn(value, step))
    follow(own(value, step) ?? null, steps, at + 1, holders, found)
}
