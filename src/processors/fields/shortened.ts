/** References with names before the field: of the list, of a variable, of the kind of record. */
import { parsePath } from '../path/parse.ts'
import { formatPath, type Path } from '../path/path.ts'
import type { Records } from '../records.ts'
import { alike } from './alike.ts'
import { type Field, readAs } from './field.ts'
import { reaches } from './reach.ts'

/** `issues.state` for `state`, when the records have nothing that is called like what is dropped. */
export function shortened(records: Records, path: Path, written: string): Field | undefined {
  const [first] = path
  const prefixed = path.length === 1 ? withoutKind(records, path) : undefined
  if (prefixed) return readAs(written, prefixed)
  if (path.length < 2 || (first && reaches(records, [{ ...first, dotted: [] }]))) return undefined
  if (first && alike(records.names(), formatPath([first]))) return undefined
  if (!mayBeAlias(records, path)) return undefined
  for (let drop = 1; drop < path.length; drop++) {
    const rest = path.slice(drop)
    if (rest[0]?.selectors[0]?.kind !== 'name') continue
    if (reaches(records, rest)) return readAs(written, formatPath(rest))
    const found = alike(records.names(), formatPath(rest))
    if (found && 'one' in found && (isRoot(records, path) || parsePath(found.one).length === rest.length))
      return readAs(written, found.one)
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
