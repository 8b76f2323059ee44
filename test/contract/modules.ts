/** The shared suite of all modules. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { isOfType } from '../../src/features/external/interceptors.ts'
import type { ModuleDefinition, Notice, Notify } from '../../src/module-runtime/module.ts'
import { LargeResult, type Result } from '../../src/protocol/content.ts'
import { RpcError } from '../../src/protocol/errors.ts'
import type { Handler } from '../../src/protocol/exchange.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { deepFreeze } from '../support/deep-freeze.ts'
import { deferred } from '../support/deferred.ts'
import { moduleWorld } from '../support/module-world.ts'
import { verifies } from '../support/verifies.ts'

export interface ModuleSample {
  /** An entry of the list with a module that acts on the messages below. */
  entry: JsonObject
  /** A message it has nothing to do with. */
  foreign: { method: string; params: JsonObject }
  call?: JsonObject
  /** The embedder's own, which the entry uses. */
  definitions?: readonly ModuleDefinition[]
  /** It changes, refuses or fails at something of the messages below. */
  interferes?: boolean
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
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'good day' } }] },
  'resources/list': { resources: [{ uri: 'note://1', name: 'n' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'note://{id}', name: 't' }] },
  'resources/read': { contents: [{ uri: 'note://1', text: 'content' }] },
  'completion/complete': { completion: { values: [] } },
  'custom/method': { anything: [1, 2] },
}

/** Parameters for all messages but calls of tools. */
const USED: JsonObject = {
  name: 'p',
  uri: 'note://1',
  ref: { type: 'ref/prompt', name: 'p' },
  argument: { name: 'a', value: '' },
}

const LISTS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
}

/** Keys that a server may write into any message, and that must stay data. */
const HOSTILE = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}') as JsonObject

export function moduleContract(name: string, sample: ModuleSample): void {
  const { entry } = sample
  holds(name, sample)
  // The guard of a module goes another way there. Modules that run elsewhere watch over themselves.
  if (entry.use !== undefined)
    holds(`${name}, failing open and with a time limit`, {
      ...sample,
      entry: { ...entry, failOpen: true, timeoutMs: 120_000 },
    })
}

function holds(name: string, sample: ModuleSample): void {
  const { entry, foreign, call = { name: 'a_read', arguments: {} }, interferes = true } = sample
  const { definitions = [] } = sample
  const server: Handler = async ({ method }) => deepFreeze(structuredClone(RESULTS[method] ?? {}))

  describe(`module contract: ${name}`, () => {
    verifies('S2.12 S2.13', 'an unchanged message passes as the same object', async () => {
      const result = deepFreeze({ something: ['else'], ...HOSTILE })
      const large = largeResult(result)
      const failure = new TypeError('of no kind that anybody knows')
      let answer: () => Promise<Result> = async () => result
      const world = await moduleWorld([entry], { server: () => answer(), definitions })
      await world.modules.check()
      expect(await world.raw(foreign.method, foreign.params)).toBe(result)
      expect(world.sent.at(-1)?.params).toBe(foreign.params)
      answer = async () => large
      expect(await world.raw(foreign.method, foreign.params)).toBe(large)
      answer = () => Promise.reject(failure)
      await expect(world.raw(foreign.method, foreign.params)).rejects.toBe(failure)
      const asked = deepFreeze({ a: 1, ...HOSTILE })
      const answered = await world.askClient('custom/ask', asked, async ({ params }) => {
        expect(params).toBe(asked)
        return result
      })
      expect(answered).toBe(result)
      for (const toward of ['client', 'server'] as const) {
        const told = await world.tell(toward, { method: 'custom/notice', params: asked })
        expect(told?.params).toBe(asked)
      }
    })

    test('unchanged parts stay the same objects, and no object inherits members that a server wrote', async () => {
      const results = new Map<string, JsonObject>()
      const world = await moduleWorld([entry], {
        definitions,
        server: async ({ method }) => {
          const made = results.get(method) ?? deepFreeze({ ...structuredClone(RESULTS[method]), ...HOSTILE })
          results.set(method, made)
          return made
        },
      })
      await world.modules.check()
      for (const method of Object.keys(RESULTS)) {
        const params = deepFreeze(method === 'tools/call' ? call : USED)
        const result = await world.raw(method, params).catch((error: unknown) => error)
        if (result instanceof RpcError) continue
        const came = results.get(method)
        if (isDeepStrictEqual(result, came)) expect(result).toBe(came)
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
        expect(Object.keys(result as object)).toContain('__proto__')
      }
    })

    verifies('S2.33', 'every message keeps its kind, and no input is changed in place', async () => {
      const world = await moduleWorld([entry], { server, definitions })
      for (const method of Object.keys(RESULTS)) {
        const params = deepFreeze(method === 'tools/call' ? call : USED)
        const result = await world.ask(method, params).catch((error: unknown) => error)
        if (result instanceof RpcError) continue
        expect(isOfType(result, method, 'response')).toBe(true)
        for (const { method: sent, params: got } of world.sent)
          expect([sent, isOfType(got, sent, 'request')]).toEqual([sent, true])
      }
    })

    verifies('S2.31', 'modules stand in the order of the list, in both directions', async () => {
      const trace: string[] = []
      let traced = foreign.method
      const probe = (label: string) => ({
        name: label,
        options: z.object({}),
        create: () => ({
          wrap:
            (next: Handler): Handler =>
            async (exchange) => {
              // Lists that a module asks for on the way go the same way.
              if (exchange.method !== traced) return next(exchange)
              trace.push(`${label}>`)
              const result = await next(exchange)
              trace.push(`<${label}`)
              return result
            },
          notify: (next: Notify) => (notice: Notice) => {
            trace.push(label)
            return next(notice)
          },
        }),
      })
      const world = await moduleWorld([{ use: 'first' }, entry, { use: 'last' }], {
        server,
        definitions: [...definitions, probe('first'), probe('last')],
      })
      await world.modules.check()
      await world.ask(foreign.method, foreign.params)
      expect(trace.join(' ')).toBe('first> last> <last <first')
      trace.length = 0
      traced = 'tools/call'
      await world.ask('tools/call', call)
      expect(trace.join(' ')).toBe('first> last> <last <first')
      trace.length = 0
      await world.tell('client', { method: 'notifications/progress', params: { progress: 1 } })
      await world.tell('server', { method: 'notifications/roots/list_changed' })
      expect(trace.join(' ')).toBe('last first first last')
      trace.length = 0
      traced = 'custom/ask'
      await world.askClient('custom/ask', {}, async () => ({}))
      expect(trace.join(' ')).toBe('last> first> <first <last')
      expect(world.stack.names.inner).toEqual(['first', world.modules.status()[1]?.name, 'last'])
    })

    test('an error of a server passes it as an error', async () => {
      const world = await moduleWorld([entry], {
        definitions,
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
        definitions,
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

    verifies('S2.39', 'the time that a server takes is not the module’s', async () => {
      const held = deferred()
      const world = await moduleWorld([{ ...entry, timeoutMs: 60_000 }], {
        definitions,
        server: async (exchange) => {
          if (exchange.params.hold === true) await held.promise
          return server(exchange)
        },
      })
      await world.modules.check()
      // Nothing of it depends on how fast the machine is: its clock goes when the test says so.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const answer = world.ask('tools/call', { ...call, hold: true })
      await vi.waitFor(() => expect(world.sent.some(({ params }) => params.hold === true)).toBe(true))
      await vi.advanceTimersByTimeAsync(600_000)
      held.resolve()
      expect(await answer).toHaveProperty('content')
    })

    verifies('S2.39', 'in audit mode nothing is changed and nothing refused, and the log tells', async () => {
      const world = await moduleWorld([{ ...entry, mode: 'audit' }], { server, definitions })
      await world.modules.check()
      for (const [method, result] of Object.entries(RESULTS)) {
        const params = method === 'tools/call' ? call : USED
        expect(await world.ask(method, params)).toEqual(result)
      }
      const notification = { method: 'notifications/message', params: { level: 'info', data: 'x' } }
      expect(await world.tell('client', notification)).toEqual(notification)
      const told = (): boolean =>
        world.lines.some(({ message }) => message.startsWith('audit: ') || message === 'a module failed')
      if (interferes) await expect.poll(told).toBe(true)
    })

    test('the same entry again is the same module; without it messages pass as they are', async () => {
      const held = deferred()
      const world = await moduleWorld([entry], {
        definitions,
        server: async (exchange) => {
          if (exchange.params.hold === true) await held.promise
          return server(exchange)
        },
      })
      await world.modules.check()
      const before = world.announced()
      const underWay = world.ask('tools/call', { ...call, hold: true })
      await expect.poll(() => world.sent.some(({ params }) => params.hold === true)).toBe(true)
      await world.configure([entry])
      expect(world.announced()).toBe(before)
      await world.configure([])
      expect(world.announced()).toBe(before + 1)
      expect(await world.ask('tools/call', call)).toEqual(RESULTS['tools/call'])
      expect(await world.ask('tools/list')).toEqual(RESULTS['tools/list'])
      // A call that is under way ends where it began.
      held.resolve()
      expect(await underWay).toHaveProperty('content')
    })
  })
}

function largeResult(result: JsonObject): LargeResult {
  const bytes = Buffer.from(JSON.stringify(result))
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return new LargeResult(shared)
}
