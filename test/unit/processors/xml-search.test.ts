import { expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/derive.ts'
import { bm25 } from '../../../src/processors/bm25.ts'
import { grep } from '../../../src/processors/grep.ts'
import { aggregate } from '../../../src/processors/group.ts'
import { search } from './search.ts'

const entries = ['JPY 392 Yen', 'KES 404 Kenyan Shilling', 'UGX 800 Uganda Shilling', 'ISK 352 Krona']
const written = entries.map((entry) => {
  const [code, number, ...name] = entry.split(' ')
  return `  <entry code="${code}" number="${number}"><name>${name.join(' ')}</name></entry>`
})
const document = fromRecognised(`<?xml version="1.0"?>\n<currencies>\n${written.join('\n')}\n</currencies>\n`)

test('XML is searched by its values, which come with the record they are in', () => {
  const found = search(grep, document, { pattern: 'Yen' })
  expect(found.rows).toEqual([
    expect.objectContaining({ at: '$.currencies.entry[0]', match: { name: 'Yen' } }),
  ])
  const ranked = search(bm25, document, { mode: 'bm25', pattern: 'kenyan shilling' })
  expect(ranked.rows[0]).toMatchObject({ at: '$.currencies.entry[1]' })
})

test('where only the tags match, the lines of the source are shown, and this is said', () => {
  const found = search(grep, document, { pattern: 'number="404"' })
  expect(found.rows).toEqual([expect.stringContaining('4:   <entry code="KES" number="404">')])
  expect(found.notes).toContain('XML source')
})

test('of elements with attributes the text is what is computed from', () => {
  const books = ['3.50', '10.25', '2.25'].map(
    (price, n) => `<book n="${n}"><price cur="EUR">${price}</price></book>`,
  )
  const { content, metadata } = aggregate.process(fromRecognised(`<list>${books.join('\n')}</list>`), {
    aggregate: ['sum(price)', 'max(price)'],
  })
  expect(content.rows().items).toEqual([{ 'sum(price._text)': 16, 'max(price._text)': 10.25 }])
  expect(metadata.notes).toContain('`price` holds objects and was read as `price._text`.')
})
