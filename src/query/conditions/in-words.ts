/**
 * Conditions in the words of people, without an operator of the language: `no assignee`, `more than 3 labels`, `older than 30 days`,
 * `namespace prod`, `open`, `errors from billing`. They are read only where they are no condition as they are written.
 */
import type { JsonValue } from '../../protocol/json.ts'
import { WEEKDAYS } from '../../text/values/date-parts.ts'
import { parseClock, parseWanted } from '../../text/values/dates.ts'
import { holdsLevels, isSameLevel } from '../../text/values/levels.ts'
import { looseNumber } from '../../text/values/quantities.ts'
import { relativeSpan } from '../../text/values/relative.ts'
import { bareName, wordsInName } from '../../text/words/bare-name.ts'
import { stemOf, stopWords } from '../../text/words/words.ts'
import { alike, singular } from '../fields/alike.ts'
import { fieldsThere, resolveName } from '../fields/fields.ts'
import { parsePath } from '../fields/path.ts'
import type { Records } from '../fields/records.ts'
import { timeFields } from '../fields/times.ts'
import { operatorAt } from '../language/operators.ts'
import { parseCondition } from '../language/parser.ts'
import { scan } from '../language/scanner.ts'
import { fieldsIn } from '../language/tree.ts'
import { listed, Refusal, safely, shown, UnknownField } from '../refusal.ts'
import { type Binding, bind, timed } from './evaluate.ts'
import { columnAt, countOf } from './verdict.ts'

/** A condition in other words. `certain`: it counts although no record fulfils it. */
interface Reading {
  condition: string
  note: string
  certain?: true
}

/** Signs of a condition, and constants. */
const NO_WORDS = /[=<>~]|^(?:true|false|null)$/i
/** Longer texts are no words of people. */
const LONGEST = 100

/** The conditions, some of them read as words. Undefined where none is, and where no record has a value that was read. Throws a `Refusal`. */
export function boundAsWords(conditions: readonly string[], records: Records): Binding | undefined {
  const parts = conditions.flatMap((written) => {
    const whole = readingOf(written.trim(), records)
    if (whole) return [{ written, reading: whole }]
    return partsOf(written).map((part) => ({
      written: part,
      reading: part === written.trim() ? undefined : readingOf(part, records),
    }))
  })
  const made = parts.flatMap(({ reading }) => reading ?? [])
  const read = parts.map(({ written, reading }) => reading?.condition ?? written)
  const binding = made.length > 0 ? boundTo(read, records) : undefined
  if (!binding) return undefined
  const matched = timed(binding, () => countOf(binding.matches(records.values)))
  const isNegated = made.some(({ condition }) => condition.startsWith('not '))
  const isCertain = made.every(({ certain }) => certain)
  // Words that no record has are no value: `not yet seen` is about something else.
  if (!isCertain && (matched === 0 || (isNegated && matched === records.values.length))) return undefined
  binding.notes.unshift(...made.map(({ note }) => note))
  return binding
}

/** The conditions in the words of the language, bound. Throws `UnknownField` for a name in a condition that was no words. */
function boundTo(conditions: readonly string[], records: Records): Binding | undefined {
  try {
    return bind(conditions, records)
  } catch (error) {
    if (error instanceof UnknownField || !(error instanceof Refusal)) throw error
    return undefined
  }
}

/** `open and comments > 30` in parts. An `or` binds less: beside one the condition stays whole. */
function partsOf(condition: string): string[] {
  const words = scan(condition).filter(({ depth }) => depth === 0)
  const ands = words.filter(({ text }) => /^(?:and|&&)$/i.test(text))
  const starts = [0, ...ands.map(({ to }) => to)]
  return /\sbetween\s/i.test(condition) || words.some(({ text }) => /^(?:or|\|\|?)$/i.test(text))
    ? [condition.trim()]
    : starts.map((from, at) => condition.slice(from, ands[at]?.from).trim())
}

function readingOf(written: string, records: Records): Reading | undefined {
  if (written.length > LONGEST) return undefined
  const known = valueAlone(written, records)
  if (known) return known
  if (NO_WORDS.test(written) || safely(() => bind([written], records))) return undefined
  for (const { read, certain } of PHRASES) {
    const condition = read(written, records)
    if (condition === undefined) continue
    if (!certain && !isFulfilled(condition, records)) continue
    const note = `\`${shown(written)}\` read as \`${condition}\`.`
    return { condition, note, ...(certain && { certain }) }
  }
  return somewhere(written, records) ?? valuesTogether(written, records)
}

/** The condition that words are, where some record fulfils it. */
export function conditionInWords(written: string, records: Records): string | undefined {
  const condition = readingOf(written, records)?.condition
  return condition !== undefined && isFulfilled(condition, records) ? condition : undefined
}

/** True where some record fulfils the condition. */
function isFulfilled(condition: string, records: Records): boolean {
  const binding = safely(() => bind([condition], records))
  return binding !== undefined && timed(binding, () => countOf(binding.matches(records.values))) > 0
}

/** Words without an operator. */
const WORDS = /^(?!(?:true|false|null)$)(not\s+|!\s*)?(["'`]?)([\p{L}\p{N}#@][\p{L}\p{N} ._:/@#-]{1,60})\2$/iu

/** `open` as `state = open` where `state` alone has this value. */
function valueAlone(written: string, records: Records): Reading | undefined {
  const [, not = '', , value = ''] = WORDS.exec(written) ?? []
  if (value === '' || saysMore(value, records)) return undefined
  const [field, another] = fieldsWith(value, records)
  if (field === undefined) return undefined
  const marks = [field, another ?? field].map((name) =>
    bind([`${name} = ${JSON.stringify(value)}`], records)
      .matches(records.values)
      .join(),
  )
  if (another !== undefined && marks[0] !== marks[1])
    throw new Refusal(
      `\`${value}\` is no field but a value of \`${field}\` and of \`${another}\`: write \`${field} = ${value}\`.`,
    )
  return isNoField(`${field} =`, value, not)
}

function isNoField(meant: string, value: string, not: string): Reading {
  return {
    condition: `${not && 'not '}${meant} ${JSON.stringify(value)}`,
    note: `\`${value}\` is no field: read as \`${meant} ${value}\`.`,
  }
}

/** A word before the only other one: `with ann`, `in src/server`. */
const BEFORE_ONE = /^(?:in|with|by|of|from|for)\s+(?=\S+$)/i

/** `lexer` as `* contains lexer`. */
function somewhere(written: string, records: Records): Reading | undefined {
  const [, not = '', , value = ''] = WORDS.exec(written.replace(BEFORE_ONE, '')) ?? []
  if (not !== '' || !isSought(value, records) || saysMore(value, records)) return undefined
  const reading = isNoField('* contains', value, not)
  return isFulfilled(`* contains ${JSON.stringify(value)}`, records) ? reading : undefined
}

/** True for words to look for: no stop word, and no part of the name of a field, as `merged` is of `merged_at`. */
function isSought(words: string, records: Records): boolean {
  const name = bareName(words)
  const isPart = (field: string): boolean => wordsInName(field).includes(name)
  return /\p{L}/u.test(words) && !stopWords.has(name) && ![...records.names().keys()].some(isPart)
}

/** True for words that are a condition, or call a field. */
function saysMore(words: string, records: Records): boolean {
  const condition = safely(() => parseCondition(words))
  if (condition !== undefined && fieldsIn(condition).join() !== words) return true
  const name = bareName(words)
  return [...records.names().keys()].some((field) => lastName(field) === name)
}

/** The last of the names on a path, plainly spelled. */
export function lastName(name: string): string {
  return bareName(/([^.[\]"'*]+)[\]"'*[]*$/.exec(name)?.[1] ?? name)
}

/** Fields that are looked through for a value, and different values of each. */
const MOST_FIELDS = 60
const MOST_VALUES = 10_000

/** Two fields at most with this value, in any case. */
function fieldsWith(value: string, records: Records): string[] {
  const wanted = value.toLowerCase()
  const has = (name: string): boolean => {
    const areLevels = holdsLevels(name)
    const isIt = (one: JsonValue): boolean =>
      typeof one !== 'object' &&
      (String(one).toLowerCase() === wanted || (areLevels && isSameLevel(String(one), wanted)))
    const column = columnAt(records.values, parsePath(name))
    for (let code = 0; code < Math.min(column.size, MOST_VALUES); code++)
      if (column.values(code).some(isIt)) return true
    return false
  }
  return [...records.names().keys()].slice(0, MOST_FIELDS).filter(has).slice(0, 2)
}

// ---- Fields in words ----------------------------------------------------------------------------------------------

/** Letters from which on the stem of one word may begin that of another: `assign` and `assignee`. */
const LEAST_OF_STEM = 4
const MOST_OF_ENDING = 2

/** The one field that words call: by its spelling, by a word of the same stem (`labelled` of `labels`), by another word for it. */
export function fieldCalled(words: string, records: Records, loosely = true): string | undefined {
  const name = words.replace(/^(?:an?|any|some|the|its)\s+/i, '').trim()
  if (!/^[\p{L}_][\p{L}\p{N}_ .-]*$/u.test(name) || stopWords.has(name.toLowerCase())) return undefined
  const found = alike(records.names(), name)
  if (found) return 'one' in found ? found.one : undefined
  if (/\s/.test(name)) return undefined
  const stem = stemOf(bareName(name))
  const [only, another] = [...records.names().keys()].filter((field) => {
    const own = stemOf(lastName(field))
    const [short = '', long = ''] = own.length < stem.length ? [own, stem] : [stem, own]
    const isNear = short.length >= LEAST_OF_STEM && long.length - short.length <= MOST_OF_ENDING
    return own === stem || (isNear && long.startsWith(short))
  })
  if (only !== undefined) return another === undefined ? only : undefined
  const other = loosely ? safely(() => resolveName(records, name).name) : undefined
  // The beginning of a name is often another word: `eve` of `event`.
  return other !== undefined && !lastName(other).startsWith(bareName(name)) ? other : undefined
}

/** Different values of a field that are looked at to tell what it holds. */
const MOST_SAMPLED = 50

/** True where the field has values, and all that are looked at are such. */
function holds(field: string, records: Records, isSuch: (value: JsonValue) => boolean): boolean {
  const column = columnAt(records.values, parsePath(field))
  const codes = Array.from({ length: Math.min(column.size, MOST_SAMPLED) }, (_, code) => code)
  const values = codes
    .flatMap((code) => column.values(code))
    .filter((value) => value !== null && value !== '')
  return values.length > 0 && values.every(isSuch)
}

// ---- Phrases ------------------------------------------------------------------------------------------------------

interface Phrase {
  example: string
  /** Set where the phrase names a field, so that it counts although no record fulfils it. */
  certain?: true
  /** The condition in words of the language. */
  read(written: string, records: Records): string | undefined
}

const NUMBERS = 'zero one two three four five six seven eight nine ten'.split(' ')
const ORDERS = `(?:no |not )?(?:more|less|fewer) than|at (?:least|most)|over|under|up to`
const COUNTED = new RegExp(
  String.raw`^(?:(\p{L}+)\s+)??(?:(${ORDERS}|exactly)\s+)?(\d[\d.,]*|${NUMBERS.join('|')})\s+(\D+)$`,
  'iu',
)

const PHRASES: readonly Phrase[] = [
  { example: 'no assignee', certain: true, read: withoutField },
  { example: 'more than 3 labels', certain: true, read: countedField },
  { example: 'with a description', certain: true, read: withField },
  { example: 'older than 30 days', certain: true, read: atTime },
  { example: 'namespace prod', read: fieldThenValue },
  {
    example: 'mentions timeout',
    read(written) {
      const [, text] =
        /^(?:contains?|containing|mentions?|mentioning|includes?|including|about)\s+(.+)$/i.exec(written) ??
        []
      return text && `* contains ${JSON.stringify(unquoted(text))}`
    },
  },
  {
    example: '*.ts',
    read: (written) => (/^[\w./-]*\*[\w./*-]*\w$/.test(written) ? `* like ${written}` : undefined),
  },
]

function unquoted(text: string): string {
  return text.replace(/^(["'`])(.*)\1$/s, '$2')
}

/** `no assignee`, `without a body`, `not yet merged`; of yes and no, `not yet done`. */
function withoutField(written: string, records: Records): string | undefined {
  const [, words = ''] =
    /^(?:(?:has|have|having|with)\s+)?(?:no|without|lacks?|lacking|missing|never|not\s+yet)\s+(.+)$/i.exec(
      written,
    ) ?? []
  const field = fieldCalled(words, records)
  if (field === undefined) return undefined
  return isFlag(field, records) ? `not ${field}` : `${field} is empty`
}

function isFlag(field: string, records: Records): boolean {
  return holds(field, records, (value) => typeof value === 'boolean')
}

/** `with a description`. */
function withField(written: string, records: Records): string | undefined {
  const [, words = ''] = /^(?:with|has|have|having)\s+(?:any\s+|some\s+)?(.+)$/i.exec(written) ?? []
  const field = fieldCalled(words, records)
  return field && `${field} is not empty`
}

/** True for a field with numbers alone, be they written as texts. */
export function holdsNumbers(field: string, records: Records): boolean {
  const isNumber = (value: JsonValue): boolean =>
    typeof value === 'number' || (typeof value === 'string' && looseNumber(value) !== undefined)
  return holds(field, records, isNumber)
}

/** `more than 3 labels`, `has 2 owners`, `scored over 20 goals`: of a number, or of a list. */
function countedField(written: string, records: Records): string | undefined {
  const [, verb = '', words = '', number = '', name = ''] = COUNTED.exec(written) ?? []
  if (words === '' && !/^(?:has|have|having|with)$/i.test(verb)) return undefined
  const field = fieldCalled(name, records, false)
  if (field === undefined) return undefined
  const areLists = holds(field, records, Array.isArray)
  if (!areLists && !holdsNumbers(field, records)) return undefined
  const count = NUMBERS.indexOf(number.toLowerCase())
  const operator = /^(?:exactly)?$/i.test(words) ? '=' : words
  return `${areLists ? `length(${field})` : field} ${operator} ${count < 0 ? number : count}`
}

// ---- Times --------------------------------------------------------------------------------------------------------

/** `older than 30 days`, `after 2024-05-01`, `last week`, `on Monday`: of the one field with times. */
function atTime(written: string, records: Records): string | undefined {
  const found = operatorAt(`x ${written}`, 2)
  const words = found ? written.slice(0, found.to - 2) : ''
  const value = written.slice(words.length).trim()
  const isAge = /^(?:is\s+)?(?:older|newer)\s+than$/i.test(words)
  const times = isAge ? [`${value} ago`] : found?.symbol === 'between' ? value.split(/\s+and\s+/i) : [value]
  const day = WEEKDAYS.find((name) => new RegExp(`^(?:an?\\s+)?${name}s?$`, 'i').test(value))
  if (day === undefined && !times.every(isTime)) return undefined
  const [field, another] = timeFields(records)
  const first = isAge && another !== undefined ? fieldCalled('created', records) : field
  if (first === undefined) return undefined
  const condition = (name: string): string =>
    day === undefined ? `${name} ${words || 'in'} ${value}` : `weekday(${name}) = ${day}`
  if (another !== undefined && !isAge)
    throw new Refusal(
      `\`${shown(written)}\` of which time? Write \`${condition(first)}\`; there is also \`${another}\`.`,
    )
  return condition(first)
}

/** True for a date, a time of day and a time that is said from now. A number alone is none. */
function isTime(text: string): boolean {
  if (!/[a-z:/-]/i.test(text)) return false
  return (relativeSpan(text, 0) ?? parseWanted(text) ?? parseClock(text)) !== undefined
}

// ---- Values -------------------------------------------------------------------------------------------------------

/** Words of a name, and words around it that say nothing. */
const MOST_WORDS = 3
const BEFORE = /^(?:(?:in|with|by|of|from|for|where|whose|having|the|is|are|was|were)\s+)+/i
const BETWEEN = /^(?:(?:is|are|was|were|to|by|as|with|for|in|on|of|the)\s+)+/i

/** `namespace prod`, `assigned to bob`, `ordered this month`: the name of a field, and what it has. */
function fieldThenValue(written: string, records: Records): string | undefined {
  const words = written.replace(BEFORE, '').split(/\s+/)
  for (let count = Math.min(MOST_WORDS, words.length - 1); count > 0; count--) {
    const field = fieldCalled(words.slice(0, count).join(' '), records, false)
    const value = words.slice(count).join(' ').replace(BETWEEN, '')
    if (field === undefined || value === '') continue
    if (isTime(value)) return `${field} in ${value}`
    const quoted = JSON.stringify(unquoted(value))
    for (const operator of ['=', 'contains'])
      if (isFulfilled(`${field} ${operator} ${quoted}`, records)) return `${field} ${operator} ${quoted}`
  }
  return undefined
}

/** Words between values that say nothing of a record. */
const IDLE = new Set(
  'which only just all is are was were the a an from in by of with for to either both and or that who where at show find list get any ones records rows items entries results'.split(
    ' ',
  ),
)

/** `errors from billing`, `open or blocked`, `active users`: each word a value of one field, one that is yes or no, or what the records are. */
function valuesTogether(written: string, records: Records): Reading | undefined {
  const words = written.split(/[\s,]+/).filter((word) => !IDLE.has(word.toLowerCase()))
  const noun = singular(lastName(String(records.table.path)))
  const parts = new Map<string, string[]>()
  for (let at = 0; at < words.length; ) {
    const found = valueAt(words, at, records)
    const word = words[at] ?? ''
    if (!found && singular(bareName(word)) !== noun) return undefined
    if (found) parts.set(found.field, [...(parts.get(found.field) ?? []), found.value])
    at += found?.words ?? 1
  }
  if (parts.size === 0) return undefined
  const conditions = [...parts].map(([field, values]) =>
    values[0] === ''
      ? field
      : values.length === 1
        ? `${field} = ${values[0]}`
        : `${field} in (${values.join(', ')})`,
  )
  const isAny = /\sor\s/i.test(written) && [...parts.values()].every(({ length }) => length === 1)
  const condition = conditions.join(isAny ? ' or ' : ' and ')
  return { condition, note: `\`${shown(written)}\` read as \`${condition}\`.` }
}

/** The longest value of one field that begins at a word, or the field that is yes or no and called so. */
function valueAt(
  words: readonly string[],
  at: number,
  records: Records,
): { field: string; value: string; words: number } | undefined {
  for (let count = Math.min(MOST_WORDS, words.length - at); count > 0; count--) {
    const text = words.slice(at, at + count).join(' ')
    for (const value of new Set([text, singular(text.toLowerCase())])) {
      const [field, another] = fieldsWith(value, records)
      if (field !== undefined && another === undefined) return { field, value, words: count }
    }
    const flag = fieldCalled(text, records, false)
    if (flag !== undefined && isFlag(flag, records)) return { field: flag, value: '', words: count }
  }
  return undefined
}

// ---- The reply about words that are no condition ------------------------------------------------------------------

/** Conditions that are shown. */
const MOST_SHOWN = 3

/** Advice for words without an operator: conditions with values that are in them, or with any fields. */
export function exampleFor(conditions: readonly string[], records: Records): string {
  const words = conditions.join(' ').split(/[\s,]+/)
  const values = [...new Set(words.flatMap((word) => [word, singular(word.toLowerCase())]))].flatMap(
    (word) =>
      IDLE.has(word.toLowerCase()) || word === ''
        ? []
        : fieldsWith(word, records).map((field) => `${field} = ${word}`),
  )
  const place = placeIn(conditions, records)
  if (place !== undefined) return place
  const some =
    values.length > 0 ? values : [...records.names()].flatMap(([name, samples]) => examplesOf(name, samples))
  return `Write a field, an operator and a value, like ${listed(some.slice(0, MOST_SHOWN))}. ${fieldsThere(records)}`
}

/** `last 5 lines`, `first event`: records by their place are no condition. */
function placeIn([written = '']: readonly string[], { values }: Records): string | undefined {
  const [, word = '', count = '1'] =
    /^(?:the\s+)?(first|last)(?:\s+(\d{1,6}))?(?=\s|$)/i.exec(written.trim()) ?? []
  if (word === '') return undefined
  const offset = /last/i.test(word) ? Math.max(0, values.length - Number(count)) : 0
  return `Records by their place are asked for by "limit": ${count}, "offset": ${offset}.`
}

function examplesOf(name: string, [sample]: readonly JsonValue[]): string[] {
  if (typeof sample === 'number') return [`${name} > ${sample}`]
  return typeof sample === 'string' && /^[\w -]{1,20}$/.test(sample) ? [`${name} = ${sample}`] : []
}
