/** The suite that every processor passes: pure, skipping, never throwing, flat parameters, true sizes. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Document } from '../../src/documents/document.ts'
import { fromText, fromValue } from '../../src/documents/opening/derive.ts'
import type { ProcessorResult } from '../../src/processors/processor.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import { deepFreeze } from '../support/deep-freeze.ts'
import { verifies } from '../support/verifies.ts'

/** Any `Processor`. */
export interface ProcessorUnderTest {
  readonly name: string
  readonly params: z.ZodType
  wanted(params: unknown): boolean
  process(document: Document, params: unknown): ProcessorResult
}

export interface ProcessorSuite {
  name: string
  processor: ProcessorUnderTest
  /** Parameters that work on `document`. At least one set. */
  examples: readonly Record<string, unknown>[]
  /** The document of the examples. A new one each time. Default: a list of records. */
  document?: () => Document
}

const records = [
  {
    id: 1,
    title: 'Crash on start',
    state: 'open',
    price: 12.5,
    labels: [{ name: 'bug' }],
    user: { login: 'ann' },
  },
  { id: 2, title: 'Add dark mode', state: 'closed', price: 3, labels: [], user: { login: 'bob' } },
  {
    id: 3,
    title: 'Crash on exit',
    state: 'open',
    price: 7.25,
    labels: [{ name: 'bug' }, { name: 'ui' }],
    user: { login: 'ann' },
  },
  { id: 4, title: 'Slow search', state: 'open', price: null, labels: [], user: { login: 'cy' } },
]

/** The list that the suite uses where no document is given. */
export function sampleRecords(): Document {
  return fromValue(structuredClone(records))
}

function nestedDeeply(levels: number): JsonValue {
  let value: JsonValue = { end: true }
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value]
  return value
}

/** Documents on which nothing may break. */
const odd: Record<string, () => Document> = {
  'an empty list': () => fromValue([]),
  'an empty object': () => fromValue({}),
  'a scalar': () => fromValue(0),
  null: () => fromValue(null),
  prose: () => fromText('First line.\n\nSecond paragraph, with words.\n'),
  'no text': () => fromText(''),
  'names of prototypes': () =>
    fromValue(
      JSON.parse('[{"__proto__":1,"constructor":{"x":2},"toString":3},{"__proto__":4},{"a":5},{"a":6}]'),
    ),
  'mixed elements': () => fromValue([1, 'two', null, [3], { four: 4 }, true]),
  'deep nesting': () => fromValue(nestedDeeply(1_000)),
}

/** Values that no parameter expects. */
const hostile: readonly unknown[] = [
  '',
  ' ',
  '__proto__',
  '__proto__.constructor',
  'constructor.prototype',
  'x'.repeat(1_000_000),
  '['.repeat(5_000),
  '('.repeat(1_900),
  'a.'.repeat(900),
  'a = 1 and '.repeat(190),
  '$..*..*',
  '$..*..*..*..*',
  '$[?(@.constructor.constructor("return process")())]',
  '[?(@.a = 1)]',
  'a ~ (a+)+$',
  '= = =',
  '"',
  "['",
  '[]',
  '{}',
  'a,,b',
  -1,
  -5,
  0,
  1e308,
  Number.NaN,
  true,
  [],
  [[]],
  [null],
  [{}],
  {},
  ['__proto__', 'constructor'],
  Array.from({ length: 5_000 }, (_, index) => `f${index}`),
]

function snapshot({ content, metadata, applied, error }: ProcessorResult) {
  const { noun, items } = content.rows()
  return { text: content.text, noun, items: [...items], metadata, applied, error }
}

export function processorSuite({
  name,
  processor,
  examples,
  document = sampleRecords,
}: ProcessorSuite): void {
  describe(`processor ${name}`, () => {
    const frozen = (): Document => {
      const opened = document()
      deepFreeze(opened.json())
      deepFreeze(opened.records())
      return opened
    }

    for (const [at, params] of examples.entries()) {
      const call = `${at + 1}: ${JSON.stringify(params).slice(0, 80)}`

      verifies('S3.17', `applies its parameters, ${call}`, () => {
        const before = frozen()
        const result = processor.process(before, params)
        expect(result.error).toBeUndefined()
        expect(result.applied).toBe(true)
        expect(processor.wanted(params)).toBe(true)
      })

      verifies('S3.17', `is pure and leaves the document as it was, ${call}`, () => {
        const before = frozen()
        const text = before.text
        const data = JSON.stringify(before.json())
        const first = snapshot(processor.process(before, Object.freeze({ ...params })))
        const second = snapshot(processor.process(before, params))
        const elsewhere = snapshot(processor.process(document(), params))
        expect(second).toEqual(first)
        expect(elsewhere).toEqual(first)
        expect(before.text).toBe(text)
        expect(JSON.stringify(before.json())).toBe(data)
      })

      test(`reads its own parameters again, ${call}`, () => {
        const once = processor.params.parse(params)
        expect(processor.params.parse(JSON.parse(JSON.stringify(once)))).toEqual(once)
      })

      for (const [kind, make] of Object.entries(odd)) {
        test(`answers on ${kind} without throwing, ${call}`, () => {
          expectAnswer(make(), (input) => processor.process(input, params))
        })
      }
    }

    verifies('S3.17', 'skips when its parameters are absent', () => {
      for (const params of [{}, { unrelated: 1 }]) {
        const before = frozen()
        const result = processor.process(before, params)
        expect(processor.wanted(params)).toBe(false)
        expect(result.applied).toBe(false)
        expect(result.error).toBeUndefined()
        expect(result.content).toBe(before)
      }
    })

    test('answers hostile parameters with an error that helps, never a throw', () => {
      const properties = Object.keys(inputSchema(processor).properties)
      for (const property of properties) {
        for (const value of hostile) {
          const params = { ...examples[0], [property]: value }
          expectAnswer(frozen(), (input) => processor.process(input, params))
        }
      }
    })

    verifies('S3.4', 'has flat parameters with short descriptions or none', () => {
      const { properties, required } = inputSchema(processor)
      expect(required ?? []).toEqual([])
      for (const [property, { type, items, description }] of Object.entries(properties)) {
        expect(['string', 'number', 'integer', 'boolean', 'array'], property).toContain(type)
        if (type === 'array') expect(items?.type, property).toBe('string')
        // None where another parameter or tool says it.
        if (description) expect(description.length, property).toBeGreaterThan(5)
        expect(description?.length ?? 0, property).toBeLessThan(300)
      }
    })
  })
}

interface InputSchema {
  properties: Record<string, { type?: string; items?: { type?: string }; description?: string }>
  required?: string[]
}

function inputSchema(processor: ProcessorUnderTest): InputSchema {
  return z.toJSONSchema(processor.params, { io: 'input', unrepresentable: 'any' }) as InputSchema
}

/** Applied, skipped, or an error of bounded length with the document unchanged. */
function expectAnswer(before: Document, run: (document: Document) => ProcessorResult): void {
  const result = run(before)
  expect(typeof result.applied).toBe('boolean')
  expect(result.metadata).toBeTypeOf('object')
  if (result.applied) {
    expect(result.error).toBeUndefined()
  } else {
    expect(result.content).toBe(before)
  }
  if (result.error !== undefined) {
    expect(result.applied).toBe(false)
    expect(result.error.length).toBeGreaterThan(10)
    expect(result.error.length).toBeLessThan(3_000)
    expect(result.error).not.toMatch(/This step failed|undefined|\[object/)
  }
}
