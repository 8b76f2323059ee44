/** Numbers in strings: plain, with a currency, in thousands, with a decimal comma, with a unit of size or time; and integers beyond 2^53. */
import { type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { orderOfDates } from './dates.ts'

const PLAIN = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?\s*$/i
/** Currencies as ISO 4217 names them. */
const CODE =
  '(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|TRY|BRL|MXN|ZAR|KRW|SGD|HKD|ILS|AED)'
/** `-$5` as well as `$-5`. */
const BEFORE = `^\\s*(?:${CODE}\\s|R\\$\\s?)?(?:[-+−]?[$€£¥₹]?|[$€£¥₹][-−])\\s?`
const AFTER = `\\s?(?:[€%]|${CODE})?\\s*$`
/** Thousands do not begin with a zero: `0,867` has a decimal comma. */
const DRESSED = new RegExp(`${BEFORE}(?:[1-9]\\d{0,2}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?${AFTER}`)
const COMMA = new RegExp(`${BEFORE}(?:(?:\\d{1,3}(?:\\.\\d{3})+|\\d+),\\d{1,2}|0,\\d{1,9})${AFTER}`)
/** `4 178 015`, also with a blank that does not break, and `1'234.50`. */
const GROUPED = new RegExp(`${BEFORE}\\d{1,3}(?:[ \\u00a0\\u2009\\u202f'’]\\d{3})+(?:[.,]\\d{1,4})?${AFTER}`)
/** `617.30-`, as some ledgers write it. */
const NEGATIVE_AFTER = /^\s*[\d.,]{1,20}-\s*$/
/** No number begins so: a letter that does not begin a currency. */
const WORDY = /^\s*(?:[a-z]|[A-Z](?![A-Z]{2}\s|\$))/
/** `($1.50)`, as accounts write what is owed; not `(2)`. */
const OWED = /^\(([^()]*[$€£¥₹.][^()]*)\)$/
const SIZED =
  /^\s*([-+]?[$€£¥₹]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*(?:([kmgtp])(i?)b?|b|bytes|(thousand|million|mn|billion|bn|trillion|tn))\s*$/i
const POWERS = ['k', 'm', 'g', 't', 'p']
const WORDS: Readonly<Record<string, number>> = {
  thousand: 1,
  million: 2,
  mn: 2,
  billion: 3,
  bn: 3,
  trillion: 4,
  tn: 4,
}
/** Units that are told from other words by their letters alone; those of one letter stand behind a blank. Time and size are read elsewhere. */
const UNIT =
  '°\\s?[CFK]?|℃|℉|degrees?(?:\\s[CF])?|[kcmµn]m[²³23]?|m[²³]|mi|miles?|ft|feet|inch(?:es)?|yd|met(?:er|re)s?|sq\\.?\\s?(?:m|ft|km)|sqm|sqft|ha|acres?' +
  '|[km]g|µg|lbs?|oz|tons?|tonnes?|grams?|km/h|km?ph|kmh|mph|m/s|knots?|kts?|[kMGT]?Wh|[kMG]W|[kM]?J|kcal|cal|[km]V|mAh?|Ah|[kMG]?Hz|rpm|bpm|fps' +
  '|m[lL]|[cd]l|gal|gallons?|lit(?:er|re)s?|[hkM]?Pa|m?bar|psi|mmHg|inHg|px|pt|r?em|dpi|pp[imb]|dB[mAi]?|MP' +
  // So many of something for each: `37 req/s`, `15 allocs/op`. Sizes for each second are read elsewhere.
  '|(?!(?:[kKMGTP]i?)?(?:[bB]|bits?|bytes?)/s)\\p{L}{1,12}/(?:s(?:ec)?|min|h(?:r|our)?|d(?:ay)?|week|mo(?:nth)?|y(?:r|ear)|ops?|req(?:uest)?|call|iter(?:ation)?|user|query|row|core|node)'
const UNIT_APART = 'in|[mLlVAWJxX×]'
const COUNTED_THINGS =
  'views?|likes?|(?:up)?votes?|points?|comments?|repl(?:y|ies)|reviews?|ratings?|followers?|subscribers?|users?|members?|items?|people|persons?|downloads?|installs?|stars?|forks?|watchers?|contributors?|shares?|results?|posts?|articles?|episodes?|pages?|words?|characters?|rows?|records?|files?|lines?|units?|pcs|pieces?|tickets?|orders?|seats?|rooms?|beds?|employees|students?|times|plays|tokens?|messages?|errors?|warnings?|(?:in )?total'
const AMOUNT = '([-+−]?(?:\\d{1,3}(?:,\\d{3})+|\\d{1,15})(?:\\.\\d{1,15})?)'
/** Where a distance leads: `1.2 km from centre`, `350 m to the beach`, `2 miles away`. */
export const LEADS =
  '(?:(?<=(?<![a-zA-Z])(?:k?m|mi|ft|yd|feet|miles?|yards?|(?:kilo)?met(?:er|re)s?)\\.?)\\s(?:away|(?:from|to)(?:\\s\\p{L}[\\p{L}\\d]{0,14}){1,3}))?'
const MEASURED = new RegExp(
  `^\\s*[~≈]?\\s?${AMOUNT}(?:(?:\\s?(${UNIT})|\\s(${UNIT_APART}))\\.?${LEADS}|([×x+]|st|nd|rd|th)\\.?)\\s*$`,
  'u',
)
const OF_THINGS = new RegExp(
  `^\\s*\\[?[~≈]?\\s?${AMOUNT}\\s?([kmb])?\\+?\\s(?:${COUNTED_THINGS})\\]?\\s*$`,
  'i',
)
const ABOUT = new RegExp(`^\\s*[~≈]\\s?${AMOUNT}\\s*$`)
/** `4/5 stars`, `4.5 out of 5`, `4.07 out of 5 average rating, 223 reviews`. */
const OUT_OF =
  /^\s*(\d{1,3}(?:\.\d{1,2})?)(?:\s?(?:out of|\/)\s?\d{1,3}\s(?:stars?|points?|(?:average )?rating)| out of \d{1,3})(?:,\s{1,2}[\d.,]{1,9} (?:reviews?|ratings?|votes?))?\s*$/
/** `$1,184 per night`, `€90 for 3 nights`, `$5/month`. */
const PRICED = /^\s*([$€£¥₹]\s?[\d.,]{1,15})(?:\s(?:per|for|an?)\s[\w ]{1,20}|\s?\/\s?[a-z]{1,12})\s*$/i
/** `4.5 ⭐`, `4.5 (158 reviews)`, `4.5/5 (1,158 ratings)`. */
const RATED =
  /^\s*(\d{1,3}(?:\.\d{1,2})?)\s?(?:[★⭐☆✩✰]\ufe0f?\s*$|(?:[★⭐☆✩✰]\ufe0f?|\/\s?\d{1,3})?\s?\([\d.,]{1,15}[kKmM]?\+?\s?(?:reviews?|ratings?|votes?)?\)\s*$)/u
/**
 * Words behind an amount: `9,412 (53 influential)`, `5 (3h ago)`, `3435216869 -- 3.44 billion`, `100+1 below`. Those in brackets tell
 * another amount: `1.2 (beta)` and `1.10 (build 45)` are versions, and `5 (minutes)` has a unit.
 */
const REMARK =
  /(?:\s?\((?!(?:build|rev|release|update|patch|beta|alpha|rc|sp|main|default|final|stable|lts|dev)\b)(?=[^()]*\d)(?=[^()]*[\p{L}°]{2})[^()]+\)|(?<=\d{4})\s--\s(?=.*\p{L}).+|\s—\s(?=\p{L}).+|\+\d{1,3}\s\p{L}[\p{L} ]*)\s*$/u
/** `1.2 MB/s` and `100 Mbps`. */
const RATE = /^\s*(.{1,30}?)(?:\/s(?:ec)?|ps)\s*$/

const THOUSANDS = ['', 'k', 'm', 'b']

/** A number and the unit behind it; the unit is empty for `~5`, `5x`, `5th`, `10,000+` and for counts. */
export interface Measure {
  readonly number: number
  readonly unit: string
}

/** The amount in front of a remark; any other text as it is. Most texts have no mark of one, and this is on the way of every text. */
function unremarked(text: string): string {
  if (!text.includes('(') && !text.includes('—') && !text.includes(' --') && !text.includes('+')) return text
  return /^\s*(?:[A-Z]{3}\s|R\$)?[^\p{L}(\s]/u.test(text) ? text.replace(REMARK, '') : text
}

/** True of an amount with a remark behind it. */
export function hasRemark(text: string): boolean {
  return text.length <= LONGEST_NUMBER && unremarked(text) !== text
}

/** `€29.9m`, `2 million`: a multiple of something else than bytes. */
const MULTIPLE = /[$€£¥₹]|\d\s?(?:thousand|[a-z]{1,3}illion|[mbt]n)\s*$/i

/** True of an amount that is none of bytes, for it is one of money or of millions. */
export function isMultiple(text: string): boolean {
  return text.length <= LONGEST_NUMBER && MULTIPLE.test(text)
}

/** 31 and `km/h` of "31 km/h", 31200 of "31.2K views", 4.5 of "4.5 out of 5 stars", bytes for each second of "1.2 MB/s". */
export function measured(written: string): Measure | undefined {
  if (written.length > LONGEST_NUMBER || !/\d/.test(written)) return undefined
  const text = unremarked(written)
  const [, amount, unit, apart] = MEASURED.exec(text) ?? []
  if (amount !== undefined) return { number: signed(amount), unit: plainUnit(unit ?? apart ?? '') }
  const [, count, letter = ''] = OF_THINGS.exec(text) ?? []
  if (count !== undefined)
    return { number: signed(count) * 1000 ** THOUSANDS.indexOf(letter.toLowerCase()), unit: '' }
  const [, near] = ABOUT.exec(text) ?? []
  if (near !== undefined) return { number: signed(near), unit: '' }
  const rated = (OUT_OF.exec(text) ?? RATED.exec(written))?.[1]
  if (rated !== undefined) return { number: Number(rated), unit: '' }
  const held = RATE.exec(text)?.[1]
  const size = held === undefined ? undefined : quantity(held)
  return size === undefined ? undefined : { number: size, unit: /ps\s*$/.test(text) ? 'bit/s' : 'bytes/s' }
}

function signed(amount: string): number {
  return Number(amount.replaceAll(',', '').replace('−', '-'))
}

function plainUnit(unit: string): string {
  const plain = unit.replaceAll(/[\s.]/g, '')
  if (plain.includes('/')) return plain.toLowerCase()
  return plain.length > 3 ? plain.toLowerCase().replace(/s$/, '') : plain
}

/** Longer strings hold no number that anybody compares. */
export const LONGEST_NUMBER = 48

const NOTHING =
  /^\s*(?:[-–—.?*]{0,3}|n\/?a|n\.a\.|nan|nil|null|ᴺᵁᴸᴸ|none|never|unknown|undefined|missing|pending|tbd|tba|[<(](?:nil|none|null|unknown|unset|invalid|empty)[>)]|not (?:available|applicable|set))\s*$/i

const LONGEST_NOTHING = 16

/** True of a text that stands for an absent value: `N/A`, `-`, `<none>`, nothing at all. */
export function saysNothing(text: string): boolean {
  return text.length <= LONGEST_NOTHING && NOTHING.test(text)
}

/** `12.5` of "12.5"; undefined for anything that is not a plain number. */
export function plainNumber(text: string): number | undefined {
  return text.length <= LONGEST_NUMBER && PLAIN.test(text) ? Number(text) : undefined
}

/** Like `plainNumber`, and 1234.5 of "$1,234.50", "1.234,50" and "USD 1234.50", -1.5 of "(1.50)", 12 of "12%", 5 of "5 (3h ago)", 31 of "31 km/h". */
export function looseNumber(written: string): number | undefined {
  if (written.length > LONGEST_NUMBER || WORDY.test(written)) return undefined
  const text = unremarked(written)
  if (text.startsWith('(')) return owed(text)
  if (PLAIN.test(text)) return Number(text)
  if (DRESSED.test(text)) return Number(digitsOf(text, '.'))
  if (COMMA.test(text)) return Number(digitsOf(text, ','))
  if (GROUPED.test(text)) return Number(digitsOf(text, /,\d+\D*$/.test(text) ? ',' : '.'))
  if (NEGATIVE_AFTER.test(text)) return looseNumber(`-${text.trim().slice(0, -1)}`)
  const [, price] = PRICED.exec(text) ?? []
  if (price !== undefined) return looseNumber(price)
  return measured(written)?.number
}

/** The sign and the digits, with a point before the fraction. */
function digitsOf(text: string, point: '.' | ','): string {
  const rest = text.replace('−', '-').replace('R$', '')
  return point === '.' ? rest.replaceAll(/[^\d.+-]/g, '') : rest.replaceAll(/[^\d,+-]/g, '').replace(',', '.')
}

/** The names for the number of an object that says more about it: an amount and its currency, a type and its value. */
export const AMOUNTS =
  /^(?:\$?number(?:decimal|long|int|double)?|amount|value|total|raw|n|v|quantity|count)$/i

/** 5 of `{"amount": 5, "currency": "EUR"}` and `{"$numberInt": "5"}`; undefined where an object has several such numbers, or none. */
export function amountIn(value: JsonObject): number | undefined {
  const numbers = Object.keys(value).flatMap((key) => {
    const held = AMOUNTS.test(key) ? own(value, key) : undefined
    const number = typeof held === 'string' ? looseNumber(held) : held
    return typeof number === 'number' ? [number] : []
  })
  return numbers.length === 1 ? numbers[0] : undefined
}

function owed(text: string): number | undefined {
  const number = looseNumber(OWED.exec(text)?.[1] ?? '')
  return number === undefined || number < 0 ? undefined : -number
}

/** Bytes, or just a multiple: 10,000,000 of "10MB", 2³¹ of "2GiB" and "2Gi", 1,000 of "1k", 2,500,000,000 of "2.5bn". Undefined without a unit. */
export function quantity(text: string): number | undefined {
  if (text.length > LONGEST_NUMBER) return undefined
  const parts = SIZED.exec(unremarked(text))
  if (!parts) {
    // `12.5MiB / 1.9GiB`: what is used, of a limit.
    const [used = '', limit, more] = text.split(' / ')
    return limit === undefined || more !== undefined || quantity(limit) === undefined
      ? undefined
      : quantity(used)
  }
  const [, number = '', letter, binary, word = ''] = parts
  const power =
    letter === undefined ? (WORDS[word.toLowerCase()] ?? 0) : POWERS.indexOf(letter.toLowerCase()) + 1
  return Number(number.replaceAll(/[$€£¥₹,]/g, '')) * (binary ? 1024 : 1000) ** power
}

const TIMED =
  /^\s*(-?)((?:\d+(?:\.\d+)?\s*(?:ns|µs|us|ms|secs?|seconds?|s|mins?|minutes?|months?|m|hours?|hrs?|h|days?|d|weeks?|w|years?|y)\s*)+)$/
const MILLISECONDS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  µs: 1e-3,
  us: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  month: 2_592_000_000,
  months: 2_592_000_000,
  y: 31_536_000_000,
}
/** `2 hours ago`, `About an hour ago`, `less than a second ago`: how old something is. */
const AGO = /^\s*(?:(?:about|almost|over|less than)\s+)?(an?\s|[\d.]+)(.{1,20}?)\s+ago\s*$/i

/** `P11D`, `PT1H30M`, `P1Y2M3DT4H5M6.5S` (ISO 8601); a year has 365 days and a month 30. */
const ISO =
  /^\s*(-?)P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?\s*$/
const ISO_PARTS = [365 * 86_400_000, 30 * 86_400_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1_000]

function isoDuration(text: string): number | undefined {
  const [, sign, ...parts] = ISO.exec(text) ?? []
  if (sign === undefined) return undefined
  const sum = parts.reduce((total, part, at) => total + Number(part ?? 0) * (ISO_PARTS[at] ?? 0), 0)
  return sign === '-' ? -sum : sum
}

/** `00:01:30.5`, also behind days: `1.02:03:04` of .NET, `1-02:03:04` of `ps`, `1 day, 2:03:04` of Python. */
const CLOCKED = /^\s*(-?)(?:(\d{1,6})(?:[.-]| days?, ))?(\d{1,6}):([0-5]\d):([0-5]\d(?:[.,]\d{1,9})?)\s*$/

function clocked(text: string): number | undefined {
  const [, sign, days = 0, hours, minutes, seconds = ''] = CLOCKED.exec(text) ?? []
  if (sign === undefined) return undefined
  const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes)
  const time = whole * 60_000 + Math.round(Number(seconds.replace(',', '.')) * 1e9) / 1e6
  return sign === '-' ? -time : time
}

/** `01:02:03.5` of milliseconds. */
export function clockText(time: number): string {
  const nanoseconds = Math.round(Math.abs(time) * 1e6)
  const whole = Math.floor(nanoseconds / 1e9)
  const fraction = ((nanoseconds % 1e9) / 1e9).toString().slice(1)
  const parts = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  return `${time < 0 ? '-' : ''}${parts.map((part) => String(part).padStart(2, '0')).join(':')}${fraction}`
}

/** Milliseconds: 1,500 of "1.5s", 5,400,000 of "1h30m", "1 hour 30 min", "PT1H30M" and "1:30:00". Undefined without a unit of time. */
export function duration(text: string): number | undefined {
  if (text.length > LONGEST_NUMBER) return undefined
  if (/^\s*-?P/.test(text)) return isoDuration(text)
  if (text.includes(':')) return clocked(text)
  const [, sign, parts] = TIMED.exec(text) ?? []
  if (parts === undefined) {
    if (/^\s*just now\s*$/i.test(text)) return 0
    const [, count, unit] = AGO.exec(text) ?? []
    return unit === undefined ? undefined : duration(`${/^a/i.test(count ?? '') ? 1 : count} ${unit}`)
  }
  let sum = 0
  for (const [, number, unit = ''] of parts.matchAll(/([\d.]+)\s*([a-zµ]+)/g))
    sum += Number(number) * (MILLISECONDS[unit] ?? MILLISECONDS[unit.charAt(0)] ?? 0)
  return sign === '-' ? -sum : sum
}

/** `1.10.2`, `v2.0.0-rc.1`; and the same of two parts. */
const VERSION = /^v?\d+(?:\.\d+){2,}(?:[-+.]\S*)?$/i
export const DOTTED = /^v?\d+(?:\.\d+)+(?:[-+.]\S*)?$/i
/** `31.12.2024` is written so as well. */
const DATED = /^\d{1,2}\.\d{1,2}\.\d{4}$/

/**
 * True for versions, or numbers of sections, of which 5.10 is after 5.9: all are numbers with points between them, and some have two points.
 * Dates are none.
 */
export function areVersions(texts: readonly string[]): boolean {
  const all = texts.map((text) => text.trim())
  if (areUneven(all)) return true
  return (
    all.some((text) => VERSION.test(text)) &&
    all.every((text) => DOTTED.test(text)) &&
    !all.some((text) => DATED.test(text)) &&
    orderOfDates(all) === undefined
  )
}

/** True for `17.5` beside `17.10`, which are versions: decimals of one column have all as many digits, or none that ends in zero. */
export function areUneven(texts: readonly string[]): boolean {
  return (
    texts.some((text) => /^\d{1,3}\.[1-9]0$/.test(text)) &&
    texts.some((text) => /^\d{1,3}\.\d$/.test(text)) &&
    texts.every((text) => /^\d{1,3}\.\d{1,2}$/.test(text))
  )
}

/** A number that is larger for a later version. Undefined where a part has more than three digits. Five parts are looked at. */
export function placeOfVersion(text: string): number | undefined {
  const [, numbers, rest] = /^v?(\d{1,3}(?:\.\d{1,3})+)(?![\d])(\S*)$/i.exec(text.trim()) ?? []
  if (numbers === undefined) return undefined
  const parts = numbers.split('.')
  const whole = Array.from({ length: 5 }, (_, at) => Number(parts[at] ?? 0)).reduce(
    (sum, part) => sum * 1_000 + part,
    0,
  )
  // `2.0.0-rc.1` is before `2.0.0` (Semantic Versioning 2.0.0, 11).
  return rest?.startsWith('-') ? whole - 0.5 : whole
}

const LONG_WRITTEN = /^\s*[-+]?\d{16,400}\s*$/

/** An integer, to the digit, of a number or a text that is too long for a double. As doubles such integers equal their neighbours; their
 * digits differ. Undefined for what a double holds exactly, and for all else. */
export function longInteger(value: JsonValue): bigint | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(plainDigits(value)) : undefined
  return typeof value === 'string' && LONG_WRITTEN.test(value) ? BigInt(value.trim()) : undefined
}

/** `10000000000000000000000000` of 1e25. A number has the digits that it is written with: numbers written otherwise are kept as texts. */
function plainDigits(number: number): string {
  const [digits = '', exponent] = String(number).split('e+')
  if (exponent === undefined) return digits
  const [whole = '', fraction = ''] = digits.split('.')
  return `${whole}${fraction.padEnd(Number(exponent), '0')}`
}

/** -1, 0 or 1 for two values that are the same double; 0 unless both are such integers. */
export function besideToTheDigit(one: JsonValue, other: JsonValue): number {
  const [first, second] = [longInteger(one), longInteger(other)]
  if (first === undefined || second === undefined || first === second) return 0
  return first < second ? -1 : 1
}
