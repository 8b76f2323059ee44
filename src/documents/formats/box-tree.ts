/** Trees drawn with lines, as `tree`, `npm ls` and `cargo tree` print them. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { defineFormat } from './define.ts'

const NODE = /^([│| \u00a0]{0,400}?)(?:[├└╰][─━]+┬?|\|--|`--|\+---?|\\---?)[ \u00a0]?(.+)$/
const SUM = /^\d+ director(?:y|ies)(?:, \d+ files?)?$/
/** A package and its version, with remarks around: `UNMET PEER DEPENDENCY a@^1 deduped`, `b v1.2.0 (*)`. */
const PACKAGES: readonly RegExp[] = [
  /^((?:[A-Z]{2,20} ){0,4})(@?[^\s@]{1,214})@(\S{1,200})((?: .*)?)$/,
  /^()([\w.-]{1,214}) v(\d\S{0,200})((?: .*)?)$/,
]
const VERSION = /^(?:npm:\S{1,200}@)?[v^~<>=]{0,3}\d+(?:[.+-]|$)/
const LEAST = 5
const SAMPLE = 500
/** The share of lines that are nodes, roots aside. */
const MOSTLY = 0.8
const LONGEST = 4_096

interface Node extends JsonObject {
  line: number
  depth: number
  name: string
  path: string
}

/**
 * Records `{line, depth, name, version?, note?, path}`: a path is the nodes on the way from below the root, of several from the root, as they
 * stand. Undefined for anything else.
 */
function readBoxTree(text: string): (() => JsonValue[]) | undefined {
  if (!/[├└╰][─━]|^ ?(?:\|--|`--|\+--)/m.test(text.slice(0, LONGEST))) return undefined
  const lines = indexLines(text)
  let [nodes, others] = [0, 0]
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  for (let index = 0; index < lines.count; index += step) {
    const line = at(lines, index)
    if (NODE.test(line)) nodes++
    else if (line.trim() !== '' && !SUM.test(line) && !NODE.test(at(lines, index + 1))) others++
  }
  return nodes < LEAST || nodes < (nodes + others) * MOSTLY ? undefined : () => records(lines)
}

function at(lines: LineIndex, index: number): string {
  return lines.at(index).slice(0, LONGEST)
}

function records(lines: LineIndex): JsonValue[] {
  const found: Node[] = []
  const nodes = Array.from({ length: lines.count }, (_, index) => NODE.exec(at(lines, index)))
  const isRoot = (_: unknown, index: number): boolean =>
    !nodes[index] && nodes[index + 1] !== null && index + 1 < nodes.length && at(lines, index).trim() !== ''
  const areSeveral = nodes.filter(isRoot).length > 1
  let root: string[] = []
  /** How far in the nodes on the way are, and their names. */
  let open: { indent: number; name: string }[] = []
  for (let index = 0; index < lines.count; index++) {
    const [, before, name] = nodes[index] ?? []
    if (before === undefined || name === undefined) {
      // A root, or what stands below all trees.
      open = []
      if (!isRoot(undefined, index)) continue
      const title = at(lines, index).trim()
      root = areSeveral ? [title] : []
      found.push({ line: index + 1, depth: 0, name: title, path: root.join('/') })
      continue
    }
    open = open.filter(({ indent }) => indent < before.length)
    open.push({ indent: before.length, name: name.trim() })
    found.push({
      line: index + 1,
      depth: open.length,
      name: name.trim(),
      path: [...root, ...open.map((one) => one.name)].join('/'),
    })
  }
  return withVersions(found)
}

/** Nodes that are packages, with their versions and the remarks on them apart; others as they are. */
function withVersions(nodes: readonly Node[]): JsonObject[] {
  const packages = PACKAGES.map((pattern) => nodes.map(({ name }) => pattern.exec(name))).find(
    (all) => all.filter((match) => VERSION.test(match?.[3] ?? '')).length >= nodes.length * MOSTLY,
  )
  if (!packages) return [...nodes]
  return nodes.map((node, at) => {
    const [, before = '', name, version, after = ''] = packages[at] ?? []
    if (name === undefined || version === undefined) return node
    const { line, depth, path } = node
    const note = [before.trim(), after.trim()].filter((part) => part !== '').join(', ')
    return { line, depth, name, version, ...(note === '' ? {} : { note }), path }
  })
}

/** Never takes a text that shows a tree among other things. */
export const boxTree = defineFormat({
  name: 'drawn tree',
  family: 'entries',
  detect: readBoxTree,
  read: (_, read) => read(),
  overview: overviewOfEntries,
})
