import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDocument } from '../../../../src/documents/opening/open.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import { soundKeys } from '../../../support/keys.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const open = (result: unknown) => openDocument(Buffer.from(JSON.stringify(result)))
const texts = (...blocks: string[]) => open({ content: blocks.map((text) => ({ type: 'text', text })) })

test('counts once what a server sends twice', () => {
  const text = 'line one\nline two'
  const document = open({ content: [{ type: 'text', text }], structuredContent: { content: text } })
  expect(document.text).toBe(text)
  expect(document.kind).toBe('text')
  const value = { users: [{ id: 1 }, { id: 2 }] }
  const pretty = JSON.stringify(value, null, 2)
  const parsed = open({ content: [{ type: 'text', text: pretty }], structuredContent: value })
  expect(parsed.text).toBe(pretty)
  expect(parsed.json()).toEqual(value)
  expect(parsed.asides).toEqual([])
})

test('takes structured content for the data, and the words beside it for a remark', () => {
  const document = open({
    content: [{ type: 'text', text: 'Found 2' }],
    structuredContent: { result: [{ id: 1 }, { id: 2 }] },
  })
  expect(document.records()).toEqual({ path: '$.result', keys: undefined, values: [{ id: 1 }, { id: 2 }] })
  expect(document.asides).toEqual(['text beside it: Found 2'])
})

test('keeps a long text as the document when structured content only sums it up', () => {
  const text = 'a line of output\n'.repeat(50)
  const document = open({ content: [{ type: 'text', text }], structuredContent: { exitCode: 0 } })
  expect(document.text).toBe(text)
  expect(document.asides).toEqual(['structuredContent beside it: {"exitCode":0}'])
})

test('joins blocks: all JSON to one list, others with borders', () => {
  expect(texts('{"id":1}', '{"id":2}').json()).toEqual([{ id: 1 }, { id: 2 }])
  const mixed = texts('first words', 'second words')
  expect([mixed.format, mixed.kind]).toEqual(['blocks', 'mixed'])
  expect(mixed.text).toBe('--- block 1 of 2 ---\nfirst words\n--- block 2 of 2 ---\nsecond words')
  expect(mixed.json()).toEqual([
    { block: 1, text: 'first words' },
    { block: 2, text: 'second words' },
  ])
})

verifies('S3.26', 'parses JSON inside strings where it is the data', () => {
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]
  const document = texts(JSON.stringify({ ok: true, result: JSON.stringify(rows) }))
  expect(document.records()?.path).toBe('$.result')
  expect(document.json()).toEqual({ ok: true, result: rows })
  expect(texts(JSON.stringify(JSON.stringify(rows))).json()).toEqual(rows)
})

test('finds JSON after a line of text and inside a fence', () => {
  const rows = [{ id: 1 }, { id: 2 }]
  const document = texts(`Here it is:\n\`\`\`json\n${JSON.stringify(rows, null, 2)}\n\`\`\``)
  expect(document.format).toBe('json')
  expect(document.records()?.values).toEqual(rows)
  expect(document.asides).toEqual(['text beside it: Here it is:'])
})

test('describes what is not text and decodes nothing', () => {
  const document = open({
    content: [
      { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4000) },
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      { type: 'resource_link', uri: 'file:///b' },
    ],
  })
  expect(document.text).toBe('inside')
  expect(document.asides).toEqual(['image image/png 3.0 KB', 'link file:///b'])
})

test('opens derived answers that are only structured content', () => {
  expect(open({ structuredContent: [{ a: 1 }] }).records()?.values).toEqual([{ a: 1 }])
  expect(open({ structuredContent: 'a,b\n1,2\n3,4\n' }).text).toBe('a,b\n1,2\n3,4\n')
})

test('never throws, whatever the bytes are', () => {
  const hostile = [
    Buffer.from([0xff, 0xfe, 0x00, 0xc3]),
    Buffer.from(''),
    Buffer.from('null'),
    Buffer.from('[1,2]'),
    Buffer.from('{"content":5,"structuredContent":null}'),
    Buffer.from('{"content":[null,{"type":"text"},{"type":"text","text":"\\ud800"}]}'),
    Buffer.from('{"structuredContent":{"__proto__":[{"a":1}],"constructor":[1,2,3]}}'),
    Buffer.from(`{"structuredContent":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
    Buffer.from(`{"structuredContent":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`),
  ]
  for (const bytes of hostile) {
    const document = openDocument(bytes)
    expect(document.bytes).toBe(bytes.length)
    const text = preview(document, { budget: 600, tool: 't', bytes: bytes.length, tokens: 1 }).join(
      '0123456789ab',
    )
    expect(text.length).toBeLessThanOrEqual(600)
  }
})

test('opens any JSON and any text', () => {
  fc.assert(
    fc.property(fc.oneof(soundKeys(fc.jsonValue()), fc.string()), fc.boolean(), (value, structured) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      const document = structured ? open({ structuredContent: value }) : texts(text)
      expect(document.characters).toBe(document.text.length)
      expect(document.rows().items.length).toBeGreaterThanOrEqual(0)
      expect(document.lines().count).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: runs(300) },
  )
})
