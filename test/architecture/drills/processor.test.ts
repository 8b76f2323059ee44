/**
 * Adding a step is one file in `src/processors/`, its place among the steps in `pipelines.ts`, and its parameters among those of the
 * tool in `parameters.ts`. All else follows: it is listed, read, skipped where it is not asked for, and its errors reach the reply.
 */
import { afterAll, expect, test } from 'vitest'
import type * as Query from '../../../src/engine/query.ts'
import type * as Views from '../../../src/engine/views.ts'
import type * as Parameters from '../../../src/processors/parameters.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { plantedCopy } from '../../support/planted.ts'
import { jsonResult, sourceOf } from '../../unit/engine/world.ts'

const copy = plantedCopy('processor')
afterAll(() => copy.remove())

copy.write(
  'src/processors/steps/every.ts',
  `/** \`every\`: one of so many records, the first of them first. */
import { fromRows } from '../../documents/opening/derive.ts'
import { everyParams } from '../parameters.ts'
import { Refusal } from '../../query/refusal.ts'
import { defineStep } from '../step.ts'

export const every = defineStep({
  name: 'every',
  params: everyParams,
  wanted: ({ every }) => every !== undefined,
  run(document, { every = 1 }) {
    const { items, noun } = document.rows()
    if (every > items.length) throw new Refusal(\`There are only \${items.length}: write "every" up to that.\`)
    const kept = items.filter((_, at) => at % every === 0)
    return { content: fromRows({ noun, items: kept }), metadata: { total: items.length, matched: kept.length } }
  },
})
`,
)
copy.insert(
  'src/processors/parameters.ts',
  'export const sortParams = ',
  "export const everyParams = z.object({ every: count('3: each third record.', 1) })\n\n",
)
copy.insert('src/processors/parameters.ts', '  ...sortParams.shape,\n', '  ...everyParams.shape,\n')
copy.insert('src/processors/pipelines.ts', 'import { sort }', "import { every } from './steps/every.ts'\n")
copy.insert('src/processors/pipelines.ts', '  { ...unnest, params: beside },\n', '  every,\n')

const source = sourceOf(
  jsonResult({ items: Array.from({ length: 90 }, (_, at) => ({ id: at + 1, team: at % 4 })) }),
)

async function ask(params: JsonObject): Promise<string> {
  const { query } = await copy.load<typeof Query>('src/engine/query.ts')
  const { createViews } = await copy.load<typeof Views>('src/engine/views.ts')
  return query(createViews(), [source], { kind: 'filter', params, budget: 3000 }).text.join('')
}

test('a new step works with the steps before and after it, and is skipped when its parameter is absent', async () => {
  const text = await ask({ every: 30, where: ['team = 2'], fields: ['id'] })
  expect(text).toContain('"id":31')
  expect(text).not.toContain('"id":1}')
  expect(await ask({ aggregate: 'count' })).toContain('90')
  expect(await ask({ every: '45', aggregate: 'count' })).toContain('2')
})

test('its parameter is listed with its description, and what is wrong with it is said', async () => {
  const { filterParams } = await copy.load<typeof Parameters>('src/processors/parameters.ts')
  const shape: Readonly<Record<string, { description?: string | undefined }>> = filterParams.shape
  expect(shape.every?.description).toBe('3: each third record.')
  expect(await ask({ every: 'often' })).toContain('`every`: must be a number')
  expect(await ask({ every: 91 })).toContain('There are only 90')
})
