/**
 * Random parameters over random documents, for every processor. Whatever a model writes and a server sends, the answer is a result or an
 * error that says why, and the document stays the same. A few hundred in the gate,
 * 10,000 each in `npm run test:fuzz`.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Document } from '../../src/documents/document.ts'
import { combine } from '../../src/documents/opening/combine.ts'
import { fromRecognised, fromValue } from '../../src/documents/opening/derive.ts'
import { runPipeline } from '../../src/processors/pipeline.ts'
import { filterSteps } from '../../src/processors/pipelines.ts'
import { bm25 } from '../../src/processors/search/bm25.ts'
import { context } from '../../src/processors/search/context.ts'
import { fuzzy } from '../../src/processors/search/fuzzy.ts'
import { grep } from '../../src/processors/search/grep.ts'
import { aggregate } from '../../src/processors/steps/group.ts'
import { join } from '../../src/processors/steps/join.ts'
import { projection } from '../../src/processors/steps/projection.ts'
import { select } from '../../src/processors/steps/select.ts'
import { sort } from '../../src/processors/steps/sort.ts'
import { structure } from '../../src/processors/steps/structure.ts'
import { where } from '../../src/processors/steps/where.ts'
import type { JsonValue } from '../../src/protocol/json.ts'
import { deepFreeze } from '../support/deep-freeze.ts'
import { whole } from '../support/runs.ts'
import type { ProcessorUnderTest } from './processor.ts'

const tries = whole ? 10_000 : 200
/** Milliseconds for all runs of a processor, on machines that may be busy. */
const patience = whole ? 3_000_000 : 600_000

const names = [
  'id',
  'name',
  'a',
  'b',
  'user',
  'items',
  'x y',
  'p.q',
  'created_at',
  'price',
  '__proto__',
  'constructor',
  '',
]
const name = fc.constantFrom(...names)

const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(
    null,
    true,
    false,
    '',
    'open',
    'Open',
    'a b',
    '12',
    '$1,250.50',
    '45%',
    '10MB',
    '1.5s',
  ),
  fc.constantFrom<JsonValue>(
    '2024-05-06',
    '2024-05-06T10:00:00+02:00',
    'May  6 10:30:59',
    '{"a":[1,2]}',
    '[1',
    'v1.10.2',
  ),
  fc.integer({ min: -5, max: 2000 }),
  fc.double({ noNaN: true }),
  fc.string({ maxLength: 12, unit: 'binary' }),
) as fc.Arbitrary<JsonValue>

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }) as fc.Arbitrary<JsonValue>,
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
  ),
}))

/** Records that have their fields in common, as servers send them. */
const records = fc.uniqueArray(name, { minLength: 1, maxLength: 5 }).chain((keys) =>
  fc.array(
    fc
      .tuple(...keys.map(() => fc.option(value, { nil: undefined, freq: 6 })))
      .map((values) =>
        Object.fromEntries(keys.flatMap((key, at) => (values[at] === undefined ? [] : [[key, values[at]]]))),
      ),
    { maxLength: 12 },
  ),
) as fc.Arbitrary<JsonValue>

const line = fc.constantFrom(
  '2024-05-06T10:00:00Z ERROR [db] connection lost id=7',
  '2024-05-06T10:00:01Z INFO started in 12ms',
  '# Heading',
  '| a | b |',
  '| - | - |',
  'id,name,price',
  '1,"a, b",12.5',
  '{"id":1,"a":"x"}',
  '<p>text</p>',
  'plain words in a sentence. Another one.',
  '',
  '   - indented',
  '\u0000\ud800',
)
const text = fc.oneof(
  fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n')),
  fc.tuple(line, fc.nat(8)).map(([one, times]) => Array.from({ length: times }, () => one).join('\n')),
  fc.string({ maxLength: 300, unit: 'binary' }),
)

const data = fc.oneof(
  value,
  records,
  records,
  fc.record({ total: fc.nat(), orders: records, users: records }) as fc.Arbitrary<JsonValue>,
)
const one = fc.oneof(
  { weight: 3, arbitrary: data.map((json) => () => fromValue(json)) },
  {
    weight: 1,
    arbitrary: text.map((content) => () => fromRecognised(content)),
  },
)
const document: fc.Arbitrary<() => Document> = fc.oneof(
  { weight: 5, arbitrary: one },
  {
    weight: 1,
    arbitrary: fc.tuple(one, one).map(
      ([a, b]) =>
        () =>
          combine([
            { handle: 'aaaaaaaaaaaa', document: a() },
            { handle: 'bbbbbbbbbbbb', document: b() },
          ]),
    ),
  },
)

const junk = fc.oneof(
  fc.string({ maxLength: 20, unit: 'binary' }),
  fc.constantFrom(
    '(',
    '[',
    '..',
    '$',
    '@',
    '*',
    '[*]',
    '"',
    "'",
    '\\',
    ')(',
    '[?',
    '--',
    ',,',
    'NaN',
    '-',
    '\u0000',
  ),
)
const field = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 3, arbitrary: fc.tuple(name, name).map((parts) => parts.join('.')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, fc.constantFrom('[]', '[*]', '[0]', '[-1]', '[0:2]', '.*', '..'), name)
      .map((parts) => parts.join('')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('$.', '$..', '$[*].', '*.'), name).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: junk },
)
const word = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'open',
      '12',
      '5',
      '2024-05',
      'null',
      'true',
      '10MB',
      '"a b"',
      'a.*b',
      '(a+)+$',
      '%x%',
      'ERROR',
      'conection',
    ),
  },
  { weight: 1, arbitrary: junk },
)
const sign = fc.constantFrom(
  '=',
  '==',
  '!=',
  '<',
  '>=',
  '~',
  '!~',
  ' contains ',
  ' has ',
  ' in ',
  ' between ',
  ' like ',
  ' starts with ',
  ' is ',
  ':',
)
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.tuple(field, sign, word).map((parts) => parts.join(' ')),
    fc
      .tuple(
        field,
        fc.constantFrom(
          ' exists',
          ' is null',
          ' is empty',
          ' not exists',
          ' in (1, open)',
          ' between 1 and 5',
          '.length > 1',
        ),
      )
      .map((parts) => parts.join('')),
    fc
      .tuple(tie('condition'), fc.constantFrom(' and ', ' or ', ' && ', ', '), tie('condition'))
      .map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('not (', '(', '!('), tie('condition'), fc.constantFrom(')', ''))
      .map((parts) => parts.join('')),
    junk,
  ),
}))
const call = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'count',
        'sum',
        'avg',
        'min',
        'max',
        'median',
        'distinct',
        'percent',
        'p90',
        'stddev',
        'percentile',
        'mystery',
      ),
      field,
      fc.constantFrom('', ' as total', ', 90'),
    )
    .map(([head, inner, tail]) => (tail === ', 90' ? `${head}(${inner}, 90)` : `${head}(${inner})${tail}`)),
  fc.constantFrom('count', 'percent', 'distinct'),
  field,
)
const groupKey = fc
  .tuple(field, fc.constantFrom('', ':month', ':weekday', ' by day', ':hour', ':nothing'))
  .map((parts) => parts.join(''))
const order = fc
  .tuple(fc.constantFrom('', '-', '+'), field, fc.constantFrom('', ' desc', ':asc'))
  .map((parts) => parts.join(''))

/** As models write lists: a list, one string, an object, or something else altogether. */
function listOf(item: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.array(item, { maxLength: 3 }) },
    { weight: 4, arbitrary: item },
    { weight: 1, arbitrary: fc.dictionary(name, word, { maxKeys: 2 }) },
    { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) },
  )
}
const path = fc.oneof(
  { weight: 8, arbitrary: field },
  { weight: 1, arbitrary: fc.constantFrom('orders', 'users', '[0:3]', '[?@.a > 1]', '$..*') },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 1 }) },
)
const small = fc.oneof(fc.integer({ min: -2, max: 30 }), fc.anything({ maxDepth: 0 }))

const search = (mode: string): fc.Arbitrary<object> =>
  fc.record(
    {
      pattern: fc.oneof(
        { weight: 5, arbitrary: word },
        { weight: 1, arbitrary: fc.anything({ maxDepth: 1 }) },
      ),
      mode: fc.constant(mode),
      max_results: small,
      context_lines: small,
      top_k: small,
      case_insensitive: fc.oneof(fc.boolean(), fc.anything({ maxDepth: 0 })),
      multiline: fc.boolean(),
      threshold: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.anything({ maxDepth: 0 })),
      context_type: fc.constantFrom('paragraph', 'section', 'sentence', 'lines', 'page'),
    },
    { requiredKeys: ['pattern', 'mode'] },
  )

const filtering = {
  where: listOf(condition),
  group_by: listOf(groupKey),
  aggregate: listOf(call),
  sort: listOf(order),
  fields: listOf(field),
  exclude: listOf(field),
  mode: fc.constantFrom('include', 'exclude', 'other'),
}

const subjects: [ProcessorUnderTest, fc.Arbitrary<object>][] = [
  [
    projection,
    fc.record(
      { fields: filtering.fields, exclude: filtering.exclude, mode: filtering.mode },
      { requiredKeys: [] },
    ),
  ],
  [where, fc.record({ where: filtering.where })],
  [
    aggregate,
    fc.record({ group_by: filtering.group_by, aggregate: filtering.aggregate }, { requiredKeys: [] }),
  ],
  [sort, fc.record({ sort: filtering.sort })],
  [select, fc.record({ path })],
  [
    join,
    fc.record(
      {
        path,
        join_on: listOf(
          fc.oneof(
            fc.tuple(field, fc.constantFrom(' = ', ' ', '=', ' and '), field).map((parts) => parts.join('')),
            field,
          ),
        ),
      },
      { requiredKeys: ['join_on'] },
    ),
  ],
  [structure, fc.record({ max_depth: small })],
  [grep, search('regex')],
  [bm25, search('bm25')],
  [fuzzy, search('fuzzy')],
  [context, search('context')],
]

/** Runs `ask` on a document that cannot be changed, and holds that it was not. */
function unchanged(make: () => Document, ask: (document: Document) => void): void {
  const asked = make()
  const json = asked.json()
  deepFreeze(json)
  deepFreeze(asked.records())
  const before = [asked.text, JSON.stringify(json)]
  ask(asked)
  expect([asked.text, JSON.stringify(asked.json())]).toEqual(before)
}

describe.each(subjects.map(([processor, params]) => ({ name: processor.name, processor, params })))(
  '$name',
  ({ processor, params }) => {
    test(
      'answers, and changes nothing',
      () => {
        let applied = 0
        fc.assert(
          fc.property(document, params, (make, given) => {
            unchanged(make, (asked) => {
              const result = processor.process(asked, given)
              if (result.applied) applied++
              if (result.error !== undefined) {
                expect(result.applied).toBe(false)
                expect(result.error).not.toMatch(/This step failed|undefined|\[object/)
                expect(result.error.length).toBeLessThan(4_000)
              }
              if (!result.applied) expect(result.content).toBe(asked)
              // The new content can be read to its end.
              expect(result.content.rows().items.length).toBe(result.content.rows().count)
              expect(result.content.text.length).toBe(result.content.characters)
            })
          }),
          { numRuns: tries, endOnFailure: true },
        )
        expect(applied).toBeGreaterThan(tries / 100)
      },
      patience,
    )
  },
)

test(
  'all steps of a filter together',
  () => {
    const params = fc.record({ path, join_on: listOf(field), ...filtering }, { requiredKeys: [] })
    fc.assert(
      fc.property(document, params, (make, given) => {
        unchanged(make, (asked) => {
          const { document: made, error } = runPipeline(asked, filterSteps, given as Record<string, unknown>)
          expect(error ?? '').not.toMatch(/This step failed/)
          expect(made.rows().items.length).toBe(made.rows().count)
        })
      }),
      { numRuns: tries, endOnFailure: true },
    )
  },
  patience,
)
