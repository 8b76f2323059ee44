import { decode } from '@toon-format/toon'
import { describe, expect, test } from 'vitest'
import type { Digest, DigestOptions } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, jsonResult, LIMITS, sourceOf, textResult } from './world.ts'

const WHOLE: DigestOptions = { ...LIMITS, wholeTokens: 4000 }

function lookAt(result: JsonObject, options: Partial<DigestOptions> = {}): Digest {
  return digest(createViews(), { content: bytesOf(result), tool: 'shop_rows' }, { ...WHOLE, ...options })
}

/** Flat records of one kind, longer than the limit as JSON. */
function rows(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, id) => ({
    identifier: id,
    customer_name: `Customer ${id % 10}`,
    order_reference: String(100_000 + id),
    total_amount: id * 1.5,
    is_delivered: id % 3 === 0,
    cancelled_at: null,
  }))
}

/** The same as DynamoDB sends it. */
function typed(row: JsonObject): JsonObject {
  const value = (held: JsonObject[string]): JsonObject => {
    if (held === null) return { NULL: true }
    if (typeof held === 'boolean') return { BOOL: held }
    return typeof held === 'number' ? { N: String(held) } : { S: String(held) }
  }
  return Object.fromEntries(Object.entries(row).map(([key, held]) => [key, value(held)]))
}

const prose = (words: number): string =>
  Array.from({ length: words }, (_, at) => `word${at % 7}${at % 12 === 11 ? '.\n' : ''}`).join(' ')

const code = Array.from(
  { length: 110 },
  (_, at) =>
    `export function part${at}(value: number): number {\n  if (value < ${at}) return 0\n  return value * ${at}\n}\n`,
).join('\n')

describe('what is over the limit and costs less whole', () => {
  test.each([
    ['source code', code],
    ['prose', prose(1500)],
    ['few tokens in many characters', `${JSON.stringify({ a: [1, [2]] })}${' '.repeat(9000)}`],
  ])('%s passes as it came', (_, text) => {
    expect(text.length).toBeGreaterThan(LIMITS.maxResponseSize)
    const { shaped, tokens, characters } = lookAt(textResult(text))
    expect(shaped).toBeUndefined()
    expect(characters).toBe(text.length)
    expect(tokens).toBeLessThanOrEqual(4000)
  })

  test('more tokens than the option says are shaped, and so is all where it is 0', () => {
    expect(lookAt(textResult(prose(6000))).shaped).toBeDefined()
    expect(lookAt(textResult(prose(6000)), { wholeTokens: 60_000 }).shaped).toBeUndefined()
    expect(lookAt(textResult(code), { wholeTokens: 0 }).shaped).toBeDefined()
    expect(lookAt(jsonResult(rows(70)), { wholeTokens: 0 }).shaped?.text.join('')).not.toContain(
      'nothing is left out',
    )
  })

  test('what a client would cut, an error and a fresh call are shaped as before', () => {
    expect(lookAt(textResult(code), { jsonLimit: 8000 }).shaped).toBeDefined()
    expect(lookAt(textResult(code), { textLimit: 8000 }).shaped).toBeDefined()
    expect(lookAt(textResult(code), { textLimit: 50_000 }).shaped).toBeUndefined()
    expect(lookAt(textResult(prose(1500), { isError: true }), { maxErrorSize: 8000 }).shaped).toBeDefined()
    expect(lookAt(textResult(code), { always: true }).shaped).toBeDefined()
  })

  test('a log has parts to ask for, and is shaped', () => {
    const log = Array.from(
      { length: 150 },
      (_, at) =>
        `2024-05-06T07:08:${String(at % 60).padStart(2, '0')}Z INFO app.web - request ${at} done in ${at * 7} ms`,
    ).join('\n')
    expect(log.length).toBeGreaterThan(8000)
    expect(lookAt(textResult(log), { wholeTokens: 20_000 }).shaped).toBeDefined()
  })
})

describe('records that fit as a table', () => {
  verifies('S3.7', 'go out whole, as values of the same types, and are kept', () => {
    const all = rows(70)
    const source = sourceOf(jsonResult(all))
    expect(source.content.length).toBeGreaterThan(8000)
    const views = createViews()
    const { shaped, hash } = digest(views, source, WHOLE)
    const text = shaped?.text.join('a1b2c3d4e5f6') ?? ''
    const [head = '', ...table] = text.split('\n')
    expect(head).toContain('cache_id a1b2c3d4e5f6 ')
    expect(head).toContain('nothing is left out')
    expect(decode(table.join('\n'))).toEqual(all)
    expect(text.length).toBeLessThanOrEqual(8000)
    const asked = { kind: 'filter', params: { aggregate: 'count' }, budget: 2000 } as const
    expect(query(views, [{ ...source, hash }], asked).text.join('')).toContain('70')
  })

  test('one list beside scalars does, too', () => {
    const { shaped } = lookAt(jsonResult({ total: 70, next: null, rows: rows(70) }))
    const [head, beside, ...table] = (shaped?.text.join('a1b2c3d4e5f6') ?? '').split('\n')
    expect(head).toContain('70 records in $.rows')
    expect(beside).toBe('beside them: {"total":70,"next":null}')
    expect(decode(table.join('\n'))).toEqual(rows(70))
  })

  test.each([
    ['records with lists in them', jsonResult(rows(70).map((row) => ({ ...row, tags: ['a'] })))],
    ['records of several kinds', jsonResult([...rows(70), { other: 1 }])],
    ['too many records', jsonResult(rows(500))],
    ['values with the names of their types', jsonResult({ Items: rows(70).map(typed), Count: 70 })],
    ['two lists', jsonResult({ one: rows(40), other: rows(40) })],
    [
      'a number that JavaScript would change',
      textResult(JSON.stringify(rows(70)).replace('"identifier":3,', '"identifier":12345678901234567890,')),
    ],
    ['words around them', textResult(`Found these:\n${JSON.stringify(rows(70))}`)],
    [
      'an image beside them',
      {
        content: [
          { type: 'text', text: JSON.stringify(rows(70)) },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      },
    ],
  ])('%s get a preview', (_, result) => {
    const text = lookAt(result).shaped?.text.join('') ?? ''
    expect(text).toContain('keeps the whole result')
  })
})
