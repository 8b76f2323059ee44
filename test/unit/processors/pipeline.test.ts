import { expect, test } from 'vitest'
import * as z from 'zod'
import { fromRows, fromValue } from '../../../src/documents/opening/derive.ts'
import { type PipelineStep, runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { defineStep } from '../../../src/processors/step.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import { projection } from '../../../src/processors/steps/projection.ts'
import { select } from '../../../src/processors/steps/select.ts'
import { sort } from '../../../src/processors/steps/sort.ts'
import { where } from '../../../src/processors/steps/where.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { verifies } from '../../support/verifies.ts'

/** Adds its name to the rows when the parameter of that name is given. */
function mark(name: string, act: () => void = () => {}): PipelineStep {
  return defineStep({
    name,
    params: z.object({ [name]: z.string().optional().describe('Anything.') }),
    wanted: (params) => params[name] !== undefined,
    run(document) {
      act()
      return {
        content: fromRows({ noun: 'mark', items: [...document.rows().items, name] }),
        metadata: { matched: 1, by: name },
      }
    },
  })
}

const start = () => fromRows({ noun: 'mark', items: ['start'] })

verifies('S3.18', 'composes in the stated order and keeps metadata per step', () => {
  const { document, steps, error } = runPipeline(start(), [mark('b'), mark('a'), mark('c')], {
    a: '1',
    b: '1',
    c: '1',
  })
  expect(document.rows().items).toEqual(['start', 'b', 'a', 'c'])
  expect(steps.map(({ name, applied, metadata }) => [name, applied, metadata.by])).toEqual([
    ['b', true, 'b'],
    ['a', true, 'a'],
    ['c', true, 'c'],
  ])
  expect(error).toBeUndefined()
})

verifies('S3.18', 'skips a step when its parameters are absent or null', () => {
  const { document, steps } = runPipeline(start(), [mark('a'), mark('b')], { a: null, b: '1' })
  expect(document.rows().items).toEqual(['start', 'b'])
  expect(steps.map(({ applied }) => applied)).toEqual([false, true])
  expect(steps[0]).not.toHaveProperty('error')
  const before = start()
  expect(runPipeline(before, [mark('a')], {}).document).toBe(before)
})

verifies('S3.18', 'goes on after a step that fails, with the document as it was', () => {
  const refuse = mark('b', () => {
    throw new Refusal('Write something else.')
  })
  const broken = mark('c', () => {
    throw new Error('boom')
  })
  const deep = mark('d', () => {
    throw new RangeError('Maximum call stack size exceeded')
  })
  const { document, steps, error } = runPipeline(start(), [mark('a'), refuse, broken, deep, mark('e')], {
    a: '1',
    b: '1',
    c: '1',
    d: '1',
    e: 5,
  })
  expect(document.rows().items).toEqual(['start', 'a'])
  expect(steps.map((step) => step.error?.slice(0, 30))).toEqual([
    undefined,
    'Write something else.',
    'This step failed: boom',
    'The data is nested too deeply ',
    expect.stringMatching(/^`e`: /),
  ])
  expect(error?.split('\n')).toHaveLength(4)
  expect(error).toContain('b: Write something else.')
})

test('a processor that throws all the same is an error of its step', () => {
  const rude: PipelineStep = {
    ...mark('a'),
    process: () => {
      throw new Error('boom')
    },
  }
  const { document, steps } = runPipeline(start(), [rude, mark('b')], { a: '1', b: '1' })
  expect(document.rows().items).toEqual(['start', 'b'])
  expect(steps[0]?.error).toContain('boom')
})

verifies('S3.18 S3.26', 'the filter steps work one on the other', () => {
  const steps = [select, where, aggregate, sort, projection]
  const data = {
    page: 1,
    items: Array.from({ length: 30 }, (_, n) => ({
      n,
      state: n % 3 === 0 ? 'open' : 'closed',
      user: { login: `u${n % 4}` },
    })),
  }
  const records = runPipeline(fromValue(data), steps, {
    path: 'items',
    where: 'state = open',
    sort: '-n',
    fields: 'items.n, user.login',
  })
  expect(records.error).toBeUndefined()
  expect(records.document.rows().items.slice(0, 2)).toEqual([
    { n: 27, 'user.login': 'u3' },
    { n: 24, 'user.login': 'u0' },
  ])
  const groups = runPipeline(fromValue(data), steps, {
    group_by: 'login',
    aggregate: 'sum(n), count',
    sort: 'login',
    where: ['n < 8'],
  })
  expect(groups.error).toBeUndefined()
  expect(groups.document.rows()).toMatchObject({
    noun: 'group',
    items: [
      { 'user.login': 'u0', 'sum(n)': 4, count: 2 },
      { 'user.login': 'u1', 'sum(n)': 6, count: 2 },
      { 'user.login': 'u2', 'sum(n)': 8, count: 2 },
      { 'user.login': 'u3', 'sum(n)': 10, count: 2 },
    ],
  })
  const none = runPipeline(fromValue(data), steps, { where: 'n > 99', sort: '-n', fields: 'n' })
  expect(none.error).toBeUndefined()
  expect(none.document.rows().items).toEqual([])
})

test('a refusal that escapes a step written by hand stays a refusal', () => {
  const thrower: PipelineStep = {
    ...mark('a'),
    process() {
      throw new Refusal('Write `b`.')
    },
  }
  expect(runPipeline(start(), [thrower], { a: '1' }).error).toBe('a: Write `b`.')
})

test.each([
  { where: ['[?  has  true'], aggregate: ['count'] },
  { where: ['[?  has  true'], group_by: 'id' },
  { where: ['[ = 1'], group_by: 'id', aggregate: ['sum([)', 'count'] },
  { where: ['id = 1'], group_by: 'id', aggregate: ['sum([?)'] },
  { where: ['[? > 1'], group_by: '[?', sort: '[?', fields: ['[?'] },
])('a bracket that is not closed is refused by each step that reads it: %j', (params) => {
  const { error } = runPipeline(fromValue([{ id: 1 }, { id: 2 }]), filterSteps, params)
  expect(error).toMatch(/not closed|bracket/)
  expect(error).not.toMatch(/This step failed/)
})
