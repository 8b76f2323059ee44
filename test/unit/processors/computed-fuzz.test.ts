/** Random expressions: each is answered or refused, soon, and nothing is changed by it. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { combine } from '../../../src/documents/opening/combine.ts'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'

const rows: JsonValue[] = [
  { id: 1, g: 'a', n: 2, list: [{ k: 1 }, { k: 2 }], day: '2024-01-02', __proto__x: 1 },
  { id: 2, g: 'b', n: null, list: [], day: 'none' },
  { id: 3, g: null, n: '7', list: null, day: 1_704_067_200, big: 9_007_199_254_740_991 },
  7,
  null,
]
deepFreeze(rows)
const single = fromValue(rows)
const several = combine([
  { handle: 'c1', document: fromValue(rows) },
  { handle: 'c2', document: fromValue([{ id: 1, n: 5 }]) },
])

const atom = fc.constantFrom(
  'id',
  'g',
  'n',
  'list',
  'list[].k',
  'day',
  '__proto__',
  'missing',
  '0',
  "'x'",
  '',
  '*',
  ')',
  '(',
)
const call = fc.constantFrom(
  'rank',
  'row_number',
  'lag',
  'sum',
  'avg',
  'count',
  'ntile',
  'moving_avg',
  'unnest',
  'distinct',
  'extract',
  'substr',
  'date_diff',
  'top',
  'collect',
  'correlation',
  'percentile',
  'count_if',
  'nth_value',
  'bucket',
  'constructor',
  'filter',
)
const text = fc.letrec<{ expression: string; many: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc.tuple(call, tie('many')).map(([name, args]) => `${name}(${args})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '/', ' and ', ' > ', ' - ', '||', ' as '),
        tie('expression'),
      )
      .map((parts) => parts.join('')),
    fc
      .tuple(call, tie('many'), tie('expression'), tie('expression'))
      .map(([name, args, by, order]) => `${name}(${args}) over (partition by ${by} order by ${order} desc)`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([one, other]) => `case when ${one} then ${other} end`),
  ),
  many: fc.array(tie('expression'), { maxLength: 3 }).map((all) => all.join(', ')),
})).expression

const params = fc.record(
  {
    fields: fc.array(text, { maxLength: 2 }),
    where: fc.array(text, { maxLength: 2 }),
    sort: fc.array(text, { maxLength: 2 }),
    group_by: fc.array(text, { maxLength: 2 }),
    aggregate: fc.array(text, { maxLength: 2 }),
    join_on: fc
      .tuple(fc.constantFrom('only_in', 'changed', 'diff', 'added', 'inner'), text)
      .map(([kind, on]) => `${kind}: ${on}`),
  },
  { requiredKeys: [] },
)

test('every expression ends in an answer or a refusal', () => {
  fc.assert(
    fc.property(params, fc.boolean(), (asked, both) => {
      const { join_on: _, ...others } = asked
      const read = filterParams.safeParse(both ? asked : others)
      if (!read.success) return
      const { document, error } = runPipeline(both ? several : single, filterSteps, read.data)
      expect(() => JSON.stringify(document.rows().items)).not.toThrow()
      expect(error ?? '').not.toMatch(/This step failed|undefined|TypeError/)
    }),
    { numRuns: 600 },
  )
})
