/** Adding a kind of content block is one entry in `CONTENT_KINDS` of `src/protocol/content.ts`. */
import { afterAll, expect, test } from 'vitest'
import type * as Generate from '../../../src/config/generate.ts'
import { expectKindIsKnown } from '../../contract/content.ts'
import { plantedCopy } from '../../support/planted.ts'

const copy = plantedCopy('content-type')
afterAll(() => copy.remove())

test('a new kind of content block works, is documented and is checked with one entry', async () => {
  const entry = `  film: {
    what: 'A film with a transcript.',
    label: 'film',
    text: ['transcript'],
    keptText: 20,
    uri: ['poster'],
    data: ['frames'],
  },
`
  copy.insert('src/protocol/content.ts', '  resource_link: {', entry)
  await expectKindIsKnown('film', copy.load)
  const { contentTable } = await copy.load<typeof Generate>('src/config/generate.ts')
  expect(contentTable()).toContain(
    '| `film` | A film with a transcript. | `transcript` | from 21 characters on | `poster` | `frames` |',
  )
})

test('the check fails for a kind without an entry that has its text elsewhere', async () => {
  const wrong = { type: 'opera', transcript: 'some words' }
  const { textIn } =
    await copy.load<typeof import('../../../src/protocol/content.ts')>('src/protocol/content.ts')
  expect(textIn(wrong)).toBeUndefined()
  expect(textIn({ ...wrong, type: 'film' })).toBe('some words')
})
