/** The type of records in a notation close to TypeScript, short enough for a preview. */
import type { JsonPrimitive } from '../protocol/json.ts'
import { ellipsis } from '../text/cut.ts'
import { isNoise } from './fields.ts'
import type { Shape } from './shape.ts'

export interface NotationOptions {
  /** The most characters. */
  length: number
  /** Levels of objects shown. Default 4. */
  depth?: number
  /** Write out the values of fields that have a few only. Default true. */
  enumerate?: boolean
}

interface Style {
  depth: number
  /** Fields named of one object. */
  fields: number
  enumerate: boolean
  /** Fields that tell nothing (URLs, hashes) are counted, not named. */
  quiet: boolean
  /** Names of fields alone, with `[]` and `{}` behind those that hold others. */
  bare: boolean
}

/**
 * Writes a shape as a type: `{id: number, state: "open"|"closed", labels: {name: string}[], note?: string|null}`.
 * `?` marks fields that are missing from some. `date` and `url` are strings; `Record<string, …>` is a map. The most
 * detailed form that fits is taken: the one that names most fields, if need be without their types.
 */
export function typeNotation(shape: Shape, options: NotationOptions): string {
  const deepest = options.depth ?? 4
  const enumerate = options.enumerate ?? true
  const telling = [...shape.fields.values()].filter((field) => !isNoise({ shape: field })).length
  let best = { text: '', named: -1 }
  for (let depth = deepest; depth >= 1; depth--) {
    for (const fields of [200, 60, 30, 16, 8, 4]) {
      for (const style of STYLES) {
        const text = write(shape, { ...style, depth, fields, enumerate: enumerate && !style.bare })
        if (text.length > options.length) continue
        const inner = style.bare ? text.split(',').length * 0.7 : text.split(': ').length
        const named = inner + OUTER * Math.min(fields, style.quiet ? telling : shape.fields.size)
        if (named > best.named) best = { text, named }
      }
    }
  }
  if (best.named >= 0) return best.text
  return ellipsis(
    write(shape, { depth: 0, fields: 1, enumerate: false, quiet: true, bare: true }),
    options.length,
  )
}

/** A field of the record itself is worth several of what it holds. */
const OUTER = 3

const STYLES = [
  { quiet: false, bare: false },
  { quiet: true, bare: false },
  { quiet: false, bare: true },
  { quiet: true, bare: true },
] as const

function write(shape: Shape, style: Style): string {
  const types: string[] = []
  const values = style.enumerate ? enumeration(shape) : undefined
  if (values) types.push(...values)
  else {
    if (shape.strings) types.push(stringType(shape))
    if (shape.numbers) types.push('number')
    if (shape.booleans > 0) types.push('boolean')
  }
  if (shape.objects > 0) types.push(objectType(shape, style))
  if (shape.arrays) types.push(arrayType(shape, style))
  if (shape.nulls > 0) types.push('null')
  return types.length === 0 ? 'never' : types.join('|')
}

function stringType({ strings }: Shape): string {
  if (strings && strings.dates === strings.count) return 'date'
  return strings && strings.urls === strings.count ? 'url' : 'string'
}

/** The values themselves when there are a few short ones that repeat. */
function enumeration(shape: Shape): string[] | undefined {
  const { counts, overflow } = shape.distinct
  const total = (shape.strings?.count ?? 0) + shape.booleans + (shape.numbers?.count ?? 0)
  if (!shape.strings || overflow || counts.size > 6 || total < counts.size * 3) return undefined
  const words = [...counts.keys()].map((value: JsonPrimitive) => JSON.stringify(value))
  return words.join('|').length <= 60 ? words : undefined
}

function arrayType(shape: Shape, style: Style): string {
  const inner = shape.elements && shape.elements.count > 0 ? write(shape.elements, style) : 'unknown'
  return inner.includes('|') && !/^[{[].*[}\]]$/.test(inner) ? `(${inner})[]` : `${inner}[]`
}

function objectType(shape: Shape, style: Style): string {
  const inner = { ...style, depth: style.depth - 1 }
  if (shape.values) return style.depth <= 0 ? 'Record' : `Record<string, ${write(shape.values, inner)}>`
  if (shape.fields.size === 0) return '{}'
  if (style.depth <= 0) return '{…}'
  const written: string[] = []
  let hidden = 0
  for (const [name, field] of shape.fields) {
    if (written.length >= style.fields || (style.quiet && isNoise({ shape: field }))) hidden += 1
    else written.push(`${fieldName(name)}${field.count < shape.objects ? '?' : ''}${typeOf(field, inner)}`)
  }
  if (hidden > 0) written.push(`…${hidden} more`)
  return `{${written.join(', ')}}`
}

/** What follows a name: its type, or in the bare form only what it holds. */
function typeOf(field: Shape, style: Style): string {
  if (!style.bare) return `: ${write(field, style)}`
  const list = field.arrays ? '[]' : ''
  const holder = field.arrays ? field.elements : field
  return list + (holder && holder.objects > 0 ? objectType(holder, style) : '')
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : ellipsis(JSON.stringify(name), 60)
}
