/** The shared suite of all modules. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { RpcError } from '../../src/protocol/errors.ts'
import type { Handler } from '../../src/protocol/exchange.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { deepFreeze } from '../support/deep-freeze.ts'
import { moduleWorld } from '../support/module-world.ts'
import { verifies } from '../support/verifies.ts'

export interface ModuleSample {
  /** An entry of the list whose module has something to do with the messages below. */
  entry: JsonObject
  /** A message it has nothing to do with. */
  foreign: { method: string; params: JsonObject }
  /** Modules that call nothing else may not be told of a call that the client cancelled. */
  call?: JsonObject
}

const RESULTS: Readonly<Record<string, JsonObject>> = {
  'tools/list': {
    tools: [{ name: 'a_read', description: 'reads', inputSchema: { type: 'object' } }],
    _meta: { kept: 1 },
  },
  'tools/call': {
    content: [
      { type: 'text', text: 'hello' },
      { type: 'unknown', x: 1 },
    ],
    extra: true,
  },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] },
  'resources/list': { resources: [{ uri: 'note://1', name: 'n' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 't' }] },
  'resources/read': { contents: [{ uri: 'note://1', text: 'content' }] },
  'completion/complete': { completion: { values: [] } },
  'custom/method': { anything: [1, 2] },
}

const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}

export function moduleContract(name: string, sample: ModuleSample): void {
  const { entry, foreign, call = { name: 'a_read', arguments: {} } } = sample
  const server: Handler = async ({ method }) => deepFreeze(structuredClone(RESULTS[method] ?? {}))

  describe(`module contract: ${name}`, () => {
    verifies('S2.12 S2.13', 'a message of no interest passes it as the very same object', async () => {
      const result = deepFreeze({ something: ['else'] })
      const world = await moduleWorld([entry], { server: async () => result })
      await world.modules.check()
      expect(await world.raw(foreign.method, foreign.params)).toBe(result)
      expect(world.sent.at(-1)?.params).toBe(foreign.params)
    })

    verifies(
      'S2.33',
      'every message comes out as what it went in as, and nothing that came is changed in place',
      async () => {
        const world = await moduleWorld([entry], { server })
        for (const method of Object.keys(RESULTS)) {
          const params = deepFreeze(method === 'tools/call' ? call : { name: 'p', uri: 'note://1' })
          const result = await world.ask(method, params).catch((error: unknown) => error)
          if (result instanceof RpcError) continue
          const list = LISTS[method]
          if (list !== undefined) expect(Array.isArray((result as JsonObject)[list])).toBe(true)
          expect(typeof result).toBe('object')
        }
      },
    )

    verifies('S2.31', 'modules stand in the order of the list, in both directions', async () => {
      const trace: string[] = []
      const probe = (label: string) => ({
        name: label,
        options: z.object({}),
        create: () => ({
          wrap:
            (next: Handler): Handler =>
            async (exchange) => {
              trace.push(`${label}>`)
              const result = await next(exchange)
              trace.push(`<${label}`)
              return result
            },
        }),
      })
      const world = await moduleWorld([{ use: 'first' }, entry, { use: 'last' }], {
        server,
        definitions: [probe('first'), probe('last')],
      })
      await world.modules.check()
      await world.ask(foreign.method, foreign.params)
      expect(trace.join(' ')).toBe('first> last> <last <first')
      trace.length = 0
      await world.askClient('custom/ask', {}, async () => ({}))
      expect(trace.join(' ')).toBe('last> first> <first <last')
      expect(world.modules.stack.names.inner).toEqual(['first', world.modules.status()[1]?.name, 'last'])
    })

    test('an error of a server passes it as an error', async () => {
      const world = await moduleWorld([entry], {
        server: async ({ method }) => {
          if (method in LISTS) return RESULTS[method] ?? {}
          throw new RpcError(-32123, 'the server says no', { why: 1 })
        },
      })
      const error = (await world.ask('tools/call', call).catch((thrown: unknown) => thrown)) as RpcError
      expect([error.code, error.message, error.data]).toEqual([-32123, 'the server says no', { why: 1 }])
    })

    test('a call that is cancelled ends, and the next one works', async () => {
      const controller = new AbortController()
      const world = await moduleWorld([entry], {
        server: ({ method, params, signal }) =>
          method !== 'tools/call' || params.hold !== true
            ? server({ method, params } as Parameters<Handler>[0])
            : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      })
      const pending = world.raw('tools/call', { ...call, hold: true }, { signal: controller.signal })
      pending.catch(() => {})
      await expect.poll(() => world.sent.some(({ params }) => params.hold === true)).toBe(true)
      controller.abort(new Error('cancelled by the client'))
      await expect(pending).rejects.toThrow('cancelled by the client')
      expect(await world.ask('tools/call', call)).toHaveProperty('content')
    })

    verifies('S2.39', 'in audit mode nothing is changed and nothing refused', async () => {
      const world = await moduleWorld([{ ...entry, mode: 'audit' }], { server })
      await world.modules.check()
      for (const [method, result] of Object.entries(RESULTS)) {
        const params = method === 'tools/call' ? call : { name: 'p', uri: 'note://1' }
        expect(await world.ask(method, params)).toEqual(result)
      }
      const notification = { method: 'notifications/message', params: { level: 'info', data: 'x' } }
      expect(await world.tell('client', notification)).toEqual(notification)
    })

    test('the same entry again is the same module; without it messages pass as they are', async () => {
      const world = await moduleWorld([entry], { server })
      await world.modules.check()
      const before = world.announced()
      await world.configure([entry])
      expect(world.announced()).toBe(before)
      await world.configure([])
      expect(world.announced()).toBe(before + 1)
      expect(await world.ask('tools/call', call)).toEqual(RESULTS['tools/call'])
      expect(await world.ask('tools/list')).toEqual(RESULTS['tools/list'])
    })
  })
}
