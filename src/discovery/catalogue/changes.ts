/** What became of a server's tools from one listing to the next. */
import { type KnownTool, keyOf } from './known-tool.ts'

export interface Changes {
  readonly added: readonly KnownTool[]
  /** Those of a known name that are not what they were. */
  readonly changed: readonly KnownTool[]
  readonly removed: readonly KnownTool[]
  /** How many stayed as they are. */
  readonly unchanged: number
}

/** Compares two lists that name no tool twice. */
export function changesBetween(before: readonly KnownTool[], after: readonly KnownTool[]): Changes {
  const left = new Map(before.map((tool) => [keyOf(tool), tool]))
  const added: KnownTool[] = []
  const changed: KnownTool[] = []
  for (const tool of after) {
    const key = keyOf(tool)
    const known = left.get(key)
    left.delete(key)
    if (known === undefined) added.push(tool)
    else if (!same(known, tool)) changed.push(tool)
  }
  const removed = [...left.values()]
  return { added, changed, removed, unchanged: after.length - added.length - changed.length }
}

export function isEmpty({ added, changed, removed }: Changes): boolean {
  return added.length + changed.length + removed.length === 0
}

/** The hash leaves out what no search sees, such as annotations, and those are shown to clients as well. */
function same(a: KnownTool, b: KnownTool): boolean {
  if (a === b) return true
  return (
    a.hash === b.hash &&
    a.vectorId === b.vectorId &&
    JSON.stringify(a.definition) === JSON.stringify(b.definition)
  )
}
