/** Fields that are called like a reference but for its spelling, and which of several is meant. */
import type { JsonValue } from '../../protocol/json.ts'
import { parsePath } from '../path/parse.ts'
import { formatPath, newWork, type Path } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { listed, Refusal } from '../refusal.ts'
import { alike, type Candidates, shallowest } from './alike.ts'
import { type Field, fieldAt, readAs } from './field.ts'
import { holding } from './holding.ts'
import { pairAnywhere } from './in-pairs.ts'
import { hasOne } from './reach.ts'
import { withSamples } from './unknown.ts'

/** The field that is alike; of several the one that has one of the values `wanted`. Throws a `Refusal` where it may be any of them. */
export function spelledAlike(
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
    const others = [...new Set([...found.others, ...sameLetters(records, path, found.one)])]
    const also = others.length > 0 ? ` There is ${listed(others, 3)} as well.` : ''
    return readAs(written, found.one, also)
  }
  const map = mapOf(records, found.several)
  if (map) return { ...map, note: `\`${written}\` read as \`${map.name}\`.` }
  const having =
    wanted.length === 0 ? [] : found.several.filter((name) => hasOne(records, parsePath(name), wanted))
  const [one, another] = having
  if (one !== undefined && another === undefined) {
    return readAs(written, one, ` Of ${listed(found.several, 4)} only that has the value.`)
  }
  const described = withSamples(records, found.several.slice(0, 6))
  throw new Refusal(`\`${written}\` may be several fields; write one of them in full. Nearest: ${described}.`)
}

/** `tags.Name` for `Name` that was read as `name`: deeper down it is written to the letter. */
function sameLetters(records: Records, path: Path, one: string): string[] {
  const written = formatPath(path)
  if (path.length !== 1 || one === written || one.endsWith(`.${written}`)) return []
  return [...records.names().keys()].filter((name) => name !== one && name.endsWith(`.${written}`))
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
    .map((name) => readAs(written, name))
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
  return everywhere ? undefined : fieldAt([...first.slice(0, at), ...parsePath('*'), ...first.slice(at + 1)])
}
