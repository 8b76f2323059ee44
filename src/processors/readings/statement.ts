/** A whole SELECT or program of jq among the parameters of a filter: read before the steps, so that they run it like any other question. */

import type { Document } from '../../documents/document.ts'
import { type Collection, collectionsOf } from '../../documents/shape/collections.ts'
import { isObject, own } from '../../protocol/json.ts'
import { fromPipes } from '../../query/language/dialects/jq.ts'
import { readProgram } from '../../query/language/dialects/jq-program.ts'
import { isStatement, type Lists, readSelect, type SelectParams } from '../../query/language/dialects/sql.ts'
import { select } from '../steps/select.ts'

/** Parameters of a filter as they came, and what is to be said of how they were read. */
export interface Asked {
  readonly params: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** Where a statement may stand. */
const PLACES = ['where', 'path'] as const

/**
 * Puts what a statement says into the parameters that say the same. Parameters beside it hold as well. `document` is what the
 * question is asked of: it tells which list the name after FROM means. Throws a `Refusal` for what is not read.
 */
export function withStatement(params: Asked['params'], document: Document | undefined): Asked {
  for (const place of PLACES) {
    const given = params[place]
    const texts = (Array.isArray(given) ? given : [given]).filter((text) => typeof text === 'string')
    const text = texts.find((each) => isStatement(each) || programIn(each, place) !== undefined)
    if (text === undefined) continue
    const program = isStatement(text) ? undefined : programIn(text, place)
    const { params: read, notes } = program
      ? { params: onMainList(program, document), notes: [] }
      : readSelect(text, listsOf(document))
    const others = {
      ...params,
      [place]: Array.isArray(given) ? given.filter((each) => each !== text) : undefined,
    }
    const all = merged(others, read)
    return { params: all, notes: [`Read as ${JSON.stringify(read)}.`, ...notes] }
  }
  return { params, notes: [] }
}

/** The question in a program of jq. A path with conditions, which shows one field, is followed as it is written. */
function programIn(text: string, place: (typeof PLACES)[number]): SelectParams | undefined {
  const program = readProgram(text)
  const { path, where, fields = [], ...others } = program ?? {}
  const isPath = fields.length === 1 && /^\S+$/.test(fields[0] ?? '') && Object.keys(others).length === 0
  return place === 'path' && isPath && fromPipes(text) !== text ? undefined : program
}

/** A path that leads nowhere names the main list otherwise than the document does. */
function onMainList({ path, ...program }: SelectParams, document: Document | undefined): SelectParams {
  if (path === undefined) return program
  const isFollowed = document === undefined || select.process(document, { path }).error === undefined
  return isFollowed ? { path, ...program } : program
}

/** Conditions of both must hold; of anything else that both say, what stands outside of the statement holds. */
function merged(beside: Asked['params'], read: SelectParams): Asked['params'] {
  const given = Object.fromEntries(
    Object.entries(beside).filter(
      ([, value]) => value != null && !(Array.isArray(value) && value.length === 0),
    ),
  )
  const conditions = [read.where ?? [], given.where ?? []].flat()
  return { ...read, ...given, ...(conditions.length > 0 && { where: conditions }) }
}

/** Fields of a list are looked for in so many of its records. */
const SAMPLE = 100

/** The lists of a document, by the names that a statement has for them: their own, or the way to them. */
function listsOf(document: Document | undefined): Lists {
  const main = document?.records()
  const lists = document === undefined ? [] : collectionsOf(document.json() ?? null)
  const named = (name: string): Collection | undefined => {
    const wanted = plain(name)
    const found =
      lists.find(({ path }) => plain(path) === wanted) ??
      lists.find(({ path }) => plain(path).endsWith(`.${wanted}`))
    // The list of series, and the map of paths, mean the records that were made of them.
    return found && found.path === main?.gathered?.path ? main : found
  }
  return {
    path(name) {
      const list = named(name)
      // Of lists of that name within the elements of another one, all are meant.
      const inAll = list?.path.replaceAll(/\[\d+\](?=[.[])/g, '[*]')
      if (list !== undefined && inAll !== undefined && inAll !== list.path && !name.includes('['))
        return `${inAll}[*]`
      if (list !== undefined) return list.path === main?.path ? undefined : list.path
      // A path in so many words; a plain name that is no list means the main one.
      if (document === undefined || !/[.[$]/.test(name)) return undefined
      return select.process(document, { path: name }).error === undefined ? name : undefined
    },
    has: (name, field) =>
      (named(name) ?? main)?.values
        .slice(0, SAMPLE)
        .some((record) => isObject(record) && own(record, field) !== undefined) ?? true,
  }
}

/** `$.data.items[*]` is `data.items`. */
function plain(path: string): string {
  return path
    .replaceAll(/\[\*?\]/g, '')
    .replace(/^\$\.?/, '')
    .toLowerCase()
}
