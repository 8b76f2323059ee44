import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { toModernError, toModernResult } from '../../../src/server/modern.ts'
import { OURS } from '../downstream/modern/support.ts'

const SERVER = 'io.modelcontextprotocol/serverInfo'

function large(json: string): LargeResult {
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(json)))
  bytes.set(Buffer.from(json))
  return new LargeResult(bytes)
}

const written = (method: string, json: string): string =>
  Buffer.from((toModernResult(method, large(json), OURS) as LargeResult).bytes).toString()

describe('results of the modern era', () => {
  test('get what is missing', () => {
    expect(toModernResult('tools/call', { content: [], _meta: { mine: 1 } }, OURS)).toEqual({
      content: [],
      resultType: 'complete',
      _meta: { mine: 1, [SERVER]: OURS },
    })
  })

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'])(
    '%s says how long it may be kept',
    (method) => {
      expect(toModernResult(method, {}, OURS)).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
      const kept = { ttlMs: 60_000, cacheScope: 'public' }
      expect(toModernResult(method, kept, OURS)).toMatchObject(kept)
      for (const ttlMs of [-1, 1.5, '5', null, 2 ** 60])
        expect(toModernResult(method, { ttlMs, cacheScope: 'everybody' }, OURS)).toMatchObject({
          ttlMs: 0,
          cacheScope: 'private',
        })
    },
  )

  test('of other methods do not', () => {
    expect(toModernResult('tools/call', {}, OURS)).not.toHaveProperty('ttlMs')
    expect(toModernResult('prompts/get', {}, OURS)).not.toHaveProperty('cacheScope')
  })

  test('that say it all pass as they are', () => {
    const complete = { resultType: 'complete', _meta: { [SERVER]: { name: 'theirs', version: '2' } } }
    expect(toModernResult('tools/call', complete, OURS)).toBe(complete)
    for (const resultType of ['input_required', 'task']) {
      const open = { resultType, requestState: 'x' }
      expect(toModernResult('resources/read', open, OURS)).toBe(open)
    }
  })

  test('a `_meta` that is no object is left alone', () => {
    expect(toModernResult('tools/call', { _meta: 'odd' }, OURS)).toEqual({
      _meta: 'odd',
      resultType: 'complete',
    })
  })

  test('names of members are data', () => {
    const result = toModernResult(
      'x',
      JSON.parse('{"__proto__":{"resultType":"complete"}}'),
      OURS,
    ) as JsonObject
    expect(Object.keys(result)).toEqual(['__proto__', 'resultType', '_meta'])
  })
})

describe('large results', () => {
  const body = '{"contents" : [ {"uri":"a:b","text":"\\"resultType\\": 12345678901234567890"} ]}'

  test('get it without being parsed: every byte of theirs stays', () => {
    const text = written('resources/read', body)
    expect(text.endsWith(body.slice(1))).toBe(true)
    const { contents: _, ...added } = JSON.parse(text)
    expect(added).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [SERVER]: OURS },
    })
  })

  test('are not told twice', () => {
    const whole = '{"resultType":"complete","content":[],"_meta":{}}'
    expect(written('tools/call', whole)).toBe(whole)
    const hinted = JSON.parse(written('resources/read', '{"contents":[],"ttlMs":7,"_meta":{"a":1}}'))
    expect(hinted).toEqual({
      contents: [],
      resultType: 'complete',
      ttlMs: 7,
      cacheScope: 'private',
      _meta: { a: 1 },
    })
  })

  test('that ask for input pass as they are', () => {
    const asking = large('{"inputRequests":{},"resultType": "input_required"}')
    expect(toModernResult('tools/call', asking, OURS)).toBe(asking)
  })
})

describe('a resource that is not there', () => {
  test('has the code of this era, and names the URI', () => {
    const error = toModernError('resources/read', { uri: 'a:b' }, new RpcError(-32002, 'gone'))
    expect(error.toJSON()).toEqual({ code: -32602, message: 'gone', data: { uri: 'a:b' } })
  })

  test('what the server said of it stays', () => {
    const data = { uri: 'theirs:b', reason: 'moved' }
    expect(toModernError('resources/read', { uri: 'a:b' }, new RpcError(-32002, 'gone', data)).data).toEqual(
      data,
    )
    expect(toModernError('resources/read', {}, new RpcError(-32002, 'gone', 'why')).data).toBe('why')
  })

  test('is nothing else', () => {
    for (const [method, code] of [
      ['tools/call', -32002],
      ['resources/read', -32601],
    ] as const) {
      const error = new RpcError(code, 'x')
      expect(toModernError(method, {}, error)).toBe(error)
    }
  })
})
