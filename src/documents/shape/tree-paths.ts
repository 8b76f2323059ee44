/** Where a node of a tree is, by the names on the way: `src/lib/a.ts` for a node of a tree of folders. */
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { type Nesting, nestedIn, withField } from './collections.ts'

/** Nodes that are looked at. */
const MOST_NODES = 200_000

/** The fields by which a node is called. */
const CALLED = ['name', 'title', 'label']

/**
 * Nodes of the trees that begin with `roots`, each with the names on its way in `_path`. The nodes stay unchanged where a node on the way
 * has no name.
 */
export function withPaths(
  roots: readonly JsonValue[],
  nodes: readonly JsonValue[],
  nesting: Nesting,
): readonly JsonValue[] {
  const field = CALLED.find((name) =>
    roots.every((root) => isObject(root) && typeof own(root, name) === 'string'),
  )
  if (field === undefined) return nodes
  const paths = new Map<JsonValue, string>()
  const open: { node: JsonValue; above: string }[] = roots.map((node) => ({ node, above: '' }))
  for (let next = open.pop(); next !== undefined && paths.size < MOST_NODES; next = open.pop()) {
    const { node, above } = next
    const name = isObject(node) ? own(node, field) : undefined
    if (typeof name !== 'string') continue
    const path = above === '' ? name : `${above}/${name}`
    paths.set(node, path)
    for (const below of nestedIn(node, nesting)) open.push({ node: below, above: path })
  }
  return nodes.map((node) => {
    const path = paths.get(node)
    return path === undefined ? node : withField('_path', path, node)
  })
}
