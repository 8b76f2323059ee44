/** The type of records in a notation close to TypeScript, short enough for a preview. */

import type { JsonPrimitive } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'
import { ellipsis } from '../../text/shorten.ts'
import { orderOfDates, parseDate } from '../../text/values/dates.ts'
import { duration, looseNumber, quantity, saysNothing } from '../../text/values/quantities.ts'
import { isNoise } from './fields.ts'
import type { Shape } from './shape.ts'

export interface NotationOptions {
  /** The most characters. */
  length: number
  /** Levels of objects shown. Default 4. */
  depth?: number
  /** Write out the values of fields that have a few only. Default true. */
  enumerate?: boolean
  /** Leave `: string` out and say so behind the type. Default false. */
  implicit?: boolean
}

interface Style {
  depth: number
  /** Fields named of one object. */
  fields: number
  enumerate: boolean
  /** Fields that tell nothing (URLs, hashes) are counted, not named. */
  quiet: boolean
  /** `bare`: names alone, with `[]` and `{}` behind names that hold others. `implicit`: types, except for strings. */
  types: 'all' | 'implicit' | 'bare'
}

/** A type and how much it says: the worth of the names in it. */
interface Written {
  text: string
  worth: number
}

/** Fields named of one object. */
const WIDTHS = [4, 6, 8, 12, 16, 20, 24, 30, 40, 60]
const MOST = 200

/** Behind a type that leaves strings out. */
const IMPLICIT = ' (no type: string)'

/**
 * Writes a shape as a type: `{id: number, state: "open"|"closed", labels: {name: string}[], note?: string|null}`.
 * `?` marks fields that are missing from some. `date`, `url` and `amount` are strings. `numeric` is a string that holds a number alone,
 * `json<…>` one that holds JSON. `Record<string, …>` is a map; `cpu_0 … cpu_9: number` stands for ten fields. The most detailed form that
 * fits is taken: the one that names most fields, if need be without their types.
 */
export function typeNotation(shape: Shape, options: NotationOptions): string {
  return typeNotations(shape, options)(options.length)
}

/** The same for several lengths: every form is written once. */
export function typeNotations(
  shape: Shape,
  options: Omit<NotationOptions, 'length'>,
): (length: number) => string {
  let forms: Written[] | undefined
  return (length) => {
    forms ??= [...formsOf(shape, options)].sort((one, other) => other.worth - one.worth)
    const best = forms.find(({ text }) => text.length <= length)
    if (best) return best.text
    const hint = write(shape, { depth: 0, fields: 1, enumerate: false, quiet: true, types: 'bare' }, 0)
    return ellipsis(hint.text, length)
  }
}

function* formsOf(shape: Shape, options: Omit<NotationOptions, 'length'>): Generator<Written> {
  const { enumerate = true, depth: deepest = 4 } = options
  const widest = widestOf(shape, deepest)
  const seen = new Set<string>()
  for (let depth = deepest; depth >= 1; depth--) {
    for (const fields of [...WIDTHS.filter((width) => width < widest), MOST]) {
      for (const quiet of [false, true]) {
        for (const types of options.implicit ? IMPLICITLY : EXPLICITLY) {
          const form = write(
            shape,
            { quiet, types, depth, fields, enumerate: enumerate && types !== 'bare' },
            OUTER,
          )
          if (types === 'implicit' && form.text.includes(': ')) form.text += IMPLICIT
          if (!seen.has(form.text)) yield form
          seen.add(form.text)
        }
      }
    }
  }
}

/** The most fields an object has. */
function widestOf(shape: Shape, depth: number): number {
  if (depth < 0) return 0
  const below = [...shape.fields.values(), shape.values, shape.elements, shape.held].filter(
    (part) => part !== undefined,
  )
  return Math.max(shape.fields.size, ...below.map((part) => widestOf(part, depth - 1)))
}

const EXPLICITLY = ['all', 'bare'] as const
const IMPLICITLY = ['implicit', 'bare'] as const

/** The worth of the name of a field: an outer field is worth several inner ones, and one that tells nothing is worth little. */
const OUTER = 3
const INNER = 0.4
const NOISE = 0.25
/** The factor that a type adds to the worth of a name. */
const TYPED = 1.25

function write(shape: Shape, style: Style, worth: number, isElement = false): Written {
  const types: string[] = []
  let sum = 0
  const values = style.enumerate ? enumeration(shape) : undefined
  if (values) types.push(...values)
  else {
    if (shape.strings) types.push(stringType(shape))
    if (shape.numbers) types.push('number')
    if (shape.booleans > 0) types.push('boolean')
  }
  const parts = [
    ...(shape.held ? [heldType(shape.held, style, worth)] : []),
    ...(shape.objects > 0 ? [objectType(shape, style, worth, isElement)] : []),
    ...(shape.arrays ? [arrayType(shape, style, worth)] : []),
  ]
  for (const part of parts) {
    types.push(part.text)
    sum += part.worth
  }
  if (shape.nulls > 0) types.push('null')
  const said = types.filter((type) => type !== '')
  return { text: said.length === 0 ? (shape.held ? 'json' : 'never') : said.join('|'), worth: sum }
}

/** Of strings that are all of one kind, the kind. JSON in strings is written by what it holds. */
function stringType(shape: Shape): string {
  const { strings, numeric, held } = shape
  if (!strings) return ''
  if (held && strings.json === strings.count) return ''
  if (strings.dates === strings.count) return 'date'
  if (numeric?.count === strings.count) return 'numeric'
  if (strings.urls === strings.count) return 'url'
  return keptFor(spelled, shape, () => spelledType(shape))
}

/** The types of strings by their first values: a type is written in many forms. */
const spelled = new WeakMap<Shape, string>()

/** Values that are looked at, and so many of them must say something. */
const MOST_LOOKED = 20
const LEAST_SAYING = 3

/** `amount` where the first values are numbers with signs, separators or units, as conditions read them; `date` for dates in other forms than ISO. */
function spelledType({ distinct }: Shape): string {
  const texts: string[] = []
  for (const value of distinct.counts.keys()) {
    if (texts.length === MOST_LOOKED) break
    if (typeof value === 'string' && !saysNothing(value)) texts.push(value)
  }
  if (texts.length < LEAST_SAYING) return 'string'
  if (texts.every(isAmount) && texts.some((text) => !/^[-+.\d]+$/.test(text))) return 'amount'
  const order = orderOfDates(texts)
  // Digits alone are a code: numbers, and years among them, are told as such.
  const isDate = (text: string): boolean =>
    !/^\d+$/.test(text) && parseDate(text, undefined, order) !== undefined
  return texts.every(isDate) ? 'date' : 'string'
}

/** Not for codes, in which zeros at the start count, nor for telephone numbers. */
function isAmount(text: string): boolean {
  if (/^(?:0\d|\+\d.*\s)/.test(text)) return false
  return looseNumber(text) !== undefined || quantity(text) !== undefined || duration(text) !== undefined
}

/** The values themselves when there are a few short ones that repeat. */
function enumeration(shape: Shape): string[] | undefined {
  const { counts, overflow } = shape.distinct
  const total = (shape.strings?.count ?? 0) + shape.booleans + (shape.numbers?.count ?? 0)
  if (!shape.strings || shape.held || overflow || counts.size > 6 || total < counts.size * 3) return undefined
  const words = [...counts.keys()].map((value: JsonPrimitive) => JSON.stringify(value))
  return words.join('|').length <= 60 ? words : undefined
}

function heldType(held: Shape, style: Style, worth: number): Written {
  const inner = write(held, style, worth)
  return { text: `json<${inner.text}>`, worth: inner.worth }
}

function arrayType(shape: Shape, style: Style, worth: number): Written {
  if (!shape.elements || shape.elements.count === 0) return { text: 'unknown[]', worth: 0 }
  const inner = write(shape.elements, style, worth, true)
  const union = inner.text.includes('|') && !/^[{[].*[}\]]$/.test(inner.text)
  return { text: union ? `(${inner.text})[]` : `${inner.text}[]`, worth: inner.worth }
}

function objectType(shape: Shape, style: Style, worth: number, isElement: boolean): Written {
  const isWrapper = isElement && holdsOneAlone(shape)
  const inner = isWrapper ? style : { ...style, depth: style.depth - 1 }
  if (shape.values) {
    if (style.depth <= 0) return { text: 'Record', worth: 0 }
    const values = write(shape.values, inner, worth)
    return { text: `Record<string, ${values.text}>`, worth: values.worth }
  }
  if (shape.fields.size === 0) return { text: '{}', worth: 0 }
  if (style.depth <= 0) return { text: '{…}', worth: 0 }
  const written: string[] = []
  let hidden = 0
  let sum = 0
  for (const family of families(shape)) {
    const [first] = family
    if (!first) continue
    const [name, field] = first
    const noise = isNoise({ shape: field })
    const isRare = shape.fields.size > MANY_FIELDS && field.count < shape.objects * RARE
    if (written.length >= style.fields || (style.quiet && noise) || isRare) {
      hidden += family.length
      continue
    }
    const value = worth * (noise ? NOISE : 1) * family.length
    const type = typeOf(field, inner, isWrapper ? worth : worth * INNER)
    sum += value * (style.types === 'bare' ? 1 : TYPED) + type.worth
    const last = family.length > 1 ? ` … ${fieldName(family.at(-1)?.[0] ?? '')}` : ''
    written.push(`${fieldName(name)}${last}${field.count < shape.objects ? '?' : ''}${type.text}`)
  }
  if (hidden > 0) written.push(`…${hidden} more`)
  return { text: `{${written.join(', ')}}`, worth: sum }
}

/** True for an element that holds another object alone, which is no level of its own: `edges: {node: {…}}[]` of GraphQL. */
function holdsOneAlone({ fields }: Shape): boolean {
  const [only, another] = fields.values()
  return another === undefined && only !== undefined && only.objects > 0
}

/** Beside so many fields, one that fewer of the objects have is counted, not named. */
const MANY_FIELDS = 40
const RARE = 0.01

/** Fewer fields are named one by one. */
const FAMILY = 4

/** Fields in their order; numbered ones that hold the same (`cpu_0`, `cpu_1`, …) are one. */
function families(shape: Shape): [string, Shape][][] {
  const groups: [string, Shape][][] = []
  let stem = ''
  let number = 0
  for (const [name, field] of shape.fields) {
    const [, before = '', digits] = /^(.*?)(\d{1,9})$/.exec(name) ?? []
    const last = groups.at(-1)
    const kind = `${before}:${scalarKind(field)}:${field.count}`
    if (digits !== undefined && last && kind === stem && Number(digits) === number + 1)
      last.push([name, field])
    else groups.push([[name, field]])
    stem = digits !== undefined && scalarKind(field) !== '' ? kind : ''
    number = Number(digits ?? 0)
  }
  return groups.flatMap((group) => (group.length < FAMILY ? group.map((member) => [member]) : [group]))
}

/** The kind of a field that holds one kind of scalar alone; empty for everything else. */
function scalarKind({ strings, numbers, booleans, nulls, objects, arrays, held }: Shape): string {
  if (objects > 0 || arrays || held || nulls > 0) return ''
  return [strings ? 'string' : '', numbers ? 'number' : '', booleans > 0 ? 'boolean' : ''].join('')
}

/** The text behind a name: its type, or in the bare form only its inner fields. */
function typeOf(field: Shape, style: Style, worth: number): Written {
  if (style.types === 'bare') {
    const list = field.arrays ? '[]' : ''
    const holder = field.arrays ? field.elements : field
    const isElement = holder !== field
    const inner =
      holder && holder.objects > 0 ? objectType(holder, style, worth, isElement) : { text: '', worth: 0 }
    const colon = inner.text.startsWith('Record') ? ': ' : ''
    return { text: colon === '' ? list + inner.text : colon + inner.text + list, worth: inner.worth }
  }
  const type = write(field, style, worth)
  const implied = style.types === 'implicit' && type.text === 'string'
  return { text: implied ? '' : `: ${type.text}`, worth: type.worth }
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : ellipsis(JSON.stringify(name), 60)
}
