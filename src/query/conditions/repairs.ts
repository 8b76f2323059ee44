/**
 * Other readings of a comparison that no record fulfils as it is written. They are one list, tried in its order. The first reading that
 * some record fulfils counts, and the answer reports it. Nothing here is tried before.
 */
import { several } from '../../documents/columns/column.ts'
import { IDS, plainName } from '../../documents/shape/identity.ts'
import { nestingOf } from '../../documents/shape/nesting.ts'
import { isObject, type JsonValue, own, valueOfJson } from '../../protocol/json.ts'
import { formatCount } from '../../text/format.ts'
import { literal } from '../../text/patterns/literal.ts'
import { type Operand, operandFor, operandOf } from '../../text/values/compare.ts'
import { WEEKDAYS } from '../../text/values/date-parts.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { computedField, fieldAt } from '../fields/fields.ts'
import { acrossMap, calledSo, eitherWithin, holdsObjects, innerFields } from '../fields/inner-fields.ts'
import { parsePath } from '../fields/path.ts'
import type { Field, Records } from '../fields/records.ts'
import { valuesAt } from '../fields/walk.ts'
import { halvesOf } from '../language/compile.ts'
import { splitAt } from '../language/scanner.ts'
import type { Expression } from '../language/tree.ts'
import { safely, shown, UnknownField } from '../refusal.ts'
import { newWork } from '../work.ts'
import {
  type Asked,
  type Bound,
  type Context,
  type Findings,
  heldBy,
  holdsSome,
  isFulfilled,
  noFindings,
} from './comparison.ts'
import { isOrdering } from './sample.ts'
import { ColumnTest, columnAt, columnWork, elementsOf, ofValues } from './verdict.ts'

/** A comparison in other words. */
interface Reading {
  change: Partial<Asked>
  /** How a reply tells it, the field aside. */
  as: string
}

/** One repair. */
export interface Repair {
  name: string
  /** An example of what it is for. */
  example: string
  /** A question of the recorded corpus that is answered as it is for this repair alone. */
  mends: string
  /** For conditions that nothing is there, in place of conditions with a value. */
  absence?: true
  /** For comparisons with a pattern, in place of equations. */
  ofPatterns?: true
  /** The comparison as it is read otherwise, where some record fulfils it. */
  bind(context: Context, bound: Bound, operand: Operand, found: Findings): Bound | undefined
}

/** A repair that puts the comparison in other words. */
function rewriting(read: (asked: Asked, operand: Operand) => Reading | undefined): Repair['bind'] {
  return (context, bound, operand, found) => {
    const reading = read(bound.comparison, operand)
    return reading && tried(context, bound, reading, found)
  }
}

/** The separators in a text of more than one value. */
const JOINED = /[|,;&]|\s(?:and|or)\s/i
/** `/^ann/i`. A slash within it is escaped: `/usr/lib/` is a path. */
const PATTERN = /^\/(?:[^/\\\n]|\\.)+\/[dgimsuvy]*$/
const RANGE = /^(-?\d+(?:\.\d+)?)\s*(?:-|–|\.\.+|to)\s*(-?\d+(?:\.\d+)?)$/

/** `[2 TO 5]` of Lucene, with `*` for no bound. */
const BRACKETED = /^\[\s*(\S+)\s+TO\s+([^\s\]]+)\s*\]$/i

/** Of equations, `has` and `contains` with one value, the likeliest first. */
export const REPAIRS: readonly Repair[] = [
  {
    name: 'an operator before the value',
    example: 'price = >5',
    mends: '6788e062',
    bind: rewriting(({ operator, negated }, operand) => {
      const [, sign = '', value = ''] =
        /^(>=|<=|!==?|<>|==?=?|=~|!~|>|<|~|!)\s*(.+)$/s.exec(operand.text) ?? []
      if (sign === '' || operator !== '=' || (isWhole(operand) && JOINED.test(operand.text))) return undefined
      const symbol = sign
        .replace(/^!?=?=?$|^<>$/, '=')
        .replace(/^={2,3}$/, '=')
        .replace(/^=~$|^!~$/, '~')
      return {
        change: { operator: symbol, operands: [operandOf(value)], negated: /^!|^<>/.test(sign) !== negated },
        as: `${sign === '!' ? '!=' : sign} ${value}`,
      }
    }),
  },
  {
    name: 'a pattern between slashes',
    example: 'login = /^ann/i',
    mends: '79cead6b',
    bind: rewriting(({ operator }, operand) =>
      operator === '=' && PATTERN.test(operand.text) && !(operand.quoted && operand.text.endsWith('/'))
        ? { change: { operator: '~' }, as: `~ ${operand.text}` }
        : undefined,
    ),
  },
  {
    name: 'backslashes written twice',
    example: "name ~ 'v\\\\d+'",
    mends: '4337274d',
    ofPatterns: true,
    bind: rewriting((_, { text, quoted }) => {
      const single = text.replaceAll(/\\{2,}/g, '\\')
      return single === text
        ? undefined
        : { change: { operands: [operandFor(single, quoted)] }, as: `~ ${single}` }
    }),
  },
  {
    name: 'wildcards',
    example: 'file = *.ts',
    mends: '32b92a15',
    bind: rewriting(({ operator }, { text }) =>
      operator === '=' && /[*%]/.test(text)
        ? { change: { operator: 'like' }, as: `like ${text}` }
        : undefined,
    ),
  },
  {
    name: 'a whole list',
    example: 'actions = ["delete", "create"]',
    mends: '75526c09',
    bind: wholeList,
  },
  {
    name: 'all values of a list',
    example: 'labels = [bug, ui]',
    mends: '52d86020',
    bind: rewriting(({ operator }, operand) => {
      const items = itemsIn(operand)
      if (operator !== '=' || items.length < 2 || !/^\[.+\]$/s.test(operand.text)) return undefined
      return {
        change: { operator: 'has all', operands: items.map(operandOf) },
        as: `has all (${items.join(', ')})`,
      }
    }),
  },
  {
    name: 'parts of a text that are joined by a word',
    example: 'title contains cache or page',
    mends: '2916021c',
    bind: rewriting(({ operator }, { text, quoted }) => {
      const inner = text.replace(/^\((.*)\)$/s, '$1')
      const [, word = ''] = /\s(or|and)\s/i.exec(inner) ?? []
      if (quoted || operator !== 'contains') return undefined
      if (word === '')
        return inner === text
          ? undefined
          : { change: { operands: [operandOf(inner)] }, as: `contains ${inner}` }
      const parts = inner.split(new RegExp(`\\s+${word}\\s+`, 'i'))
      const isAny = /or/i.test(word)
      const isMixed = parts.some((part) => /\s(?:or|and)\s/i.test(part))
      if (isMixed || (!isAny && parts.length > MOST_WORDS)) return undefined
      const all = parts.map((part) => literal(part.trim()))
      const pattern = isAny ? all.join('|') : inAnyOrder(all)
      return {
        change: { operator: '~', operands: [operandFor(pattern, true)] },
        as: `contains ${isAny ? 'any' : 'all'} of ${parts.join(', ')}`,
      }
    }),
  },
  {
    name: 'one of several values',
    example: 'state = open or closed',
    mends: '3af885ad',
    bind: rewriting((_, operand) => {
      const items = itemsIn(operand)
      if (items.length < 2 && !/^[[({].+[\])}]$/s.test(operand.text)) return undefined
      return { change: { operator: 'in', operands: items.map(operandOf) }, as: `in (${items.join(', ')})` }
    }),
  },
  {
    name: 'a range of numbers',
    example: 'price = 5-10',
    mends: 'f4273a0c',
    bind: rewriting(({ operator }, { text }) => {
      const [, low, high] = RANGE.exec(text) ?? BRACKETED.exec(text) ?? []
      if (operator !== '=' || low === undefined || high === undefined) return undefined
      if (low === '*') return { change: { operator: '<=', operands: [operandOf(high)] }, as: `<= ${high}` }
      if (high === '*') return { change: { operator: '>=', operands: [operandOf(low)] }, as: `>= ${low}` }
      return {
        change: { operator: 'between', operands: [operandOf(low), operandOf(high)] },
        as: `between ${low} and ${high}`,
      }
    }),
  },
  {
    name: 'a mark before or after the value',
    example: 'number = #12',
    mends: 'dec7dbaa',
    bind: rewriting(({ operator }, { text }) => {
      const marked = /^(?:#|no\.?\s*|nr\.?\s*)(\d+)$/i.exec(text) ?? /^(.+?)[.;,]$/s.exec(text)
      if (marked?.[1] === undefined) return undefined
      return { change: { operands: [operandOf(marked[1])] }, as: `${operator} ${marked[1]}` }
    }),
  },
  {
    name: 'a part, after a colon',
    example: 'title:crash',
    mends: '2fc35987',
    bind: rewriting(({ colon }, { text }) =>
      colon ? { change: { operator: 'contains' }, as: `contains ${text}` } : undefined,
    ),
  },
  {
    name: 'a sign for no value',
    example: 'user = -',
    mends: '3fe5a84b',
    bind: rewriting(({ operator }, { text, quoted }) =>
      operator === '=' && !quoted && /^(?:[-–—]|n\/a|null|nil|none)$/i.test(text)
        ? { change: { operator: 'is null', operands: [] }, as: 'is null' }
        : undefined,
    ),
  },
  {
    name: 'the end of a path',
    example: 'file = index.ts',
    mends: 'cac42d83',
    bind: rewriting(({ operator }, { text, number }) => {
      if (operator !== '=' || !/^[^\s/][^\s]*$/.test(text)) return undefined
      const as = `ends with /${text}`
      // `1` is the end of `Issue/1`, and not of `0/1`.
      return number === undefined
        ? { change: { operator: 'ends with', operands: [operandFor(`/${text}`, true)] }, as }
        : { change: { operator: '~', operands: [operandFor(`[A-Za-z].*/${literal(text)}$`, true)] }, as }
    }),
  },
  {
    name: 'the beginning of a name with dots',
    example: 'host = web-1',
    mends: '55f7f5ed',
    bind: rewriting(({ operator }, { text, number, date }) =>
      operator === '=' && number === undefined && !date && /^[^\s.]+$/.test(text)
        ? {
            change: { operator: 'starts with', operands: [operandFor(`${text}.`, true)] },
            as: `starts with ${text}.`,
          }
        : undefined,
    ),
  },
  {
    name: 'the words beside a code',
    example: 'priority = Urgent',
    mends: 'bbec4c93',
    bind: labelled,
  },
  {
    name: 'the beginning of a long identifier',
    example: 'commit = 9fceb02d',
    mends: '5b1c0d7e',
    bind: begun,
  },
  {
    name: 'another spelling of the value',
    example: 'state = in_progress',
    mends: '723bbd83',
    bind: respelled,
  },
  {
    name: 'a field of that name deeper down',
    example: 'name = "case 4-3"',
    mends: '6127f6d3',
    bind: deeper,
  },
  {
    name: 'an empty text for no value',
    example: 'phone is null',
    mends: '29706e8c',
    absence: true,
    bind: blank,
  },
]

/** The comparison as it is written where some record fulfils it, else in the first other reading that some record does. */
export function repaired(context: Context, asked: Asked, resolve: () => Field, found: Findings): Bound {
  const onElements = ofElements(context, asked, resolve, found)
  if (onElements) return onElements
  const field = inner(context.records, asked, resolve())
  const bound = context.bind(asked, field, found)
  const { records } = context
  const counted = lengthMeant(context, bound, found) ?? dayMeant(context, bound, found)
  if (counted) return counted
  if (asked.operator === 'is null' && asked.negated)
    return notBlank(context, bound, found) ?? besideNulls(context, bound, found)
  const isAbsence =
    asked.operator === 'is null' ? !asked.negated : asked.operator === 'exists' && asked.negated
  const ofPatterns = asked.operator === '~'
  const isMended = isAbsence || ofPatterns || ['=', 'has', 'contains'].includes(asked.operator)
  if (!isMended || (asked.beside && !isAbsence)) return bound
  const [operand, another] = isAbsence ? [operandFor('', true)] : bound.comparison.operands
  if (!operand || another) return bound
  const isRight = isAbsence
    ? bound.matches(records.values).includes(1)
    : holdsSome(records, bound.field, bound.test)
  if (isRight) return isAbsence ? besideNulls(context, bound, found) : bound
  for (const repair of REPAIRS) {
    if ((repair.absence ?? false) !== isAbsence || (repair.ofPatterns ?? false) !== ofPatterns) continue
    const other = repair.bind(context, bound, operand, found)
    if (other) return other
  }
  return bound
}

/** `items > 2` of lists of objects or words, where no record fulfils it: how many there are. */
function lengthMeant(context: Context, bound: Bound, found: Findings): Bound | undefined {
  const { comparison, field, test } = bound
  const { measure, ...plain } = comparison
  // A number says itself how many there are.
  if (
    measure === 'length' &&
    /^(?:number|count)\s+of\s/i.test(plain.written) &&
    holdsNumbers(context.records, field)
  )
    return context.bind(plain, field, found)
  const [operand] = comparison.operands
  const isOfNumber = isOrdering(comparison) || comparison.operator === '='
  if (!isOfNumber || comparison.measure || comparison.computed || !/^\d+$/.test(operand?.text ?? ''))
    return undefined
  if (!holdsLists(context.records, field) || holdsSome(context.records, field, test)) return undefined
  found.notes.add(`\`${comparison.field}\` holds lists: read as \`length(${comparison.field})\`.`)
  return context.bind({ ...comparison, measure: 'length' }, field, found)
}

/** `start is on a Monday` of times, where no record has that text: the day of the week. */
function dayMeant(context: Context, { comparison, field, test }: Bound, found: Findings): Bound | undefined {
  const [operand] = comparison.operands
  const [, name = ''] = /^(?:an?\s+)?([a-z]+?)s?$/i.exec(operand?.text ?? '') ?? []
  const day = WEEKDAYS.find((one) => one.toLowerCase() === name.toLowerCase())
  const { records } = context
  if (day === undefined || comparison.operator !== '=' || comparison.computed || comparison.measure)
    return undefined
  if (holdsSome(records, field, test)) return undefined
  const computed: Expression = { kind: 'call', name: 'weekday', args: [{ kind: 'field', name: field.name }] }
  const called = `weekday(${field.name})`
  const asked = { ...comparison, field: called, computed, operands: [operandFor(day, true)] }
  const weekday = computedField(records, computed, called)
  if (!isFulfilled(records, weekday, asked)) return undefined
  found.notes.add(readAs(comparison, `${called} ${comparison.negated ? '!=' : '='} ${day}`))
  return context.bind(asked, weekday, found)
}

/** True where the field holds lists, of objects and words: amounts, dates and versions are compared themselves. */
function holdsLists(records: Records, field: Field): boolean {
  const held = firstHeld(records, field)
  const isCompared = (one: JsonValue): boolean =>
    typeof one === 'string' ? /^\W{0,3}\d/.test(one) : one !== null && typeof one !== 'object'
  return (
    held.some(Array.isArray) &&
    held.every((one) => one === null || (Array.isArray(one) && !one.some(isCompared)))
  )
}

function holdsNumbers(records: Records, field: Field): boolean {
  const held = firstHeld(records, field)
  return (
    held.some((one) => typeof one === 'number') &&
    held.every((one) => one === null || typeof one === 'number')
  )
}

/** Records looked at for what a field holds. */
const MOST_LOOKED = 200

function firstHeld({ values }: Records, { path }: Field): JsonValue[] {
  const work = newWork()
  return values.slice(0, MOST_LOOKED).flatMap((record) => valuesAt(record, path, work))
}

/** Words that exports write for no value. */
const NOTHINGS: ReadonlySet<string> = new Set([
  '',
  '-',
  '–',
  '—',
  'NULL',
  'ᴺᵁᴸᴸ',
  'null',
  '(null)',
  'None',
  'NaN',
  'N/A',
  'n/a',
  '\\N',
])

/** Beside another sign it is one itself: `-` of `+`, `*` and `/`. */
const DASH = /^[-–—]$/
const SIGN = /^[^\p{L}\p{N}\s]{1,3}$/u

/** The comparison with the texts that stand for no value in a field, in CSV and XML, which have no null. Undefined where it has none. */
function withNothings(
  context: Context,
  { comparison, field }: Bound,
): { bound: Bound; words: string } | undefined {
  const areSigns =
    textsIn(context.records, field, (text) => SIGN.test(text) && !/^[-–—]+$/.test(text)).length > 0
  const stands = (text: string): boolean => NOTHINGS.has(text) && !(areSigns && DASH.test(text))
  const texts = textsIn(context.records, field, stands)
  if (texts.length === 0) return undefined
  const operator = texts.length === 1 ? '=' : 'in'
  const negated = comparison.operator === 'is null' && comparison.negated
  const read: Asked = {
    ...comparison,
    operator,
    negated,
    operands: texts.map((text) => operandFor(text, true)),
  }
  const all = texts.map((text) => JSON.stringify(text)).join(', ')
  const [sign, words] =
    operator === '=' ? [negated ? '!=' : '=', all] : [negated ? 'not in' : 'in', `(${all})`]
  return {
    bound: context.bind(read, field, noFindings()),
    words: shown(`${comparison.field} ${sign} ${words}`),
  }
}

/** An empty text, or a word for it, where no value is null. */
function blank(context: Context, bound: Bound, _: Operand, found: Findings): Bound | undefined {
  const read = withNothings(context, bound)
  if (!read || !holdsSome(context.records, read.bound.field, read.bound.test)) return undefined
  found.notes.add(`\`${bound.comparison.written}\` read as \`${read.words}\`.`)
  return read.bound
}

/** Says that some values are words for none, where others are null. An empty text is told elsewhere. */
function besideNulls(context: Context, bound: Bound, found: Findings): Bound {
  const isWord = (text: string): boolean => text !== '' && NOTHINGS.has(text)
  const words = textsIn(context.records, bound.field, isWord).length > 0
  const read = words ? withNothings(context, bound) : undefined
  if (read)
    found.notes.add(
      `Words for no value are not null: \`${read.words}\` ${bound.comparison.negated ? 'leaves them out' : 'finds them'}.`,
    )
  return bound
}

/** Where an empty text stands for no value, `is not null` leaves out the same records that `is null` finds. */
function notBlank(context: Context, bound: Bound, found: Findings): Bound | undefined {
  const { values } = context.records
  const read = bound.matches(values).includes(0) ? undefined : withNothings(context, bound)
  const empty =
    read?.bound.matches(values).reduce((count, matches) => count + (matches === 0 ? 1 : 0), 0) ?? 0
  if (!read || empty === 0) return undefined
  found.notes.add(
    `\`${bound.comparison.written}\` read as \`${read.words}\`: ${formatCount(empty)} with an empty \`${bound.field.name}\` ${empty === 1 ? 'is' : 'are'} left out.`,
  )
  return read.bound
}

/** The remark that a comparison was read in other words. */
function readAs({ written, negated }: Asked, words: string): string {
  return `\`${written}\` read as \`${shown(negated ? `not (${words})` : words)}\`.`
}

function tried(context: Context, bound: Bound, { change, as }: Reading, found: Findings): Bound | undefined {
  const { records } = context
  const comparison = { ...bound.comparison, ...change }
  const own = noFindings()
  return safely(() => {
    const other = context.bind(comparison, inner(records, comparison, bound.field), own)
    if (!holdsSome(records, other.field, other.test) || !isList(records, bound, other, found))
      return undefined
    for (const text of own.notes) found.notes.add(text)
    found.patterns.push(...own.patterns)
    found.notes.add(readAs(bound.comparison, `${bound.comparison.field} ${as}`))
    return other
  })
}

// ---- Conditions on elements that are written as a value: `labels has name = bug` ----------------------------------

function ofElements(
  context: Context,
  asked: Asked,
  resolve: () => Field,
  found: Findings,
): Bound | undefined {
  const condition = conditionIn(asked)
  if (condition === undefined) return undefined
  const field = resolve()
  if (!holdsObjects(context.records, field)) return undefined
  const { field: name, written, negated } = asked
  const quantifier = negated ? 'none' : 'any'
  const within = (condition: string): Bound => {
    const matches = context.within({ kind: 'within', field: name, quantifier, condition, written }, found)
    return { comparison: asked, field, test: new ColumnTest({ holds: () => false }), matches }
  }
  try {
    return within(condition)
  } catch (error) {
    const pair = error instanceof UnknownField ? pairIn(context.records, field, condition) : undefined
    if (pair === undefined) return asText(context, asked, field, found, error)
    found.notes.add(`\`${shown(written)}\` read as \`${shown(`${quantifier}(${field.name}, ${pair})`)}\`.`)
    return within(pair)
  }
}

/** `Key = "team" and Value = search` of `team=search`, where some pair has that key. */
function pairIn(records: Records, { path }: Field, condition: string): string | undefined {
  const [, key = '', value = ''] = /^(\w+)\s*[=:]\s*(\S.*)$/s.exec(condition) ?? []
  const work = columnWork()
  for (const record of records.values) {
    for (const element of valuesAt(record, path, work).flat()) {
      const halves = halvesOf(element)
      const held = halves && isObject(element) ? own(element, halves.key) : undefined
      if (halves && held === key)
        return `${halves.key} = ${JSON.stringify(key)} and ${halves.value} = ${value}`
    }
  }
  return undefined
}

/** `data contains level=debug` as a text, where nothing within is called `level` and some record has it. Throws the refusal of all else. */
function asText(context: Context, asked: Asked, field: Field, found: Findings, refusal: unknown): Bound {
  if (!(refusal instanceof UnknownField)) throw refusal
  const bound = context.bind(asked, inner(context.records, asked, field), found)
  if (!holdsSome(context.records, bound.field, bound.test)) throw refusal
  found.notes.add(`\`${shown(asked.operands[0]?.text ?? '')}\` read as a text.`)
  return bound
}

/** The condition, where the value of the comparison is one. */
function conditionIn({ operator, operands: [operand] }: Asked): string | undefined {
  if (!operand || operand.quoted || !['has', 'contains', '='].includes(operator)) return undefined
  if (/^\{.+\}$/s.test(operand.text)) return equations(operand.text)
  return /^\w+\s*(?:=|:)\s*\S/.test(operand.text) && operator !== '=' ? operand.text : undefined
}

/** `{"name": "bug"}` and `{name: bug}` as `name = "bug"`. */
function equations(object: string): string | undefined {
  const held = valueOfJson(object)
  if (isObject(held))
    return Object.entries(held)
      .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
      .join(' and ')
  const parts = (safely(() => splitAt(object.slice(1, -1), [','])) ?? []).map((part) => {
    const [, key, value = ''] = /^\s*["']?([\w$.@-]+)["']?\s*[:=]\s*(\S.*?)\s*$/s.exec(part) ?? []
    return key === undefined ? undefined : `${key} = ${asValue(value)}`
  })
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(' and ')
}

/** Texts without quotes get them: a word in them may be a sign. */
function asValue(text: string): string {
  return /^(?:["'{[].*["'}\]]|true|false|null|-?\d+(?:\.\d+)?)$/s.test(text) ? text : JSON.stringify(text)
}

// ---- Fields within objects ----------------------------------------------------------------------------------------

/** Where a field holds objects and none of them fulfils the condition: the one field within that does in some record. */
function inner(records: Records, asked: Asked, field: Field): Field {
  const { operands, measure, beside } = asked
  if (operands.length === 0 || measure === 'length' || beside || !holdsObjects(records, field)) return field
  const some = (one: Field): boolean => isFulfilled(records, one, asked)
  if (some(field)) return field
  const across = acrossMap(records, field)
  if (across) return across
  const either = eitherWithin(records, field)
  if (either && some(either)) return either
  const [first, second] = innerFields(records, field).filter(some)
  return first && (!second || second.path.length > first.path.length) ? first : field
}

// ---- Several values, other spellings ------------------------------------------------------------------------------

/** True for one text in quotes; `"open" || "closed"` are two. */
function isWhole({ quoted, text }: Operand): boolean {
  return quoted && !/["'`]/.test(text)
}

/** Parts that are looked for in any order: of four there are 24 orders. */
const MOST_WORDS = 4

/** A pattern for texts that have all parts. */
function inAnyOrder(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('')
  return parts.map((part, at) => `${part}[\\s\\S]*(?:${inAnyOrder(parts.toSpliced(at, 1))})`).join('|')
}

/**
 * The values in `[open, "closed"]`, `open or closed`, `open|closed`, `open, closed`. A text in quotes is one value, unless it is a list
 * in brackets.
 */
function itemsIn(operand: Operand): string[] {
  const { text } = operand
  if (isWhole(operand) && !/^[[({]/.test(text)) return []
  const inside = /^[[({](.*)[\])}]$/s.exec(text)?.[1] ?? text
  const parts = inside.split(/\s*\|\|?\s*|\s+or\s+|\s*,\s*(?:or\s+)?/i).map((part) =>
    part
      .trim()
      .replace(/^=+\s*/, '')
      .replaceAll(/^["']|["']$/g, ''),
  )
  return parts.filter((part) => part !== '')
}

/** False for `MIT or Apache-3` where values are written so themselves (`MIT OR Apache-2.0`) and not all of the list are values. */
function isList(
  records: Records,
  { comparison: { field: name, operands } }: Bound,
  other: Bound,
  found: Findings,
): boolean {
  const [operand] = operands
  const { comparison, field } = other
  const word = comparison.operator === 'in' ? /\s(?:and|or)\s/i.exec(operand?.text ?? '')?.[0] : undefined
  const isWritten = (): boolean =>
    comparison.operands.every((one) => isFulfilled(records, field, { ...comparison, operands: [one] }))
  if (word === undefined || isWritten()) return true
  if (![...heldBy(records)(name)].some((text) => text.includes(word.toLowerCase()))) return true
  found.notes.add(
    `\`${shown(operand?.text ?? '')}\` was compared as one value; for either write \`${field.name} in (${comparison.operands.map(({ text }) => text).join(', ')})\`.`,
  )
  return false
}

/** A list as JSON writes it is the whole list, in its order, where some record holds just that. */
function wholeList(
  { records }: Context,
  { comparison, field }: Bound,
  { text, quoted }: Operand,
  found: Findings,
): Bound | undefined {
  if (comparison.operator !== '=' || quoted || !/^\[.+\]$/s.test(text)) return undefined
  const list = valueOfJson(text)
  if (list === undefined) return undefined
  const wanted = JSON.stringify(list)
  const test = new ColumnTest({ holds: (values) => values.some((value) => JSON.stringify(value) === wanted) })
  if (!holdsSome(records, field, test)) return undefined
  found.notes.add(`\`${shown(text)}\` is compared as the whole list; \`has\` asks for one of its elements.`)
  return { comparison, field, test, matches: ofValues(field.path, test, comparison.negated) }
}

/** Fields within objects that are looked through, and the longest texts. */
const MOST_FIELDS = 20
const LONGEST = 100

/** The one field of the same name within the records that fulfils it. Not for ids and numbers: those of others say nothing of these. */
function deeper(
  context: Context,
  { comparison, field }: Bound,
  { text, number }: Operand,
  found: Findings,
): Bound | undefined {
  if (comparison.operator !== '=' || number !== undefined || IDS.includes(plainName(field.name)))
    return undefined
  const { records } = context
  // Of the nodes of a tree all are asked in turn.
  const nested = nestingOf(records.values, '')?.field
  const others = calledSo(records, field.name)
    .map(([name]) => name)
    .filter((name) => nested === undefined || !name.startsWith(`${nested}.`))
  return inOneOf(context, comparison, others, text, found)
}

/** The comparison with the one of these fields in which some record fulfils it. */
function inOneOf(
  context: Context,
  comparison: Asked,
  names: readonly string[],
  text: string,
  found: Findings,
): Bound | undefined {
  const [only, another] = names
    .map((name) => fieldAt(parsePath(name)))
    .filter((one) => isFulfilled(context.records, one, comparison))
  if (!only || another) return undefined
  found.notes.add(readAs(comparison, `${only.name} = ${text}`))
  return context.bind(comparison, only, found)
}

/** The ends of names of fields that say in words what a code means: `priorityLabel` of `priority`, `status_text` of `status`. */
const IN_WORDS = /^[._-]?(?:label|name|text|title|display(?:[_-]?name)?|desc(?:ription)?|str(?:ing)?)$/i

/** The one field that says in words what this one holds as a code, where the words are asked for. */
function labelled(
  context: Context,
  { comparison, field }: Bound,
  { text, number, date }: Operand,
  found: Findings,
): Bound | undefined {
  if (comparison.operator !== '=' || number !== undefined || date) return undefined
  const isInWords = (name: string): boolean =>
    name.startsWith(field.name) && IN_WORDS.test(name.slice(field.name.length))
  return inOneOf(context, comparison, [...context.records.names().keys()].filter(isInWords), text, found)
}

/** Letters from which on the beginning of a hash stands for it, as git has it. */
const LEAST_OF_HASH = /^(?=.*\d)[\da-f-]{6,}$/i
/** An identifier is that much longer. */
const MORE = 6

/** The one identifier that begins so. */
function begun(
  context: Context,
  { comparison, field }: Bound,
  { text }: Operand,
  found: Findings,
): Bound | undefined {
  if (comparison.operator !== '=' || !LEAST_OF_HASH.test(text)) return undefined
  const wanted = text.toLowerCase()
  const isBegun = (value: string): boolean =>
    value.length >= wanted.length + MORE &&
    /^[\da-f-]+$/i.test(value) &&
    value.toLowerCase().startsWith(wanted)
  const [only, another] = textsIn(context.records, field, isBegun)
  if (only === undefined || another !== undefined) return undefined
  found.notes.add(`\`${shown(text)}\` read as ${JSON.stringify(only)}.`)
  return context.bind({ ...comparison, operands: [operandFor(only, true)] }, field, found)
}

/**
 * `in_progress` for `In Progress`: the one text that differs in blanks, `_`, `-` and case alone, in the field that holds it. A link of
 * Markdown is called by its text, `❌ failed` by its word, `#12` by its number.
 */
function respelled(
  context: Context,
  { comparison, field }: Bound,
  operand: Operand,
  found: Findings,
): Bound | undefined {
  const other = comparison.operator === '=' ? respelling(context.records, field, operand) : undefined
  if (!other) return undefined
  found.notes.add(`\`${shown(operand.text)}\` read as ${JSON.stringify(other.text)}.`)
  return context.bind({ ...comparison, operands: [operandFor(other.text, true)] }, other.field, found)
}

function respelling(
  records: Records,
  field: Field,
  operand: Operand,
): { text: string; field: Field } | undefined {
  const wanted = squeezed(operand.text)
  const isNumber = operand.number !== undefined
  if ((wanted.length < 3 && !isNumber) || operand.date) return undefined
  const isMeant = (text: string): boolean =>
    isNumber ? undressed(text) === operand.text : isSpelled(undressed(text) ?? text, wanted)
  const fields = holdsObjects(records, field) ? innerFields(records, field) : [field]
  for (const one of fields.slice(0, MOST_FIELDS)) {
    const [only, another] = textsIn(records, one, isMeant)
    if (only !== undefined && another === undefined) return { text: only, field: one }
  }
  return undefined
}

/** The different texts of a field that pass a test. */
function textsIn(records: Records, { path }: Field, test: (text: string) => boolean): string[] {
  const texts = new Set<string>()
  const column = columnAt(records.values, path)
  const look = (value: JsonValue): void => {
    if (typeof value === 'string' && value.length < LONGEST && test(value)) texts.add(value)
  }
  for (let code = 0; code < column.size; code++) {
    const alone = column.scalar(code)
    if (alone === several) elementsOf(column.values(code)).forEach(look)
    else if (alone !== undefined) look(alone)
  }
  return [...texts]
}

/** A link of Markdown, which is called by its text. */
const LINK = /^\[([^\]]{1,200})\]\([^()\s]{1,2000}(?:\s"[^"]{0,200}")?\)$/
/** Signs before a word or a number that are no part of it. */
const SIGNS = /^(?:[#!*•·]|[\u2190-\u2bff]|\ufe0f|\u200d|(?!\d)\p{Emoji})+\s*(?=[\p{L}\p{N}])/u

/** A text without the signs before it; of a link that of its text. Undefined for a text that has none. */
function undressed(text: string): string | undefined {
  if (/^[\p{L}\p{N}]/u.test(text)) return undefined
  const linked = text.startsWith('[') ? LINK.exec(text)?.[1] : undefined
  const bare = (linked ?? text).replace(SIGNS, '')
  return bare === text ? undefined : bare
}

/** True when a text is `wanted` once it is squeezed. Most differ in their first letter already. */
function isSpelled(text: string, wanted: string): boolean {
  let same = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char > 127) return squeezed(text) === wanted
    if (char === 32 || char === 45 || char === 95 || (char >= 9 && char <= 13)) continue
    const lower = char >= 65 && char <= 90 ? char + 32 : char
    if (lower !== wanted.charCodeAt(same++)) return !IS_PLAIN.test(text) && squeezed(text) === wanted
  }
  return same === wanted.length
}

const IS_PLAIN = /^[\0-\x7f]*$/

function squeezed(text: string): string {
  return bareName(text.normalize('NFC'))
}
