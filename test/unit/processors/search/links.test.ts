import { expect, test } from 'vitest'
import { query } from '../../../../src/engine/query.ts'
import { createViews } from '../../../../src/engine/views.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const page =
  '<!doctype html><title>T</title><p>See the <a href="/install">installation guide</a>, nothing else.</p><table><tr><th>Name<th>File</tr>' +
  ['alpha', 'beta', 'gamma', 'delta']
    .map((name) => `<tr><td>${name}<td><a href="/dl/${name}.zip">zip</a></tr>`)
    .join('') +
  '</table>'
const content = new Uint8Array(Buffer.from(JSON.stringify({ content: [{ type: 'text', text: page }] })))
const views = createViews()
const ask = (kind: 'filter' | 'search', params: JsonObject) =>
  query(views, [{ content, hash: 'h', handle: 'h', tool: 'get' }], { kind, params, budget: 4000 }).text.join(
    '',
  )

test('a search for the words or the address of a link tells where it goes', () => {
  expect(ask('search', { pattern: 'installation' })).toContain('Links: installation guide → /install.')
  expect(ask('search', { pattern: 'zip guide', mode: 'bm25' })).not.toContain('Links:')
  expect(ask('search', { pattern: 'installation guides', mode: 'bm25' })).toContain('→ /install.')
  expect(ask('search', { pattern: 'dl/beta' })).toContain('Links: zip → /dl/beta.zip.')
  expect(ask('search', { pattern: 'nothing else' })).not.toContain('Links:')
})

test('a few rows of a table tell their links, many or chosen fields do not', () => {
  expect(ask('filter', { where: 'Name = beta' })).toContain('Links: zip → /dl/beta.zip.')
  expect(ask('filter', { where: 'Name = beta', fields: ['Name'] })).not.toContain('Links:')
  expect(ask('filter', { path: '$.tables[0]' })).not.toContain('Links:')
})
