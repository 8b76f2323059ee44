/**
 * The operators of conditions, one row each: how it is written, what it takes, what it tests, one line of text. The parser, the
 * evaluator, the messages, the description of `where` that models read and the page of the documentation are made from it.
 */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { literal } from '../../text/patterns/literal.ts'
import { compilePattern, isPattern, type Pattern } from '../../text/patterns/pattern.ts'
import { contains, equals, has, type Operand, order, type Strictness } from '../../text/values/compare.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { Refusal } from '../refusal.ts'

/** True when the values of one side in one record fulfil a comparison, its negation aside. */
export type ValuesTest = (values: readonly JsonValue[]) => boolean

/** The test of an operator on the values of its left side. */
export interface OperatorTest {
  /** Of all values in a record. */
  holds: ValuesTest
  /** The same of one value that is a scalar, in less time. Absent: `holds` is asked. */
  ofScalar?(value: JsonValue): boolean
  /** Set where the test is one of order: the operand, and what its place beside it has to be. -1, 0 or 1. */
  ordered?: { operand: Operand; holds(sign: number): boolean }
}

/** The facts that a test needs about the field, and the place of its patterns. */
export interface Surroundings {
  strictness(operand: Operand): Strictness
  /** True when lists hold the operand as a whole element in some record; `across`: or the way there goes through one. */
  isElement(operand: Operand, across: boolean): boolean
  /** The way to the values goes through a list. */
  readonly crosses: boolean
  pattern(pattern: Pattern): void
}

/** One operator. Lists of spellings are separated by commas, those of signs by blanks. */
export interface Operator {
  /** Its name in messages, and how it is written. */
  symbol: string
  /** Other signs, and signs of its negation. */
  signs?: string
  notSigns?: string
  /** Words, and words of its negation. A blank stands for any number of them. */
  words?: string
  notWords?: string
  /** Words that are parts of many texts and names: operators only where nothing else is. */
  weakWords?: string
  /** Names of functions that mean it: `contains(title, "x")`. Lower case, without `_`. */
  calls?: string
  /** Names of functions of the field alone that mean it, and its negation: `isnull(due)`. */
  calledAlone?: string
  notCalledAlone?: string
  /** How many values it takes. `many`: a list. */
  arity: 0 | 1 | 2 | 'many'
  /** Its purpose, in the field's own words. */
  compares: 'any' | 'order' | 'text' | 'list' | 'presence'
  /** One line for the documentation. */
  text: string
  /** Its part of the description of `where`; absent: it is found in the documentation alone. */
  told?: string
  /** An example for the documentation and for messages. */
  example: string
  test(operands: readonly [Operand, ...Operand[]], around: Surroundings): OperatorTest
}

export const OPERATORS: readonly Operator[] = [
  {
    symbol: '=',
    signs: '= == ===',
    notSigns: '!= !== <>',
    words:
      'eq, equal, equals, is, is equal to, equal to, equals to, is exactly, iequals, is not distinct from',
    notWords:
      "ne, neq, is not, isn't, is not on, not equal to, not equals, not equal, is not equal to, does not equal, doesn't equal, is distinct from, not",
    weakWords: 'on, is on',
    calls: 'equals, equal, eq',
    arity: 1,
    compares: 'any',
    text: 'The same value. A number is the same however it is written. A date means any time in it (`= 2024-05` is that month). Text must match exactly if some record has it so, otherwise case does not matter.',
    told: '= != < >=',
    example: 'state = open',
    test: ([operand], around) => {
      const strictness = around.strictness(operand)
      return scalarwise((value) => equals(value, operand, strictness))
    },
  },
  {
    symbol: '<',
    signs: '<',
    words:
      'lt, less than, is less than, smaller than, lower than, fewer than, is below, is under, is smaller than, is lower than',
    weakWords:
      'below, under, before, is before, earlier than, is earlier than, older than, is older than, shorter than, is shorter than, prior to',
    calls: 'lt',
    arity: 1,
    compares: 'order',
    text: 'Less: numbers, dates, sizes (`10MB`), durations (`5m`), versions and levels by their own order, text by the alphabet.',
    example: 'price < 10',
    test: ([operand]) => ordered(operand, (sign) => sign < 0),
  },
  {
    symbol: '<=',
    signs: '<= =<',
    words:
      'lte, le, at most, is at most, less than or equal to, is less than or equal to, no more than, not greater than, not more than, up to',
    weakWords: 'until, on or before',
    calls: 'lte, le',
    arity: 1,
    compares: 'order',
    text: 'Less, or the same.',
    example: 'created_at <= 2024-05',
    test: ([operand]) => ordered(operand, (sign) => sign <= 0),
  },
  {
    symbol: '>',
    signs: '>',
    words:
      'gt, greater than, is greater than, more than, is more than, larger than, is larger than, bigger than, is bigger than, higher than, is higher than, is above, is over, exceeds',
    weakWords:
      'over, above, after, is after, later than, is later than, newer than, is newer than, longer than, is longer than',
    calls: 'gt',
    arity: 1,
    compares: 'order',
    text: 'More. A date begins after the whole day or month that is written.',
    example: 'comments > 5',
    test: ([operand]) => ordered(operand, (sign) => sign > 0),
  },
  {
    symbol: '>=',
    signs: '>= =>',
    words:
      'gte, ge, at least, is at least, greater than or equal to, is greater than or equal to, no less than, not less than',
    weakWords: 'since, is since, on or after',
    calls: 'gte, ge',
    arity: 1,
    compares: 'order',
    text: 'More, or the same.',
    example: 'size >= 10MB',
    test: ([operand]) => ordered(operand, (sign) => sign >= 0),
  },
  {
    symbol: '~',
    signs: '~ =~ ~= ~*',
    notSigns: '!~ !=~ !~*',
    words: 'matches, match, regex, regexp, matches regex, matches the regex, rlike, similar to, does match',
    notWords: "not matches, not match, does not match, doesn't match, not regex, not rlike",
    calls:
      'matches, match, test, search, regex, regexmatch, regexmatches, regexplike, regexpmatches, regexpcontains, regexp',
    arity: 1,
    compares: 'text',
    text: 'A regular expression (RE2 syntax) is found somewhere in the text, regardless of case.',
    told: '~ regex',
    example: 'title ~ crash|panic',
    test: ([operand], around) => matching(withoutSlashes(operand.text), around),
  },
  {
    symbol: 'like',
    words: 'like, ilike, is like, glob, wildcard',
    notWords: 'not like, not ilike, is not like',
    calls: 'like, ilike',
    arity: 1,
    compares: 'text',
    text: 'The whole text, `%` and `*` for anything, `_` for one character. Without any of them, a part of the text.',
    example: 'path like src/%.ts',
    test: ([operand], around) => matching(wildcards(operand.text), around),
  },
  {
    symbol: 'has',
    words: 'has, have, includes, include, including, any, some, has element, has tag',
    notWords:
      "not has, not have, does not have, doesn't have, not includes, not include, does not include, doesn't include, excludes, has no",
    calls: 'includes, include, arraycontains, jsoncontains, hastag',
    arity: 1,
    compares: 'list',
    text: 'A list has the element, an object the key, a text the part. Elements that are objects are known by what their fields hold.',
    told: 'has (lists)',
    example: 'labels has bug',
    test: ([operand], around) => {
      const strictness = around.strictness(operand)
      if (!around.isElement(operand, true))
        return { holds: (values) => values.some((value) => has(value, operand, strictness)) }
      const whole = scalarwise((value) =>
        isObject(value) ? has([value], operand, strictness) : equals(value, operand, strictness),
      )
      // A text beside the lists of other records has the operand as a part.
      return {
        holds: (values) =>
          whole.holds(values) ||
          (values.length === 1 &&
            values.some(
              (value) => typeof value === 'string' && !around.crosses && has(value, operand, strictness),
            )),
      }
    },
  },
  {
    symbol: 'contains',
    signs: '*=',
    notSigns: '!*=',
    words: 'contains, contain, containing, icontains, mentions, mention, mentioning',
    notWords:
      "not contains, not contain, does not contain, doesn't contain, not icontains, !contains, does not mention, doesn't mention",
    calls: 'contains, icontains, strcontains, instr',
    arity: 1,
    compares: 'text',
    text: 'The text has the part, regardless of case; a list that has the element whole is asked for that.',
    told: 'contains',
    example: 'title contains dark mode',
    test: ([operand], around) => {
      if (!around.isElement(operand, false))
        return { holds: (values) => values.some((value) => contains(value, operand)) }
      const strictness = around.strictness(operand)
      return { holds: (values) => values.some((value) => has(value, operand, strictness)) }
    },
  },
  {
    symbol: 'in',
    words:
      'in, is in, is one of, one of, is any of, any of, in list, equals any of, has any, has any of, contains any, contains any of, includes any of, overlaps, intersects, within, is within, during, is either',
    notWords:
      "not in, is not in, isn't in, nin, not one of, is not one of, none of, is none of, not any of, has none of, has none, contains none of, not within, is not within, not during, is not during, !in, is neither, is not either",
    calls: 'in, isin, inside',
    arity: 'many',
    compares: 'any',
    text: 'The same as one of the values.',
    told: 'in (a, b)',
    example: 'state in (open, closed)',
    test: (operands, around) => {
      const strict = operands.map((operand) => around.strictness(operand))
      return scalarwise((value) =>
        operands.some((operand, at) => equals(value, operand, strict[at] ?? 'exact')),
      )
    },
  },
  {
    symbol: 'has all',
    signs: '@>',
    words:
      'has all, has all of, contains all, contains all of, includes all, includes all of, all of, has both, have both, contains both, contain both, includes both, include both',
    arity: 'many',
    compares: 'list',
    text: 'A list has every one of the values.',
    example: 'labels has all (bug, ui)',
    test: (operands, around) => {
      const strict = operands.map((operand) => around.strictness(operand))
      return {
        holds: (values) =>
          operands.every((operand, at) => values.some((value) => has(value, operand, strict[at] ?? 'exact'))),
      }
    },
  },
  {
    symbol: 'starts with',
    signs: '^=',
    words: 'starts with, startswith, starts_with, begins with, beginswith, start with, prefix, has prefix',
    notWords: "not starts with, not startswith, does not start with, doesn't start with",
    calls: 'startswith, beginswith, hasprefix',
    arity: 1,
    compares: 'text',
    text: 'The text begins so, regardless of case.',
    told: 'starts with',
    example: 'path starts with src/',
    test: ([operand]) => ({ holds: some((value) => textOf(value).toLowerCase().startsWith(operand.lower)) }),
  },
  {
    symbol: 'ends with',
    signs: '$=',
    words: 'ends with, endswith, ends_with, end with, suffix, has suffix',
    notWords: "not ends with, not endswith, does not end with, doesn't end with",
    calls: 'endswith, hassuffix',
    arity: 1,
    compares: 'text',
    text: 'The text ends so, regardless of case.',
    example: 'file ends with .ts',
    test: ([operand]) => ({ holds: some((value) => textOf(value).toLowerCase().endsWith(operand.lower)) }),
  },
  {
    symbol: 'between',
    words: 'between, is between, in range',
    notWords: 'not between, is not between',
    calls: 'between',
    arity: 2,
    compares: 'order',
    text: 'Neither below the first nor above the second; both count.',
    told: 'between a and b',
    example: 'price between 5 and 10',
    test: ([low, high = low]) => ({
      holds: some((value) => order(value, low) >= 0 && order(value, high) <= 0),
    }),
  },
  {
    symbol: 'is null',
    words:
      'is null, isnull, is none, is nil, is undefined, is missing, is absent, is not set, is unset, missing, absent, is not there, is not defined, is not present',
    notWords:
      'is not null, notnull, isnotnull, not null, present, is not none, is not nil, is not undefined, is not missing, is set, is present, is defined, is not absent',
    calledAlone: 'isnull, isna, isnil, isnone, isundefined, missing',
    notCalledAlone: 'defined, isdefined, isset, notnull, isnotnull, notna',
    arity: 0,
    compares: 'presence',
    text: 'Null, or not there at all.',
    told: 'is null',
    example: 'closed_at is null',
    test: () => ({ holds: (values) => values.every((value) => value === null) }),
  },
  {
    symbol: 'is empty',
    words: 'is empty, isempty, is blank',
    notWords: 'is not empty, isnotempty, is not blank, not empty, is non-empty',
    calledAlone: 'isempty, empty',
    notCalledAlone: 'isnotempty',
    arity: 0,
    compares: 'presence',
    text: 'Null, not there, an empty text, list or object.',
    example: 'labels is empty',
    test: () => ({ holds: (values) => values.every(isEmpty) }),
  },
  {
    symbol: 'exists',
    words: 'exists, does exist, is existing',
    notWords: "does not exist, doesn't exist, not exists, not exist",
    calledAlone: 'exists',
    arity: 0,
    compares: 'presence',
    text: 'The field is there, be it null.',
    told: 'exists',
    example: 'assignee exists',
    test: () => ({ holds: (values) => values.length > 0 }),
  },
  {
    symbol: 'is true',
    arity: 0,
    compares: 'presence',
    text: 'Written as the field alone: neither false nor 0, null, empty, `no`, `off` or `f`.',
    example: 'draft',
    test: () => ({ holds: (values) => values.some(isTrue) }),
  },
]

const BY_SYMBOL: ReadonlyMap<string, Operator> = new Map(OPERATORS.map((row) => [row.symbol, row]))

/** The row of an operator. Throws for a symbol that the table does not have: that is a mistake of the program. */
export function operatorOf(symbol: string): Operator {
  const row = BY_SYMBOL.get(symbol)
  if (!row) throw new Error(`No operator is called ${symbol}.`)
  return row
}

/** The test of a comparison. Throws a `Refusal` for an operator that lacks its value, and for a bad pattern. */
export function testOf(
  { operator, operands, written }: { operator: string; operands: readonly Operand[]; written: string },
  around: Surroundings,
): OperatorTest {
  const row = operatorOf(operator)
  const [first, ...others] = operands
  if (first === undefined && row.arity !== 0) throw new Refusal(`The condition \`${written}\` has no value.`)
  return row.test([first as Operand, ...others], around)
}

/** An operator as it was written. */
export interface Spelling {
  symbol: string
  negated: boolean
  /** A word that is a part of many texts and names. */
  weak: boolean
  /** A word, not a sign. */
  word: boolean
}

const bare = (word: string): string => bareName(word).replaceAll("'", '')
const listOf = (words: string | undefined, separator: RegExp): string[] =>
  (words ?? '').split(separator).flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))

const SPELLINGS = new Map<string, Spelling>()
/** Names in objects, `greater_than`, `startsWith`, with the spelling that a condition has of them. */
const BARE = new Map<string, string>()
const CALLS = new Map<string, { symbol: string; negated: boolean }>()
const CALLS_ALONE = new Map<string, { symbol: string; negated: boolean }>()

function addSpellings(words: 'signs' | 'words' | 'weakWords', notWords?: 'notSigns' | 'notWords'): void {
  for (const row of OPERATORS) {
    for (const [list, negated] of [
      [row[words], false] as const,
      [notWords && row[notWords], true] as const,
    ]) {
      for (const spelling of listOf(list, words === 'signs' ? /\s+/ : /,/)) {
        SPELLINGS.set(spelling, {
          symbol: row.symbol,
          negated,
          weak: words === 'weakWords',
          word: words !== 'signs',
        })
        if (!BARE.has(bare(spelling))) BARE.set(bare(spelling), spelling)
      }
    }
  }
}

addSpellings('signs', 'notSigns')
addSpellings('words', 'notWords')
addSpellings('weakWords')
for (const { symbol, calls, calledAlone, notCalledAlone } of OPERATORS) {
  for (const name of listOf(calls, /,/)) CALLS.set(name, { symbol, negated: false })
  for (const name of listOf(calledAlone, /,/)) CALLS_ALONE.set(name, { symbol, negated: false })
  for (const name of listOf(notCalledAlone, /,/)) CALLS_ALONE.set(name, { symbol, negated: true })
}
CALLS.set('ne', { symbol: '=', negated: true })

const alternatives = (isWord: boolean): string =>
  [...SPELLINGS]
    .filter(([, { word }]) => word === isWord)
    .map(([spelling]) => spelling)
    .sort((a, b) => b.length - a.length)
    .map((spelling) => literal(spelling).replaceAll(' ', '\\s+'))
    .join('|')
const SIGN_AT = new RegExp(alternatives(false), 'iy')
const WORD_AT = new RegExp(`(?<=[\\s\\])"'\`])(?:${alternatives(true)})(?=\\s|$|[("'[])`, 'iy')

/** The longest operator in words, in characters, with blanks between them. */
const LONGEST_SPELLING = 60

/**
 * The operator that is written at a place, the longest that fits, and where it ends; undefined where there is none. `end`: where the
 * expression does.
 */
export function operatorAt(
  source: string,
  at: number,
  end = source.length,
): (Spelling & { to: number }) | undefined {
  const from = Math.max(0, at - 1)
  const text = source.slice(from, Math.min(end, at + LONGEST_SPELLING))
  for (const pattern of [SIGN_AT, WORD_AT]) {
    pattern.lastIndex = at - from
    const [found] = pattern.exec(text) ?? []
    const spelling =
      found === undefined ? undefined : SPELLINGS.get(found.toLowerCase().replaceAll(/\s+/g, ' '))
    if (spelling) return { ...spelling, to: from + pattern.lastIndex }
  }
  return undefined
}

/** Names of operators that only libraries have. */
const OF_LIBRARIES: ReadonlyMap<string, string> = new Map([
  ['exact', '='],
  ['isnotin', 'not in'],
  ['notin', 'not in'],
  ['arraycontains', 'has'],
  ['jsoncontains', 'has'],
  ['arraycontainsany', 'in'],
  ['containsany', 'in'],
  ['substring', 'contains'],
  ['search', '~'],
  ['isnt', '!='],
])

/** An operator under any of its names (`greater_than`, `$gte`, `isNotNull`), as it is written in a condition. */
export function operatorNamed(name: string): string | undefined {
  const plain = bare(name.replace(/^\$/, ''))
  return (
    BARE.get(plain) ??
    BARE.get(plain.replace(/^i(?=exact|contains|startswith|endswith|regex)/, '')) ??
    OF_LIBRARIES.get(plain)
  )
}

/** The operator that a function with values means: `contains(title, "x")`. */
export function operatorCalled(name: string): { symbol: string; negated: boolean } | undefined {
  return CALLS.get(bareName(name))
}

/** The operator that a function of a field alone means: `isnull(due)`. */
export function operatorCalledAlone(name: string): { symbol: string; negated: boolean } | undefined {
  return CALLS_ALONE.get(bareName(name))
}

/** The part of the description of `where` about all operators: their pieces of text, in the order of the table. */
export function operatorsTold(): string {
  return OPERATORS.flatMap(({ told }) => told ?? []).join(', ')
}

/** The table of the documentation. */
export function operatorsTable(): string {
  const rows = OPERATORS.map(({ symbol, signs, words, notSigns, notWords, text, example }) => {
    const others = [...listOf(signs, /\s+/), ...listOf(words, /,/)].filter((one) => one !== symbol)
    const negations = [...listOf(notSigns, /\s+/), ...listOf(notWords, /,/)]
    const list = (each: readonly string[]): string =>
      each.map((one) => `\`${one.replaceAll('|', '\\|')}\``).join(', ')
    return `| \`${symbol}\` | ${text.replaceAll('|', '\\|')} | \`${example.replaceAll('|', '\\|')}\` | ${list(others)} | ${list(negations)} |`
  })
  return [
    '| Operator | What holds | Example | Other spellings | Negation |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

/** True when one of the values, or of the elements of a list among them, fulfils `test`. */
function some(test: (value: JsonValue) => boolean): ValuesTest {
  const any = (value: JsonValue): boolean => (Array.isArray(value) ? value.some(any) : test(value))
  return (values) => values.some(any)
}

function ordered(operand: Operand, holds: (sign: number) => boolean): OperatorTest {
  return { holds: some((value) => holds(order(value, operand))), ordered: { operand, holds } }
}

/** Answers that are remembered of one test, and the longest text that is. */
const MOST_REMEMBERED = 10_000
const LONGEST_REMEMBERED = 64

/** The same, with its answer for each distinct text in lists remembered, and scalars of columns tested as they are. */
function scalarwise(test: (value: JsonValue) => boolean): OperatorTest {
  const known = new Map<JsonValue, boolean>()
  const ofElement = (value: JsonValue): boolean => {
    if (Array.isArray(value)) return value.some(ofElement)
    if (typeof value !== 'string' || value.length > LONGEST_REMEMBERED) return test(value)
    let holds = known.get(value)
    if (holds === undefined) {
      holds = test(value)
      if (known.size < MOST_REMEMBERED) known.set(value, holds)
    }
    return holds
  }
  const any = (value: JsonValue): boolean => (Array.isArray(value) ? value.some(ofElement) : test(value))
  return { holds: (values) => values.some(any), ofScalar: test }
}

function matching(source: string, around: Surroundings): OperatorTest {
  const pattern = compilePattern(source, { caseInsensitive: true })
  if (!isPattern(pattern)) throw new Refusal(pattern.error)
  around.pattern(pattern)
  return {
    holds: some((value) => value !== null && typeof value !== 'object' && pattern.test(textOf(value))),
  }
}

/** True for what is there and says neither no nor nothing. */
export function isTrue(value: JsonValue): boolean {
  if (typeof value === 'string') return !/^(?:|f|false|n|no|off|0|null|none)$/i.test(value.trim())
  return value !== 0 && value !== false && !isEmpty(value)
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true
  const nodes = isObject(value) ? nodesIn(value) : undefined
  if (nodes) return nodes.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Of the values of a field in a record: elements, characters, keys; none where it is absent. Lists in the elements of a list count together. */
export function lengthOf(values: readonly JsonValue[]): number {
  const [first = null] = values
  if (values.length > 1 && values.every(Array.isArray)) return values.flat().length
  if (values.length !== 1) return values.length
  if (Array.isArray(first) || typeof first === 'string') return first.length
  const nodes = isObject(first) ? nodesIn(first) : undefined
  if (nodes) return nodes.length
  return isObject(first) ? Object.keys(first).length : first === null ? 0 : 1
}

/** The list in a connection of GraphQL, and in a list as Stripe sends it. */
function nodesIn(value: JsonObject): readonly JsonValue[] | undefined {
  const list =
    own(value, 'nodes') ??
    own(value, 'edges') ??
    (own(value, 'object') === 'list' ? own(value, 'data') : undefined)
  return Array.isArray(list) ? list : undefined
}

function textOf(value: JsonValue): string {
  return value === null || typeof value === 'object' ? '' : String(value)
}

/** SQL's `LIKE`: `%` for anything, `_` for one character, the whole text. Without either, a part of the text. */
function wildcards(text: string): string {
  const escaped = literal(text)
  if (!/[%_*]/.test(text)) return escaped
  return `^(?s:${escaped.replaceAll('%', '.*').replaceAll('\\*', '.*').replaceAll('_', '.')})$`
}

/** `/crash/i` is what many write for `crash`. */
function withoutSlashes(text: string): string {
  const [, inner] = /^\/(.+)\/[a-z]*$/s.exec(text) ?? []
  return inner ?? text
}
