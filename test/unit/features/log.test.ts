import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openLogFile, shownText } from '../../../src/features/log/index.ts'
import { LargeResult } from '../../../src/protocol/content.ts'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { compileChange } from '../../../src/text/change/change.ts'
import { Tally } from '../../../src/text/change/change-rules.ts'
import { moduleWorld } from '../../support/module-world.ts'
import { client, temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

describe('log', () => {
  verifies(
    'S2.21',
    'the beginning of a large answer is written, without secrets, and that it is an error',
    async () => {
      const text = `password=hunter2hunter2 failed at line 7 ${'x'.repeat(100_000)}`
      const json = Buffer.from(JSON.stringify({ isError: true, content: [{ type: 'text', text }] }))
      const bytes = new Uint8Array(new SharedArrayBuffer(json.length))
      bytes.set(json)
      const world = await moduleWorld([{ use: 'log', content: 'all' }], {
        server: async () => new LargeResult(bytes),
      })
      await world.raw('tools/call', { name: 'a_read' })
      const [line] = world.lines
      expect(line).toMatchObject({
        isError: true,
        bytes: json.length,
        result: expect.stringContaining('failed at line 7'),
      })
      expect(String(line?.result).length).toBeLessThanOrEqual(501)
      expect(String(line?.result)).not.toContain('hunter2')
    },
  )

  verifies('S2.21', 'messages of both directions are written down, as chosen, without secrets', async () => {
    const file = join(temporaryFolder(), 'messages.log')
    const world = await moduleWorld(
      [{ use: 'log', content: 'all', file, methods: ['tools/call', 'notifications/*', 'sampling/*'] }],
      {
        client: client(),
      },
    )
    await world.ask('tools/call', { name: 'a_read', arguments: { token: 'abcdefgh1234', q: 'find' } })
    await world.ask('tools/list')
    await world.tell('client', { method: 'notifications/message', params: { level: 'info' } })
    await world.tell('server', { method: 'notifications/roots/list_changed' })
    await world.askClient('sampling/createMessage', {}, async () => ({}))
    await world.modules.close()
    await expect.poll(() => readFileSync(file, 'utf8').split('\n').length).toBe(5)
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
    expect(lines.map(({ method, toward }) => [method, toward])).toEqual([
      ['tools/call', 'server'],
      ['notifications/message', 'client'],
      ['notifications/roots/list_changed', 'server'],
      ['sampling/createMessage', 'client'],
    ])
    expect(lines[0]).toMatchObject({ name: 'a_read', result: expect.stringContaining('called a_read') })
    expect(readFileSync(file, 'utf8')).not.toContain('abcdefgh1234')
    // The id of a session grants access to it.
    expect(lines[0]?.agent).toMatch(/^[\da-f]{8}$/)
    expect(statSync(file).mode & 0o77).toBe(0)
  })

  verifies('S2.21', 'selects by direction, server and tool, and logs failures', async () => {
    const world = await moduleWorld([
      { use: 'log', name: 'only-b', servers: ['b'], direction: 'toServer' },
      { use: 'log', name: 'only-write', tools: ['*_write'], methods: ['tools/call'] },
    ])
    for (const name of ['a_read', 'a_write', 'b_read']) await world.ask('tools/call', { name })
    await world.askClient('sampling/createMessage', {}, async () => ({}))
    expect(world.lines.map(({ module, name }) => [module, name])).toEqual([
      ['only-write', 'a_write'],
      ['only-b', 'b_read'],
    ])
    const ends = await moduleWorld([{ use: 'log', servers: ['notes'] }], {
      server: async ({ method, params, admit }) => {
        await admit?.({ server: params.uri === 'note://9' ? 'notes' : 'others', name: String(params.uri) })
        return method === 'resources/read' ? { contents: [] } : {}
      },
    })
    for (const method of ['resources/read', 'resources/subscribe'])
      for (const uri of ['note://9', 'file:///x']) await ends.ask(method, { uri })
    expect(ends.lines.map(({ method, uri, server }) => [method, uri, server])).toEqual([
      ['resources/read', 'note://9', 'notes'],
      ['resources/subscribe', 'note://9', 'notes'],
    ])
    const failing = await moduleWorld([{ use: 'log' }], {
      server: async () => {
        throw new RpcError(-3, 'no')
      },
    })
    await expect(failing.ask('ping')).rejects.toThrow('no')
    expect(failing.lines).toMatchObject([{ method: 'ping', error: 'no', code: -3 }])
  })
})

const linesOf = (file: string): { message: string; time: string }[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

test('lines come in their order, with the time of their message; lines that cannot be made are left out', async () => {
  const file = join(temporaryFolder(), 'messages.log')
  let now = 0
  const log = openLogFile(file, () => now)
  for (let at = 0; at < 3; at++) {
    now = at * 1000
    log.write(`message ${at}`, () => ({ at }))
  }
  log.write('broken', () => {
    throw new Error('no line')
  })
  log.write('long', () => ({ text: 'x'.repeat(200_000) }))
  // Without being closed: they are in the file soon.
  await expect.poll(() => linesOf(file).length).toBe(4)
  log.write('last', () => ({}))
  await log.close()
  const lines = linesOf(file)
  expect(lines.map(({ message }) => message)).toEqual(['message 0', 'message 1', 'message 2', 'long', 'last'])
  expect(lines.slice(0, 3).map(({ time }) => time)).toEqual([
    '1970-01-01T00:00:00.000Z',
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:02.000Z',
  ])
})

const secrets = compileChange([
  { kind: 'sensitive', kinds: ['secrets'], patterns: {}, entropy: 0, replacement: '***', allow: [] },
])
const clean = (text: string): string => secrets(text, new Tally())

test('the beginning of the JSON, or all of it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 16, max: 200 }), (made, most) => {
      const value = made as JsonValue
      const json = JSON.stringify(value)
      const text = shownText(value, most)
      expect(text).toBe(json.length <= most ? json : `${json.slice(0, most)}…`)
    }),
  )
})

test('of a secret that the cut goes through nothing is left, wherever the cut is', () => {
  const parts = 'a1B2c3D4e5F6g7H8i9J0'.repeat(40)
  const values: [JsonValue, string][] = [
    [
      { a: 'see', token: `eyJ${parts.slice(0, 30)}.eyJ${parts.slice(0, 700)}.${parts.slice(0, 40)}` },
      parts.slice(0, 8),
    ],
    [{ text: `x\nghp_${parts.slice(0, 36)} y` }, parts.slice(0, 8)],
    [
      { text: `-----BEGIN PRIVATE ${'KEY'}-----\n${parts.slice(0, 64)}\n${parts.slice(0, 64)}\n` },
      parts.slice(0, 8),
    ],
    [{ url: 'postgres://ada:horse-battery@db/x' }, 'horse'],
    [{ password: 'correct horse battery' }, 'correct'],
  ]
  for (const [value, secret] of values)
    for (let most = 16; most < 400; most += 3)
      expect(shownText(value, most, clean), String(most)).not.toContain(secret)
})

test('logs a long, wide or deep value at bounded cost', () => {
  const wide = Array.from({ length: 200_000 }, (_, n) => ({ n }))
  expect(shownText({ wide }, 30)).toBe('{"wide":[{"n":0},{"n":1},{"n":…')
  let deep: JsonValue = 'x'
  for (let level = 0; level < 100_000; level++) deep = [deep]
  expect(shownText(deep, 500)).toContain('…')
  expect(shownText({ text: 'x'.repeat(1_000_000), more: 1 }, 20)).toBe(`{"text":"${'x'.repeat(11)}…`)
})
