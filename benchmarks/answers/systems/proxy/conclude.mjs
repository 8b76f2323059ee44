/** From what a reply shows to an answer. Nothing is answered from a page that says there is more. */
import { isShortened, plainName, valuesIn } from './read.mjs'
import { dotted } from './words.mjs'

/** Why there is no answer yet: the field is there, and was cut. */
export const CUT = 'a value is shortened'

/** The column that counts. */
const COUNTS = /^(count|n|total|records?)$|^count\(/i

/** @returns {import('../../contract.mjs').Answer} */
export function conclude(ask, reading) {
  if (reading.isError) return { unanswered: `error: ${reading.notes[0] ?? reading.text.slice(0, 200)}` }
  if (ask.by) return groups(ask, reading)
  if (ask.structure === 'records' || ask.aggregate === 'count') return count(reading)
  if (ask.aggregate) return aggregate(reading)
  if (ask.want) return values(ask, reading)
  return passages(reading)
}

function count({ matched, rows, nothing }) {
  if (nothing) return { answer: 0 }
  const counted = rows.length === 1 ? countIn(rows[0]) : undefined
  if (counted !== undefined) return { answer: counted }
  return matched === undefined ? { unanswered: 'no count in the reply' } : { answer: matched }
}

function countIn(row) {
  if (typeof row !== 'object' || row === null) return undefined
  const [key] = Object.keys(row).filter((name) => COUNTS.test(name))
  return Object.keys(row).length === 1 && key !== undefined ? row[key] : undefined
}

function aggregate({ rows, nothing }) {
  if (nothing) return { none: true }
  const numbers = rows.length === 1 ? Object.values(rows[0]).filter((value) => typeof value === 'number') : []
  return numbers.length === 1 ? { answer: numbers[0] } : { unanswered: 'no single figure in the reply' }
}

function groups({ by, k }, { rows, more, nothing }) {
  if (nothing) return { none: true }
  if (more && !(k <= rows.length)) return { unanswered: 'there are more groups' }
  const name = dotted(by)
  const pairs = []
  for (const row of rows) {
    const keys = Object.keys(row)
    const named = keys.find((key) => plainName(key) === name)
    const counted = keys.find((key) => key !== named && COUNTS.test(key))
    const group = named ?? keys.find((key) => key !== counted)
    if (counted === undefined || group === undefined) return { unanswered: 'rows without a count' }
    if (isShortened(row[group])) return { unanswered: 'a group is shortened' }
    if (row[group] !== null) pairs.push([row[group], row[counted]])
  }
  return pairs.length === 0
    ? { unanswered: 'no groups in the reply' }
    : { answer: k ? pairs.slice(0, k) : pairs }
}

function values({ want, order, k }, { rows, more, short, nothing }) {
  if (nothing) return { none: true }
  if (more && !(order && k <= rows.length)) return { unanswered: 'there is more' }
  if (rows.length === 0) return { unanswered: 'no rows in the reply' }
  const shown = rows.slice(0, order ? k : undefined).map((row) => valuesIn(row, want))
  if (shown.some((some, index) => !some?.length && (short || isShortened(rows[index]))))
    return { unanswered: CUT }
  if (shown.every((some) => some === undefined)) return { unanswered: `no ${want.join('.')} in the rows` }
  const found = shown.flatMap((some) => some ?? []).filter((value) => value !== null && value !== undefined)
  if (found.some(isShortened)) return { unanswered: CUT }
  if (order) return { answer: found }
  const distinct = [...new Set(found)]
  return distinct.length === 0 ? { none: true } : { answer: distinct }
}

/** The first hits of a search in text, as a reader would quote them. */
function passages({ rows, passages: texts, nothing }) {
  if (nothing) return { none: true }
  const hits = [...texts, ...rows.map((row) => JSON.stringify(row))].slice(0, 3)
  return hits.length === 0 ? { unanswered: 'no hits in the reply' } : { answer: hits }
}
