/** Numbers that all have the same behind them in one field: `6 kudos`, `[3 results shown]`, `8.7/10`. */
import { parseDate } from './dates.ts'
import { duration, LONGEST_NUMBER, looseNumber, plainNumber, quantity } from './quantities.ts'

const COUNT =
  /^\s*[[(]?([-+]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?)(?:\s?\/\s?(\d{1,6}(?:\.\d)?)|\s(\p{L}[\p{L}-]{1,19}(?:\s\p{L}[\p{L}-]{0,19}){0,2}))\s*[\])]?\s*$/u
/** Behind a number these say that it is a time. */
const OF_TIMES = /^(?:[ap]m|bce?)$/i

/** Beyond it are years: `3/2024` is a month. */
const LARGEST_SCALE = 1_000

interface Count {
  readonly number: number
  /** The largest that the number can be: 10 of `8.7/10`. */
  readonly most: number | undefined
  readonly words: string | undefined
}

function read(text: string): Count | undefined {
  const [, number, most, words] = (text.length <= LONGEST_NUMBER && COUNT.exec(text)) || []
  if (number === undefined || OF_TIMES.test(words ?? '') || Number(most ?? 0) > LARGEST_SCALE)
    return undefined
  return {
    number: Number(number.replaceAll(',', '')),
    most: most === undefined ? undefined : Number(most),
    words: words && singular(words),
  }
}

/** One kudo and two kudos are of one kind. */
function singular(words: string): string {
  return words
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(?<=..)s$/, '')
}

/** 8.7 of `8.7/10`, in a field of which all texts are such counts. */
export function countIn(text: string): number | undefined {
  return plainNumber(text) ?? read(text)?.number
}

/** The number of a plain number, and of a count of the same things as others. A number below 1 is a share of whole ones: 5 of `0.5` beside `3/10`. */
export function countLike(text: string, others: readonly string[]): number | undefined {
  const [one, like] = [read(text), read(others[0] ?? '')]
  const number = plainNumber(text)
  const isShare = number !== undefined && number > 0 && number < 1
  if (isShare && like?.most !== undefined && others.every((other) => Number.isInteger(countIn(other))))
    return number * like.most
  const isAlike = one?.most === like?.most && one?.words === like?.words
  return number ?? (isAlike ? one?.number : undefined)
}

/** True for texts that are numbers with the same behind all of them, and are neither dates nor amounts with a unit. */
export function areCounts(texts: readonly string[]): boolean {
  const [first = ''] = texts
  const like = read(first)
  if (!like || [looseNumber, quantity, duration, parseDate].some((other) => other(first) !== undefined))
    return false
  return texts.every((text) => {
    const one = read(text)
    if (!one || one.most !== like.most || one.words !== like.words) return false
    return one.most === undefined || (one.number >= 0 && one.number <= one.most)
  })
}
