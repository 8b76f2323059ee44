/** The overview of a tree, as accessibility snapshots are: how many of each role, what can be acted on. */
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import { formatPlural } from '../../text/format.ts'
import type { Document } from '../document.ts'
import type { Template } from '../fit.ts'
import { call } from '../template.ts'
import type { Overview } from './overview.ts'
import { endsOf } from './text.ts'
import { distinctiveWords } from './words.ts'

/** Roles that a user acts on. */
const ACTIVE = [
  'button',
  'textbox',
  'combobox',
  'checkbox',
  'radio',
  'link',
  'tab',
  'menuitem',
  'searchbox',
  'switch',
]

export function overviewOfTree(document: Document): Overview {
  const nodes = (document.records()?.values ?? []).filter(isObject)
  const roles = new Map<string, JsonObject[]>()
  for (const node of nodes) {
    const role = String(node.role)
    const list = roles.get(role)
    if (list) list.push(node)
    else roles.set(role, [node])
  }
  const counted = [...roles].sort((one, other) => other[1].length - one[1].length)
  // Single controls, such as the search box of a page, say more than the hundredth link.
  const active = ACTIVE.filter((role) => roles.has(role)).sort(
    (one, other) => (roles.get(one)?.length ?? 0) - (roles.get(other)?.length ?? 0),
  )
  return {
    totals: [formatPlural(document.lines().count, 'line'), formatPlural(nodes.length, 'node')],
    type: (max) => (max > TYPE.length ? TYPE : ''),
    facts: [
      `roles: ${counted
        .slice(0, 16)
        .map(([role, list]) => `${role} ×${list.length}`)
        .join(', ')}`,
      ...(roles.has('heading') ? [`heading: ${named(roles.get('heading') ?? [])}`] : []),
      ...active.map((role) => `${role}: ${named(roles.get(role) ?? [])}`),
    ],
    sample: (max) => endsOf(document, Math.min(max, 280)),
    calls: [
      ...active
        .slice(-2)
        .reverse()
        .map((role) => call('proxy_filter', { where: [`role = ${role}`], fields: ['line', 'name', 'ref'] })),
      ...treeSearch(nodes),
    ],
  }
}

const TYPE = '{line: number, depth: number, role, name?, ref?, text?} (no type: string)'

/** Names with the reference of the first that has it: `"Add to cart" [b0] ×150, "Home" [e1], …42 more`. */
function named(nodes: readonly JsonObject[]): string {
  const groups = new Map<string, { ref: string; count: number }>()
  for (const node of nodes) {
    const name = String(own(node, 'name') ?? own(node, 'text') ?? '')
    const group = groups.get(name)
    if (group) group.count += 1
    else groups.set(name, { ref: node.ref === undefined ? '' : ` [${node.ref}]`, count: 1 })
  }
  let text = ''
  let told = 0
  for (const [name, { ref, count }] of groups) {
    const next = `${told > 0 ? ', ' : ''}${JSON.stringify(ellipsis(name, 40))}${ref}${count > 1 ? ` ×${count}` : ''}`
    if (told > 0 && text.length + next.length > 150) break
    text += next
    told += 1
  }
  return told < groups.size ? `${text}, …${groups.size - told} more` : text
}

function treeSearch(nodes: readonly JsonObject[]): Template[] {
  const [word] = distinctiveWords(
    nodes.map(({ name }) => String(name ?? '')),
    1,
  )
  return word === undefined ? [] : [call('proxy_search', { pattern: word, context_lines: 2 })]
}
