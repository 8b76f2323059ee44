/** An object that a path reached, as a map, where the question is about its entries: `_key`, `_value`, or how many there are. */

import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { withField } from '../../documents/shape/collections.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import type { Asked } from '../parameters.ts'
import type { ProcessorResult } from '../processor.ts'
import { withNotes } from '../step.ts'

/** The result of a path with the entries of its objects in their place, with their key in `_key`; itself where they are not asked for. */
export function withEntries(selected: ProcessorResult, asked: Asked): ProcessorResult {
  if (!selected.applied || selected.error !== undefined || selected.content.records()?.path !== '$')
    return selected
  const objects = objectsIn(selected.content, asked)
  if (!objects) return selected
  const content = fromRows({ noun: 'record', items: objects.flatMap(entriesOf) })
  const [only, another] = objects
  const origin = selected.content.provenance
  placed(
    content,
    only && !another ? { path: origin.path, keys: Object.keys(only) } : { ...origin, scattered: true },
  )
  const count = content.rows().count
  const note = `Read as ${another ? 'maps' : 'a map'}: ${formatCount(count)} entries with \`_key\`${hasValues(objects) ? ' and `_value`' : ''}.`
  return { ...withNotes(selected, [note]), content }
}

function objectsIn(content: Document, asked: Asked): readonly JsonObject[] | undefined {
  if (!namesEntries(asked) && !countsAlone(asked)) return undefined
  const { items } = content.rows()
  if (items.length === 0 || !items.every(isObject)) return undefined
  const isAsked =
    namesEntries(asked) &&
    items.every((item) => !Object.hasOwn(item, '_key') && !Object.hasOwn(item, '_value'))
  const isCounted = items.length === 1 && countsAlone(asked) && items.every(isPlain)
  return isAsked || isCounted ? items : undefined
}

/** True for a question that names the keys or the values of a map. */
export function namesEntries(asked: Asked): boolean {
  const lists = [asked.where, asked.group_by, asked.aggregate, asked.sort, asked.fields, asked.exclude]
  return lists.some((list) => list?.some((text) => /(?<![\w.])_(?:key|value)\b/.test(text)))
}

/** True for a count and nothing else: for one object with scalars in it the answer would be 1, which tells nothing. */
function countsAlone({ where, group_by: keys, aggregate }: Asked): boolean {
  const isCount = aggregate?.length === 1 && /^count(?:\(\s*\*?\s*\))?$/i.test(aggregate[0]?.trim() ?? '')
  return isCount && !where?.length && !keys?.length
}

function isPlain(object: JsonObject): boolean {
  const keys = Object.keys(object)
  return keys.length > 1 && keys.every((key) => typeof own(object, key) !== 'object')
}

function hasValues(objects: readonly JsonObject[]): boolean {
  return objects.some((object) => Object.values(object).some((value) => !isObject(value)))
}

/** The values of a map as records, each with its key in `_key`. */
export function entriesOf(object: JsonObject): JsonValue[] {
  return Object.keys(object).map((key) => withField('_key', key, own(object, key) ?? null))
}
