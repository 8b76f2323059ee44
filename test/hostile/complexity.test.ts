/** Entry points for what servers and clients send take time linear in it, on the worst input of each. */
import { test } from 'vitest'
import { tooDense } from '../../src/protocol/density.ts'
import { decodeHeaderValue, scanParamHeaders } from '../../src/protocol/headers.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../src/protocol/limits.ts'
import { LineReader } from '../../src/protocol/stream.ts'
import { createArgumentCheck } from '../../src/proxy/argument-check.ts'
import { type NamingOptions, nameAll } from '../../src/proxy/names.ts'
import { parseMessages } from '../../src/server/http/messages.ts'
import { nearest } from '../../src/text/words/edit-distance.ts'
import { wellFormed } from '../../src/upstream/catalogue.ts'
import { SseReader } from '../../src/upstream/http/events.ts'
import { readMessages } from '../../src/upstream/incoming.ts'
import { sameJson } from '../../src/upstream/memory.ts'
import { expectLinear, times } from '../support/linear.ts'

const lines =
  (chunk: Buffer): (() => void) =>
  () => {
    new LineReader({ maxBytes: 1e8, onLine: () => {}, onDiscarded: () => {} }).push(chunk)
  }
const bytewise = (text: string, push: (chunk: Buffer) => void): void => {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at++) push(bytes.subarray(at, at + 1))
}
const events = (text: string): (() => void) => {
  const bytes = Buffer.from(text)
  return () => void new SseReader(1e8, () => {}).push(bytes)
}
const reading = (line: string): (() => void) => {
  const bytes = Buffer.from(line)
  return () => void readMessages([bytes], bytes.length, { largeBytes: 1000, limits: LIMIT_DEFAULTS })
}
const range = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))
const NAMING: NamingOptions = {
  prefix: 'always',
  separator: '_',
  maxLength: 64,
  charset: 'default',
  rename: {},
}
const names = (count: number, name: (at: number) => string): (() => void) => {
  const named = [{ server: 's', names: range(count, name) }]
  return () => void nameAll(named, NAMING)
}
const object = (count: number): JsonObject => Object.fromEntries(range(count, (at) => [`key${at}`, at]))
const posted = (body: string): (() => void) => {
  const bytes = Buffer.from(body)
  const limits = { ...LIMIT_DEFAULTS, requestValues: 1e8, requestDepth: 1e8 }
  return () => void parseMessages(bytes, limits)
}

/** A worst input of a size, and the smallest size that is measured. */
const WORST: Record<string, [number, (size: number) => () => void]> = {
  'lines: empty ones': [50_000, (size) => lines(Buffer.alloc(size, 10))],
  'lines: one byte at a time': [
    20_000,
    (size) => () => {
      const reader = new LineReader({ maxBytes: 1e8, onLine: () => {}, onDiscarded: () => {} })
      bytewise('x'.repeat(size), (chunk) => reader.push(chunk))
    },
  ],
  'events: empty ones': [30_000, (size) => events('\n'.repeat(size))],
  'events: data of many lines': [10_000, (size) => events(`${'data:x\n'.repeat(size)}\n`)],
  'events: one byte at a time': [
    20_000,
    (size) => () => {
      const reader = new SseReader(1e8, () => {})
      bytewise(`data: ${'x'.repeat(size)}`, (chunk) => reader.push(chunk))
    },
  ],
  'density: strings without end': [
    1_000_000,
    (size) => () => void tooDense(Buffer.alloc(size, 92), { values: 1, depth: 1 }),
  ],
  'envelope: spaces before the result': [
    200_000,
    (size) => reading(`{"id":1,${' '.repeat(size)}"result":{}}`),
  ],
  'envelope: members in numbers': [20_000, (size) => reading(`{${'"id":1,'.repeat(size)}"result":{}}`)],
  'envelope: an error of text': [
    500_000,
    (size) => reading(`{"id":1,"error":{"code":1,"message":"${'x'.repeat(size)}"}}`),
  ],
  'a body of keys': [
    4_000,
    (size) => posted(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: object(size) })),
  ],
  'a body of levels': [100_000, (size) => posted(`{"jsonrpc":"2.0","id":1,"params":${'['.repeat(size)}`)],
  'headers: marked properties': [
    2_000,
    (size) => () =>
      void scanParamHeaders({
        type: 'object',
        properties: Object.fromEntries(
          range(size, (at) => [`p${at}`, { type: 'string', 'x-mcp-header': `H${at}` }]),
        ),
      }),
  ],
  'headers: nested schemas': [
    2_000,
    (size) => {
      let schema: JsonObject = {}
      for (let at = 0; at < size; at++) schema = { anyOf: [schema, {}] }
      // A schema that was read is remembered.
      return times(4, () => void scanParamHeaders({ ...schema }))
    },
  ],
  'headers: an encoded value': [
    2_000,
    (size) => {
      const value = `=?base64?${'QUJD'.repeat(size)}?=`
      return times(100, () => void decodeHeaderValue(value))
    },
  ],
  'names: alike and too long': [500, (size) => names(size, (at) => `${'a'.repeat(100)}${at}`)],
  'names: that become the same': [
    1_000,
    (size) => names(size, (at) => ' .:/'.charAt(at % 4).repeat((at >> 2) % 50)),
  ],
  'names: thousands of near ones': [
    1_000,
    (size) => () =>
      void nearest(
        'a'.repeat(64),
        range(size, (at) => `${'a'.repeat(60)}${at}`),
      ),
  ],
  'lists: broken items': [
    5_000,
    (size) => {
      const items = range(
        size,
        (at): JsonObject => ({ name: `t${at}`, title: 5, description: [], inputSchema: [] }),
      )
      return () => items.forEach((item) => void wellFormed('tools', item))
    },
  ],
  'lists: an item of many members': [
    2_000,
    (size) => {
      const item = { name: 't', title: 5, ...object(size) }
      return times(5, () => void wellFormed('tools', item))
    },
  ],
  'lists: compared with the one before': [
    5_000,
    (size) => {
      const list = (): JsonObject[] =>
        range(size, (at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }))
      const [before, after] = [list(), list()]
      return () => void sameJson(before, after)
    },
  ],
  'arguments: wide ones': [
    2_000,
    (size) => {
      const args = { x: range(size, (at) => [at]) }
      const check = createArgumentCheck()
      const schema = { type: 'object', properties: { x: { type: 'string' } } }
      return times(5, () => void check(args, schema))
    },
  ],
  'arguments: a schema of references': [
    400,
    (size) => {
      const $defs = Object.fromEntries(
        range(size, (at) => [
          `d${at}`,
          { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
        ]),
      )
      // Dear at once: what is measured is how long that takes to tell.
      return () =>
        void createArgumentCheck({ timeLimitMs: 0 })(
          {},
          { type: 'object', properties: { x: { $ref: '#/$defs/d0' } }, $defs },
        )
    },
  ],
}

test.each(Object.entries(WORST))('%s', (_, [least, make]) => expectLinear(least, make))
