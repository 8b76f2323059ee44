import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looksLikeXml, readXml } from '../../../../src/documents/formats/xml.ts'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { mainCollection } from '../../../../src/documents/shape/collections.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'

describe('XML as data', () => {
  test('attributes, elements and texts are fields, and what repeats is a list', () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE shop [ <!ELEMENT item (name)> <!ATTLIST item id CDATA #REQUIRED> ]>
      <!-- <item id="none"/> -->
      <shop name="A &amp; B">
        <item id="1"><name>Pen</name><price>1.50</price></item>
        <item id="2"><name>Ink &lt;blue&gt;</name><price>3</price><tag>x</tag><tag>y</tag></item>
        <item id="007" discontinued="yes"><note lang="en">sold <![CDATA[<out>]]></note><tag>z</tag></item>
        <empty/>
      </shop>`
    expect(looksLikeXml(xml)).toBe(true)
    expect(readXml(xml)).toEqual({
      shop: {
        name: 'A & B',
        item: [
          { id: 1, name: 'Pen', price: '1.50' },
          { id: 2, name: 'Ink <blue>', price: 3, tag: ['x', 'y'] },
          { id: '007', discontinued: 'yes', note: { lang: 'en', _text: 'sold <out>' }, tag: ['z'] },
        ],
        empty: '',
      },
    })
  })

  test('an attribute called like an element inside is told from it', () => {
    expect(readXml('<a><b c="1"><c>2</c></b></a>')).toEqual({ a: { b: { '@c': 1, c: 2 } } })
  })

  test('hostile names are data', () => {
    const read = readXml('<a><__proto__ x="1"/><constructor><b>2</b></constructor></a>')
    expect(JSON.stringify(read)).toBe('{"a":{"__proto__":{"x":1},"constructor":{"b":2}}}')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test('what is not well formed or has nothing in it is no XML', () => {
    const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`
    for (const text of [
      '<a><b></a></b>',
      '<a><b>',
      '<a/><a/>',
      'text <a><b/></a>',
      '<a><b/></a> text',
      '<a><b x=1/></a>',
      '<a><!-- <b/></a>',
      '<error>nothing here</error>',
      nested(10_000),
      '',
    ])
      expect(readXml(text), text.slice(0, 60)).toBeUndefined()
    expect(readXml(nested(20))).toBeDefined()
    expect(looksLikeXml('<?xml version="1.0"?><html><body><p>x</p></body></html>')).toBe(false)
    expect(looksLikeXml('3 < 4')).toBe(false)
  })

  test('the repeated elements are the records', () => {
    const rows = Array.from({ length: 30 }, (_, n) => `<row><id>${n}</id></row>`).join('')
    const read = readXml(`<set><meta><by>me</by></meta><rows>${rows}</rows></set>`)
    expect(mainCollection(read ?? null)?.path).toBe('$.set.rows.row')
  })

  test('whatever is written as XML is read back', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/)
    const encoded = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    const text = fc.string({
      unit: fc.constantFrom('a', '<', '&', '"', "'", 'é', ']', '>', '7'),
      minLength: 1,
    })
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, text, { minKeys: 1 }), { minLength: 2 }), (records) => {
        const elements = records.map(
          (record) =>
            `<r>${Object.entries(record)
              .map(([key, value]) => `<${key}>${encoded(value)}</${key}>`)
              .join('\n')}</r>`,
        )
        const attributes = records.map(
          (record) =>
            `<r ${Object.entries(record)
              .map(([key, value]) => `${key}="${encoded(value)}"`)
              .join(' ')} />`,
        )
        const same = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value))
        const texts = (read: unknown) =>
          JSON.parse(JSON.stringify(read), (_, value) => (typeof value === 'number' ? String(value) : value))
        for (const list of [elements, attributes])
          expect(texts(readXml(`<all>${list.join('')}</all>`))).toEqual(same({ all: { r: records } }))
      }),
    )
  })

  test('no text makes it throw or hang', () => {
    const pieces = fc.constantFrom(
      '<a',
      '>',
      '</a>',
      '/>',
      ' b="',
      '"',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?',
      ' ',
      'x',
      '&lt;',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        readXml(parts.join(''))
      }),
    )
    expect(readXml(`<a${' '.repeat(500_000)}`)).toBeUndefined()
    expect(readXml('<a>'.repeat(500_000))).toBeUndefined()
  })
})

describe('markup below words', () => {
  const feed = `<feed><name>News</name>${[1, 2, 3, 4].map((n) => `<entry><id>${n}</id><by>Ann</by></entry>`).join('\n')}</feed>`

  test.each([
    ['behind a declaration', `<?xml version="1.0"?>\n${feed}`],
    ['that ends with the text', `${feed}\n`],
  ])('an element %s is read, with the words beside it', (_, xml) => {
    const document = fromRecognised(
      `No summary of this kind.\nContents of https://news.example/feed:\n${xml}`,
    )
    expect(document.records()?.values).toEqual([1, 2, 3, 4].map((id) => ({ id, by: 'Ann' })))
    expect(document.asides).toEqual([
      'text beside it: No summary of this kind.',
      'text beside it: Contents of https://news.example/feed:',
    ])
  })

  test('a page is read', () => {
    const page = `<!DOCTYPE html>\n<html><body><table><tr><th>id<th>by</tr><tr><td>1<td>Ann</tr><tr><td>2<td>Bo</tr></table></body></html>`
    const document = fromRecognised(`Contents of the page:\n${page}\n`)
    expect(document.records()?.values).toEqual([
      { id: '1', by: 'Ann' },
      { id: '2', by: 'Bo' },
    ])
    expect(document.asides).toEqual(['text beside it: Contents of the page:'])
  })

  test('a piece of a page below words stays in its text', () => {
    const text = '# Title\n\n<details>\n<summary>More</summary>\n<b>a</b><b>c</b>\n</details>\n'
    expect(fromRecognised(text).traits.name).not.toBe('xml')
  })
})
