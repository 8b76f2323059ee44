/** `fields`, `exclude`: which fields of the records, or of the whole, are shown. */

import type { Document } from '../../documents/document.ts'
import { toJson } from '../../documents/json/stringify.ts'
import { fromMadeRows, fromRows, fromValue } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { madeRows } from '../../documents/opening/rows.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { easilyMistaken } from '../../query/conditions/explain.ts'
import { exactPath, resolveExactly, resolveField } from '../../query/fields/fields.ts'
import { explainMissing, type Located, lengthAt, locate } from '../../query/fields/locate.ts'
import { firstName, formatPath, isDefinite, type Path, parsePath } from '../../query/fields/path.ts'
import { keepOnly, leaveOut } from '../../query/fields/prune.ts'
import { type Field, type Records, recordsOf } from '../../query/fields/records.ts'
import { readValues } from '../../query/fields/walk.ts'
import { readWanted, rejoined, type Wanted } from '../../query/fields/wanted.ts'
import { splitAt } from '../../query/language/scanner.ts'
import { Refusal, safely, shown } from '../../query/refusal.ts'
import { newWork } from '../../query/work.ts'
import { projectionParams } from '../parameters.ts'
import { defineStep } from '../step.ts'

/**
 * Included fields become one flat object for each record, keyed by the field as it was asked for (`"user.login": "x"`). That is cheap to
 * read, and a table where all are alike. Fields asked for from the root (`users.email`) keep their nesting. Leaving fields out leaves the
 * rest nested as it was. Values are never altered; a field that goes through a list or map gives the list of its values; absent fields
 * are omitted.
 */
export const projection = defineStep({
  name: 'projection',
  params: projectionParams,
  wanted: ({ fields, exclude }) => [...(fields ?? []), ...(exclude ?? [])].length > 0,
  run(document, { fields = [], exclude = [], mode }) {
    if (document.json() === undefined) {
      throw new Refusal('This result is text without fields. Search it with proxy_search instead.')
    }
    const once = mode === 'exclude' ? undefined : withoutDistinct(fields, recordsOf(document))
    const wanted = readWanted(mode === 'exclude' ? [] : (once ?? fields), recordsOf(document))
    const leftOut = mode === 'exclude' ? [...fields, ...exclude] : [...exclude, ...wanted.left]
    const excluded = rejoined(leftOut, recordsOf(document))
    const included = wanted.shown.filter(({ reference }) => reference !== '*' && reference !== '$')
    const notes = mistakenIn(recordsOf(document), included)
    const rest = excluded.length > 0 ? leaving(document, excluded, notes, included.length > 0) : document
    const chosen = included.length > 0 ? only(rest, included, notes) : rest
    const isBesideAll = included.length > 0 && wanted.shown.some(({ reference }) => reference === '*')
    const shownRows = isBesideAll ? besideAll(rest, chosen) : chosen
    const content = once ? distinctRows(shownRows, !once.includes('_key')) : shownRows
    const rows = content.records()
    if (
      content !== document &&
      rows?.path === '$' &&
      // The rows are not all made for it.
      content.rows().count === document.records()?.values.length
    )
      placed(content, document.provenance)
    return {
      content,
      metadata: { total: recordsOf(document)?.values.length ?? 1, ...(notes.length > 0 && { notes }) },
    }
  },
})

/** The remark on the line of a message, shown without the line in the file. */
function mistakenIn(records: Records | undefined, shown: readonly Wanted[]): string[] {
  const names = shown.map(({ reference }) => reference)
  const found = records && names.includes('line') ? easilyMistaken(records, 'line') : undefined
  return found && !found.beside.some((other) => names.includes(other)) ? [found.said] : []
}

/** The fields behind `distinct`, `distinct(…)`; undefined where it is not written, or is the name of a field. */
function withoutDistinct(fields: readonly string[], records: Records | undefined): string[] | undefined {
  const [first = '', ...others] = fields
  const [, all, inside] =
    /^(?:select\s+)?distinct(?:\s+(?:on\s+)?(?=[^\s(])(.+)|\s*\((.*)\))?$/is.exec(first.trim()) ?? []
  if (!/^(?:select\s+)?distinct\b/i.test(first.trim()) || (all ?? inside) === '') return undefined
  if (all === undefined && inside === undefined)
    return records?.names().has(first.trim()) ? undefined : others.length > 0 ? others : ['*']
  return [...(inside === undefined ? [all ?? ''] : splitAt(inside, [','])), ...others].map((one) =>
    one.trim(),
  )
}

/** `*, price * qty as total`: the fields of each record, and what is shown beside them. */
function besideAll(document: Document, chosen: Document): Document {
  const values = recordsOf(document)?.values ?? []
  const { noun, items } = chosen.rows()
  if (items.length !== values.length) return chosen
  return fromRows({
    noun,
    items: items.map((row, at) => {
      const record = values[at] ?? null
      return isObject(row) ? { ...(isObject(record) ? record : { _value: record }), ...row } : row
    }),
  })
}

/** Each row once, where it comes first; without the keys of a map, which are all different. */
function distinctRows(document: Document, keyless: boolean): Document {
  const { noun, items } = document.rows()
  const rows = keyless ? items.map(withoutKey) : items
  return fromRows({ noun, items: [...new Map(rows.map((row) => [toJson(row), row])).values()] })
}

function withoutKey(row: JsonValue): JsonValue {
  if (!isObject(row) || !Object.hasOwn(row, '_key')) return row
  const { _key: _, ...rest } = row
  return rest
}

function only(document: Document, wanted: readonly Wanted[], notes: string[]): Document {
  const references = wanted.map(({ reference }) => reference)
  const records = recordsOf(document)
  const root = document.json() ?? null
  const paths = references.map(pathIn)
  const exact =
    records &&
    paths.map((path) => (path && withinRecords(records, path) ? resolveExactly(records, path) : undefined))
  if (records && exact?.every((field) => field !== undefined)) return flat(records, exact.map(called(wanted)))
  const isWhole = paths.every((path) => {
    const located = path && locate(root, path)
    return located !== undefined && located.note === undefined
  })
  if (isWhole || !records) return nested(root, references, notes)
  const lengths = paths.map((path) =>
    !path || locate(root, path) ? undefined : lengthAt(root, path)?.reached[0]?.value,
  )
  if (lengths.every((length) => length !== undefined))
    return documentOf(
      Object.fromEntries(lengths.map((length, at) => [wanted[at]?.as ?? references[at] ?? '', length])),
    )
  const deep = paths.map((path) => path && onlyAtDepth(root, path))
  if (deep.every((found) => found !== undefined)) {
    notes.push(...deep.flatMap(({ note }) => note ?? []))
    return documentOf(
      keepOnly(
        root,
        deep.map(({ path }) => path),
      ) ?? null,
    )
  }
  const alone = wanted.length === 1 && paths[0] ? locate(root, paths[0]) : undefined
  if (alone && safely(() => resolveField(records, references[0] ?? '')) === undefined)
    return nested(root, references, notes)
  const fields = each(wanted, notes, (one) => {
    const { reference } = one
    const field = exactPath(records, reference)
    const path = field ? undefined : pathIn(reference)
    const outside = path && (locate(root, path) ?? lengthAt(root, path))
    if (outside && outside.note === undefined) throw new Refusal(aside(outside))
    try {
      return called([one])(field ?? resolveField(records, reference), 0)
    } catch (error) {
      if (outside && error instanceof Refusal) throw new Refusal(aside(outside))
      throw error
    }
  })
  notes.push(...fields.flatMap((field) => valueless(records, field)))
  return flat(records, fields)
}

/** Records in which a computed value is looked for. */
const MOST_LOOKED = 200

/** The remark on a computed field that no record has: a row without it would say nothing. */
function valueless({ values }: Records, { name, path }: Field): string[] {
  const isComputed = path.some(({ selectors }) => selectors.some(({ kind }) => kind === 'computed'))
  const looked = isComputed ? values.slice(0, MOST_LOOKED) : []
  const found: JsonValue[] = []
  for (const record of looked) {
    readValues(record, path, found, newWork())
    if (found.length > 0) return []
  }
  const which = looked.length < values.length ? `the first ${looked.length}` : 'these'
  return looked.length === 0
    ? []
    : [`\`${name}\` has no value in ${which} records: check what it is computed from.`]
}

/** Under the name that was asked for; a single key without the marks of a path. */
function called(wanted: readonly Wanted[]): (field: Field, at: number) => Field {
  return (field, at) => {
    const key = field.path.length === 1 ? firstName(field.path[0]) : undefined
    return { ...field, name: wanted[at]?.as ?? key ?? field.name }
  }
}

/** Members of an object that is told with its values. */
const MOST_TOLD = 12

/** A field beside the records is told in words, because it has no place in their rows. */
function aside({ path, reached: [first] }: Located): string {
  const value = first?.value ?? null
  const members = typeof value === 'object' && value !== null ? Object.values(value) : []
  const isSmall = members.length <= MOST_TOLD && members.every((member) => typeof member !== 'object')
  const held = isSmall ? shown(JSON.stringify(value), 200) : 'ask for it alone'
  return `\`${formatPath(path)}\` is outside of the records: ${held}.`
}

/** False for a path through the names that lead to the records: that asks for the root, with its nesting. */
function withinRecords(records: Records, path: Path): boolean {
  if (records.path.length === 0) return true
  const own = resolveExactly({ ...records, path: [] }, path)
  return own !== undefined
}

function flat(records: Records, fields: readonly Field[]): Document {
  // The record bounds the values that a definite path looks at, so that no row refuses when it is made.
  const definite = fields.every(({ path }) => isDefinite(path))
  const work = newWork(definite ? Number.MAX_SAFE_INTEGER : 20_000_000)
  if (fields.some(({ path }) => path.length === 0)) return fromRows({ noun: 'record', items: records.values })
  const rowOf = (index: number): JsonValue => {
    const record = records.values[index] ?? null
    const row: JsonObject = {}
    const key = isObject(record) ? own(record, '_key') : undefined
    if (key !== undefined) row._key = key
    for (const { name, path } of fields) {
      const values: JsonValue[] = []
      const many = readValues(record, path, values, work)
      const [first] = values
      if (first !== undefined) setOwn(row, name, many ? values : first)
    }
    return row
  }
  const rows = madeRows('record', records.values.length, rowOf)
  return definite ? fromMadeRows('json', rows) : fromRows(rows)
}

function nested(root: JsonValue, references: readonly string[], notes: string[]): Document {
  const kept = keepOnly(root, pathsFromRoot(root, references, notes))
  return documentOf(kept ?? null)
}

/** Beside fields that are shown, one to leave out that does not exist is no mistake worth an error. */
function leaving(
  document: Document,
  references: readonly string[],
  notes: string[],
  lenient: boolean,
): Document {
  if (!lenient) return without(document, references, notes)
  return (
    safely(
      () => without(document, references, notes),
      (why) => notes.push(why),
    ) ?? document
  )
}

function without(document: Document, references: readonly string[], notes: string[]): Document {
  const root = document.json() ?? null
  const records = recordsOf(document)
  if (!records) return documentOf(leaveOut(root, pathsFromRoot(root, references, notes)))
  const every = [...records.path, ...parsePath('[*]')]
  const expanded = references.flatMap((reference) => dottedWith(reference, records))
  const paths = each(expanded, notes, (reference): { path: Path; note?: string } => {
    const path = parsePath(reference)
    const found = withinRecords(records, path) ? resolveExactly(records, path) : undefined
    if (found) return { ...found, path: [...every, ...found.path] }
    if (locate(root, path)?.note === undefined && locate(root, path)) return { path }
    const read = resolveField(records, reference)
    return { ...read, path: [...every, ...read.path] }
  })
  return documentOf(
    leaveOut(
      root,
      paths.map(({ path }) => path),
    ),
  )
}

/** The names that begin with a reference and a dot, where no field is called so: `name.common` and `name.official` for `name`, as XML has them. */
function dottedWith(reference: string, records: Records): string[] {
  if (exactPath(records, reference)) return [reference]
  const begun = `["${reference.replace(/\.\*$/, '')}.`
  const names = [...records.names().keys()].filter((name) => name.startsWith(begun))
  return names.length > 0 ? names : [reference]
}

function pathsFromRoot(root: JsonValue, references: readonly string[], notes: string[]): Path[] {
  const found = each(references, notes, (reference) => {
    const path = parsePath(reference)
    const located = locate(root, path) ?? atAnyDepth(root, path)
    if (!located) throw new Refusal(explainMissing(root, path).message)
    return located
  })
  return found.map(({ path }) => path)
}

/** The value of a single name at any depth, where no list has records that could have it. */
function atAnyDepth(root: JsonValue, path: Path): Located | undefined {
  const [only, ...others] = path
  if (only === undefined || others.length > 0) return undefined
  const located = locate(root, [{ ...only, deep: true }])
  return located && { ...located, note: `\`${formatPath(path)}\` read as \`$${formatPath(located.path)}\`.` }
}

/** The target of a name with its holder, `creator.version`, where it stands once, below the root. */
function onlyAtDepth(root: JsonValue, path: Path): Located | undefined {
  const [first, ...others] = path
  if (first === undefined || others.length === 0 || first.deep) return undefined
  const located = locate(root, [{ ...first, deep: true }, ...others])
  if (located?.reached.length !== 1 || located.note !== undefined) return undefined
  return { ...located, note: `\`${formatPath(path)}\` read as \`$${formatPath(located.path)}\`.` }
}

/** The references that can be read; the rest is noted. Throws when that is all of them. */
function each<R, T extends { note?: string }>(
  references: readonly R[],
  notes: string[],
  read: (reference: R) => T,
): T[] {
  const found: T[] = []
  const refused: string[] = []
  for (const reference of references) {
    const one = safely(
      () => read(reference),
      (why) => refused.push(why),
    )
    if (one?.note !== undefined) notes.push(one.note)
    if (one !== undefined) found.push(one)
  }
  if (found.length === 0)
    throw new Refusal(
      refused
        .map((text) => shown(text, 600))
        .slice(0, 3)
        .join(' '),
    )
  notes.push(...refused.slice(0, 5))
  return found
}

function documentOf(value: JsonValue): Document {
  return Array.isArray(value)
    ? fromRows({ noun: 'record', items: value })
    : fromValue(value, { noun: 'record' })
}

/** The path that a text is; none of `split(file, '.', 1)`. */
function pathIn(reference: string): Path | undefined {
  return safely(() => parsePath(reference))
}
