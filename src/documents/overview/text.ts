/** The overview of what is only text: lines, blocks. */
import { isObject } from '../../protocol/json.ts'
import { ellipsis } from '../../text/cut.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import { literal } from '../../text/literal.ts'
import type { Document } from '../document.ts'
import type { Template } from '../fit.ts'
import { call } from '../template.ts'
import { messagePatterns } from './message-patterns.ts'
import { encodedOf, type Failures, failuresOf, type Outline, outlineOf } from './outline.ts'
import type { Overview } from './overview.ts'
import { distinctiveWords } from './words.ts'

/** Plain text: what it is made of, what repeats in it, how it begins and ends, words to look for. */
export function overviewOfText(document: Document): Overview {
  const lines = document.lines()
  const encoded = encodedOf(document.text)
  const words =
    encoded === undefined
      ? distinctiveWords(paragraphs(document.text), 8).filter((word) => standsAlone(word, document.text))
      : []
  const { patterns, looked } = messagePatterns(lines.count, (index) => lines.at(index))
  const repeated = patterns.filter(
    ({ count, pattern }) => count > 2 && count > looked * 0.01 && /\p{L}{3}/u.test(pattern),
  )
  const outline = encoded === undefined ? outlineOf(lines, document.text) : undefined
  const failures = outline?.code || encoded !== undefined ? undefined : failuresOf(lines)
  const covered = repeated.reduce((sum, { count }) => sum + count, 0) / Math.max(1, looked)
  const sampled = looked < lines.count ? ` of ${formatCount(looked)} sampled` : ''
  const blocks = document.format === 'blocks' ? blockFacts(document) : []
  return {
    totals: [formatPlural(lines.count, 'line')],
    type: () => '',
    facts: [
      ...(encoded === undefined ? [] : [encoded]),
      ...blocks,
      ...(outline ? [outline.fact] : []),
      ...(failures ? [failures.fact] : []),
      ...repeated
        .slice(0, 8)
        .map(({ pattern, count }) => `${formatCount(count)}×${sampled} ${ellipsis(pattern, 110)}`),
      ...(words.length > 0 ? [`words to search for: ${words.join(', ')}`] : []),
    ],
    // Lines that repeat are told already; a few show how they look.
    sample: (max) =>
      endsOf(document, encoded !== undefined ? Math.min(max, 160) : covered > 0.8 ? Math.min(max, 480) : max),
    // Of what nobody can read no part is an answer.
    calls:
      document.text.trim() === '' || encoded !== undefined
        ? []
        : textCalls({ words, outline, failures }, document),
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

interface Leads {
  words: readonly string[]
  outline: Outline | undefined
  failures: Failures | undefined
}

/** Failures first, then a part by its name, then a word that leads to a few places, then the end. */
function textCalls({ words: [word], outline, failures }: Leads, document: Document): Template[] {
  const { count } = document.lines()
  const calls = [
    ...(failures
      ? [call('proxy_search', { pattern: failures.pattern, context_lines: 2, max_results: 10 })]
      : []),
    ...(outline?.name
      ? [call('proxy_search', { pattern: literal(outline.name), context_lines: 10, max_results: 1 })]
      : []),
    ...(word === undefined ? [] : [call('proxy_search', { pattern: word, mode: 'bm25', top_k: 3 })]),
    count > 100
      ? call('proxy_filter', { offset: count - 40, limit: 40 })
      : call('proxy_filter', { limit: 50 }),
  ]
  return calls
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
export function endsOf(document: Document, max: number): string[] {
  const lines = document.lines()
  const firsts: string[] = []
  let room = Math.floor(max * 0.65)
  for (let index = 0; index < lines.count && room > 20; index++) {
    const line = ellipsis(lines.at(index), Math.min(room, 240))
    firsts.push(line)
    room -= line.length + 1
  }
  const lasts: string[] = []
  room = Math.floor(max * 0.3)
  for (let index = lines.count - 1; index >= firsts.length && lasts.length < 5; index--) {
    const line = lines.at(index)
    if (line.length + 1 > room && lasts.length > 0) break
    lasts.unshift(ellipsis(line, Math.min(240, Math.max(0, room - 1))))
    if (line.length > 240) room -= 240 - line.length
    room -= line.length + 1
  }
  return [
    ...firsts,
    ...(lasts.length > 0 && firsts.length + lasts.length < lines.count ? ['…'] : []),
    ...lasts,
  ]
}
