/** Indented trees with a role a line: accessibility snapshots of browsers and the like. */

import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { groupedBy } from '../../text/groups.ts'
import { indexLines } from '../../text/lines.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { Document } from '../document.ts'
import type { Overview } from '../overview/overview.ts'
import { endsOf } from '../overview/sample.ts'
import { distinctiveWords } from '../overview/words.ts'
import { call, type Template } from '../template.ts'
import { exactNumber } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

// `- button "Save" [ref=e12] [cursor=pointer]: text` and `uid=1_3 link "Home" url="…"`.
const NODE =
  /^(\s*)(?:- )?(?:'|uid=(\S+) )?(?:([A-Za-z][\w-]*)|(?="))(?: ?"([^"\\]*(?:\\.[^"\\]*)*)")?((?: \[[^\]]*\])*)(?:: ?(.*)|(.*))$/
const LINE = /^\s*(?:- '?[a-z][\w-]*(?: "|: |:$| \[| ?$)|uid=\S+ ["A-Za-z])/
const LONGEST = 4096

/** True when most lines are nodes, and some of them name a reference or a quoted name. */
function looksLikeTree(start: string): boolean {
  const lines = indexLines(start)
  let nodes = 0
  let marked = 0
  let seen = 0
  for (let index = 0; index < lines.count && seen < 400; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '') continue
    seen += 1
    if (!LINE.test(line)) continue
    nodes += 1
    if (/\[ref=|\buid=|^\s*- [a-z]+ "/.test(line)) marked += 1
  }
  return seen >= 4 && nodes >= seen * 0.6 && marked >= seen * 0.3
}

/**
 * Records `{line, depth, role, name, ref or uid, url, text, …}`: `line` counts from 1, `depth` in steps of indentation. States in
 * brackets are fields: `[disabled]` is true, `[level=2]` the number. The `/url` below a link is its `url`.
 */
function readTree(text: string): JsonValue[] {
  const lines = indexLines(text)
  const records: JsonObject[] = []
  const indents: number[] = []
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    const property = PROPERTY.exec(line)
    const owner = records.at(-1)
    if (property && owner) {
      addOwn(owner, property[1] ?? '', unquoted(property[2] ?? ''))
      continue
    }
    const match = LINE.test(line) ? NODE.exec(line) : null
    if (!match) continue
    const [, indent = '', uid, role = 'text', name, brackets = '', value, rest] = match
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent.length) indents.pop()
    const record: JsonObject = { line: index + 1, depth: indents.length, role }
    indents.push(indent.length)
    if (name !== undefined) record.name = name.replace(/\\(["\\])/g, '$1')
    if (uid !== undefined) record.uid = uid
    for (const [, key = '', held] of brackets.matchAll(/\[([\w-]+)(?:=([^\]]*))?\]/g))
      addOwn(record, key, held === undefined ? true : (exactNumber(held) ?? held))
    // YAML puts a line in single quotes when it holds a colon.
    const said = (value ?? rest ?? '').trim().replace(/^'$|^':?\s*/, '')
    const words = value === undefined ? attributesOf(said, record, uid !== undefined) : unquoted(said)
    if (words !== '') record.text = words
    records.push(record)
  }
  return records
}

/** `- /url: https://…`, a property of the node above. */
const PROPERTY = /^\s*- \/([a-z][\w-]*): ?(.*)$/
/** `url="…"`, as other snapshots write behind a name. */
const ATTRIBUTE = /(?:^| )([a-z][\w-]*)="([^"]*)"/g

/** The rest of the words behind a name. Of DevTools, each word without a value is a state: `focusable focused`. */
function attributesOf(said: string, record: JsonObject, areStates: boolean): string {
  for (const [, key = '', value = ''] of said.matchAll(ATTRIBUTE))
    addOwn(record, key, exactNumber(value) ?? value)
  if (!areStates) return said
  const words = said.replace(ATTRIBUTE, ' ').trim().split(/\s+/)
  if (!words.every((word) => /^[a-z][a-z-]{1,40}$/.test(word))) return words.join(' ')
  for (const word of words) addOwn(record, word, true)
  return ''
}

function addOwn(record: JsonObject, key: string, value: JsonValue): void {
  if (!Object.hasOwn(record, key)) setOwn(record, key, value)
}

function unquoted(text: string): string {
  const [, inner] = /^"((?:[^"\\]|\\.)*)"$/.exec(text) ?? []
  return inner === undefined ? text : inner.replace(/\\(["\\])/g, '$1')
}

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
  'option',
  'slider',
  'spinbutton',
  'menuitemcheckbox',
  'menuitemradio',
  'treeitem',
]

const ACTIVE_NODE = new RegExp(`^(?:uid=\\S+ )?(?:${ACTIVE.join('|')})\\b|\\[cursor=pointer\\]`)

/** True for a node, written as `button "Save" [ref=e12]`, that a user acts on. */
export function isActive(node: string): boolean {
  return ACTIVE_NODE.test(node)
}

function overviewOfTree(document: Document): Overview {
  const nodes = (document.records()?.values ?? []).filter(isObject)
  const reference = nodes.some((node) => Object.hasOwn(node, 'uid')) ? 'uid' : 'ref'
  const roles = groupedBy(nodes, ({ role }) => String(role))
  const counted = [...roles].sort((one, other) => other[1].length - one[1].length)
  // Single controls, such as the search box of a page, say more than the hundredth link.
  const active = ACTIVE.filter((role) => roles.has(role)).sort(
    (one, other) => (roles.get(one)?.length ?? 0) - (roles.get(other)?.length ?? 0),
  )
  // Of pages that make controls of plain elements.
  const others = nodes.filter(({ role, cursor }) => cursor === 'pointer' && !ACTIVE.includes(String(role)))
  return {
    totals: [formatPlural(document.lines().count, 'line'), formatPlural(nodes.length, 'node')],
    type: (max) => (max > TYPE.length ? TYPE.replace('ref', reference) : ''),
    facts: [
      `roles: ${counted
        .slice(0, 16)
        .map(([role, list]) => `${role} ×${list.length}`)
        .join(', ')}`,
      ...(roles.has('heading') ? [`heading: ${named(roles.get('heading') ?? [])}`] : []),
      ...(others.length > 0 ? [`others to click: ${named(others)}`] : []),
      ...active.map((role) => `${role}: ${named(roles.get(role) ?? [])}`),
    ],
    sample: (max) => endsOf(document.lines(), Math.min(max, 160)),
    calls: [
      ...active
        .slice(-2)
        .reverse()
        .map((role) =>
          call('proxy_filter', { where: [`role = ${role}`], fields: ['line', 'name', reference] }),
        ),
      ...treeSearch(nodes),
    ],
  }
}

const TYPE = '{line: number, depth: number, role, name?, ref?, text?}'

/** Characters of the nodes of one role. A line of a preview holds no more than this and its role. */
const MOST_NAMED = 280

/**
 * Nodes by their names, each with its reference. Names that differ only in numbers are shown by the first and the last:
 * `"Cart (2)" [e5], "Add product 0" [b0] … "Add product 149" [b149] (150 alike), …42 more`.
 */
function named(nodes: readonly JsonObject[]): string {
  const families = groupedBy(nodes, (node) => nameOf(node).replace(/\d+/g, '0'))
  // A node that is there once is looked for by its name; of what repeats one is as good as another.
  const ranked = [...families.values()].sort(
    (one, other) => Math.min(one.length, 3) - Math.min(other.length, 3),
  )
  let text = ''
  let told = 0
  for (const family of ranked) {
    const [first, last, count] = [family[0] ?? {}, family.at(-1) ?? {}, family.length]
    const end = nameOf(last) === nameOf(first) ? referenceOf(last) : ` ${quoted(last)}`
    const alike = count > 1 ? ` …${end} (${count} alike)` : ''
    const next = `${told > 0 ? ', ' : ''}${quoted(first)}${alike}`
    if (told > 0 && text.length + next.length > MOST_NAMED) break
    text += next
    told += count
  }
  return told < nodes.length ? `${text}, …${nodes.length - told} more` : text
}

function nameOf(node: JsonObject): string {
  return String(own(node, 'name') ?? own(node, 'text') ?? '')
}

function quoted(node: JsonObject): string {
  return `${JSON.stringify(ellipsis(nameOf(node), 40))}${referenceOf(node)}`
}

/** The reference that an action takes. */
function referenceOf({ ref, uid }: JsonObject): string {
  const held = ref ?? uid
  return held === undefined ? '' : ` [${held}]`
}

function treeSearch(nodes: readonly JsonObject[]): Template[] {
  const [word] = distinctiveWords(
    nodes.map(({ name }) => String(name ?? '')),
    1,
  )
  return word === undefined ? [] : [call('proxy_search', { pattern: word, context_lines: 2 })]
}

/** Tried before drawn trees. Never takes lists of Markdown: some lines name a reference, or a role before a name in quotes. */
export const tree = defineFormat<true>({
  name: 'tree',
  family: 'tree',
  line: 'node',
  isOwnFact: () => true,
  detect: (text) => looksLikeTree(text.slice(0, BEGINNING)) || undefined,
  read: readTree,
  overview: overviewOfTree,
})
