/** Scalar functions. */
import type { JsonValue } from '../protocol/json.ts'
import { partOf } from './dates.ts'

export interface ScalarFunction {
  name: string
  otherNames: readonly string[]
  least: number
  most: number
  text: string
  example: string
  evaluate(args: readonly (JsonValue | undefined)[]): JsonValue | undefined
}

const textOf = (value: JsonValue | undefined): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

const parts = (['year', 'month', 'day', 'hour'] as const).map(
  (unit): ScalarFunction => ({
    name: unit,
    otherNames: [],
    least: 1,
    most: 1,
    text: `The ${unit} of a date, as a number.`,
    example: `${unit}(created_at)`,
    evaluate: ([value]) => (value === undefined ? undefined : partOf(value, unit)[0]),
  }),
)

export const FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'length',
    otherNames: ['len', 'size', 'arraylength', 'jsonarraylength', 'cardinality', 'charlength', 'arraysize'],
    least: 1,
    most: 1,
    text: 'Elements of a list, characters of a text, keys of an object.',
    example: 'length(labels)',
    evaluate: ([value]) =>
      value === undefined || value === null
        ? 0
        : typeof value === 'string' || Array.isArray(value)
          ? value.length
          : typeof value === 'object'
            ? Object.keys(value).length
            : 1,
  },
  {
    name: 'lower',
    otherNames: [],
    least: 1,
    most: 1,
    text: 'In lower case.',
    example: 'lower(title)',
    evaluate: ([value]) => textOf(value)?.toLowerCase(),
  },
  {
    name: 'upper',
    otherNames: [],
    least: 1,
    most: 1,
    text: 'In upper case.',
    example: 'upper(title)',
    evaluate: ([value]) => textOf(value)?.toUpperCase(),
  },
  ...parts,
]

const BY_NAME = new Map(
  FUNCTIONS.flatMap((one) => [one.name, ...one.otherNames].map((name) => [name.toLowerCase().replaceAll('_', ''), one])),
)

export function functionNamed(name: string): ScalarFunction | undefined {
  return BY_NAME.get(name.toLowerCase().replaceAll('_', ''))
}

/** What a function makes of its arguments; null where one of them is not there. */
export function callFunction(one: ScalarFunction, args: readonly JsonValue[]): JsonValue {
  return one.evaluate(args) ?? null
}
