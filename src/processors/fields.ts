/** From the name of a field, as a model writes it, to the field that is meant. */
import { isObject, type JsonValue } from '../protocol/json.ts'
import { nearest } from '../text/edit-distance.ts'
import { alike, type Candidates, shallowest, typo } from './fields/alike.ts'
import { holding } from './fields/holding.ts'
import { halvesOf } from './fields/pairs.ts'
import { taggedIn } from './fields/tagged.ts'
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
  const colons = !reference.includes(':') ? undefined : parsePath(plain.replaceAll(':', '.'))
  const found =
    (colons && pair(records, colons, written)) ??
    pair(records, below, written) ??
    spelledAlike(records, below, written, wanted) ??
    shortened(records, below, written) ??
    pairAnywhere(records, below, written) ??
    other(records, below, written)
  if (found) return found
  if (records.names().size === 0 && itself.test(formatPath(path))) {
    return {
      name: '@',
      path: [],
      note: `The records are values without fields: \`${written}\` read as the value itself.`,
    }
  }
  throw new Refusal(unknown(records, written))
}

/** What a value without fields may be called. Any other name would be a field, which it does not have. */
const itself =
  /^(?:_?values?|lines?|text|items?|elements?|entry|record|row|it|self|this|val|string|word|[a-z_])$/i

/** As written, within a record or from the root through the records. Undefined when no record has it. */
export function resolveExactly(records: Records, path: Path): Field | undefined {
  const inside =
    path[0]?.selectors[0]?.kind === 'all' && records.path.length === 0 ? path.slice(1) : undefined
  if (inside && inside.length > 0 && reaches(records, inside)) return field(inside)
  if (reaches(records, path)) return field(path)
  const below = withoutRoot(records, path)
  if (below && reaches(records, below)) return ownAlike(records, path) ?? field(below)
  const scalars = records.values.length > 0 && !isObject(records.values[0] ?? null)
  return scalars && /^_?value$/.test(formatPath(path)) ? { name: '@', path: [] } : undefined
}

/** A field of the records that is called like the list they are in, with a map on its way. */
function ownAlike(records: Records, path: Path): Field | undefined {
  if (!reaches(records, path.slice(0, 1))) return undefined
  const found = alike(records.names(), formatPath(path))
  return found && 'one' in found ? noted(formatPath(path), found.one) : undefined
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
  if (lacksName(records, path[0])) return false
  const work = newWork()
  const into: [] = []
  return records.whole.some((record) => {
    readValues(record, path, into, work)
    return into.length > 0
  })
}

/** Names of fields that are remembered; records with more are gone through each time. */
const mostKnown = 5_000

const knownNames = new WeakMap<readonly JsonValue[], ReadonlySet<string> | 'many'>()

/** True when it is known that no record has a field of the name that a path begins with. Names are listed once. */
function lacksName({ values }: Records, segment: Path[number] | undefined): boolean {
  const [only, ...others] = segment?.selectors ?? []
  if (segment === undefined || segment.deep || only?.kind !== 'name' || others.length > 0) return false
  const known = knownNames.get(values) ?? listNames(values)
  knownNames.set(values, known)
  return known !== 'many' && !known.has(only.name) && !segment.dotted.some(({ name }) => known.has(name))
}

function listNames(values: readonly JsonValue[]): ReadonlySet<string> | 'many' {
  const names = new Set<string>()
  for (const value of values) {
    // Lists and JSON in strings are looked into as well.
    if (!isObject(value)) return 'many'
    for (const name in value) names.add(name)
    if (names.size > mostKnown) return 'many'
  }
  return names
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
    const list = resolveExactly(records, path.slice(0, at)) ?? listAlike(records, path.slice(0, at))
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

function listAlike(records: Records, path: Path): Field | undefined {
  const found = alike(records.names(), formatPath(path))
  return found && 'one' in found ? noted('', found.one) : undefined
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
  const spelled = alike(records.names(), formatPath(path))
  const found = spelled && withValues(records, spelled)
  if (!found) return undefined
  if ('one' in found) {
    const better = betterOne(records, path, found, wanted, written)
    if (better) return better
    const also = found.others.length > 0 ? ` There is ${listed(found.others, 3)} as well.` : ''
    return noted(written, found.one, also)
  }
  const map = mapOf(records, found.several)
  if (map) return { ...map, note: `\`${written}\` read as \`${map.name}\`.` }
  const having =
    wanted.length === 0 ? [] : found.several.filter((name) => hasOne(records, parsePath(name), wanted))
  const [one, another] = having
  if (one !== undefined && another === undefined) {
    return noted(written, one, ` Of ${listed(found.several, 4)} only that has the value.`)
  }
  const described = withSamples(records, found.several.slice(0, 6))
  throw new Refusal(`\`${written}\` may be several fields; write one of them in full. Nearest: ${described}.`)
}

/** Without the fields that hold nothing, unless none of them holds anything. */
function withValues(records: Records, found: NonNullable<Candidates>): NonNullable<Candidates> {
  const names = 'one' in found ? [found.one, ...found.others] : found.several
  const held = names.length > 1 ? holding(records, names) : names
  return held.length === 0 || held.length === names.length ? found : (shallowest(held) ?? found)
}

/** When what is meant by its name has none of the values: the one other field that has. */
function betterOne(
  records: Records,
  path: Path,
  { one, others }: { one: string; others: readonly string[] },
  wanted: readonly string[],
  written: string,
): Field | undefined {
  if (wanted.length === 0 || hasOne(records, parsePath(one), wanted)) return undefined
  const having = others
    .filter((name) => hasOne(records, parsePath(name), wanted))
    .map((name) => noted(written, name))
  let tagged: Field | undefined
  try {
    tagged = pairAnywhere(records, path, written)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  if (tagged && hasOne(records, tagged.path, wanted)) having.push(tagged)
  const [only, another] = having
  return only && !another
    ? { ...only, note: `${only.note ?? ''} Of the fields called so only that has the value.` }
    : undefined
}

/** `members.*.score` for `members.ann.score`, `members.bo.score`, …: keys that differ from record to record are data. */
function mapOf(records: Records, names: readonly string[]): Field | undefined {
  const paths = names.map(parsePath)
  const [first] = paths
  if (!first || paths.some(({ length }) => length !== first.length)) return undefined
  const differing = first.flatMap((_, at) =>
    new Set(paths.map((path) => formatPath(path.slice(at, at + 1)))).size > 1 ? [at] : [],
  )
  const [at] = differing
  if (differing.length !== 1 || at === undefined || at === 0) return undefined
  const everywhere = records.values.some((record) =>
    paths.every((path) => {
      const values: JsonValue[] = []
      readValues(record, path.slice(0, at + 1), values, newWork())
      return values.length > 0
    }),
  )
  return everywhere ? undefined : field([...first.slice(0, at), ...parsePath('*'), ...first.slice(at + 1)])
}

/** `issues.state` for `state`, when the records have nothing that is called like what is dropped. */
function shortened(records: Records, path: Path, written: string): Field | undefined {
  const [first] = path
  const prefixed = path.length === 1 ? withoutKind(records, path) : undefined
  if (prefixed) return noted(written, prefixed)
  if (path.length < 2 || (first && reaches(records, [{ ...first, dotted: [] }]))) return undefined
  if (first && alike(records.names(), formatPath([first]))) return undefined
  if (!mayBeAlias(records, path)) return undefined
  for (let drop = 1; drop < path.length; drop++) {
    const rest = path.slice(drop)
    if (rest[0]?.selectors[0]?.kind !== 'name') continue
    if (reaches(records, rest)) return noted(written, formatPath(rest))
    const found = alike(records.names(), formatPath(rest))
    if (found && 'one' in found && (isRoot(records, path) || parsePath(found.one).length === rest.length))
      return noted(written, found.one)
  }
  return undefined
}

/** Names that a record has as a variable, and those of fields that things of every kind have. */
const variables =
  /^(?:items?|records?|rows?|x|y|r|i|e|o|v|it|self|this|entry|entries|elements?|obj|object|data|value|node|results?|\w{1,3})$/i
const common = /^(?:_?id|name|type|title|key|value|url|state|status|login|email|date|description|label|ref)$/i

/** `resource_type` for `type` of resources. */
function withoutKind(records: Records, path: Path): string | undefined {
  const kind =
    records.path.length === 0 ? '' : formatPath(records.path.slice(-1)).toLowerCase().replace(/s$/, '')
  const name = formatPath(path)
  if (kind.length < 3 || !name.toLowerCase().startsWith(kind)) return undefined
  const rest = name.slice(kind.length).replace(/^[_-]/, '')
  const found = rest === '' ? undefined : alike(records.names(), rest)
  return found && 'one' in found && parsePath(found.one).length === 1 ? found.one : undefined
}

/** True when the first name is one on the way to the records, or a variable. */
function isRoot(records: Records, [first]: Path): boolean {
  const name = first?.selectors[0]?.kind === 'name' ? first.selectors[0].name.toLowerCase() : '*'
  return variables.test(name) || records.path.some((segment) => formatPath([segment]).toLowerCase() === name)
}

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
  const outer = outerOf(records, reference)
  if (outer !== undefined) return outer
  const near = nearest(reference, names.keys(), 4)
  if (near.length === 0)
    return `No record has the field \`${reference}\`. There are: ${listed(outerFirst([...names.keys()]), 25)}.`
  return `No record has the field \`${reference}\`. Nearest: ${withSamples(records, near)}.`
}

/** `user.name`: what `user` has. */
function outerOf(records: Records, reference: string): string | undefined {
  const start = /^(.+)[.[][^.[]+$/.exec(reference)?.[1]
  const inside =
    start === undefined
      ? []
      : [...records.names().keys()].filter(
          (name) => name.startsWith(`${start}.`) || name.startsWith(`${start}[`),
        )
  if (inside.length === 0) return undefined
  return `No record has the field \`${reference}\`. \`${start}\` has: ${withSamples(records, inside.slice(0, 8))}.`
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
