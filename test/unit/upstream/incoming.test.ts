import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plain } from '../../../src/protocol/content.ts'
import { LIMIT_DEFAULTS } from '../../../src/protocol/limits.ts'
import { edgeOfEnd, edgeOfStart, GrowingBytes } from '../../../src/protocol/stream.ts'
import {
  findEnvelope,
  idOfEdges,
  onShared,
  readMessages,
  TooMuch,
  watchFor,
} from '../../../src/upstream/incoming.ts'
import { soundKeys } from '../../support/keys.ts'
import { readingRuns } from '../../support/runs.ts'

const edges = (line: string): [Buffer, Buffer, number] => {
  const bytes = Buffer.from(line)
  return [edgeOfStart([bytes]), edgeOfEnd([bytes]), bytes.length]
}

const resultOf = (line: string): { id: unknown; result: unknown } | undefined => {
  const envelope = findEnvelope(...edges(line))
  if (!envelope) return undefined
  const { id, start, end } = envelope
  return { id, result: JSON.parse(Buffer.from(line).subarray(start, end).toString('utf8')) }
}

const space = fc.stringMatching(/^[ \t\r]{0,3}$/)
const id = fc.oneof(fc.integer(), fc.stringMatching(/^[a-zA-Z0-9:._-]{0,12}$/))
const resultObject = soundKeys(fc.dictionary(fc.string(), fc.jsonValue())).map((value) => ({ ...value }))

/** A response with its members in a given order and white space between all tokens. */
const response = fc
  .record({
    id,
    result: resultObject,
    order: fc.shuffledSubarray(['jsonrpc', 'id', 'result'], { minLength: 3 }),
    space: fc.array(space, { minLength: 20, maxLength: 20 }),
  })
  .map(({ id, result, order, space }) => {
    const gaps = [...space]
    const gap = (): string => gaps.pop() ?? ''
    const values: Record<string, unknown> = { jsonrpc: '2.0', id, result }
    const members = order.map(
      (name) => `${gap()}"${name}"${gap()}:${gap()}${JSON.stringify(values[name])}${gap()}`,
    )
    return { id, result: JSON.parse(JSON.stringify(result)), line: `${gap()}{${members.join(',')}}${gap()}` }
  })

describe('envelope', () => {
  test('finds exactly the result of a response in any order of members', () => {
    fc.assert(
      fc.property(response, ({ id, result, line }) => {
        expect(resultOf(line)).toEqual({ id, result })
      }),
    )
  })

  test('is not fooled by a result that looks like an envelope', () => {
    const looks = { a: '"},"jsonrpc":"2.0","id":9}', id: 8, b: [{ jsonrpc: '2.0', id: 7 }], result: {} }
    for (const line of [
      JSON.stringify({ jsonrpc: '2.0', id: 1, result: looks }),
      JSON.stringify({ result: looks, jsonrpc: '2.0', id: 1 }),
      JSON.stringify({ result: { z: { id: 5 } }, jsonrpc: '2.0', id: 1 }),
    ]) {
      expect(resultOf(line)).toEqual({ id: 1, result: JSON.parse(line).result })
    }
  })

  test.each([
    ['a request', { jsonrpc: '2.0', id: 1, method: 'x', params: {} }],
    ['a notification', { jsonrpc: '2.0', method: 'x', params: { result: {} } }],
    ['an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }],
    ['no id', { jsonrpc: '2.0', result: {} }],
    ['a result that is no object', { jsonrpc: '2.0', id: 1, result: [1] }],
    ['a null id', { jsonrpc: '2.0', id: null, result: {} }],
  ])('leaves %s alone', (_, message) => {
    expect(findEnvelope(...edges(JSON.stringify(message)))).toBeUndefined()
  })

  test('two ids are one too many', () => {
    expect(findEnvelope(...edges('{"id":1,"result":{},"id":2}'))).toBeUndefined()
  })

  test('text that is no JSON finds nothing or bytes that are no JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (junk) => {
        for (const line of [`{"id":1,"result":{${junk}}`, `{"result":{${junk}},"id":1}`, junk]) {
          const envelope = findEnvelope(...edges(line))
          if (envelope) expect(envelope.end).toBeGreaterThan(envelope.start)
        }
      }),
    )
  })

  test('reads the id of a line of which only the edges are left', () => {
    const long = 'x'.repeat(5000)
    for (const line of [
      JSON.stringify({ jsonrpc: '2.0', id: 4, result: { long } }),
      JSON.stringify({ result: { long }, jsonrpc: '2.0', id: 4 }),
    ]) {
      const [head, tail] = edges(line)
      expect(idOfEdges(head, tail)).toBe(4)
    }
    const [head, tail] = edges(JSON.stringify({ method: 'notifications/message', params: { long, id: 4 } }))
    expect(idOfEdges(head, tail)).toBeUndefined()
  })

  test('a range of any chunks is on shared memory', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), fc.nat(40), fc.nat(40), (parts, a, b) => {
        const whole = Buffer.concat(parts)
        const start = Math.min(a, whole.length)
        const end = Math.min(start + b, whole.length)
        const copy = onShared(parts, start, end)
        expect(copy.buffer).toBeInstanceOf(SharedArrayBuffer)
        expect(Buffer.from(copy)).toEqual(whole.subarray(start, end))
      }),
    )
  })
})

test('of a response that begins to come it is told where its result begins', () => {
  fc.assert(
    fc.property(response, ({ line }) => {
      const told: number[] = []
      const watch = watchFor((bytes, start) => {
        expect(bytes).toBe(growing)
        return () => told.push(start)
      })
      const growing = new GrowingBytes(1_000_000)
      growing.append(Buffer.from(line))
      const envelope = findEnvelope(...edges(line))
      const grown = watch?.(growing)
      grown?.()
      // The end tells more: where it does not fit, there is no envelope.
      if (envelope !== undefined) expect(told).toEqual([envelope.start])
    }),
  )
})

test('only responses are reported, and only to a caller that asks for it', () => {
  const growing = new GrowingBytes(1000)
  growing.append(Buffer.from('{"jsonrpc":"2.0","method":"x","params":{"result":{}}}'))
  const watch = watchFor(() => expect.unreachable('it is no response'))
  expect(watch?.(growing)).toBeUndefined()
  expect(watchFor(undefined)).toBeUndefined()
})

/** The messages of a line, read with or without parsing results; the text "nothing" where no message can be read. */
function readAs(line: string, largeBytes: number): unknown {
  const bytes = Buffer.from(line)
  const messages = readMessages([bytes], bytes.length, { largeBytes, limits: LIMIT_DEFAULTS })
  if (messages === undefined || messages instanceof TooMuch) return 'nothing'
  return messages.map((message) =>
    'result' in message ? { id: message.id, result: plain(message.result) } : message,
  )
}

/** JSON of members in any order, some of them twice, with strings that look like structure; at times with a character changed. */
const hostileLine = fc
  .record({
    members: fc.array(
      fc.tuple(
        fc.constantFrom('id', 'jsonrpc', 'result', 'error', 'method', 'params', 'i\\u0064', '"},"id":1,"x'),
        fc.oneof(
          fc.constantFrom(
            '1',
            '"2.0"',
            '{}',
            '[]',
            'null',
            '-0',
            '1e3',
            '"a\\"}"',
            '{"id":7}',
            '{"a":"}"}',
            '"}"',
          ),
          fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
        ),
      ),
      { maxLength: 5 },
    ),
    change: fc.option(fc.tuple(fc.nat(), fc.constantFrom('', '"', '}', '{', ',', ':', '\\', ' ')), {
      freq: 3,
    }),
  })
  .map(({ members, change }) => {
    const line = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
    if (change === null) return line
    const at = change[0] % line.length
    return line.slice(0, at) + change[1] + line.slice(at + 1)
  })

test('a result that is not parsed is the one that a parser finds, whatever stands around it', () => {
  fc.assert(
    fc.property(hostileLine, (line) => {
      let parsed: unknown
      try {
        parsed = readAs(line, 1e9)
        if (parsed === 'nothing') return
        expect(readAs(line, 0)).toEqual(parsed)
      } catch (error) {
        // The parser notices bytes that are no JSON: they are never taken for another result.
        expect(error).toBeInstanceOf(SyntaxError)
      }
    }),
    { numRuns: readingRuns },
  )
})

describe('a message that is no result', () => {
  const log = (data: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${data}}}`
  const read = (line: string): unknown => {
    const bytes = Buffer.from(line)
    return readMessages([bytes], bytes.length, { largeBytes: 256 * 1024, limits: LIMIT_DEFAULTS })
  }

  test.each([
    ['levels', 'serverMessageDepth', log(`${'['.repeat(2000)}${']'.repeat(2000)}`)],
    ['values', 'serverMessageValues', log(`[${'1,'.repeat(60_000)}1]`)],
  ])('is refused with too many %s, and told how to raise the limit', (unit, limit, line) => {
    expect(read(line)).toBeInstanceOf(TooMuch)
    expect(read(line)).toMatchObject({ words: expect.stringMatching(new RegExp(`${unit}.*limits.${limit}`)) })
  })

  test('fails the request that it answers', () => {
    const line = `{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x","data":${'['.repeat(2000)}${']'.repeat(2000)}}}`
    expect(read(line)).toMatchObject([
      { id: 4, error: { message: expect.stringContaining('serverMessageDepth') } },
    ])
  })

  test('is no result of the same depth', () => {
    const line = `{"jsonrpc":"2.0","id":4,"result":{"x":${'['.repeat(2000)}${']'.repeat(2000)}}}`
    expect(read(line)).toMatchObject([{ id: 4, result: expect.anything() }])
  })
})
