/**
 * The messages of servers of the interceptor proposal, as its SDKs write them: Go puts verdicts into a member of their own. C# and Python
 * write null for an absent member. Python and TypeScript call `active` the mode that others call `enforce`.
 */
import { describe, expect, test } from 'vitest'
import type { ExternalModule } from '../../src/config/modules.ts'
import { createExternal } from '../../src/features/external/index.ts'
import type { Line } from '../../src/features/external/interceptors.ts'
import { RPC, type RpcError } from '../../src/protocol/errors.ts'
import type { Client, Handler } from '../../src/protocol/exchange.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { around } from '../support/onion.ts'
import { client, exchange } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const call = { name: 'files_read', arguments: { path: '/etc/passwd' } }
const result = { content: [{ type: 'text', text: 'served' }] }

/** A module that offers and answers this. */
async function module(
  interceptors: unknown[],
  answers: Record<string, (params: JsonObject) => JsonObject>,
  config: Partial<ExternalModule> = {},
) {
  const lines: JsonObject[] = []
  const asked: JsonObject[] = []
  const log = (fields: object, message: string): void => void lines.push({ ...fields, message } as JsonObject)
  const logger = { debug: () => {}, info: log, warn: log, error: log }
  const line: Line = {
    request: async ({ method, params }) => {
      if (method === 'interceptors/list') return { interceptors } as JsonObject
      asked.push(params)
      return answers[String(params.name)]?.(params) ?? {}
    },
    ...{ isUp: () => true, restart() {}, close: async () => {} },
  }
  const entry = {
    ...{ kind: 'external', name: 'm', reach: { command: 'x' }, phase: 'both', payload: 'content' },
    ...{ maxBytes: 4_000_000, ...config },
  } as unknown as ExternalModule
  const made = createExternal(entry, { logger, now: () => 0, open: () => line })
  await made.module.check?.()
  const sent: JsonObject[] = []
  const server: Handler = async ({ params }) => {
    sent.push(params)
    return result
  }
  const run = (method = 'tools/call', owner?: Client): Promise<unknown> =>
    around(made.module, server)(exchange(owner, { method, params: call })) ?? Promise.reject(new Error())
  return { run, sent, asked, lines, health: () => made.module.health?.() }
}

const errorOf = (work: Promise<unknown>): Promise<RpcError> =>
  work.then(
    () => Promise.reject(new Error('passed')),
    (error: RpcError) => error,
  )

interface Sdk {
  name: string
  descriptor(name: string, type: string, phase: string): JsonObject
  refusal(params: JsonObject): JsonObject
  mutation(params: JsonObject, payload: JsonObject): JsonObject
}

const message = { path: '$.arguments.path', message: 'may not be read', severity: 'error' }

const SDKS: Sdk[] = [
  {
    name: 'Go, one hook',
    descriptor: (name, type, phase) => ({
      ...{ name, version: '0.1.0', type, hook: { events: ['tools/call'], phase } },
      ...{ priorityHint: 0, mode: 'enforce' },
    }),
    refusal: ({ name = '', phase = '' }) => ({
      ...{ interceptor: name, type: 'validation', phase, durationMs: 0 },
      validation: { valid: false, severity: 'error', messages: [message] },
    }),
    mutation: ({ name = '', phase = '' }, payload) => ({
      ...{ interceptor: name, type: 'mutation', phase, durationMs: 0 },
      mutation: { modified: true, info: { reason: 'policy' } },
      payload,
    }),
  },
  {
    name: 'Go, hooks, the severity with the messages alone',
    descriptor: (name, type, phase) => ({
      ...{ name, type, hooks: [{ events: ['tools/call'], phase }], mode: '' },
      priorityHint: { request: -5 },
    }),
    refusal: ({ name = '', phase = '' }) => ({
      ...{ interceptor: name, type: 'validation', phase, durationMs: 2 },
      validation: { valid: false, messages: [{ ...message, severity: 'info' }, message] },
    }),
    mutation: ({ name = '', phase = '' }, payload) => ({
      ...{ interceptor: name, type: 'mutation', phase, durationMs: 2 },
      mutation: { modified: true, payload },
    }),
  },
  {
    name: 'C#',
    descriptor: (name, type, phase) => ({
      ...{ name, version: null, description: 'x', type, hooks: [{ events: ['tools/call'], phase }] },
      ...{ mode: null, failOpen: null, priorityHint: null, compat: null, configSchema: null, _meta: null },
    }),
    refusal: ({ name = '', phase = '' }) => ({
      ...{ type: 'validation', valid: false, severity: 'error', messages: [message], suggestions: null },
      ...{ interceptor: name, phase, durationMs: null, info: null },
    }),
    mutation: ({ name = '', phase = '' }, payload) => ({
      ...{
        type: 'mutation',
        modified: true,
        payload,
        interceptor: name,
        phase,
        durationMs: null,
        info: null,
      },
    }),
  },
  {
    name: 'Python',
    descriptor: (name, type, phase) => ({
      ...{ name, version: null, description: null, type, hooks: [{ events: ['*'], phase }], mode: 'active' },
      ...{ failOpen: false, priorityHint: { request: -50_000, response: null }, compat: null },
    }),
    refusal: ({ name = '', phase = '' }) => ({
      ...{ interceptor: name, phase, durationMs: 0.21, info: null, type: 'validation', valid: false },
      ...{ severity: null, messages: null, suggestions: null },
    }),
    mutation: ({ name = '', phase = '' }, payload) => ({
      ...{
        interceptor: name,
        phase,
        durationMs: 0.21,
        info: null,
        type: 'mutation',
        modified: true,
        payload,
      },
    }),
  },
  {
    name: 'TypeScript',
    descriptor: (name, type, phase) => ({
      ...{ name, type, hooks: [{ events: ['tools/call'], phase }], mode: 'active', _meta: {} },
      compat: { minProtocol: '2025-06-18' },
    }),
    refusal: ({ phase = '' }) => ({
      ...{ type: 'validation', phase, valid: false, severity: 'error', messages: [message] },
    }),
    mutation: ({ phase = '' }, payload) => ({ type: 'mutation', phase, modified: true, payload }),
  },
]

describe.each(SDKS)('a server of interceptors as the SDK for $name makes it', (sdk) => {
  verifies('S2.37', 'judges and changes in both phases', async () => {
    const changed = { ...call, arguments: { path: '/data' } }
    const other = { content: [{ type: 'text', text: 'changed' }] }
    const mutating = await module(
      [sdk.descriptor('in', 'mutation', 'request'), sdk.descriptor('out', 'mutation', 'response')],
      { in: (params) => sdk.mutation(params, changed), out: (params) => sdk.mutation(params, other) },
    )
    expect(await mutating.run()).toEqual(other)
    expect(mutating.sent).toEqual([changed])
    expect(mutating.asked.map(({ payload }) => payload)).toEqual([call, result])
    for (const phase of ['request', 'response']) {
      const judging = await module([sdk.descriptor('judge', 'validation', phase)], { judge: sdk.refusal })
      expect((await errorOf(judging.run())).code).toBe(RPC.invalidParams)
      expect(judging.sent).toHaveLength(phase === 'request' ? 0 : 1)
      const looking = await module([{ ...sdk.descriptor('judge', 'validation', phase), mode: 'audit' }], {
        judge: sdk.refusal,
      })
      expect(await looking.run()).toBe(result)
    }
  })
})

verifies(
  'S2.34 S2.37',
  'without a severity the worst message counts, and no message counts as the worst',
  async () => {
    const verdict = async (answer: JsonObject): Promise<unknown> => {
      const { run } = await module(
        [{ name: 'v', type: 'validation', hook: { events: ['tools/call'], phase: 'request' } }],
        { v: () => ({ valid: false, ...answer }) },
      )
      return run().then(
        () => 'passed',
        () => 'refused',
      )
    }
    const messages = (...severities: string[]): JsonObject => ({
      messages: severities.map((severity) => ({ message: 'x', severity })),
    })
    expect(await verdict(messages('warn', 'info'))).toBe('passed')
    expect(await verdict({ severity: null, ...messages('info') })).toBe('passed')
    expect(await verdict({ severity: 'warn', ...messages('error') })).toBe('passed')
    for (const refused of [
      messages('warn', 'error'),
      messages('warn', 'fatal'),
      messages(),
      {},
      { messages: [{ message: 'x' }] },
      { severity: 'fatal', ...messages('info') },
      { severity: 'error' },
    ])
      expect(await verdict(refused)).toBe('refused')
  },
)

verifies('S2.30 S2.37', 'sinks receive the outcome, whatever they answer', async () => {
  for (const type of ['sink', 'observability']) {
    const { run, asked } = await module(
      [
        {
          name: 's',
          type,
          hooks: [
            { events: ['*'], phase: 'request' },
            { events: ['*'], phase: 'response' },
          ],
        },
      ],
      { s: () => ({ type, recorded: true, metrics: { bytes: 5 } }) },
    )
    expect(await run()).toBe(result)
    expect(asked.map(({ phase, payload }) => [phase, payload])).toEqual([
      ['request', call],
      ['response', result],
    ])
  }
})

test('an interceptor of a type of a later draft is not asked, and the others are', async () => {
  const hook = { events: ['tools/call'], phase: 'request' }
  const { run, asked, lines, health } = await module(
    [
      { name: 'later', type: 'negotiation', hook },
      { name: 'now', type: 'validation', hook },
    ],
    { now: () => ({ valid: true }) },
  )
  expect(await run()).toBe(result)
  expect(asked).toMatchObject([{ name: 'now' }])
  expect(lines).toMatchObject([{ interceptors: ['later'] }])
  expect(health()).toEqual({
    state: 'ok',
    message: 'now (validation), later (of an unknown type, never asked)',
  })
  const none = await module([{ name: 'x', hook }], {})
  expect(none.health()).toEqual({ state: 'failed', message: 'offers `x` without a type' })
})

verifies('S2.33', 'a module asks nothing of the client by a result that it changes or gives', async () => {
  const asking = { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } }, content: [] }
  const hook = { events: ['tools/call'], phase: 'both' }
  for (const answer of [
    { modified: true, payload: asking },
    { modified: true, _meta: { 'mcp-rlm-proxy/answer': asking } },
  ]) {
    const { run } = await module([{ name: 'a', type: 'mutation', hook }], { a: () => answer as JsonObject })
    expect((await errorOf(run())).code).toBe(RPC.internalError)
  }
})

verifies('S2.38', 'it receives only an opaque name of the client', async () => {
  const hook = { events: ['tools/call'], phase: 'request' }
  const { run, asked } = await module([{ name: 'v', type: 'validation', hook }], {
    v: () => ({ valid: true }),
  })
  const token = 'token-of-a-client'
  const alice = { ...client({ sampling: {} }), agent: { id: 'alice', kind: 'principal' as const } }
  const session = {
    ...client({}),
    id: token,
    info: { name: token },
    agent: { id: token, kind: 'session' as const },
  }
  await run('tools/call', alice)
  await run('tools/call', session)
  await run('tools/call', session)
  const timestamp = '1970-01-01T00:00:00.000Z'
  const sessionId = expect.stringMatching(/^[0-9a-f]{8}$/)
  const [first, second, third] = asked
  expect(first).toEqual({
    ...{ name: 'v', event: 'tools/call', phase: 'request', payload: call, timeoutMs: 5_000 },
    context: { principal: { type: 'user', id: 'alice' }, sessionId, timestamp },
  })
  expect(second?.context).toEqual({ principal: { type: 'anonymous' }, sessionId, timestamp })
  expect(second).toEqual(third)
  const sessions = asked.map(({ context }) => (context as JsonObject).sessionId)
  expect(new Set(sessions).size).toBe(2)
  expect(JSON.stringify(asked)).not.toContain(token)
})

verifies(
  'S2.39',
  'a message over the size limit is not sent and counts as a failure of the module',
  async () => {
    const hook = { events: ['tools/call'], phase: 'request' }
    for (const failOpen of [false, true]) {
      const { run, asked } = await module(
        [{ name: 'v', type: 'validation', hook }],
        {},
        { maxBytes: 30, failOpen },
      )
      if (failOpen) expect(await run()).toBe(result)
      else
        expect((await errorOf(run())).message).toMatch(
          /refused and did not reach the server because the module `\w+` .*at most 30 bytes/,
        )
      expect(asked).toEqual([])
    }
  },
)
