/** The lists and results that the names after FROM and JOIN of a statement mean. `statement.ts` knows the words, this file the documents. */

import type { Document } from '../../documents/document.ts'
import type { Part } from '../../documents/opening/combine.ts'
import { headingsOfRows } from '../../documents/overview/markup.ts'
import { type Collection, collectionsOf } from '../../documents/shape/collections.ts'
import { isObject, own } from '../../protocol/json.ts'
import { resolveField } from '../../query/fields/fields.ts'
import { listOn } from '../../query/fields/lists.ts'
import { formatPath } from '../../query/fields/path.ts'
import { recordsOf } from '../../query/fields/records.ts'
import { type Lists, namesUsed } from '../../query/language/dialects/sql.ts'
import { safely } from '../../query/refusal.ts'
import { titleOf } from '../steps/join.ts'
import { select } from '../steps/select.ts'

/** Fields of a list are looked for in so many of its records. */
const SAMPLE = 100

/** The lists of a document, by the names that a statement has for them: their own, or the way to them. */
export function listsOf(document: Document | undefined): Lists {
  const main = document?.records()
  const lists = document === undefined ? [] : collectionsOf(document.json() ?? null)
  const titles = document === undefined ? new Map<string, string>() : titlesIn(document)
  /** The only table that has the word in its heading. */
  const titled = (word: string): Collection | undefined => {
    const [found, another] = lists.filter(({ path }) => titles.get(path)?.split(/\W+/).includes(word))
    return another ? undefined : found
  }
  const named = (name: string): Collection | undefined => {
    const wanted = plain(name)
    const called = (one: Collection): string => (titleOf(one.path) ?? '').toLowerCase()
    const found =
      lists.find(({ path }) => plain(path) === wanted) ??
      lists.find(({ path }) => plain(path).endsWith(`.${wanted}`)) ??
      lists.find((one) => called(one) === wanted) ??
      lists.find(({ path }) => titles.get(path) === wanted) ??
      titled(wanted) ??
      lists.find((one) => isOneOf(called(one), wanted))
    // The list of series, and the map of paths, mean the records that were made of them.
    return found && found.path === main?.gathered?.path ? main : found
  }
  const within = (name: string): string | undefined => {
    const inRecords = document && main && named(name) === undefined ? listWithin(document, name) : undefined
    return inRecords === undefined ? undefined : `${main?.path}[*].${inRecords}[*]`
  }
  return {
    path(name, always = false) {
      const list = named(name)
      // Of lists of that name within the elements of another one, all are meant.
      const inAll = list?.path.replaceAll(/\[\d+\](?=[.[])/g, '[*]')
      if (list !== undefined && inAll !== undefined && inAll !== list.path && !name.includes('['))
        return `${inAll}[*]`
      if (list !== undefined) return list.path === main?.path && !always ? undefined : list.path
      const other = within(name)
      if (other !== undefined) return other
      // A path in so many words; a plain name that is no list means the main one.
      const isPath = document !== undefined && /[.[$]/.test(name)
      if (isPath && select.process(document, { path: name }).error === undefined) return name
      return always ? main?.path : undefined
    },
    has: (name, field) => hasField(named(name) ?? main, field),
    isKnown: (name) => named(name) !== undefined || within(name) !== undefined || /[.[$]/.test(name),
    names: lists
      .filter(({ values }) => values.some(isObject))
      .map(({ path }) => titles.get(path) ?? titleOf(path) ?? path),
  }
}

/** The lists of a join by their names; a name that is none of them means a list of the result that has lists. */
export function listsOfParts(parts: readonly Part[]): Lists {
  const others = listsOf(parts.find(({ name }) => name === undefined)?.document)
  const partOf = (name: string): Part | undefined =>
    parts.find((part) => [part.name, part.handle].some((one) => one?.toLowerCase() === name.toLowerCase()))
  return {
    path: (name, always) => (partOf(name) ? undefined : others.path(name, always)),
    has: (name, field) => {
      const part = partOf(name)
      return part ? hasField(part.document.records(), field) : others.has(name, field)
    },
    isKnown: (name) => partOf(name) !== undefined || others.isKnown(name),
    names: others.names,
  }
}

/** The headings of the tables of a text or a page, in small letters, by the paths of the tables. */
function titlesIn(document: Document): Map<string, string> {
  const data = document.json()
  const headings = headingsOfRows(data)
  const tables = isObject(data) ? own(data, 'tables') : undefined
  if (!headings || !Array.isArray(tables)) return new Map()
  return new Map(
    tables.flatMap((table, at): [string, string][] => {
      const title = Array.isArray(table) ? headings.get(table[0] ?? null) : undefined
      return title ? [[`$.tables[${at}]`, title.toLowerCase()]] : []
    }),
  )
}

/** True where one name is the other in the plural. */
function isOneOf(name: string, other: string): boolean {
  const single = (text: string): string => text.replace(/ies$/, 'y').replace(/s$/, '')
  return name !== '' && single(name) === single(other)
}

/** The way from a record to the list in it that is called so: `links`, or `node.visits.edges` for `visits`. */
function listWithin(document: Document, name: string): string | undefined {
  const records = recordsOf(document)
  if (!records || !/^\w+$/.test(name)) return undefined
  for (const field of records.names().keys()) {
    if (titleOf(field)?.toLowerCase() !== name.toLowerCase()) continue
    const path = safely(() => resolveField(records, field).path)
    const list = path && listOn(records, path)
    if (list && list.length > 0 && list.length === path.length) return formatPath(list)
  }
  return undefined
}

/** True where records have a field, or nothing is known of them. Names are the same in capital and small letters, as in SQL. */
export function hasField(list: Collection | undefined, field: string): boolean {
  const wanted = field.toLowerCase()
  return (
    list?.values
      .slice(0, SAMPLE)
      .some(
        (record) =>
          isObject(record) &&
          (own(record, field) !== undefined ||
            Object.keys(record).some((name) => name.toLowerCase() === wanted)),
      ) ?? true
  )
}

/** `$.data.items[*]` is `data.items`. */
function plain(path: string): string {
  return path
    .replaceAll(/\[\*?\]/g, '')
    .replace(/^\$\.?/, '')
    .toLowerCase()
}

/**
 * The results that the names after FROM and JOIN mean, by the names in small letters. A name that is a handle, or that of a list of one
 * result alone, means that one. Any other means the first result left with the fields that the statement asks of it. Of one name alone
 * that all results fit, all are meant: then it is not there.
 */
export function resultsNamed(text: string, parts: readonly Part[]): ReadonlyMap<string, Part> {
  const names = namesUsed(text)
  const lists = parts.map(({ document }) => listsOf(document))
  const isField = (word: string): boolean => parts.some(({ document }) => hasField(document.records(), word))
  const fitting = names.map(({ name, words }) => {
    const handles = parts.filter(({ handle }) => handle.toLowerCase() === name)
    if (handles.length > 0) return handles
    const listed = parts.filter((_, at) => lists[at]?.isKnown(name))
    if (listed.length === 1) return listed
    const fields = words.filter(isField)
    return parts.filter(({ document }) => fields.every((field) => hasField(document.records(), field)))
  })
  if (names.length === 1 && fitting[0]?.length !== 1) return new Map()
  const order = assigned(fitting, []) ?? (names.length <= parts.length ? parts : [])
  return new Map(
    names.flatMap(({ name }, at): [string, Part][] => {
      const part = order[at]
      return part ? [[name, { ...part, name }]] : []
    }),
  )
}

/** One of the fitting for each, none twice, the first ones first. Undefined where that cannot be. */
function assigned(
  [fitting, ...others]: readonly (readonly Part[])[],
  taken: readonly Part[],
): readonly Part[] | undefined {
  if (fitting === undefined) return taken
  for (const part of fitting) {
    const found = taken.includes(part) ? undefined : assigned(others, [...taken, part])
    if (found) return found
  }
  return undefined
}
