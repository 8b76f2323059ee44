/**
 * The change that makes the language of questions say more: one entry in a table. An operator is in `src/query/language/operators.ts`, a function
 * in `functions.ts`, an aggregate in `aggregates.ts`, a window function in `windows.ts`. A dialect has its own file and a place in the
 * list of `dialects/index.ts`.
 */
import { afterAll, expect, test } from 'vitest'
import type * as Derive from '../../../src/documents/opening/derive.ts'
import type * as Parameters from '../../../src/processors/parameters.ts'
import type * as Pipeline from '../../../src/processors/pipeline.ts'
import type * as Pipelines from '../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import type * as Page from '../../../src/query/language/page.ts'
import { plantedCopy } from '../../support/planted.ts'

const copy = plantedCopy('language')
afterAll(() => copy.remove())

copy.insert(
  'src/query/language/operators.ts',
  "  {\n    symbol: 'starts with',",
  `  {
    symbol: 'rhymes with',
    words: 'rhymes with, sounds like',
    arity: 1,
    compares: 'text',
    text: 'The last two letters are the same.',
    told: 'rhymes with',
    example: 'name rhymes with moon',
    test: ([operand]) => ({
      holds: (values) => values.some((value) => String(value).slice(-2) === operand.text.slice(-2)),
    }),
  },
`,
)
copy.insert(
  'src/query/language/functions.ts',
  "  ['initcap',",
  "  ['vowels', 'countvowels', 1, 'number', 'How many vowels a text has.', 'vowels(name)', ofText((text) => text.replaceAll(/[^aeiou]/gi, '').length)],\n",
)
copy.insert('src/query/language/functions.ts', "'substr', 'extract'", "'vowels', ")
copy.insert(
  'src/query/language/aggregates.ts',
  "  ['median',",
  "  ['product', 'multiplied', 'field', 'numbers', 'All numbers multiplied.', 'product(price)', (over) => numbersIn(over).map((numbers) => numbers.reduce((all, one) => all * one, 1))],\n",
)
copy.insert('src/query/language/aggregates.ts', "  'median',\n", "  'product',\n")
copy.insert(
  'src/query/language/windows.ts',
  "  ['rank', '',",
  "  ['countdown', '', [0, 0], 'How many rows are left.', 'countdown() over (order by day)', ({ rows }) => Array.from(rows, (_, nth) => rows.length - nth - 1)],\n",
)
copy.write(
  'src/query/language/dialects/question.ts',
  `/** The condition of a question in words: \`is it so that a = 1?\`. */
export function fromQuestion(text: string): string {
  return /^is it so that (.+)\\?$/.exec(text)?.[1] ?? text
}
`,
)
copy.insert(
  'src/query/language/dialects/index.ts',
  'import { fromSql }',
  "import { fromQuestion } from './question.ts'\n",
)
copy.insert(
  'src/query/language/dialects/index.ts',
  "  { name: 'jq',",
  "  { name: 'a question', example: 'is it so that a = 1?', read: fromQuestion },\n",
)

const moons: JsonValue = [
  { name: 'Titan', planet: 'Saturn', size: 5 },
  { name: 'Triton', planet: 'Neptune', size: 3 },
  { name: 'Io', planet: 'Jupiter', size: 4 },
  { name: 'Rhea', planet: 'Saturn', size: 2 },
]

async function ask(params: JsonObject): Promise<{ rows: JsonValue[]; error: string | undefined }> {
  const { fromValue } = await copy.load<typeof Derive>('src/documents/opening/derive.ts')
  const { filterParams } = await copy.load<typeof Parameters>('src/processors/parameters.ts')
  const { runPipeline } = await copy.load<typeof Pipeline>('src/processors/pipeline.ts')
  const { filterSteps } = await copy.load<typeof Pipelines>('src/processors/pipelines.ts')
  const { document, error } = runPipeline(fromValue(moons), filterSteps, filterParams.parse(params))
  return { rows: [...document.rows().items], error }
}

const names = (rows: readonly JsonValue[]) => rows.map((row) => (row as JsonObject).name)
const table = async (name: string): Promise<string> =>
  (await copy.load<typeof Page>('src/query/language/page.ts')).TABLES[name]?.() ?? ''

/** The description of a parameter as models read it. */
async function described(name: 'where' | 'fields' | 'aggregate'): Promise<string> {
  const { filterParams } = await copy.load<typeof Parameters>('src/processors/parameters.ts')
  const schema = filterParams.shape[name]
  return schema.meta()?.description ?? schema.description ?? ''
}

test('a new operator is read in all its words, told where conditions are described, documented, and explained', async () => {
  const { rows } = await ask({ where: 'name sounds like wagon' })
  expect(names(rows)).toEqual(['Triton'])
  expect(names((await ask({ where: 'not name rhymes with satan' })).rows)).toEqual(['Triton', 'Io', 'Rhea'])
  expect(await described('where')).toContain('rhymes with')
  expect(await table('operators')).toContain(
    '| `rhymes with` | The last two letters are the same. | `name rhymes with moon` |',
  )
  const { error } = await ask({ where: 'name rhymes with' })
  expect(error).toMatch(/rhymes with/)
})

test('a new function is computed wherever a field stands, told, documented, and its errors say how it is called', async () => {
  expect(names((await ask({ where: 'vowels(planet) > 3' })).rows)).toEqual([])
  expect(names((await ask({ where: 'vowels(planet) = 3', sort: '-count_vowels(name), name' })).rows)).toEqual(
    ['Io', 'Triton'],
  )
  expect((await ask({ fields: ['name', 'vowels(name) as v'] })).rows[0]).toEqual({ name: 'Titan', v: 2 })
  expect(await described('fields')).toContain('vowels')
  expect(await table('functions')).toContain(
    '| `vowels` | How many vowels a text has. | `vowels(name)` | `countvowels` |',
  )
  const { error } = await ask({ where: 'vowels(planet, 2) > 1' })
  expect(error).toContain('Write like vowels(name).')
})

test('a new aggregate is computed for groups and over all, told, documented, and its errors say how it is called', async () => {
  expect((await ask({ aggregate: 'product(size)' })).rows).toEqual([{ 'product(size)': 120 }])
  const { rows } = await ask({ group_by: 'planet', aggregate: 'multiplied(size) as all', where: 'all > 4' })
  expect(rows).toEqual([{ planet: 'Saturn', all: 10 }])
  expect(await described('aggregate')).toContain('product')
  expect(await table('aggregates')).toContain('| `product` | All numbers multiplied. | `product(price)` |')
  const { error } = await ask({ aggregate: 'product()' })
  expect(error).toContain('product(')
})

test('a new window function is computed and documented', async () => {
  const { rows } = await ask({
    fields: ['name', 'countdown() over (order by size desc) as left'],
    sort: '-size',
  })
  expect(rows.map((row) => (row as JsonObject).left)).toEqual([3, 2, 1, 0])
  expect(await table('windows')).toContain('| `countdown` | How many rows are left. |')
})

test('a new dialect is one file and its place in the list, and is documented', async () => {
  expect(names((await ask({ where: 'is it so that size > 4?' })).rows)).toEqual(['Titan'])
  expect(await table('dialects')).toContain('| a question | `is it so that a = 1?` |')
})
