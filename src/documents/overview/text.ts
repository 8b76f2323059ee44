/** The overview of what is only text: lines, blocks, trees. */
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { cut, ellipsis } from '../../text/cut.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import type { Document } from '../document.ts'
import type { Template } from '../fit.ts'
import { call } from '../template.ts'
import { messagePatterns } from './message-patterns.ts'
import type { Overview } from './overview.ts'
import { distinctiveWords } from './words.ts'

/** Plain text: how it begins and ends, what repeats in it, words to look for. */
export function overviewOfText(document: Document): Overview {
  const lines = document.lines()
  const words = distinctiveWords(paragraphs(document.text), 8).filter((word) =>
    standsAlone(word, document.text),
  )
  const { patterns, looked } = messagePatterns(lines.count, (index) => lines.at(index))
  const repeated = patterns.filter(
    ({ count, pattern }) => count > 2 && count > looked * 0.01 && pattern.length > 2,
  )
  const blocks = document.format === 'blocks' ? blockFacts(document) : []
  return {
    totals: [formatPlural(lines.count, 'line')],
    type: () => '',
    facts: [
      ...blocks,
      ...repeated.slice(0, 8).map(({ pattern, count }) => `${formatCount(count)}× ${ellipsis(pattern, 110)}`),
      ...(words.length > 0 ? [`frequent words: ${words.join(', ')}`] : []),
    ],
    sample: (max) => ends(document, max),
    calls: textCalls(words),
  }
}

/** True for a word that is one by itself somewhere near the beginning, so that a search for it finds it. */
function standsAlone(word: string, text: string): boolean {
  const alone = new RegExp(
    `(?<![\\p{L}\\p{N}])${word.replace(/[^\p{L}\p{N}]/gu, '\\$&')}(?![\\p{L}\\p{N}])`,
    'iu',
  )
  return alone.test(text.slice(0, 200_000))
}

function textCalls([first, second]: readonly string[]): Template[] {
  const search = (pattern: string, more: JsonObject) => call('proxy_search', { pattern, ...more })
  return [
    ...(first === undefined ? [] : [search(first, { mode: 'bm25', top_k: 3 })]),
    ...(second === undefined ? [] : [search(second, { mode: 'regex', context_lines: 2 })]),
    call('proxy_filter', { offset: 0, limit: 50 }),
  ]
}

function paragraphs(text: string): string[] {
  const start = text.slice(0, 200_000)
  const parts = start.split(/\n\s*\n/)
  return parts.length > 3 ? parts : start.split('\n')
}

function blockFacts(document: Document): string[] {
  const blocks = document.records()?.values ?? []
  return blocks.slice(0, 12).map((block) => {
    const text = isObject(block) && typeof block.text === 'string' ? block.text : ''
    return `block ${isObject(block) ? block.block : '?'}, ${formatPlural(text.length, 'character')}: ${ellipsis(text.trim().replace(/\s+/g, ' '), 90)}`
  })
}

/** The first lines and the last ones. */
function ends(document: Document, max: number): string[] {
  const lines = document.lines()
  const firsts: string[] = []
  let room = Math.floor(max * 0.65)
  for (let index = 0; index < lines.count && room > 20; index++) {
    const line = cut(lines.at(index), Math.min(room, 240))
    firsts.push(line)
    room -= line.length + 1
  }
  const lasts: string[] = []
  room = Math.floor(max * 0.3)
  for (let index = lines.count - 1; index >= firsts.length && lasts.length < 5; index--) {
    const line = lines.at(index)
    if (line.length + 1 > room && lasts.length > 0) break
    lasts.unshift(cut(line, Math.max(0, room - 1)))
    room -= line.length + 1
  }
  return [
    ...firsts,
    ...(lasts.length > 0 && firsts.length + lasts.length < lines.count ? ['…'] : []),
    ...lasts,
  ]
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
]

/** A tree: how many of each role, and what can be acted on, with its reference. */
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
  const active = ACTIVE.filter((role) => roles.has(role))
  return {
    totals: [formatPlural(document.lines().count, 'line'), formatPlural(nodes.length, 'node')],
    type: () => '{line: number, depth: number, role: string, name?: string, ref?: string, text?: string}',
    facts: [
      `roles: ${counted
        .slice(0, 16)
        .map(([role, list]) => `${role} ${formatCount(list.length)}`)
        .join(', ')}`,
      ...(roles.has('heading') ? [`headings: ${named(roles.get('heading') ?? [], 12, false)}`] : []),
      ...active.map((role) => `${role}: ${named(roles.get(role) ?? [], role === 'link' ? 8 : 12, true)}`),
    ],
    sample: (max) => ends(document, Math.min(max, 300)),
    calls: [
      ...active
        .slice(0, 2)
        .map((role) =>
          call('proxy_filter', { where: [`role = ${role}`], fields: ['line', 'name', 'ref'], limit: 50 }),
        ),
      ...treeSearch(nodes),
    ].slice(0, 3),
  }
}

function named(nodes: readonly JsonObject[], most: number, withRef: boolean): string {
  const list = nodes.slice(0, most).map((node) => {
    const name = own(node, 'name') ?? own(node, 'text') ?? ''
    const ref = withRef && node.ref !== undefined ? ` [${node.ref}]` : ''
    return `${JSON.stringify(ellipsis(String(name), 40))}${ref}`
  })
  return list.join(', ') + (nodes.length > most ? `, … ${formatCount(nodes.length - most)} more` : '')
}

function treeSearch(nodes: readonly JsonObject[]): Template[] {
  const [word] = distinctiveWords(
    nodes.map(({ name }) => String(name ?? '')),
    1,
  )
  return word === undefined ? [] : [call('proxy_search', { pattern: word, mode: 'regex', context_lines: 2 })]
}
