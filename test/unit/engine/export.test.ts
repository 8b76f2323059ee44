import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanTop, topOf } from '../../../src/documents/json/top.ts'
import { openDocument } from '../../../src/documents/opening/open.ts'
import { digest } from '../../../src/engine/digest.ts'
import { exported, readFile } from '../../../src/engine/export.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { formatCount } from '../../../src/text/format.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, LIMITS, textResult } from './world.ts'

const fileOf = (result: JsonObject, toon = false) => {
  const made = exported(bytesOf(result), toon)
  return { ...made, text: Buffer.from(made.content).toString('utf8') }
}
const stat = (content: Uint8Array, isResult = false) =>
  readFile(content, isResult, { op: 'stat', maxChars: 1000, maxMatches: 1 })

describe('the file of a result', () => {
  verifies('S4.15', 'holds its text as it was sent, whatever that is', () => {
    const texts = [
      '{"a": 1.0,  "b":[]}',
      'a line beside it: {"a":1}',
      '\u001b[31mred\u001b[0m\r\n',
      '\uFEFF{}',
      'ü\0漢😀',
      ' ',
    ]
    for (const text of texts) expect(fileOf(textResult(text)).text).toBe(text)
    const id = '{"id":12345678901234567890}'
    expect(fileOf(textResult(id)).text).toBe(id)
    expect(fileOf(textResult('{"a":1}', { structuredContent: { a: 1 } })).text).toBe('{"a":1}')
    expect(fileOf({ content: [{ type: 'resource', resource: { uri: 'x:', text: 'inner' } }] }).text).toBe(
      'inner',
    )
  })

  test('has the size that the preview and a look at the document tell', () => {
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `Größe "${id}" 漢\n` }))
    const text = JSON.stringify(rows)
    const long = JSON.stringify(Array.from({ length: 9000 }, (_, id) => ({ id, name: `Größe "${id}" 漢\n` })))
    const image = { type: 'image', data: 'aGk='.repeat(500), mimeType: 'image/png' }
    const results: JsonObject[] = [
      textResult(text),
      textResult(long),
      textResult('ein "Wort"\n'.repeat(2000)),
      textResult(text, { structuredContent: { content: text } }),
      textResult(text, { structuredContent: { result: [{ type: 'text', text }] } }),
      textResult(JSON.stringify({ rows }, null, 2), { structuredContent: { rows } }),
      textResult('Found them.', { structuredContent: { rows } }),
      { content: [{ type: 'text', text }, image] },
    ]
    for (const result of results) {
      const content = bytesOf(result)
      const { byteLength } = exported(content, false).content
      const told = digest(createViews(), { content, tool: 't' }, LIMITS).shaped?.text.join('') ?? ''
      expect(told.split('\n')[0]).toContain(` ${formatCount(byteLength)} bytes`)
      expect(openDocument(content).bytes).toBe(byteLength)
      expect(stat(content, true)).toMatchObject({ byteSize: byteLength })
    }
  })

  verifies('S4.15', 'holds the whole result, to the byte, where that is more than a text', () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' }
    const results: JsonObject[] = [
      { content: [{ type: 'text', text: 'one' }, image] },
      {
        content: [
          { type: 'text', text: '{"a":1}' },
          { type: 'text', text: '{"a":2}' },
        ],
      },
      { content: [{ type: 'text', text: 'Found 2.' }], structuredContent: { rows: [1, 2] } },
      { content: [] },
    ]
    for (const result of results) {
      const content = bytesOf(result)
      const made = exported(content, false)
      expect(Buffer.from(made.content).equals(content)).toBe(true)
      // No second copy of what threads share already.
      expect(made.content.buffer).toBe(content.buffer)
    }
    expect(fileOf({ content: [], structuredContent: { rows: [1] } }).text).toBe('{"rows":[1]}')
  })

  verifies('S4.17', 'is told by its names or elements, its tokens and its first 300 characters', () => {
    const files = Array.from({ length: 30 }, (_, n) => ({ name: `file-${n}.txt`, size: n }))
    const made = fileOf(textResult(JSON.stringify({ files, metadata: {}, summary: 's' }, null, 2)))
    expect(made).toMatchObject({ format: 'json', keys: ['files', 'metadata', 'summary'], keyCount: 3 })
    expect(made.preview).toMatch(/^\{ "files": \[ \{ "name": "file-0\.txt", "size": 0 \}, /)
    expect(made.preview).toMatch(/\.\.\.$/)
    expect(made.preview).toHaveLength(303)
    expect(fileOf(textResult('[1,2,3]'))).toMatchObject({ elements: 3, preview: '[1,2,3]' })
    expect(fileOf(textResult('a log'))).toMatchObject({ format: 'text', preview: 'a log' })
    expect(fileOf(textResult('bad', { isError: true })).failed).toBe(true)
  })
})

describe('as TOON', () => {
  verifies('S4.7', 'data is a table', () => {
    const data = {
      files: [
        { name: 'a.txt', size: 1 },
        { name: 'ü, b', size: 2 },
      ],
      metadata: { total: 2 },
    }
    const made = fileOf(textResult(JSON.stringify(data)), true)
    expect(made.format).toBe('toon')
    expect(made.text).toBe('files[2]{name,size}:\n  a.txt,1\n  "ü, b",2\nmetadata:\n  total: 2')
    expect(made.keys).toEqual(['files', 'metadata'])
    expect(fileOf(textResult('[1,2]'), true).text).toBe('[2]: 1,2')
  })

  verifies('S4.7', 'keeps JSON that TOON cannot express, and text', () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    expect(fileOf(textResult(deep), true)).toMatchObject({ format: 'json', text: deep })
    expect(fileOf(textResult('plain'), true)).toMatchObject({ format: 'text', text: 'plain' })
    expect(fileOf(textResult('"a string"'), true)).toMatchObject({ format: 'text', text: '"a string"' })
  })
})

describe('sizes', () => {
  verifies('S4.23', 'are bytes and lines of any text', () => {
    const cases: [content: Uint8Array | string, lines: number][] = [
      ['', 0],
      ['a', 1],
      ['\n', 1],
      ['a\nb', 2],
      ['a\nb\n', 2],
      ['a\r\nb\r\n', 2],
      ['\n\n\n', 3],
      ['ü漢😀\nÄ', 2],
      ['a\0b\n\0', 2],
      [Uint8Array.from([0xff, 0x0a, 0xc3, 0x0a, 0x80]), 3],
    ]
    for (const [content, lineCount] of cases) {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      const told = stat(bytes)
      expect(told).toMatchObject({ byteSize: bytes.byteLength, lineCount })
      expect(Object.keys(told)).not.toContain('text')
    }
    expect(stat(bytesOf(textResult('ü\nx')), true)).toMatchObject({ byteSize: 4, lineCount: 2 })
  })

  verifies('S4.23', 'of one line of 50 MB are given, and its parts are read', () => {
    const content = new Uint8Array(50_000_000).fill(0x61)
    expect(stat(content)).toMatchObject({ byteSize: 50_000_000, lineCount: 1 })
    const limits = { maxChars: 1000, maxMatches: 5 }
    const tail = readFile(content, false, { op: 'tail', ...limits })
    expect(tail).toEqual({ text: 'a'.repeat(1000), next: expect.stringContaining('maxBytes 49999000') })
    const end = readFile(content, false, { op: 'read', offset: 49_999_999, ...limits })
    expect(end).toEqual({ text: 'a' })
  })
})

test('what is at the top is found without making anything of it', () => {
  const value = fc.jsonValue({ maxDepth: 4 }).filter((one) => typeof one === 'object' && one !== null)
  const property = fc.property(value, fc.constantFrom(undefined, 1, 3), (one, indent) => {
    const text = JSON.stringify(one, null, indent)
    const found = scanTop(text)
    const parsed = topOf(text)
    expect({ ...found, keys: found?.keys && new Set(found.keys) }).toEqual({
      ...parsed,
      keys: parsed?.keys && new Set(parsed.keys),
    })
  })
  fc.assert(property, { numRuns: runs(300) })
  for (const text of ['{', '[1', '{"a":1}]', '{"a":[}', '{"a', '{} x', '[}'])
    expect(scanTop(text)).toBeUndefined()
  // A text that Python writes is no JSON, however long it is: a file of it is no `.json`.
  for (const text of ["[{'id': 1}]", '[True]', '{"a": None}', '[1, (2, 3)]', '[NaN]'])
    expect(scanTop(text)).toBeUndefined()
  const row = "{'id': 1, 'name': 'some text', 'ok': True}"
  expect(topOf(`[${Array(100_001).fill(row).join(', ')}]`)).toBeUndefined()
})
