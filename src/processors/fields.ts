/** From the name of a field, as a model writes it, to the field that is meant. */
import { isObject, type JsonValue } from '../protocol/json.ts'
import { nearest } from '../text/edit-distance.ts'
import { alike, typo } from './fields/alike.ts'
import { halvesOf, taggedIn } from './fields/tagged.ts'
import { equalsText } from './fields/values.ts'
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
 * a pair in a list (`Tags.Name`); another case, `_` and `-` aside, levels left out; with leading names dropped; a typo
 * away. Of several that fit, the one that has one of the values `wanted`. Throws a `Refusal` with the nearest names
 * and some of their values.
 */
export function resolveField(records: Records, reference: string, wanted: readonly string[] = []): Field {
  const written = shown(reference)
  const plain = withoutOtherMarks(reference)
  const path = parsePath(plain)
  const exact = resolveExactly(records, parsePath(reference)) ?? resolveExactly(records, path)
  if (exact) return exact
  if (records.whole.length === 0) return field(path)
  const below = withoutRoot(records, path) ?? path
  const found =
    pair(records, below, written) ??
    spelledAlike(records, below, written, wanted) ??
    shortened(records, below, written) ??
    pairAnywhere(records, below, written) ??
    other(records, below, written)
  if (found) return found
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
  if (inside && inside.length > 0 && reaches(records, inside)) return field(inside)
  if (reaches(records, path)) return field(path)
  const below = withoutRoot(records, path)
  if (below && reaches(records, below)) return field(below)
  const scalars = records.values.length > 0 && !isObject(records.values[0] ?? null)
  return scalars && /^_?value$/.test(formatPath(path)) ? { name: '@', path: [] } : undefined
}

/** `a?.b`, `a->>'b'`, `/a/b`, `a__b` in dots. */
function withoutOtherMarks(reference: string): string {
  const plain = reference
    .trim()
    .replaceAll('?.', '.')
    .replaceAll(
      /\s*->>?\s*(?:'([^']*)'|"([^"]*)"|(\w+))/g,
      (_, single?: string, double?: string, bare?: string) => `.${single ?? double ?? bare ?? ''}`,
    )
  if (/^\/[^/\s]/.test(plain)) return plain.slice(1).replaceAll('~1', '/').split('/').join('.')
  return /^\w+(?:__\w+)+$/.test(plain) ? plain.replaceAll('__', '.') : plain
}

/** True when at least one record has something there. */
function reaches(records: Records, path: Path): boolean {
  const work = newWork()
  const into: [] = []
  return records.whole.some((record) => {
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

/** `Tags.Name`, the list under any of its spellings; the key may have dots in it. */
function pair(records: Records, path: Path, written: string): Field | undefined {
  for (let at = path.length - 1; at >= 1; at--) {
    const names = path
      .slice(at)
      .map(({ selectors: [first] }) => (first?.kind === 'name' ? first.name : undefined))
    if (names.some((name) => name === undefined)) return undefined
    const list =
      resolveExactly(records, path.slice(0, at)) ?? spelledAlike(records, path.slice(0, at), '', [])
    const found = list && taggedIn(records, list.path, list.name, names.join('.'))
    if (found)
      return {
        name: `${list.name}.${found.key}`,
        path: found.path,
        note: `\`${written}\` read as \`${found.written}\`.`,
      }
  }
  return undefined
}

/** `Content-Type`, the key of a pair in the only list that has such. */
function pairAnywhere(records: Records, path: Path, written: string): Field | undefined {
  const [only] = path[0]?.selectors ?? []
  if (path.length !== 1 || only?.kind !== 'name') return undefined
  const work = newWork()
  const lists = [...records.names()].flatMap(([name]): Path[] => {
    const [, list] = /^(.+)\.[@#]?\w+$/.exec(name) ?? []
    return list === undefined ? [] : [parsePath(list)]
  })
  const distinct = new Map(lists.map((list) => [formatPath(list), list]))
  const found = [...distinct].slice(0, 200).flatMap(([name, list]) => {
    const values: JsonValue[] = []
    for (const record of records.values.slice(0, 20)) readValues(record, list, values, work)
    if (!values.flat().some((element) => halvesOf(element))) return []
    const tagged = taggedIn(records, list, name, only.name)
    return tagged
      ? [
          {
            name: `${name}.${tagged.key}`,
            path: tagged.path,
            note: `\`${written}\` read as \`${tagged.written}\`.`,
          },
        ]
      : []
  })
  if (found.length > 1)
    throw new Refusal(`\`${written}\` is in ${listed(found.map(({ name }) => name))}: name one of them.`)
  return found[0]
}

function spelledAlike(
  records: Records,
  path: Path,
  written: string,
  wanted: readonly string[],
): Field | undefined {
  const found = alike(records.names(), formatPath(path))
  if (!found) return undefined
  if ('one' in found) {
    const also = found.others.length > 0 ? ` There is ${listed(found.others, 3)} as well.` : ''
    return noted(written, found.one, also)
  }
  const having =
    wanted.length === 0 ? [] : found.several.filter((name) => hasOne(records, parsePath(name), wanted))
  const [one, another] = having
  if (one !== undefined && another === undefined) {
    return noted(written, one, ` Of ${listed(found.several, 4)} only that has the value.`)
  }
  const described = withSamples(records, found.several.slice(0, 6))
  throw new Refusal(`\`${written}\` may be several fields; write one of them in full. Nearest: ${described}.`)
}

/** `issues.state` for `state`, when the records have nothing that is called like what is dropped. */
function shortened(records: Records, path: Path, written: string): Field | undefined {
  const [first] = path
  if (path.length < 2 || (first && reaches(records, [{ ...first, dotted: [] }]))) return undefined
  if (first && alike(records.names(), formatPath([first]))) return undefined
  if (!mayBeAlias(records, path)) return undefined
  for (let drop = 1; drop < path.length; drop++) {
    const rest = path.slice(drop)
    if (rest[0]?.selectors[0]?.kind !== 'name') continue
    if (reaches(records, rest)) return noted(written, formatPath(rest))
    const found = alike(records.names(), formatPath(rest))
    if (found && 'one' in found && parsePath(found.one).length === rest.length)
      return noted(written, found.one)
  }
  return undefined
}

/** Names that a record has as a variable, and those of fields that things of every kind have. */
const variables =
  /^(?:items?|records?|rows?|x|y|r|i|e|o|v|it|self|this|entry|entries|elements?|obj|object|data|value|node|results?|\w{1,3})$/i
const common = /^(?:_?id|name|type|title|key|value|url|state|status|login|email|date|description|label|ref)$/i

/** True when the first name may stand for the record: `issues.state`, `x.price`, but not `owner.name`. */
function mayBeAlias(records: Records, [first, ...rest]: Path): boolean {
  const name = first?.selectors[0]?.kind === 'name' ? first.selectors[0].name : '*'
  const last = formatPath(rest.slice(-1))
  const roots = records.path.map((segment) => formatPath([segment]).toLowerCase())
  return (
    variables.test(name) ||
    /[^s]s$|^\*$/.test(name) ||
    roots.some((root) => root.startsWith(name.toLowerCase())) ||
    !common.test(last)
  )
}

function other(records: Records, path: Path, written: string): Field | undefined {
  const wanted = formatPath(path)
  const name = synonym(records, wanted) ?? typo(records.names(), wanted)
  return name === undefined ? undefined : noted(written, name)
}

function hasOne(records: Records, path: Path, wanted: readonly string[]): boolean {
  const work = newWork()
  return records.values.some((record) => {
    const values: JsonValue[] = []
    readValues(record, path, values, work)
    return values.flat().some((value) => wanted.some((text) => equalsText(value, text)))
  })
}

/** Names that logs and tables use for the same. */
const synonyms = [
  ['level', 'severity', 'lvl', 'loglevel'],
  ['time', 'timestamp', 'ts', 'date', 'datetime', '@timestamp'],
  ['message', 'msg'],
  ['logger', 'process', 'program', 'service', 'unit', 'source'],
  ['host', 'hostname'],
]

function synonym(records: Records, reference: string): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')
  const group = synonyms.find((names) => names.includes(plain(reference)))
  const found = group ? [...records.names().keys()].filter((name) => group.includes(plain(name))) : []
  return found.length === 1 ? found[0] : undefined
}

/** What to say of a field that no record has. */
function unknown(records: Records, reference: string): string {
  return missing(records, reference) + records.hint(reference)
}

function missing(records: Records, reference: string): string {
  const names = records.names()
  if (names.size === 0)
    return `The records have no fields; use \`@\` for the record itself instead of \`${reference}\`.`
  const near = nearest(reference, names.keys(), 4)
  if (near.length === 0)
    return `No record has the field \`${reference}\`. There are: ${listed(outerFirst([...names.keys()]), 25)}.`
  return `No record has the field \`${reference}\`. Nearest: ${withSamples(records, near)}.`
}

function outerFirst(names: readonly string[]): string[] {
  const depth = (name: string): number => name.split(/[.[]/).length
  return [...names].sort((a, b) => depth(a) - depth(b))
}

function withSamples(records: Records, names: readonly string[]): string {
  return names
    .map(
      (name) =>
        `\`${shown(name)}\` (${(records.names().get(name) ?? []).slice(0, 2).map(sample).join(', ')})`,
    )
    .join(', ')
}

function sample(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' && value !== null ? 'object' : shown(JSON.stringify(value) ?? '', 24)
}

function field(path: Path): Field {
  return { name: path.length === 0 ? '@' : formatPath(path), path }
}

function noted(written: string, name: string, more = ''): Field {
  const path = parsePath(name)
  return { name: formatPath(path), path, note: `\`${written}\` read as \`${formatPath(path)}\`.${more}` }
}
