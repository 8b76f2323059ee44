import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAhead } from '../../../../src/documents/fast/index.ts'
import { openDocument } from '../../../../src/documents/opening/open.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import { knownOf } from '../../../../src/documents/shape/known-list.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { countTokens } from '../../../../src/text/tokens.ts'

function resultOf(text: string, more: object = {}): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify({ content: [{ type: 'text', text }], ...more })))
}

/** Records of about `characters` in all. */
function records(characters: number, note = 'plain'): JsonValue[] {
  return Array.from({ length: Math.ceil(characters / 150) }, (_, id) => ({
    id,
    title: `Item ${id} of ${note}`,
    state: id % 5 === 0 ? 'closed' : id === 777 ? 'failed' : 'open',
    score: (id * 7919) % 1000,
    owner: { login: `user${id % 97}`, admin: id % 9 === 0 },
    labels: id % 4 === 0 ? ['a', 'b'] : [],
    created_at: new Date(1.7e12 + id * 61_000).toISOString(),
  }))
}

function users(characters: number): JsonValue[] {
  return Array.from({ length: Math.ceil(characters / 50) }, (_, at) => ({
    login: `user${at}`,
    admin: at % 9 === 0,
  }))
}

function lines(all: readonly JsonValue[]): string {
  return all.map((one) => JSON.stringify(one)).join('\n')
}

/** Records with keys in changing order, some of them absent. */
function wideKeys(): JsonValue {
  return {
    größe: 'ü',
    liste: records(300_000, 'ß').map((one, id) => (id % 3 ? { ключ: id, one } : { one, '𝒦"': id })),
  }
}

const options = { budget: 2000, tool: 'list', tokens: 1 }

describe('a long result read where it is written', () => {
  test.each([
    ['a list', JSON.stringify(records(400_000))],
    ['a list on many lines', JSON.stringify(records(300_000), null, 2)],
    [
      'a list in objects',
      JSON.stringify({ ok: true, data: { total: 3, items: records(400_000) }, next: null }),
    ],
    ['two lists', JSON.stringify({ users: users(300_000), meta: { page: 1 }, items: records(500_000) })],
    ['letters beyond ASCII', JSON.stringify(records(400_000, 'Größe 😀'))],
    ['escapes', JSON.stringify(records(400_000, 'a "b"\n\\c'))],
    ['keys beyond ASCII', JSON.stringify(wideKeys(), null, 1)],
    ['a record a line', lines(records(400_000, 'a "b" 😀\n'))],
    ['a record a line, with empty lines', `\n${lines(records(400_000)).replaceAll('\n', '\r\n\n')}\n`],
  ])('%s is previewed and measured as a document that was opened', (_, text) => {
    const content = resultOf(text)
    const scanned = readAhead().finish(content)
    expect(scanned?.text.length).toBe(text.length)
    expect(scanned?.text.slice(100, 300)).toBe(text.slice(100, 300))
    expect(scanned && countTokens(scanned.text)).toBe(countTokens(text))
    expect(scanned?.document.bytes).toBe(Buffer.byteLength(text))
    const bytes = content.byteLength
    expect(scanned && preview(scanned.document, { ...options, bytes })).toEqual(
      preview(openDocument(content), { ...options, bytes }),
    )
    expect(knownOf(scanned?.document.records()?.values ?? [])).toBeDefined()
    expect(scanned?.result).toEqual({ content: [{ type: 'text', text: '' }] })
  })

  test('two lists of one kind are previewed as a document that was opened', () => {
    const [open, closed] = [records(300_000), records(300_000, 'other')]
    const content = resultOf(JSON.stringify({ open, closed }))
    const options = { budget: 2000, tool: 'get', bytes: content.byteLength, tokens: 1 }
    const scanned = readAhead().finish(content)?.document
    expect(scanned && preview(scanned, options)).toEqual(preview(openDocument(content), options))
    expect(scanned?.records()?.values).toHaveLength(open.length + closed.length)
  })

  const arriving = [
    ['a list', JSON.stringify(records(600_000, 'Größe 😀 a "b"\n\\c'))],
    [
      'two lists',
      JSON.stringify({ users: records(300_000, '"ä"'), meta: { a: '😀' }, items: records(400_000) }),
    ],
    ['what gives up at its end', `${JSON.stringify(records(500_000))} and so on`],
    [
      'a long record',
      JSON.stringify([...records(500_000), { a: '\\"é'.repeat(50_000) }, ...records(100_000)]),
    ],
    ['no JSON', 'word "é" \\ '.repeat(60_000)],
    ['a record a line', lines(records(600_000, 'Größe 😀 a "b"'))],
  ] as const
  test.each(arriving)('%s that was read while it arrived is what it is at once', (_, text) => {
    const content = resultOf(text)
    const whole = readAhead().finish(content)
    const shown = (scanned: typeof whole) =>
      scanned && {
        preview: preview(scanned.document, { ...options, bytes: content.byteLength }),
        length: scanned.text.length,
        bytes: scanned.document.bytes,
        some: scanned.text.slice(text.length / 2, text.length / 2 + 500),
        result: scanned.result,
      }
    fc.assert(
      // Wherever it is cut: in an escape, in a character, in a number.
      fc.property(fc.array(fc.nat(content.byteLength), { minLength: 1, maxLength: 8 }), (cuts) => {
        const before = readAhead()
        for (const cut of cuts.sort((one, other) => one - other)) before.advance(content.slice(0, cut))
        expect(shown(before.finish(content))).toEqual(shown(whole))
      }),
      { numRuns: 5 },
    )
  })

  test('what the envelope writes as escapes has the bytes it has in the text', () => {
    const text = JSON.stringify(records(300_000, 'Größe 😀 \u0007'))
    const written = Buffer.from(resultOf(text))
      .toString()
      .replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const scanned = readAhead().finish(Buffer.from(written))
    expect([scanned?.text.length, scanned?.document.bytes]).toEqual([text.length, Buffer.byteLength(text)])
  })

  test('what arrives is read before all of it is there', () => {
    const content = resultOf(JSON.stringify(records(600_000)))
    const before = readAhead()
    expect(before.advance(content.slice(0, 1000))).toBe(true)
    expect(before.advance(content.slice(0, 500_000))).toBe(true)
    // Bytes that were read are not looked at again, but those of the first records.
    const rest = content.slice()
    rest.fill(0x20, 10_000, 100_000)
    expect(before.finish(rest)?.text.length).toBe(readAhead().finish(content)?.text.length)
    expect(readAhead().finish(rest)).toBeUndefined()
  })

  test('what cannot be read so says it', () => {
    const odd = readAhead()
    expect(odd.advance(resultOf('word '.repeat(100_000)))).toBe(false)
    expect(odd.advance(resultOf(JSON.stringify(records(600_000))))).toBe(false)
  })

  test('any part of the text is the text', () => {
    const text = JSON.stringify({
      note: 'ä',
      first: records(120_000, 'ö "q"'),
      next: 'x',
      items: records(250_000, '😀'),
    })
    const scanned = readAhead().finish(resultOf(text))
    fc.assert(
      fc.property(fc.nat(text.length + 10), fc.nat(9000), (from, length) => {
        expect(scanned?.text.slice(from, from + length)).toBe(text.slice(from, from + length))
      }),
    )
  })

  const list = JSON.stringify(records(300_000))
  test.each([
    ['a short result', resultOf('[{"a":1}]')],
    ['an error', resultOf(list, { isError: true })],
    ['structured content', resultOf(list, { structuredContent: { a: 1 } })],
    ['JSON that is cut off', resultOf(list.slice(0, -1))],
    ['more behind the JSON', resultOf(`${list} and so on`)],
    ['a line that is no record', resultOf(lines([...records(300_000), 'x', ...records(300_000)]))],
    ['two records on a line', resultOf(lines(records(300_000)).replace('\n', ' '))],
    ['a record on two lines', resultOf(lines(records(300_000)).replace(',', ',\n'))],
    ['prose', resultOf('word '.repeat(100_000))],
    ['a list of numbers', resultOf(JSON.stringify(Array.from({ length: 100_000 }, (_, index) => index)))],
    [
      'a map',
      resultOf(
        JSON.stringify(Object.fromEntries(records(300_000).map((record, index) => [`k${index}`, record]))),
      ),
    ],
    ['a few large records', resultOf(JSON.stringify([{ a: 'x'.repeat(300_000) }, { a: 'y' }]))],
    [
      'two texts',
      new Uint8Array(
        Buffer.from(
          JSON.stringify({
            content: [
              { type: 'text', text: list },
              { type: 'text', text: 'x' },
            ],
          }),
        ),
      ),
    ],
    [
      'a text that comes twice',
      new Uint8Array(Buffer.from(`{"content":[{"type":"text","text":${JSON.stringify(list)},"text":""}]}`)),
    ],
    [
      'an envelope with a number that changes',
      resultOf(list, { _meta: { id: 1e300 } }).map((byte) => (byte === 0x2b ? 0x33 : byte)),
    ],
    ['few large records', resultOf(JSON.stringify(Array.from({ length: 40 }, () => records(10_000))))],
    [
      'series of many points',
      resultOf(
        JSON.stringify({ data: Array.from({ length: 40 }, (_, id) => ({ id, items: records(10_000) })) }),
      ),
    ],
  ])('%s is left to others', (_, content) => {
    expect(readAhead().finish(content)).toBeUndefined()
  })

  test('a short list of large records does not keep the records after it from being read', () => {
    const text = JSON.stringify({ first: [{ all: records(20_000) }, { all: [] }], items: records(400_000) })
    expect(readAhead().finish(resultOf(text))?.text.length).toBe(text.length)
  })

  test('the rest of the result stays what it is', () => {
    expect(readAhead().finish(resultOf(list, { _meta: { page: 2 } }))?.result).toEqual({
      content: [{ type: 'text', text: '' }],
      _meta: { page: 2 },
    })
  })
})
