/** From the name of a field, as a model writes it, to the field that is meant. */
import { isObject, type JsonValue } from '../protocol/json.ts'
import { editDistance, nearest } from '../text/edit-distance.ts'
import { parsePath } from './path/parse.ts'
import { formatPath, newWork, type Path } from './path/path.ts'
import { readValues } from './path/walk.ts'
import type { Records } from './records.ts'
import { listed, Refusal, shown } from './refusal.ts'

export interface Field {
  /** The field's name within a record, in plain form: `user.login`, `labels[*].name`. */
  name: string
  path: Path
  /** "`State` read as `state`", when it was not taken as written. */
  note?: string
}

/**
 * In this order: as written within a record (a key with dots in it included); written from the root (`items[].name`);
 * with leading names dropped; another case or `_` and `-` aside; the only field that ends so; the one a typo away.
 * Throws a `Refusal` with the nearest names and some of their values.
 */
export function resolveField(records: Records, reference: string): Field {
  const path = parsePath(reference)
  const exact = resolveExactly(records, path)
  if (exact) return exact
  const written = shown(reference)
  if (records.values.length === 0) return field(path)
  for (let drop = 1; drop < path.length; drop++) {
    const rest = path.slice(drop)
    if (reaches(records, rest)) return noted(written, formatPath(rest), rest)
  }
  const wanted = formatPath(withoutRoot(records, path) ?? path)
  const name = alike(records, wanted) ?? synonym(records, wanted)
  if (name !== undefined) return noted(written, formatPath(parsePath(name)), parsePath(name))
  if (path.length === 1 && records.names().size === 0) {
    return {
      name: '@',
      path: [],
      note: `The records are values without fields: \`${written}\` read as the value itself.`,
    }
  }
  throw new Refusal(unknown(records, written))
}

/** As written, within a record or from the root through the records. Undefined when no record has it. */
export function resolveExactly(records: Records, path: Path): Field | undefined {
  const inside =
    path[0]?.selectors[0]?.kind === 'all' && records.path.length === 0 ? path.slice(1) : undefined
  if (inside && reaches(records, inside)) return field(inside)
  if (reaches(records, path)) return field(path)
  const below = withoutRoot(records, path)
  if (below && reaches(records, below)) return field(below)
  const scalars = records.values.length > 0 && !isObject(records.values[0] ?? null)
  return scalars && /^_?value$/.test(formatPath(path)) ? { name: '@', path: [] } : undefined
}

/** True when at least one record has something there. */
function reaches(records: Records, path: Path): boolean {
  const work = newWork()
  const into: [] = []
  return records.values.some((record) => {
    readValues(record, path, into, work)
    return into.length > 0
  })
}

/** The part of a path from the root that lies within a record: `name` of `items[*].name`. */
function withoutRoot(records: Records, path: Path): Path | undefined {
  const root = records.path
  if (root.length === 0 || path.length <= root.length) return undefined
  if (!root.every((_, at) => formatPath(path.slice(at, at + 1)) === formatPath(root.slice(at, at + 1))))
    return undefined
  const rest = path.slice(root.length)
  return rest[0]?.selectors[0]?.kind === 'all' ? rest.slice(1) : rest
}

/** Names that logs and tables use for the same. */
const synonyms = [
  ['level', 'severity', 'lvl', 'loglevel'],
  ['time', 'timestamp', 'ts', 'date', 'datetime'],
  ['message', 'msg'],
  ['logger', 'process', 'program', 'service', 'unit', 'source'],
  ['host', 'hostname'],
]

function synonym(records: Records, reference: string): string | undefined {
  const group = synonyms.find((names) => names.includes(spelling(reference)))
  return group && only([...records.names().keys()].filter((name) => group.includes(spelling(name))))
}

/** What to say of a field that no record has. */
function unknown(records: Records, reference: string): string {
  return missing(records.names(), reference) + records.hint(reference)
}

function missing(names: ReadonlyMap<string, readonly JsonValue[]>, reference: string): string {
  if (names.size === 0)
    return `The records have no fields; use \`@\` for the record itself instead of \`${reference}\`.`
  const near = nearest(reference, names.keys(), 4)
  if (near.length === 0)
    return `No record has the field \`${reference}\`. There are: ${listed([...names.keys()], 15)}.`
  const described = near.map(
    (name) => `\`${shown(name)}\` (${(names.get(name) ?? []).slice(0, 2).map(sample).join(', ')})`,
  )
  return `No record has the field \`${reference}\`. Nearest: ${described.join(', ')}.`
}

function sample(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' && value !== null ? 'object' : shown(JSON.stringify(value) ?? '', 24)
}

function field(path: Path): Field {
  return { name: path.length === 0 ? '@' : formatPath(path), path }
}

function noted(written: string, name: string, path: Path): Field {
  return { name, path, note: `\`${written}\` read as \`${name}\`.` }
}

/** The one field whose name is the same but for spelling. */
function alike(records: Records, reference: string): string | undefined {
  const names = [...records.names().keys()]
  const wanted = spelling(reference)
  if (wanted === '') return undefined
  return (
    only(names.filter((name) => spelling(name) === wanted)) ??
    shallowest(names.filter((name) => spelling(name).endsWith(`.${wanted}`))) ??
    only(names.filter((name) => spelling(name).endsWith(`(${wanted})`))) ??
    typo(names, wanted)
  )
}

/** The one that lies less deep than all others. */
function shallowest(names: readonly string[]): string | undefined {
  const depth = (name: string): number => parsePath(name).length
  const least = Math.min(...names.map(depth))
  return only(names.filter((name) => depth(name) === least))
}

function typo(names: readonly string[], wanted: string): string | undefined {
  if (wanted.length < 4) return undefined
  const allowed = wanted.length < 8 ? 1 : 2
  const scored = names.map((name) => ({
    name,
    edits: Math.min(slips(spelling(name), wanted), slips(spelling(last(name)), wanted)),
  }))
  const least = Math.min(...scored.map(({ edits }) => edits))
  return least > allowed
    ? undefined
    : only(scored.filter(({ edits }) => edits === least).map(({ name }) => name))
}

/** The last name of a nested field. */
function last(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** Edit distance, with two letters exchanged as one slip. */
function slips(a: string, b: string): number {
  const edits = editDistance(a, b)
  const letters = (text: string) => [...text].sort().join('')
  return edits === 2 && a.length === b.length && letters(a) === letters(b) ? 1 : edits
}

function only<T>(candidates: readonly T[]): T | undefined {
  return candidates.length === 1 ? candidates[0] : undefined
}

/** A name without case, `_`, `-`, the marks of lists and maps, and the brackets around keys. */
function spelling(name: string): string {
  return name
    .replaceAll(/\[\*\]|\.\*(?=\.|$)|[\s_-]/g, '')
    .replaceAll(/\["(.*?)"\]/g, (_, key: string, at: number) => (at === 0 ? key : `.${key}`))
    .toLowerCase()
}
