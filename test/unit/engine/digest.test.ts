import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { Digest, DigestOptions } from '../../../src/engine/contract.ts'
import { digest, digestOpen } from '../../../src/engine/digest.ts'
import { joinContents } from '../../../src/engine/pages.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { soundKeys } from '../../support/keys.ts'
import { patience, runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'
import { bytesOf, jsonResult, LIMITS, orders, sourceOf, textResult } from './world.ts'

// Hundreds of results are digested, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: patience(180_000) })

function digestOf(result: JsonObject, changes: Partial<DigestOptions> = {}): Digest {
  return digest(createViews(), { content: bytesOf(result), tool: 'shop_orders' }, { ...LIMITS, ...changes })
}

const words = (length: number): string => 'some words of a text. '.repeat(length / 10).slice(0, length)
const textOf = ({ shaped }: Digest): string => shaped?.text.join('abcdefabcdef') ?? ''

test('joined pages, which stay open, are measured, shown and asked about as their bytes would be', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.record({ id: fc.integer(), note: fc.jsonValue() })), { minLength: 1 }),
      (lists) => {
        const pages = lists.map((items) => bytesOf(jsonResult({ items, 'a"b': null } as JsonObject)))
        const views = createViews()
        const { content, hash = '' } = joinContents(views, pages, ['items'])
        const options = { ...LIMITS, always: true }
        const open = digestOpen(views, { hash, bytes: content.byteLength }, 'shop_orders', options)
        const alone = createViews()
        expect(open).toEqual(digest(alone, { content, tool: 'shop_orders' }, options))
        const question = { kind: 'filter', params: { aggregate: 'count' }, budget: 2000 } as const
        const source = { handle: '0123456789ab', hash, content, tool: 'shop_orders' }
        expect(query(views, [source], question)).toEqual(query(alone, [source], question))
      },
    ),
    { numRuns: runs(40) },
  )
})

test('a result that is not open any more is asked for', () => {
  const gone = { hash: 'a'.repeat(64), bytes: 100 }
  expect(digestOpen(createViews(), gone, 'shop_orders', LIMITS)).toEqual({ missing: true })
})

describe('passing', () => {
  verifies('S3.7', 'at the limit it passes, one character above it is shaped', () => {
    expect(digestOf(textResult(words(8000)))).toMatchObject({ characters: 8000 })
    expect(digestOf(textResult(words(8000))).shaped).toBeUndefined()
    expect(digestOf(textResult(words(8001))).shaped).toBeDefined()
  })

  test('a limit in tokens counts as well', () => {
    const { tokens, shaped } = digestOf(textResult(words(7000)), { maxResponseTokens: 100 })
    expect(tokens).toBeGreaterThan(100)
    expect(shaped).toBeDefined()
  })

  test('the hash is that of the bytes', () => {
    const result = textResult('hello')
    expect(digestOf(result).hash).toBe(sourceOf(result).hash)
  })

  test('structured content counts where it is sent: beside a text that differs, beside one that is JSON and no object, and where it was promised', () => {
    const text = words(5000)
    expect(digestOf(textResult(text, { structuredContent: { result: text } })).characters).toBe(5000)
    const value = { items: orders(40) }
    const json = JSON.stringify(value)
    const pretty = JSON.stringify(value, null, 2)
    const both = textResult(pretty, { structuredContent: value })
    expect(digestOf(both)).toMatchObject({ characters: pretty.length, read: textResult(pretty) })
    expect(digestOf(both, { keeps: true })).toMatchObject({ characters: pretty.length + json.length })
    expect(digestOf(both, { keeps: true })).not.toHaveProperty('read')
    expect(digestOf(textResult('40 orders', { structuredContent: value })).characters).toBe(9 + json.length)
    const list = JSON.stringify(orders(20))
    const wrapped = { result: list }
    expect(digestOf(textResult(list, { structuredContent: wrapped })).characters).toBe(
      list.length + JSON.stringify(wrapped).length,
    )
  })

  test('the tokens of a result count once what its structured content repeats', () => {
    const records = orders(400)
    const list = JSON.stringify(records)
    const pretty = JSON.stringify(records, null, 2)
    const { tokens } = digestOf(textResult(list))
    const { tokens: prettyTokens } = digestOf(textResult(pretty))
    for (const structuredContent of [{ content: list }, { result: records }])
      expect(digestOf(textResult(list, { structuredContent })).tokens).toBe(tokens)
    expect(digestOf(textResult(pretty, { structuredContent: { result: records } })).tokens).toBe(prettyTokens)
    const value = { items: records }
    const whole = JSON.stringify(value)
    expect(digestOf(textResult(whole, { structuredContent: value }), { keeps: true }).tokens).toBe(
      digestOf(textResult(whole)).tokens,
    )
    // Structured content that differs from the text counts as well.
    const others = digestOf(textResult(list, { structuredContent: { result: orders(300) } }))
    expect(others.tokens).toBeGreaterThan(tokens * 1.5)
  })

  test('structured content without a text passes as a text', () => {
    const value = { items: orders(40) }
    expect(digestOf({ content: [], structuredContent: value }).read).toEqual(
      textResult(JSON.stringify(value)),
    )
  })

  test('a client that measures JSON gets a result under its limit', () => {
    const lines = 'a "word"\n'.repeat(700)
    expect(digestOf(textResult(lines)).shaped).toBeUndefined()
    expect(digestOf(textResult(lines), { jsonLimit: 8000 }).shaped).toBeDefined()
    // No preview makes an image smaller.
    const image = { type: 'image', data: 'QUJD'.repeat(9000), mimeType: 'image/png' }
    expect(
      digestOf({ content: [{ type: 'text', text: words(300) }, image] }, { jsonLimit: 8000 }).shaped,
    ).toBeUndefined()
  })

  test('images, audio and blobs do not count', () => {
    const data = 'QUJD'.repeat(20_000)
    const result = {
      content: [
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'audio', data, mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///x', blob: data } },
      ],
    }
    expect(digestOf(result)).toMatchObject({ characters: 0, tokens: 0 })
    expect(digestOf(result).shaped).toBeUndefined()
  })

  test('passes a result that shaping would not make smaller', () => {
    expect(
      digestOf(textResult(words(900)), { maxResponseSize: 100 }).shaped?.text.join('').length ?? 0,
    ).toBeLessThan(900)
    expect(digestOf(textResult(words(120)), { maxResponseSize: 100 }).shaped).toBeUndefined()
  })

  test('passes a value that is not a result', () => {
    for (const text of ['[1,2]', 'not json', '"x"', '']) {
      const content = new TextEncoder().encode(text)
      expect(
        digest(createViews(), { content, tool: 't' }, { ...LIMITS, always: true }).shaped,
      ).toBeUndefined()
    }
  })

  verifies('S3.10', 'an error is shaped only above its own limit, and stays an error', () => {
    expect(digestOf(textResult(words(32_000), { isError: true })).shaped).toBeUndefined()
    expect(digestOf(textResult(words(32_001), { isError: true })).shaped?.result).toEqual({
      content: [],
      isError: true,
    })
  })
})

describe('shaping', () => {
  verifies('S3.7', 'the preview has the handle, the totals and keeps to its size', () => {
    const digested = digestOf(jsonResult(orders(500)))
    const text = textOf(digested)
    expect(text).toContain('abcdefabcdef')
    expect(text).toContain('500 records')
    expect(text.length).toBeLessThanOrEqual(LIMITS.previewSize)
    expect(digested.shaped?.tokens).toBeLessThan(digested.tokens)
  })

  verifies(
    'S3.10',
    'blocks that are not text stay as they are, in their order, and so does everything else',
    () => {
      const image = { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: { priority: 1 } }
      const link = { type: 'resource_link', uri: 'file:///y', name: 'y' }
      const small = { type: 'resource', resource: { uri: 'file:///s', text: 'small' } }
      const unknown = { type: 'hologram', anything: [1, { two: 2 }] }
      const block = { type: 'text', text: words(9000), annotations: { audience: ['user'] } }
      const rest = { _meta: { 'example.org/x': 1 }, future: { a: 1 } }
      const { shaped } = digestOf({
        content: [image, block, link, small, { type: 'text', text: 'end' }, unknown],
        ...rest,
      })
      expect(shaped?.result).toEqual({ content: [image, link, small, unknown], ...rest })
      expect(shaped).toMatchObject({ at: 1, block: { annotations: { audience: ['user'] } } })
    },
  )

  test('a long embedded text is what the preview stands for', () => {
    const status = { type: 'text', text: 'downloaded' }
    const file = {
      type: 'resource',
      resource: { uri: 'file:///big', mimeType: 'text/plain', text: words(50_000) },
    }
    const { shaped } = digestOf({ content: [status, file] })
    expect(shaped?.result.content).toEqual([])
    expect(shaped?.at).toBe(0)
  })

  verifies('S3.9', 'an own message is the first line, with its numbers', () => {
    const truncationMessage = 'Kept {size} ({tokens}) over {limit} as {cache_id}, {cache_id}.'
    const digested = digestOf(textResult(words(10_000)), { truncationMessage })
    expect(textOf(digested).split('\n')[0]).toMatch(
      /^Kept 10,000 \([\d,]+\) over 8,000 as abcdefabcdef, abcdefabcdef\.$/,
    )
  })

  test('asked to keep, it shapes whatever the size', () => {
    expect(digestOf(textResult('tiny'), { always: true }).shaped).toBeDefined()
    expect(digestOf({ content: [] }, { always: true }).shaped).toBeDefined()
    // A small error is its own best preview, and a fresh call hands it on.
    expect(
      digestOf({ ...textResult('no such file'), isError: true }, { always: true }).shaped,
    ).toBeUndefined()
  })

  verifies('S3.10', 'the preview stands for structured content, whatever that was', () => {
    for (const structuredContent of [{ items: orders(500) }, { total: 12, page: 1 }]) {
      const { shaped } = digestOf(textResult(words(20_000), { structuredContent }))
      expect(shaped?.result).not.toHaveProperty('structuredContent')
      expect(shaped).not.toHaveProperty('structured')
    }
    const summed = digestOf(textResult(words(20_000), { structuredContent: { total: 12, page: 1 } }))
    expect(textOf(summed)).toContain('{"total":12,"page":1}')
  })

  test('where a value was promised, what the schema wants stands beside the preview; an error breaks no promise', () => {
    const value = { total: 500, items: orders(500), content: words(9000) }
    const schema = {
      type: 'object',
      properties: {
        total: { type: 'number' },
        items: { type: 'array', items: { type: 'object' } },
        content: { type: 'string' },
      },
      required: ['total', 'items', 'content'],
    }
    const options = { keeps: true, form: { schema, at: ['content'] } }
    const result = textResult(JSON.stringify(value), { structuredContent: value })
    expect(digestOf(result, options).shaped?.structured).toEqual({ total: 500, items: [], content: '' })
    const failed = digestOf({ ...result, isError: true }, { ...options, maxErrorSize: 1000 })
    expect(failed.shaped).not.toHaveProperty('structured')
    const broken = textResult(words(20_000), { structuredContent: { total: 'many' } })
    expect(digestOf(broken, options).shaped).not.toHaveProperty('structured')
  })

  test('the view it opened is warm for the first question', () => {
    const views = createViews()
    const source = sourceOf(jsonResult(orders(500)))
    digest(views, source, LIMITS)
    const view = views.open(source)
    expect(views.open({ hash: source.hash, content: new Uint8Array() })).toBe(view)
  })
})

verifies('S3.7', 'any result passes or gets smaller, within its size, whatever it holds', () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 400, unit: 'binary' }) }),
    fc.record({ type: fc.constant('text'), text: soundKeys(fc.json({ maxDepth: 4 })) }),
    fc.record({
      type: fc.constant('image'),
      data: fc.base64String({ maxLength: 40 }),
      mimeType: fc.string(),
    }),
    soundKeys(fc.dictionary(fc.string(), fc.jsonValue())),
  )
  const result = fc.record(
    {
      content: fc.array(block, { maxLength: 8 }),
      structuredContent: soundKeys(fc.object()),
      isError: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(result, fc.integer({ min: 300, max: 1000 }), (given, previewSize) => {
      const made = JSON.parse(JSON.stringify(given)) as JsonObject
      const digested = digestOf(made, { maxResponseSize: 100, maxErrorSize: 100, previewSize })
      const { shaped, characters } = digested
      if (shaped === undefined) return
      expect(textOf(digested).length).toBeLessThanOrEqual(previewSize)
      expect(textOf(digested).length).toBeLessThan(characters)
      expect(shaped.at).toBeLessThanOrEqual((shaped.result.content as JsonObject[]).length)
    }),
    { numRuns: runs(80) },
  )
})
