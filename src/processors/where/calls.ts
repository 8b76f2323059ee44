/** Conditions written as calls: `contains(title, "x")`, `title.startsWith("x")`, `length(labels) > 2`, `year(made) = 2024`. */

import type { Knows } from './operators.ts'
import { closingParenthesis } from './unwrap.ts'

/** What is compared instead of the field's value itself. */
export type Measure = 'length' | 'year' | 'month' | 'day' | 'hour'

/** Functions that answer yes or no, with the operator they stand for. */
const tests: Readonly<Record<string, string>> = {
  contains: 'contains',
  icontains: 'contains',
  includes: 'has',
  include: 'has',
  inside: 'in',
  arraycontains: 'has',
  jsoncontains: 'has',
  strcontains: 'contains',
  instr: 'contains',
  startswith: 'starts with',
  beginswith: 'starts with',
  hasprefix: 'starts with',
  endswith: 'ends with',
  hassuffix: 'ends with',
  matches: '~',
  match: '~',
  test: '~',
  search: '~',
  regex: '~',
  regexmatch: '~',
  regexmatches: '~',
  regexplike: '~',
  regexpmatches: '~',
  regexpcontains: '~',
  regexp: '~',
  like: 'like',
  ilike: 'like',
  in: 'in',
  isin: 'in',
  equals: '=',
  equal: '=',
  eq: '=',
  ne: '!=',
  gt: '>',
  gte: '>=',
  ge: '>=',
  lt: '<',
  lte: '<=',
  le: '<=',
  between: 'between',
  hastag: 'has',
}
const alone: Readonly<Record<string, string>> = {
  exists: 'exists',
  defined: 'is not null',
  isdefined: 'is not null',
  isset: 'is not null',
  isnull: 'is null',
  isna: 'is null',
  isnil: 'is null',
  isnone: 'is null',
  isundefined: 'is null',
  missing: 'is null',
  notnull: 'is not null',
  isnotnull: 'is not null',
  notna: 'is not null',
  isempty: 'is empty',
  empty: 'is empty',
  isnotempty: 'is not empty',
  not: '= false',
}
/** Functions over the elements of a list. */
const quantifiers: Readonly<Record<string, 'any' | 'all' | 'none'>> = {
  any: 'any',
  some: 'any',
  every: 'all',
  all: 'all',
  none: 'none',
  elemmatch: 'any',
  anymatch: 'any',
  exists: 'any',
  filter: 'any',
  find: 'any',
}
/** Functions of one value that change nothing for a comparison. */
const plain: ReadonlySet<string> = new Set(
  'lower upper tolower toupper tolowercase touppercase casefold lcase ucase asciidowncase asciiupcase trim strip str string tostring number tonumber int float parseint parsefloat double bool boolean tojson text date datetime timestamp todate totimestamp parsedate fromdate newdate coalesce ifnull nvl values value keys'.split(
    ' ',
  ),
)
const measures: Readonly<Record<string, Measure>> = {
  length: 'length',
  len: 'length',
  size: 'length',
  count: 'length',
  arraylength: 'length',
  jsonarraylength: 'length',
  cardinality: 'length',
  charlength: 'length',
  arraysize: 'length',
  year: 'year',
  getfullyear: 'year',
  getyear: 'year',
  month: 'month',
  day: 'day',
  dayofmonth: 'day',
  hour: 'hour',
}

/** A call over the elements of a list, with the condition that they have to fulfil. */
export interface Quantified {
  field: string
  quantifier: 'any' | 'all' | 'none'
  condition: string
}

interface Call {
  /** What it is called on, or its first argument. */
  object: string
  name: string
  args: string[]
  /** What comes after it. */
  rest: string
}

function namedLike(table: Readonly<Record<string, string>>, name: string): string | undefined {
  const key = name.toLowerCase().replaceAll('_', '')
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** The call that `text` begins with, as function or as method. */
function callIn(text: string, knows: Knows): Call | undefined {
  let open = text.indexOf('(')
  // Of a chain of calls, `a.lower().includes("x")`, the last one counts.
  for (let end = closingParenthesis(text, open); open > 0 && end > 0; end = closingParenthesis(text, open)) {
    const [link] = /^\s*\.\s*\w+\s*(?=\()/.exec(text.slice(end + 1)) ?? []
    if (link === undefined) break
    open = end + 1 + link.length
  }
  if (open <= 0) return undefined
  const head = text.slice(0, open).trimEnd()
  const [, object = '', name] = /^(?:(.*[\w\])"'?])\s*\.\s*)?([a-z_]\w*)$/is.exec(head) ?? []
  if (name === undefined || /[=<>~]\s|\s(?:and|or)\s/i.test(object)) return undefined
  const end = closingParenthesis(text, open)
  if (end < 0 || knows(text.slice(0, end + 1)) === 'exactly') return undefined
  const args = splitArguments(text.slice(open + 1, end))
  const rest = text.slice(end + 1).trim()
  const target = object.replace(/\?$/, '')
  if (target !== '') return { object: target, name, args, rest }
  const [first = '', ...others] = args
  return { object: first, name, args: others, rest }
}

/** `contains(title, "x")` as `title contains "x"`; undefined when the text is no such call. */
export function asSentence(text: string, knows: Knows): string | undefined {
  const call = callIn(text, knows)
  const verdict = call && /^(?:(?:==?=?|is)\s*(true|false|1|0))?$/i.exec(call.rest)
  if (!call || !verdict || call.object === '') return undefined
  const negate = verdict[1] !== undefined && /false|0/i.test(verdict[1]) ? 'not ' : ''
  const single = namedLike(alone, call.name)
  if (single !== undefined && call.args.length === 0) return `${negate}${call.object} ${single}`
  if (/^has(?:_?key)?$/i.test(call.name) && call.args.length === 0) return `${negate}${call.object} exists`
  const operator = /^has(?:key|own|ownproperty)?$/i.test(call.name) ? 'has' : namedLike(tests, call.name)
  if (operator === undefined || call.args.length === 0) return undefined
  const [field, args] =
    /^["']/.test(call.object) && knows(call.object) === undefined && !/^["']/.test(call.args[0] ?? '')
      ? [call.args[0] ?? '', [call.object]]
      : [call.object, call.args]
  if (operator === 'in') return `${negate}${field} in (${args.join(', ')})`
  if (operator === 'between') return `${negate}${field} between ${args.join(' and ')}`
  const value = operator === '~' ? (args[0] ?? '').replace(/^r(?=["'])/, '') : args[0]
  return `${negate}${withoutPlain(field, knows)} ${operator} ${value}`
}

/** `any(labels, name = "bug")`, `labels.some(l => l.name === "bug")`, `any(l["name"] == "x" for l in labels)`. */
export function asQuantified(text: string, knows: Knows): Quantified | undefined {
  const call = callIn(text, knows)
  const quantifier = call && namedLike(quantifiers, call.name)
  if (
    !call ||
    !quantifier ||
    (call.rest !== '' && !/^(?:==?=?\s*true|(?:\.length)?\s*>\s*0)$/i.test(call.rest))
  )
    return undefined
  const generated = /^(.+)\s+for\s+(\w+)\s+in\s+(\S+)$/s.exec(call.object)
  if (generated && call.args.length === 0) {
    const [, condition = '', variable = '', field = ''] = generated
    return {
      field,
      quantifier: quantifier as Quantified['quantifier'],
      condition: `${variable} => ${condition}`,
    }
  }
  const [condition] = call.args
  if (condition === undefined || !/[=<>~]|\s(?:is|has|contains|in|like)\s|\(|^\w+ *=>/i.test(condition))
    return undefined
  return {
    field: call.object.replace(/\[\*?\]$/, ''),
    quantifier: quantifier as Quantified['quantifier'],
    condition: call.args.join(', '),
  }
}

/** The field in `length(labels)`, `labels.length`, `lower(title)`, `year(made)`, `made:month`, and what is measured of it. */
export function measured(written: string, knows: Knows): { field: string; measure?: Measure; folded?: true } {
  const field = written.trim()
  if (knows(field) === 'exactly') return { field }
  const call = callIn(field, knows)
  if (call && call.rest === '' && call.object !== '') {
    const dated =
      /^(?:extract|date_?part|date_?trunc|strftime|to_?char|date_?format)$/i.test(call.name) &&
      partOf([call.object, ...call.args])
    if (dated) return dated
    const measure = namedLike(measures, call.name) as Measure | undefined
    const inner = measured(call.object.replace(/\[\*?\]$/, ''), knows)
    if (measure && knows(inner.field) !== undefined) return { field: inner.field, measure }
    const name = call.name.toLowerCase().replaceAll('_', '')
    if (plain.has(name))
      return {
        ...measured(call.object, knows),
        ...(/low|upp|case|fold/.test(name) && { folded: true as const }),
      }
  }
  const [, list, property] =
    /^(.+?)(?:\[\*?\])?\s*[.:|]\s*(length|len|size|count|year|month|day|hour)$/i.exec(field) ?? []
  const measure = property === undefined ? undefined : (namedLike(measures, property) as Measure | undefined)
  if (list !== undefined && measure && knows(list) !== undefined && knows(field) === undefined)
    return { field: list, measure }
  const cast = field.replace(/::\w+$/, '')
  return { field: cast === field || knows(cast) === undefined ? field : cast }
}

function withoutPlain(field: string, knows: Knows): string {
  const call = callIn(field, knows)
  return call && call.rest === '' && plain.has(call.name.toLowerCase().replaceAll('_', ''))
    ? call.object
    : field
}

/** `year from made`, `'year', made`, `'%Y', made`. */
function partOf(args: readonly string[]): { field: string; measure: Measure } | undefined {
  const [, unit, from] = /^(year|month|day|hour)\s+from\s+(.+)$/is.exec(args.join(', ')) ?? []
  const parts = args.map((arg) => arg.replaceAll(/^["']|["']$/g, ''))
  const named = parts.findIndex((part) => /^(?:year|month|day|hour|%[YmdH]|yyyy|mm|dd)$/i.test(part))
  const word = (unit ?? parts[named] ?? '').toLowerCase().replace('%', '')
  const measure = (
    {
      year: 'year',
      y: 'year',
      yyyy: 'year',
      month: 'month',
      m: 'month',
      mm: 'month',
      day: 'day',
      d: 'day',
      dd: 'day',
      hour: 'hour',
      h: 'hour',
    } as const
  )[word]
  const field = from ?? parts[named === 0 ? 1 : 0]
  return measure === undefined || field === undefined ? undefined : { field, measure }
}

/** At commas and semicolons outside of quotes, brackets and parentheses. */
function splitArguments(text: string): string[] {
  const args: string[] = []
  let depth = 0
  let quote = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if ((char === '"' || char === "'") && /^$|[\s(,;=<>~[:]/.test(text.charAt(at - 1))) quote = char
    else if (char === '(' || char === '[' || char === '{') depth++
    else if (char === ')' || char === ']' || char === '}') depth--
    else if ((char === ',' || char === ';') && depth === 0) {
      args.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...args, text.slice(start)].map((arg) => arg.trim()).filter((arg) => arg !== '')
}
