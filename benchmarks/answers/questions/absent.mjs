/** Plausible things that do not exist: the right answer says so. */
import { hasRecords, several, someCollection } from './asking.mjs'
import { evaluate } from './evaluate.mjs'
import { fieldsOf, identifiers, sayable } from './fields.mjs'
import { occurrences } from './text.mjs'
import { sayField, sayIn, sayWhere } from './words.mjs'

export function absent(payload, context) {
  return hasRecords(payload) ? inRecords(payload, context) : inText(payload, context)
}

/** Words of the trade, for where no value can be made from the real ones. */
const PLAUSIBLE =
  'archived suspended deprecated experimental legacy provisional quarantined obsolete premium wholesale kerberos quorum sharding webhook tombstone backfill canary rollback firmware gateway ledger invoice warranty telescope marzipan violin harbour glacier meadow'.split(
    ' ',
  )

/**
 * A value like a real one that occurs nowhere: other digits, a word of another value, or a word that is not there. Never a slip
 * of the pen, which a reader would take for the real one.
 */
function perturbed(payload, value, random, others = []) {
  const makers = /\d.*\d/.test(String(value)) ? [otherDigits] : [otherWord, anyWord]
  for (const make of makers) {
    for (let attempt = 0; attempt < 10; attempt++) {
      const text = make(String(value), random, others)
      if (text === undefined || text === String(value) || occurrences(payload, text) > 0) continue
      if (typeof value !== 'number') return text
      if (Number.isSafeInteger(Number(text)) && String(Number(text)) === text) return Number(text)
    }
  }
  return undefined
}

function otherDigits(text, random) {
  const letters = [...text]
  const places = letters.flatMap((letter, at) => (/\d/.test(letter) ? [at] : []))
  for (const at of random.shuffled(places).slice(0, random.between(2, 3)))
    letters[at] = String(random.between(1, 9))
  return letters.join('')
}

function otherWord(text, random, others) {
  const parts = text.split(/([\s/_.:-]+)/)
  const other = String(random.pick(others) ?? '').split(/([\s/_.:-]+)/)
  if (parts.length < 3 || other.length !== parts.length) return undefined
  const at = 2 * random.below((parts.length + 1) / 2)
  return parts.with(at, other[at]).join('')
}

function anyWord(text, random) {
  if (!/^[\p{L} _-]+$/u.test(text)) return undefined
  const word = random.pick(PLAUSIBLE)
  if (text === text.toUpperCase()) return word.toUpperCase()
  return /^\p{Lu}/u.test(text) ? word[0].toUpperCase() + word.slice(1) : word
}

function inRecords(payload, { random, count }) {
  return several(count, (used) => {
    const collection = someCollection(payload, random)
    const named = identifiers(collection).slice(0, 3)
    const categories = fieldsOf(collection).filter(
      (field) => field.kind === 'string' && field.plain && field.counts.size <= 50,
    )
    const by = random.pick(random.often(0.6) ? named : categories)
    const want = random.pick(random.often(0.5) ? named : fieldsOf(collection).filter((field) => !field.many))
    if (by === undefined || want === undefined || want === by || used.has(String(by.way))) return undefined
    const real = random.pick(random.pick(by.values))
    if (real === undefined || !sayable(real, 60) || String(real).length < 3) return undefined
    const value = perturbed(payload, real, random, [...by.counts.keys()])
    if (value === undefined) return undefined
    const where = [{ field: by.way, op: '=', value }]
    const ask = { collection: collection.at, where, want: want.way }
    const gold = evaluate(ask, payload)
    const text = `What is the ${sayField(want.way)} of the record${sayIn(collection.at)}${sayWhere(where)}, if there is one?`
    return gold.none ? { text, ask, gold, fields: [by.way] } : undefined
  })
}

function inText(payload, { random, count }) {
  const lines = payload.lines?.filter((line) => line.trim().length >= 30) ?? []
  return several(count, () => {
    // Addresses and ids with other digits; else a word.
    const tokens = (random.pick(lines) ?? '').split(/[^\p{L}\p{N}._-]+/u)
    const real = random.pick(
      tokens.filter((token) => token.length >= 6 && /\d.*\d.*\d/.test(token) && sayable(token, 40)),
    )
    const value =
      real !== undefined && random.often(0.5)
        ? perturbed(payload, real, random)
        : perturbed(payload, 'word', random)
    if (value === undefined) return undefined
    const ask = { ...(payload.kind === 'log' && { collection: [] }), words: value }
    return {
      text: `Where is "${value}" mentioned, if anywhere? Quote the line or passage.`,
      ask,
      gold: { none: true },
    }
  })
}
