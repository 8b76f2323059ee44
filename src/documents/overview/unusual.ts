/** The record that stands out: a failure, an outlier, one that lacks what the others have. */
import { isObject, type JsonPrimitive, own } from '../../protocol/json.ts'
import { distinctCount, type Field, frequent } from '../shape/fields.ts'
import { knownOf } from '../shape/known-list.ts'
import type { Records } from './facts.ts'
import { isEnumerated, isMeasured, scalarCount } from './rank.ts'

export interface Unusual {
  index: number
  why: string
}

const FAILURE =
  /^(?:.*[^a-z])?(?:error|err|fail|failed|failure|failing|fatal|critical|severe|panic|crash|crashloopbackoff|denied|timeout|oomkilled)(?:[^a-z].*)?$/i

/** The value of an enumerated field that tells of a failure, with how often. */
export function failureIn(field: Field): [JsonPrimitive, number] | undefined {
  if (!isEnumerated(field) && (distinctCount(field.shape) ?? 99) > 40) return undefined
  return frequent(field.shape).find(
    ([value, count]) => isFailure(field, value) && count < scalarCount(field) * 0.5,
  )
}

function isFailure(field: Field, value: JsonPrimitive): boolean {
  if (typeof value === 'number') return /status|code/i.test(field.name) && value >= 500 && value < 600
  return typeof value === 'string' && value.length < 40 && FAILURE.test(value)
}

/** Finds one; undefined when all records are alike. Looks at fields of the record itself. */
export function unusualOf(records: Records, fields: readonly Field[]): Unusual | undefined {
  const outer = fields.filter(({ depth }) => depth === 1)
  return failing(records, outer) ?? outlying(outer) ?? lacking(records, outer)
}

function failing({ values }: Records, fields: readonly Field[]): Unusual | undefined {
  for (const field of fields) {
    const failure = failureIn(field)
    if (!failure) continue
    const index = knownOf(values)
      ? (field.shape.distinct.firstOf(failure[0]) ?? -1)
      : values.findIndex((record) => isObject(record) && own(record, field.name) === failure[0])
    if (index >= 0) return { index, why: `${field.path} = ${failure[0]}` }
  }
  return undefined
}

function outlying(fields: readonly Field[]): Unusual | undefined {
  for (const field of fields) {
    const { numbers } = field.shape
    if (!numbers || numbers.count < 8 || !isMeasured(field)) continue
    if (numbers.max > (numbers.sum / numbers.count) * 10)
      return { index: numbers.maxAt, why: `largest ${field.path}` }
  }
  return undefined
}

function lacking({ values }: Records, fields: readonly Field[]): Unusual | undefined {
  for (const field of fields) {
    const rare = field.shape.count <= values.length * 0.05
    if (!rare && (field.shape.count === field.of || field.shape.count < values.length * 0.95)) continue
    const index = rare ? firstWith(values, field.name) : firstWithout(values, field.name)
    if (index > 0) return { index, why: `${rare ? 'has' : 'no'} ${field.path}` }
  }
  return undefined
}

function firstWith(values: Records['values'], name: string): number {
  const scanned = knownOf(values)
  return scanned
    ? scanned.firstWith(name)
    : values.findIndex((record) => isObject(record) && Object.hasOwn(record, name))
}

function firstWithout(values: Records['values'], name: string): number {
  const scanned = knownOf(values)
  return scanned
    ? scanned.firstWithout(name)
    : values.findIndex((record) => isObject(record) && !Object.hasOwn(record, name))
}
