/** From the rows of a reply to an answer in the shape of the gold. */
import { plainName } from '../systems/proxy/read.mjs'

/**
 * @param {import('./questions.mjs').Computed} question
 * @param {{ rows: unknown[], matched?: number, nothing?: boolean }} reply
 * @returns {import('../contract.mjs').Answer}
 */
export function answerFrom({ gold, columns }, { rows, matched, nothing }) {
  if (rows.length === 0) {
    if (matched !== undefined && 'number' in gold) return { answer: matched }
    return nothing ? { none: true } : { unanswered: 'no rows in the reply' }
  }
  const values = rows.map((row) => columns.map((name) => cell(row, name, columns)))
  if (values.flat().includes(undefined)) return { unanswered: `no ${columns.join(', ')} in the rows` }
  if ('table' in gold) return { answer: values.map(([key, figure]) => [key, figure]) }
  const found = values.map(([value]) => value)
  if ('set' in gold || 'list' in gold) return { answer: found }
  return found.length === 1 ? { answer: found[0] } : { unanswered: `${found.length} rows where one answers` }
}

/** The value of a column; where rows have just the columns that are wanted, names aside. */
function cell(row, name, columns) {
  if (typeof row !== 'object' || row === null) return columns.length === 1 ? row : undefined
  const keys = Object.keys(row)
  const wanted = name.toLowerCase()
  const key =
    keys.find((one) => one.toLowerCase() === wanted) ??
    keys.find((one) => plainName(one).toLowerCase().endsWith(`.${wanted}`))
  if (key !== undefined) return row[key]
  return keys.length === columns.length ? row[keys[columns.indexOf(name)]] : undefined
}

/** Figures to a ten-thousandth in lists as well; months as their first day or as year and month. */
export function settled(gold, answer) {
  if (!('answer' in answer)) return [gold, answer]
  const one = (value) => {
    if (typeof value === 'number') return Number(value.toPrecision(6))
    const month = /^(\d{4}-\d{2})-01(?:T00:00:00(?:\.000)?Z)?$/.exec(String(value))
    return month ? month[1] : value
  }
  const all = (value) => (Array.isArray(value) ? value.map(all) : one(value))
  const [[kind, wanted]] = Object.entries(gold)
  return [{ [kind]: all(wanted) }, { answer: all(answer.answer) }]
}
