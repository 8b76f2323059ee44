/** The readings of times in one field, of which some may have no year, or be ages: `2 days ago` beside `2025-01-06`. */
import { type DateOrder, isYear, parseDate, type Span, saysMoreThanYear } from './dates.ts'
import { relativeSpan } from './relative.ts'

/** A date, or four digits beside dates. */
function dateIn(text: string, order?: DateOrder): Span | undefined {
  return saysMoreThanYear(text) || isYear(text) ? parseDate(text, undefined, order) : undefined
}

function datedIn(text: string, order?: DateOrder): number | undefined {
  const date = dateIn(text, order)
  return date?.yearless ? undefined : date?.from
}

const AGE = /\sago\s*$|^\s*(?:yesterday|today|tomorrow)\s*$/i
const LONGEST_AGE = 40

/** The time that `2 days ago` and `yesterday` say from `now` on; undefined of any other text. */
export function ageAt(text: string, now: number): number | undefined {
  return text.length <= LONGEST_AGE && AGE.test(text) ? relativeSpan(text, now)?.from : undefined
}

/** Where the dates of a field begin, in milliseconds since 1970. */
export const TIME_READERS = {
  time: (text: string) => dateIn(text)?.from,
  /** In the order of its dates with slashes. */
  dayFirst: (text: string) => parseDate(text, undefined, 'day')?.from,
  monthFirst: (text: string) => parseDate(text, undefined, 'month')?.from,
  /** Beside dates with a year, what has none is no date. */
  dated: (text: string) => datedIn(text),
  datedDayFirst: (text: string) => datedIn(text, 'day'),
  datedMonthFirst: (text: string) => datedIn(text, 'month'),
  aged: (text: string) => datedIn(text) ?? ageAt(text, Date.now()),
  agedDayFirst: (text: string) => datedIn(text, 'day') ?? ageAt(text, Date.now()),
  agedMonthFirst: (text: string) => datedIn(text, 'month') ?? ageAt(text, Date.now()),
} as const

/** How the times among texts are written: with a year, without one, as ages. */
export interface Times {
  readonly dated: number
  readonly yearless: number
  readonly ages: number
}

/** `order`: of the dates with slashes. */
export function timesAmong(texts: Iterable<string>, order?: DateOrder): Times {
  const found = { dated: 0, yearless: 0, ages: 0 }
  for (const text of texts) {
    const date = dateIn(text, order)
    if (date) found[date.yearless ? 'yearless' : 'dated'] += 1
    else if (ageAt(text, 0) !== undefined) found.ages += 1
  }
  return found
}

/** Half of the texts are times at least. */
const MOST = 0.5

/** The readings of a field in which dates with a year stand beside other times. */
type Mix = `${'aged' | 'dated'}${'' | 'DayFirst' | 'MonthFirst'}`

/** The reading of a field in which dates with a year stand beside other times; undefined where they do not. */
export function mixOf(texts: readonly string[], order?: DateOrder): Mix | undefined {
  const { dated, yearless, ages } = timesAmong(texts, order)
  if (ages + yearless === 0 || dated === 0 || dated + yearless + ages < texts.length * MOST) return undefined
  const mix = ages > 0 ? 'aged' : 'dated'
  return order ? `${mix}${order === 'day' ? 'DayFirst' : 'MonthFirst'}` : mix
}
