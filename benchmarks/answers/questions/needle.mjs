/** Words that stand in one place only: in the prose of one record, or in one line of a text. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { evaluate, recordsOf } from './evaluate.mjs'
import { identifiers, sayable } from './fields.mjs'
import { occurrences, proseFields, rarePhrase, stretches, wordsOf } from './text.mjs'
import { sayField, sayIn } from './words.mjs'

export function needle(payload, context) {
  if (payload.kind === 'log') return inLog(payload, context)
  return hasRecords(payload) ? inRecords(payload, context) : inText(payload, context)
}

function inRecords(payload, { random, count }) {
  return several(count, () => {
    const collection = someCollection(payload, random)
    const prose = random.pick(proseFields(collection))
    const want = random.pick(identifiers(collection).slice(0, 2))
    if (prose === undefined || want === undefined || prose === want) return undefined
    const text = random.pick(random.pick(prose.values) ?? [])
    if (text === undefined || text.length < 40) return undefined
    const words = rarePhrase(payload, text, random)
    if (words === undefined) return undefined
    const ask = { collection: collection.at, words, want: want.way }
    const gold = evaluate(ask, payload)
    if (gold.none || gold.set.length !== 1) return undefined
    const question = `Which record${sayIn(collection.at)} mentions "${words}"? Give its ${sayField(want.way)}.`
    return { text: question, ask, gold: { value: gold.set[0] } }
  })
}

/** The text right beside the words, in the same stretch: a reader who has found the words sees it, too. */
function beside(payload, line, words) {
  const stretch = stretches(line, words.length + 12).find((part) => part.includes(words))
  if (stretch === undefined) return undefined
  const at = stretch.indexOf(words)
  const inner = wordsOf(stretch)
  const first = inner.filter((word) => word.at < at).slice(-4)[0]?.at ?? at
  const next = inner
    .filter((word) => word.at >= at + words.length)
    .slice(0, 4)
    .at(-1)
  const end = next ? next.at + next.word.length : at + words.length
  const phrase = stretch.slice(first, end)
  return phrase.length >= words.length + 8 && occurrences(payload, phrase) === 1 ? phrase : undefined
}

function inText(payload, { random, count }) {
  const { sections, lines: all = [] } = payload
  // Of HTML what a reader sees.
  const lines = (payload.kind === 'html' ? sections.flatMap(({ text }) => text.split('\n')) : all).filter(
    (line) => line.trim().length >= 30,
  )
  return several(count, () => {
    const line = random.pick(lines)
    if (line === undefined) return undefined
    const words = rarePhrase(payload, line, random, { most: 2 })
    const contains = words && beside(payload, line, words)
    if (!contains) return undefined
    return {
      text: `What does the text say where "${words}" occurs? Quote the line or passage.`,
      ask: { words },
      gold: { contains },
    }
  })
}

function inLog(payload, { random, count }) {
  const [collection] = payload.collections
  const { lines } = payload
  return several(count, () => {
    const at = random.below(lines.length)
    const record = recordsOf(payload, collection.at)[at]
    const prose = record.message ?? record.path
    if (prose === undefined) return undefined
    const words = rareToken(payload, prose, random)
    if (words === undefined) return undefined
    const contains =
      record.message === undefined ? sparse(payload, record, words) : beside(payload, record.message, words)
    if (!contains) return undefined
    const what = record.message === undefined ? 'Which request mentions' : 'Which line mentions'
    return {
      text: `${what} "${words}"? Quote the line.`,
      ask: { collection: collection.at, words },
      gold: { contains },
    }
  })
}

/** Something that stands once in the whole log: a name, an id, a path. */
function rareToken(payload, text, random) {
  const tokens = text.split(/[\s,;"'()[\]{}<>]+/).flatMap((token) => [token, ...token.split(/[=/:]/)])
  const usable = tokens.filter(
    (token) => /^[\p{L}\p{N}][\p{L}\p{N}._-]{4,38}[\p{L}\p{N}]$/u.test(token) && /\p{L}/u.test(token),
  )
  return random.shuffled(usable).find((token) => occurrences(payload, token) === 1)
}

/** More of a request than was asked for: its path, or its address when hardly another has it. */
function sparse(payload, record, words) {
  if (record.path.length >= words.length + 8 && record.path.includes(words) && sayable(record.path, 200))
    return record.path
  const host = record.ip ?? record.host
  const count = payload.collections[0].records.filter((other) => (other.ip ?? other.host) === host).length
  return host !== undefined && count <= 2 && host.length >= 7 ? host : undefined
}
