import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LargeResult } from '../../../../src/protocol/content.ts'
import { RPC, type RpcError } from '../../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { moduleWorld, type WorldOptions } from '../../../support/module-world.ts'
import { temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const script = fileURLToPath(new URL('../../../support/servers/interceptors.mjs', import.meta.url))

/** A busy machine takes its time to start a module. */
const timeoutMs = 120_000

interface Interceptor extends JsonObject {
  name: string
  type: string
  does: string
}

const program = (
  interceptors: Interceptor[],
  more: JsonObject = {},
  options: JsonObject = {},
): JsonObject => ({
  command: process.execPath,
  args: [script, JSON.stringify({ interceptors, ...options })],
  name: 'm',
  timeoutMs,
  ...more,
})

async function started(entries: JsonObject[], options: WorldOptions = {}) {
  const world = await moduleWorld(entries, options)
  await world.modules.check()
  return world
}

const on = (phase: string, ...events: string[]): JsonObject => ({ hook: { events, phase } })
const both = (...events: string[]): JsonObject => on('both', ...events)
const call = { name: 'a_read', arguments: { q: 'find' } }
const textOf = (result: JsonObject): unknown => (result.content as JsonObject[])[0]?.text
const errorOf = (work: Promise<unknown>): Promise<RpcError> =>
  work.then(
    () => Promise.reject(new Error('passed')),
    (error: RpcError) => error,
  )

describe('an external module', () => {
  verifies(
    'S2.13 S2.30 S2.37',
    'is sent the messages that it declared, in the phases that it declared, and no others',
    async () => {
      const world = await started([
        program([
          { name: 'in', type: 'mutation', does: 'shout', ...on('request', 'tools/call') },
          {
            name: 'out',
            type: 'mutation',
            does: 'seen',
            hooks: [{ events: ['tools/call'], phase: 'response' }],
          },
        ]),
      ])
      for (const method of ['tools/list', 'prompts/get', 'resources/read', 'ping'])
        await world.ask(method, { name: 'x', uri: 'x:y' })
      await world.tell('client', { method: 'notifications/message', params: { level: 'info' } })
      const seen = await world.ask('tools/call', call)
      expect(JSON.parse(String(textOf(seen)))).toEqual([
        { event: 'tools/call', phase: 'request', name: 'in' },
        { event: 'tools/call', phase: 'response', name: 'out' },
      ])
      expect(world.sent.at(-1)?.params).toEqual({ name: 'a_read', arguments: { q: 'FIND' } })
    },
  )

  verifies(
    'S2.19 S2.32 S2.37',
    'is told name, event, phase, payload, its own settings and who asks',
    async () => {
      const config = { deep: { list: [1] }, text: 'x' }
      const world = await started([
        program([{ name: 'say', type: 'mutation', does: 'say', ...on('response', 'tools/call') }], {
          config,
        }),
      ])
      const told = JSON.parse(String(textOf(await world.ask('tools/call', call)))) as JsonObject
      expect(told).toMatchObject({
        name: 'say',
        event: 'tools/call',
        phase: 'response',
        payload: { content: [{ type: 'text', text: 'called a_read' }] },
        config,
        timeoutMs,
        context: { principal: { type: 'anonymous' }, timestamp: '1970-01-01T00:00:00.000Z' },
      })
    },
  )

  verifies('S2.37', 'a request goes as a whole message where the module wants it so', async () => {
    const shout = [{ name: 'shout', type: 'mutation', does: 'shout', ...on('request', 'tools/call') }]
    const world = await started([program(shout, { payload: 'message' })])
    await world.ask('tools/call', call)
    expect(world.sent.at(-1)?.params).toEqual({ name: 'a_read', arguments: { q: 'FIND' } })
  })

  verifies('S2.34 S2.37', 'refuses by a verdict of severity error; less is only noted', async () => {
    const world = await started([
      program([
        { name: 'warn', type: 'validation', does: 'warn', ...both('tools/call') },
        { name: 'deny', type: 'validation', does: 'deny', ...on('request', 'prompts/get') },
      ]),
    ])
    expect(textOf(await world.ask('tools/call', call))).toBe('called a_read')
    expect(world.lines).toMatchObject([{ messages: ['a remark'] }, { messages: ['a remark'] }])
    const error = await errorOf(world.ask('prompts/get', { name: 'a_hello' }))
    expect([error.code, error.message, error.data]).toEqual([
      RPC.invalidParams,
      'Refused by the module `m`: denied by policy',
      { validationErrors: [{ interceptor: 'deny', severity: 'error', message: 'denied by policy' }] },
    ])
    expect(world.sent.some(({ method }) => method === 'prompts/get')).toBe(false)
  })

  verifies('S2.34', 'may answer in place of the server', async () => {
    const answer = { name: 'answer', type: 'mutation', does: 'answer', ...on('request', 'tools/call') }
    const world = await started([program([answer])])
    expect(textOf(await world.ask('tools/call', call))).toBe('answered by the module')
    expect(world.sent).toEqual([])
  })

  verifies(
    'S2.37',
    'requests are changed and then judged, results judged and then changed; changes by priority, then by name',
    async () => {
      const upper = {
        name: 'upper',
        type: 'mutation',
        does: 'shout',
        ...both('tools/call'),
        priorityHint: { request: 5, response: -5 },
      }
      const say = { name: 'say', type: 'mutation', does: 'say', ...on('response', 'tools/call') }
      const world = await started([program([say, upper])])
      // `upper` first by its priority, so that `say` tells what became of the text.
      expect(textOf(await world.ask('tools/call', call))).toContain('"text":"CALLED A_READ"')
      const reversed = await started([program([say, { ...upper, priorityHint: { response: 5 } }])])
      expect(textOf(await reversed.ask('tools/call', call))).toContain('"TEXT":"CALLED A_READ"')
    },
  )

  verifies('S2.11', 'sees requests of servers to the client, and notifications that it names', async () => {
    const world = await started([
      program([
        {
          name: 'shout',
          type: 'mutation',
          does: 'shout',
          ...both('sampling/createMessage', 'notifications/message'),
        },
      ]),
    ])
    let asked: unknown
    const answer = await world.askClient(
      'sampling/createMessage',
      { messages: [{ role: 'user', content: { type: 'text', text: 'say' } }] },
      async ({ params }) => {
        asked = params
        return { role: 'assistant', content: { type: 'text', text: 'said' }, model: 'm' }
      },
    )
    expect(asked).toMatchObject({ messages: [{ content: { text: 'SAY' } }] })
    expect(answer).toMatchObject({ content: { text: 'SAID' } })
    const told = await world.tell('client', {
      method: 'notifications/message',
      params: { level: 'info', data: 'x' },
    })
    expect(told?.params).toEqual({ level: 'INFO', data: 'X' })
  })

  describe.each([
    ['answers with another type', 'other', 'mutation'],
    ['throws', 'fail', 'mutation'],
    ['gives no verdict', 'shout', 'validation'],
  ])('that %s', (_, does, type) => {
    verifies('S2.33 S2.39', 'fails closed, fails open, and only looks on, as configured', async () => {
      const bad = [{ name: 'bad', type, does, ...both('tools/call') }]
      const closed = await started([program(bad)])
      const error = await errorOf(closed.ask('tools/call', call))
      expect([error.code, error.message]).toEqual([
        RPC.internalError,
        'The message was refused because the module `m` failed.',
      ])
      expect(closed.lines).toMatchObject([{ level: 'error', interceptor: 'bad' }])
      const open = await started([program(bad, { failOpen: true })])
      expect(textOf(await open.ask('tools/call', call))).toBe('called a_read')
      const declared = await started([program([{ ...bad[0], name: 'bad', type, does, failOpen: true }])])
      expect(textOf(await declared.ask('tools/call', call))).toBe('called a_read')
      const audit = await started([program(bad, { mode: 'audit' })])
      expect(textOf(await audit.ask('tools/call', call))).toBe('called a_read')
    })
  })

  verifies('S2.39', 'that cannot take a result says so to the model, and that the call has run', async () => {
    const huge = [{ name: 'huge', type: 'mutation', does: 'huge', ...on('response', 'tools/call') }]
    const world = await started([program(huge, { maxBytes: 10_000 }, { size: 5_000_000 })])
    expect((await errorOf(world.ask('tools/call', call))).message).toMatch(/failed/)
    const pass = [{ name: 'pass', type: 'mutation', does: 'pass', ...on('response', 'tools/call') }]
    const bytes = new Uint8Array(new SharedArrayBuffer(20_000)).fill(32)
    const server = async (): Promise<LargeResult> => new LargeResult(bytes)
    const small = await started([program(pass, { maxBytes: 10_000 })], { server })
    const told = textOf(await small.ask('tools/call', call))
    expect(told).toMatch(
      /has answered.*withheld because the module `m` .*at most 10000 bytes, and this has 20000\. Do not repeat/,
    )
    expect(told).toMatch(/raise `maxBytes` of the module `m` \(now 10000\), or set its `failOpen` to true/)
    expect(small.lines).toMatchObject([{ level: 'error', interceptor: 'pass' }])
    const listing = await started(
      [
        program(
          [{ ...pass[0], name: 'pass', type: 'mutation', does: 'pass', ...on('response', 'tools/list') }],
          { maxBytes: 10_000 },
        ),
      ],
      { server },
    )
    expect((await errorOf(listing.ask('tools/list'))).message).toMatch(/withheld because the module `m`/)
    const open = await started([program(pass, { maxBytes: 10_000, failOpen: true })], { server })
    expect(await open.raw('tools/call', call)).toBeInstanceOf(LargeResult)
  })

  verifies('S2.39', 'that hangs is given up after its time, and the next module goes on', async () => {
    const hang = { name: 'hang', type: 'validation', does: 'hang', ...on('request', 'tools/call') }
    const world = await started([program([hang], { timeoutMs: 200 })])
    expect((await errorOf(world.ask('tools/call', call))).message).toMatch(/did not answer in time/)
    expect(await world.ask('tools/list')).toHaveProperty('tools')
  })

  verifies('S2.39', 'that ends in the middle of a call is started again', async () => {
    const exit = { name: 'exit', type: 'validation', does: 'exit', ...on('request', 'prompts/get') }
    const shout = { name: 'shout', type: 'mutation', does: 'shout', ...on('response', 'tools/call') }
    const world = await started([program([exit, shout])])
    expect((await errorOf(world.ask('prompts/get', { name: 'a_hello' }))).message).toMatch(/failed/)
    expect(await world.ask('tools/list')).toHaveProperty('tools')
    await expect
      .poll(async () => textOf(await world.ask('tools/call', call).catch(() => ({ content: [] }))))
      .toBe('CALLED A_READ')
    expect(world.modules.status()).toMatchObject([{ name: 'm', state: 'ok' }])
  })

  verifies('S2.39', 'that cannot be started lets nothing pass, unless it is to fail open', async () => {
    const missing = { command: '/does/not/exist', name: 'm' }
    const world = await started([missing])
    expect((await errorOf(world.ask('tools/list'))).message).toMatch(/module `m` failed/)
    expect(world.modules.status()).toMatchObject([
      { state: 'failed', message: expect.stringContaining('not found') },
    ])
    const open = await started([{ ...missing, failOpen: true }])
    expect(await open.ask('tools/list')).toHaveProperty('tools')
    const narrow = await started([{ ...missing, events: ['tools/call'] }])
    expect(await narrow.ask('tools/list')).toHaveProperty('tools')
  })

  test('reports a server that is not a module', async () => {
    const server = fileURLToPath(new URL('../../../support/servers/stdio.mjs', import.meta.url))
    const world = await started([{ command: process.execPath, args: [server, '{}'], name: 'm' }])
    expect(world.modules.status()[0]?.state).toBe('failed')
  })

  verifies('S2.29', 'runs as a service over HTTP', async () => {
    const interceptors = [{ name: 'shout', type: 'mutation', does: 'shout', ...both('tools/call') }]
    const child = spawn(process.execPath, [script, JSON.stringify({ interceptors, http: true })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const world = await started([{ url: line.toString().trim(), timeoutMs }])
    expect(textOf(await world.ask('tools/call', call))).toBe('CALLED A_READ')
  })

  describe('as a file', () => {
    const file = (body: string): string => {
      const path = join(temporaryFolder(), 'module.mjs')
      writeFileSync(path, body)
      return path
    }
    const hook = `hooks: [{ events: ['tools/call'], phase: 'response' }]`

    verifies('S2.27 S2.29 S2.36', 'runs in a process of its own and needs nothing of the proxy', async () => {
      const path = file(`export const interceptors = [{ name: 'sign', type: 'mutation', ${hook},
        invoke({ payload, config }) {
          console.log('not for standard output')
          return { modified: true, payload: { ...payload, content: [...payload.content, { type: 'text', text: config.by }] } }
        } }]`)
      const world = await started([{ path, config: { by: 'me' }, timeoutMs }])
      expect((await world.ask('tools/call', call)).content).toEqual([
        { type: 'text', text: 'called a_read' },
        { type: 'text', text: 'me' },
      ])
    })

    verifies('S2.39', 'that loops is ended and started again', async () => {
      const path = file(`let times = 0
        export default [{ name: 'loop', type: 'validation', ${hook},
          invoke({ payload }) { if (payload.content[0].text === 'loop') for (;;); return { valid: true } } }]`)
      const server = async ({ params }: { params: JsonObject }): Promise<JsonObject> => ({
        content: [{ type: 'text', text: String(params.name) }],
      })
      const world = await started([{ path, timeoutMs: 1_000 }], { server })
      await expect.poll(() => world.ask('tools/call', { name: 'x' }).then(textOf, () => 'no')).toBe('x')
      expect((await errorOf(world.ask('tools/call', { name: 'loop' }))).message).toMatch(
        /did not answer in time/,
      )
      await expect.poll(() => world.ask('tools/call', { name: 'x' }).then(textOf, () => 'no')).toBe('x')
    })

    verifies(
      'S2.39',
      'that is missing or cannot be loaded ends the start, whatever failOpen says',
      async () => {
        const missing = join(temporaryFolder(), 'missing.mjs')
        for (const failOpen of [false, true]) {
          const error = await started([{ path: missing, name: 'm', failOpen }]).catch(
            (thrown: unknown) => thrown,
          )
          expect(error).toMatchObject({
            code: 'CONFIG_INVALID',
            message: `The module \`m\` cannot be loaded from ${missing}: there is no such file`,
            next: expect.stringContaining('"disabled": true'),
          })
        }
        for (const [body, why] of [
          ['export const nothing = 1', 'exports no list'],
          ['export default [', 'Unexpected end of input'],
          ["throw new Error('no luck')", 'no luck'],
        ] as const)
          await expect(started([{ path: file(body), name: 'm', mode: 'audit' }])).rejects.toThrow(why)
      },
    )

    test('that is put right later is loaded at the next change, and one that is broken changes nothing', async () => {
      const path = file(`export default [{ name: 'sign', type: 'mutation', ${hook},
        invoke: () => ({ modified: true, payload: { content: [{ type: 'text', text: 'signed' }] } }) }]`)
      const world = await started([{ path, timeoutMs }])
      expect(textOf(await world.ask('tools/call', call))).toBe('signed')
      const broken = file('export default [')
      await expect(world.configure([{ path: broken, timeoutMs }])).rejects.toThrow('Unexpected end of input')
      expect(textOf(await world.ask('tools/call', call))).toBe('signed')
    })
  })
})
