/** Names that are a field as they are written. */
import { isObject } from '../../protocol/json.ts'
import { formatPath, type Path } from '../path/path.ts'
import type { Records } from '../records.ts'
import { alike } from './alike.ts'
import { type Field, fieldAt, readAs } from './field.ts'
import { reaches } from './reach.ts'

/** As written, within a record or from the root through the records. Undefined when no record has it. */
export function resolveExactly(records: Records, path: Path): Field | undefined {
  const inside =
    path[0]?.selectors[0]?.kind === 'all' && records.path.length === 0 ? path.slice(1) : undefined
  if (inside && inside.length > 0 && reaches(records, inside)) return fieldAt(inside)
  if (reaches(records, path)) return fieldAt(path)
  const below = withoutRoot(records, path)
  if (below && reaches(records, below)) return ownAlike(records, path) ?? fieldAt(below)
  const scalars = records.values.length > 0 && !isObject(records.values[0] ?? null)
  return scalars && /^_?value$/.test(formatPath(path)) ? { name: '@', path: [] } : undefined
}

/** A field of the records that is called like the list they are in, with a map on its way. */
function ownAlike(records: Records, path: Path): Field | undefined {
  if (!reaches(records, path.slice(0, 1))) return undefined
  const found = alike(records.names(), formatPath(path))
  return found && 'one' in found ? readAs(formatPath(path), found.one) : undefined
}

/** The part of a path from the root that lies within a record: `name` of `items[*].name`. */
export function withoutRoot(records: Records, path: Path): Path | undefined {
  const root = records.path
  if (root.length === 0 || path.length <= root.length) return undefined
  if (!root.every((_, at) => formatPath(path.slice(at, at + 1)) === formatPath(root.slice(at, at + 1))))
    return undefined
  const rest = path.slice(root.length)
  return rest[0]?.selectors[0]?.kind === 'all' ? rest.slice(1) : rest
}
