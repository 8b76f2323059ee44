/** Paths of XPath, which count from 1. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDocument } from '../../../src/documents/opening/open.ts'
import { select } from '../../../src/processors/steps/select.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { fromXPath } from '../../../src/query/language/dialects/xpath.ts'
import { runs } from '../../support/runs.ts'

const XML = `<?xml version="1.0"?>
<catalog><shop>Main</shop>
<book id="b1" lang="en"><title>Alpha</title><author>Ann</author><price>10.5</price></book>
<book id="b2" lang="de"><title>Beta</title><author>Bob</author><price>20</price></book>
<book id="b3" lang="en"><title>Gamma</title><author>Ann</author><price>7</price></book>
</catalog>`

const library = openDocument(
  new TextEncoder().encode(JSON.stringify({ content: [{ type: 'text', text: XML }] })),
)

test.each<[string, JsonValue[]]>([
  ['//book/title', ['Alpha', 'Beta', 'Gamma']],
  ['/catalog/book[1]/title', ['Alpha']],
  ['//book[last()]/@id', ['b3']],
  ['//book[last() - 1]/@id', ['b2']],
  ['//book[position() <= 2]/@id', ['b1', 'b2']],
  ['//book[@id="b2"]/title', ['Beta']],
  ['//book[price>9]/title/text()', ['Alpha', 'Beta']],
  ["//book[contains(title, 'mm') and @lang='en']/price", [7]],
  ["//book[starts-with(@id, 'b')]/author", ['Ann', 'Bob', 'Ann']],
  ["//book[not(author='Ann')]/title", ['Beta']],
  ['/catalog/child::shop', ['Main']],
  ['/catalog/book/@id', ['b1', 'b2', 'b3']],
  ['.//author', ['Ann', 'Bob', 'Ann']],
])('%s', (path, values) => {
  const { content, error } = select.process(library, { path })
  expect(error).toBeUndefined()
  expect([...content.rows().items]).toEqual(values)
})

test.each([
  '/items/0/name',
  '/paths/~1users~1{id}',
  '$..book',
  'a//b',
  '/',
  '//',
  'http://x.org/[1]',
  '/a[',
  '//a[1',
])('no XPath: %s', (path) => {
  expect(fromXPath(path)).toBeUndefined()
})

test('a condition goes on to elements and attributes within', () => {
  expect(fromXPath('//case[error/@type="x" and ./time>1]')).toBe('$..case[?(error.type="x" and time>1)]')
})

test('names with other signs are quoted', () => {
  expect(fromXPath('//soap:Body/a-b[2]')).toBe('$..["soap:Body"]["a-b"][1]')
})

test('any text is read or is none', () => {
  const piece = fc.constantFrom(
    '//',
    '/',
    'a',
    '@b',
    '[',
    ']',
    '1',
    'last()',
    '"x"',
    "'",
    '*',
    '.',
    'text()',
    '(',
    ')',
    '=',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(() => fromXPath(pieces.join(''))).not.toThrow()
    }),
    { numRuns: runs(1000) },
  )
})
