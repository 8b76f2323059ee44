import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withLongText } from '../../../../src/documents/json/long-text.ts'
import { decodeUtf8 } from '../../../../src/documents/json/utf8.ts'
import { soundKeys } from '../../../support/keys.ts'
import { runs } from '../../../support/runs.ts'

const LONG = 'x"\\\n€ '.repeat(20_000)

describe('one long text in its envelope', () => {
  test.each([
    { content: [{ type: 'text', text: LONG }] },
    { content: [{ type: 'text', text: LONG }], isError: false, _meta: { a: ['"', '\\'] } },
    {
      content: [
        { text: LONG, type: 'text', annotations: { priority: 1 } },
        { type: 'text', text: 'more' },
      ],
    },
  ])('is read as JSON.parse reads it', (result) => {
    for (const json of [JSON.stringify(result), JSON.stringify(result, null, 2)])
      expect(withLongText(json)).toEqual(result)
  })

  test.each([
    ['is short', JSON.stringify({ content: [{ type: 'text', text: 'short' }] })],
    [
      'is not the only long one',
      JSON.stringify({ content: [{ type: 'text', text: LONG }], structuredContent: { a: LONG } }),
    ],
    ['comes twice', `{"content":[{"type":"text","text":"${'a'.repeat(70_000)}","text":"b"}]}`],
    [
      'is replaced by a later member',
      `{"content":[{"type":"text","text":"${'a'.repeat(70_000)}"}],"content":[]}`,
    ],
    [
      'is beside a number that would change',
      `{"content":[{"type":"text","text":"${'a'.repeat(70_000)}"}],"n":12345678901234567890}`,
    ],
    ['has no end', `{"content":[{"type":"text","text":"${'a'.repeat(70_000)}`],
    ['is no JSON', `{"content":[{"type":"text","text":"${'a'.repeat(70_000)}\\x"}]}`],
  ])('is left to the general way when it %s', (_, json) => {
    expect(withLongText(json)).toBeUndefined()
  })

  test('agrees with JSON.parse on any text and any members after it, or says nothing', () => {
    const text = fc.string({ unit: 'binary' }).map((part) => `${'y'.repeat(66_000)}${part}`)
    fc.assert(
      fc.property(
        text,
        soundKeys(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })),
        (long, more) => {
          const json = JSON.stringify({ content: [{ type: 'text', text: long }], ...more })
          const read = withLongText(json)
          if (read !== undefined) expect(read).toEqual(JSON.parse(json))
        },
      ),
      { numRuns: runs(40) },
    )
  })
})

test('bytes are read as UTF-8, ASCII or not', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = Buffer.from(text)
      expect(decodeUtf8(bytes)).toBe(bytes.toString('utf8'))
    }),
  )
  const shared = new Uint8Array(new SharedArrayBuffer(5))
  shared.set(Buffer.from('abc…').subarray(0, 5))
  expect(decodeUtf8(shared)).toBe(Buffer.from(shared).toString('utf8'))
})
