import { expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { preview } from '../../../src/documents/reply/preview.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import { bm25 } from '../../../src/processors/search/bm25.ts'
import { grep } from '../../../src/processors/search/grep.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
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
  const found = search(grep, document, { pattern: '<entry code="KES"' })
  expect(found.rows).toEqual([expect.stringContaining('4:   <entry code="KES" number="404">')])
  expect(found.notes).toContain('XML source')
})

test('what is counted are the records, lines where only the source matches', () => {
  const content = new Uint8Array(
    Buffer.from(JSON.stringify({ content: [{ type: 'text', text: document.text }] })),
  )
  const ask = (pattern: string) =>
    query(createViews(), [{ content, hash: 'h', handle: 'h', tool: 'get' }], {
      kind: 'search',
      params: { pattern },
      budget: 2000,
    }).text.join('')
  expect(ask('Yen')).toMatch(/^1 of 4 records matches/)
  expect(ask('Franc')).toMatch(/^0 of 4 records match/)
  expect(ask('<name>K')).toMatch(/^2 of 7 lines match/)
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

test('a name after FROM means the lists of that name in all records, and a preview names no list of one record', () => {
  const tests = (name: string, times: readonly number[]) =>
    `<suite name="${name}">${times.map((time) => `<case time="${time}"/>`).join('')}</suite>`
  const report = `<?xml version="1.0"?><suites>${tests('a', [1, 5, 9])}${tests('b', [7])}${tests('c', [8, 2])}</suites>`
  const content = new Uint8Array(Buffer.from(JSON.stringify({ content: [{ type: 'text', text: report }] })))
  const { text } = query(createViews(), [{ content, hash: 'h', handle: 'h', tool: 'get' }], {
    kind: 'filter',
    params: { where: 'SELECT COUNT(*) FROM case WHERE time > 4' },
    budget: 2000,
  })
  expect(text.join('')).toMatch(/^4 of 6 records match[\s\S]*\{"count":4\}/)
  const told = preview(fromRecognised(report), { budget: 2000, tool: 't', bytes: 1, tokens: 1 })
  expect(JSON.stringify(told)).not.toContain('suite[0]')
})
