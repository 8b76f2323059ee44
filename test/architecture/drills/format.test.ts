/** Adding a format is one file in `src/documents/formats/`, and its place in the ordered list of `formats/index.ts`. */
import { afterAll, expect, test } from 'vitest'
import type * as Index from '../../../src/documents/formats/index.ts'
import type * as Derive from '../../../src/documents/opening/derive.ts'
import type * as Pipeline from '../../../src/processors/pipeline.ts'
import type * as Pipelines from '../../../src/processors/pipelines.ts'
import { plantedCopy } from '../../support/planted.ts'

const copy = plantedCopy('format')
afterAll(() => copy.remove())

copy.write(
  'src/documents/formats/cards.ts',
  `/** Cards as address books export them: \`BEGIN:CARD\`, a field a line, \`END:CARD\`. */
import type { JsonValue } from '../../protocol/json.ts'
import { overviewOfData } from '../overview/records.ts'
import { defineFormat } from './define.ts'

export const cards = defineFormat<string[]>({
  name: 'cards',
  family: 'entries',
  kind: 'json',
  detect: (text) => (text.startsWith('BEGIN:CARD\\n') ? text.split('END:CARD').slice(0, -1) : undefined),
  read: (_, parts): JsonValue =>
    parts.map((part) =>
      Object.fromEntries(
        part.split('\\n').flatMap((line) => {
          const at = line.indexOf(':')
          return at < 0 || line.startsWith('BEGIN:') ? [] : [[line.slice(0, at).toLowerCase(), line.slice(at + 1)]]
        }),
      ),
    ),
  overview: overviewOfData,
})
`,
)
copy.insert('src/documents/formats/index.ts', 'import { code } from', "import { cards } from './cards.ts'\n")
copy.insert('src/documents/formats/index.ts', '  boxTree,\n', '  cards,\n')

const people = ['Ann', 'Bo', 'Cy', 'Di']
const text = people
  .map((name, at) => `BEGIN:CARD\nNAME:${name}\nTOWN:${at % 2 === 0 ? 'Oslo' : 'Lima'}\nEND:CARD`)
  .join('\n')

test('a new format is recognised, its records are asked about, and its preview tells them', async () => {
  const { fromRecognised } = await copy.load<typeof Derive>('src/documents/opening/derive.ts')
  const { overviewOf } = await copy.load<typeof Index>('src/documents/formats/index.ts')
  const { runPipeline } = await copy.load<typeof Pipeline>('src/processors/pipeline.ts')
  const { filterSteps } = await copy.load<typeof Pipelines>('src/processors/pipelines.ts')
  const document = fromRecognised(text)
  expect(document.traits.name).toBe('cards')
  expect(document.text).toBe(text)
  const { document: found, error } = runPipeline(document, filterSteps, {
    where: ['town = Oslo'],
    fields: ['name'],
  })
  expect(error).toBeUndefined()
  expect(found.rows().items).toEqual([{ name: 'Ann' }, { name: 'Cy' }])
  expect(JSON.stringify(overviewOf(document))).toContain('town')
})

test('texts that are none of it stay what they were', async () => {
  const { fromRecognised } = await copy.load<typeof Derive>('src/documents/opening/derive.ts')
  expect(fromRecognised(`[${people.map((name) => JSON.stringify({ name })).join(',')}]`).traits.name).toBe(
    'json',
  )
  expect(fromRecognised('A card begins with BEGIN:CARD, they say.').traits.name).toBe('text')
})
