/** The memory of a question changes no later answer. */
import { expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { bind } from '../../../src/query/conditions/evaluate.ts'
import { recordsOfValues } from '../../../src/query/fields/records.ts'

const records = Array.from({ length: 400 }, (_, at) => ({
  id: at,
  name: `name ${at} ${'ab'.repeat(at % 7)}`,
  items: [{ kind: at % 2 === 0 ? 'even' : 'odd', n: at % 5 }],
}))
const text = JSON.stringify(records)

function answer(document: ReturnType<typeof fromRecognised>, where: readonly string[]): unknown {
  const { document: found, error, steps } = runPipeline(document, filterSteps, { where })
  return { rows: found.rows().items, error, notes: steps.map(({ metadata }) => metadata.notes) }
}

const questions: readonly (readonly string[])[] = [
  ['id > 10', 'items.kind = even'],
  ['items.kind = even', 'items.n = 3'],
  ['any(items, n = 3)', 'id < 50'],
  ['id < 50', 'any(items, n = 3)'],
  ['id < 50', 'not (any(items, n = 3))'],
  ['name = nothing'],
  ['name ~ ^name'],
  ['id > 10'],
]

test('a question gets the same answer first and after all others', () => {
  const document = fromRecognised(text)
  const first = questions.map((where) => answer(fromRecognised(text), where))
  for (let round = 0; round < 2; round++)
    expect(questions.map((where) => answer(document, where))).toEqual(first)
})

test('conditions on elements and on records hold together, in either order', () => {
  const document = fromRecognised(text)
  const wanted = records.filter(({ id, items }) => id < 50 && items[0]?.n === 3)
  expect(wanted.length).toBeGreaterThan(0)
  for (const where of [
    ['any(items, n = 3)', 'id < 50'],
    ['id < 50', 'any(items, n = 3)'],
  ])
    expect(runPipeline(document, filterSteps, { where }).document.rows().items).toEqual(wanted)
})

test('each question has a pattern of its own, with its own time', () => {
  const asked = recordsOfValues(records)
  const patterns = [1, 2].flatMap(() => bind(['name ~ ^(?=name)'], asked).patterns)
  expect(new Set(patterns).size).toBe(patterns.length)
  expect(patterns.length).toBeGreaterThan(1)
})
