/** A question in a result of a server (MCP 2026-07-28) takes the way through the modules that a request of a server takes. */
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { ModuleDefinition } from '../../src/module-runtime/module.ts'
import { plain } from '../../src/protocol/content.ts'
import { RPC, RpcError } from '../../src/protocol/errors.ts'
import type { Exchange, Handler } from '../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import { deepFreeze } from '../support/deep-freeze.ts'
import { moduleWorld } from '../support/module-world.ts'
import { client as fakeClient } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const script = fileURLToPath(new URL('../support/servers/interceptors.mjs', import.meta.url))
const program = (...interceptors: JsonObject[]): JsonObject => ({
  ...{ command: process.execPath, args: [script, JSON.stringify({ interceptors })], name: 'm' },
  // A busy machine takes its time to start a module.
  timeoutMs: 120_000,
})
const one = (does: string, type: string, phase: string, ...events: string[]): JsonObject => ({
  ...{ name: does, does, type, hook: { events, phase } },
})

const says = (text: string): JsonObject => ({ content: { type: 'text', text } })
const SAMPLING = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', ...says('what is it?') }], maxTokens: 5 },
}
const FORM = { method: 'elicitation/create', params: { message: 'who are you?', requestedSchema: {} } }
const SAID = { role: 'assistant', model: 'm', ...says('this') }
const FILLED = { action: 'accept', content: { name: 'me' } }
const STATE = 'k3bX9/vTQ2mZ+s8LwPq0aY7uJdRf1eGh'

/** Asks until it has an answer to each question, and gives them back. */
function asking(inputRequests: JsonObject): Handler {
  return async ({ params }) => {
    const { inputResponses, requestState } = params
    if (inputResponses === undefined)
      return deepFreeze({ resultType: 'input_required', inputRequests, requestState: STATE })
    return { content: [], answers: inputResponses, ...(requestState !== undefined && { requestState }) }
  }
}

const call = { name: 'a_ask', arguments: { q: 1 } }

async function world(
  modules: JsonObject[],
  inputRequests: JsonObject = { sample: SAMPLING, form: FORM },
  options: { definitions?: ModuleDefinition[]; server?: Handler } = {},
) {
  const client = { ...fakeClient(), era: 'modern' as const }
  const made = await moduleWorld(modules, { server: asking(inputRequests), client, ...options })
  await made.modules.check()
  return {
    ...made,
    client,
    first: () => made.ask('tools/call', call),
    next: ({ requestState }: JsonObject, inputResponses?: JsonObject) =>
      made.ask('tools/call', {
        ...{ ...call, requestState: requestState ?? null },
        ...(inputResponses && { inputResponses }),
      }),
    raw: made.raw,
  }
}

/** A module of one layer around what clients are asked. */
function layer(name: string, wrap: (next: Handler, exchange: Exchange) => ReturnType<Handler>) {
  return {
    name,
    options: z.object({}),
    messages: ['sampling/*', 'elicitation/*', 'roots/*'],
    create: () => ({ wrap: (next: Handler) => (exchange: Exchange) => wrap(next, exchange) }),
  } as ModuleDefinition
}

const errorOf = (work: Promise<unknown>): Promise<RpcError> =>
  work.then(
    (result) => Promise.reject(new Error(`passed: ${JSON.stringify(result)}`)),
    (error: RpcError) => error,
  )

describe('questions by results', () => {
  verifies(
    'S2.11 S2.13',
    'pass the same layers, in the same order, with the same content as requests of a server',
    async () => {
      const trace: unknown[] = []
      const probe = (name: string) =>
        layer(name, async (next, exchange) => {
          const { method, params, toward, client } = exchange
          trace.push([name, '>', method, params, toward, client.id])
          const answer = plain(await next({ ...exchange, params: { ...params, by: name } }))
          trace.push(['<', name, answer])
          return { ...answer, to: name }
        })
      const definitions = [probe('outer'), probe('inner')]
      const { first, next, client, askClient } = await world(
        [{ use: 'outer' }, { use: 'inner' }],
        { sample: SAMPLING },
        { definitions },
      )
      const legacy = await askClient(SAMPLING.method, SAMPLING.params, async ({ params }) => {
        expect(params).toEqual({ ...SAMPLING.params, by: 'outer' })
        return SAID
      })
      const before = trace.splice(0)
      expect(before.map((entry) => (entry as unknown[]).slice(0, 2).join(' '))).toEqual([
        'inner >',
        'outer >',
        '< outer',
        '< inner',
      ])

      const asked = await first()
      expect(asked).toEqual({
        resultType: 'input_required',
        inputRequests: {
          sample: { method: SAMPLING.method, params: { ...SAMPLING.params, by: 'outer' } },
        },
        requestState: expect.any(String),
      })
      // The half of it that is over by now: the answer has not come yet.
      expect(trace).toEqual(before.slice(0, 2))
      const { answers, requestState } = await next(asked, { sample: SAID })
      expect(trace).toEqual(before)
      expect(answers).toEqual({ sample: legacy })
      expect(requestState).toBe(STATE)
      expect(client.asked).toEqual([])
    },
  )

  verifies(
    'S2.11 S2.34',
    'are changed by an external module that declared them, as are the answers',
    async () => {
      const { first, next } = await world([
        program(one('shout', 'mutation', 'both', 'sampling/createMessage')),
      ])
      const asked = await first()
      expect(asked.inputRequests).toMatchObject({
        sample: { params: { messages: [{ content: { text: 'WHAT IS IT?' } }] } },
        form: FORM,
      })
      const { answers } = await next(asked, { sample: SAID, form: FILLED })
      expect(answers).toMatchObject({ sample: { content: { text: 'THIS' } }, form: FILLED })
    },
  )

  verifies(
    'S2.34',
    'are refused: the call fails, the client is not asked, and neither is the server',
    async () => {
      let withdrawn = 0
      const watch = layer('watch', (next, exchange) => {
        exchange.signal.addEventListener('abort', () => void withdrawn++)
        return next(exchange)
      })
      const { first, sent } = await world(
        [program(one('deny', 'validation', 'request', 'elicitation/create')), { use: 'watch' }],
        undefined,
        { definitions: [watch] },
      )
      const { code, message } = await errorOf(first())
      expect([code, message]).toEqual([RPC.invalidParams, 'Refused by the module `m`: denied by policy'])
      // Only who holds the call for the server is told.
      expect(sent.map(({ isOver }) => isOver)).toEqual([undefined, true])
      expect(withdrawn).toBe(2)
      // So are answers.
      const late = await world([program(one('deny', 'validation', 'response', 'roots/list'))], {
        roots: { method: 'roots/list' },
      })
      const asked = await late.first()
      expect((await errorOf(late.next(asked, { roots: { roots: [] } }))).code).toBe(RPC.invalidParams)
      expect(late.sent.filter(({ isOver }) => !isOver)).toHaveLength(1)
    },
  )

  verifies('S2.34', 'may be answered by a module in place of the client', async () => {
    const answer = layer('answer', async (next, exchange) =>
      exchange.method === 'elicitation/create' ? { action: 'decline' } : next(exchange),
    )
    const { first, next, sent } = await world([{ use: 'answer' }], undefined, { definitions: [answer] })
    const asked = await first()
    expect(Object.keys(asked.inputRequests as JsonObject)).toEqual(['sample'])
    expect((await next(asked, { sample: SAID, form: FILLED })).answers).toEqual({
      sample: SAID,
      form: { action: 'decline' },
    })
    // Where nothing is left to ask, the client hears of nothing.
    const alone = await world([{ use: 'answer' }], { form: FORM }, { definitions: [answer] })
    expect((await alone.first()).answers).toEqual({ form: { action: 'decline' } })
    expect(sent).toHaveLength(2)
    const endless = await world(
      [{ use: 'answer' }],
      {},
      {
        definitions: [answer],
        server: async () => ({ resultType: 'input_required', inputRequests: { form: FORM } }),
      },
    )
    expect((await errorOf(endless.first())).message).toMatch(/still asked for input/)
  })

  test('a module may ask again, and unanswered questions stay open', async () => {
    const twice = layer('twice', async (next, exchange) => {
      const { model } = plain(await next(exchange))
      return next({ ...exchange, params: { ...exchange.params, heard: model ?? null } })
    })
    const { first, next, sent } = await world([{ use: 'twice' }], undefined, { definitions: [twice] })
    const asked = await first()
    const again = await next(asked, { sample: SAID })
    expect(again.inputRequests).toMatchObject({ sample: { params: { heard: 'm' } }, form: FORM })
    const third = await next(again, { form: FILLED, sample: SAID })
    expect(Object.keys(third.inputRequests as JsonObject)).toEqual(['form'])
    expect(sent).toHaveLength(1)
    expect((await next(third, { form: FILLED })).answers).toEqual({ sample: SAID, form: FILLED })
  })

  verifies(
    'S2.38',
    "a state works once, for its client and call, and the server's state stays in the proxy",
    async () => {
      const { first, next, sent, raw } = await world([{ use: 'log' }])
      const asked = await first()
      expect(JSON.stringify(asked)).not.toContain(STATE)
      const responses = { sample: SAID, form: FILLED }
      const other = { ...fakeClient(), era: 'modern' as const }
      const params = { ...call, requestState: asked.requestState ?? null, inputResponses: responses }
      for (const wrong of [
        raw('tools/call', params, { client: other }),
        raw('tools/call', { ...params, name: 'b_other' }),
        raw('prompts/get', params),
        next({ requestState: `${String(asked.requestState)}x` }, responses),
      ])
        expect((await errorOf(wrong)).message).toMatch(/^Invalid requestState/)
      expect(sent).toHaveLength(1)
      expect((await next(asked, responses)).answers).toEqual(responses)
      expect((await errorOf(next(asked, responses))).code).toBe(RPC.invalidParams)
      // Answers to questions that no module has seen are none: the server asks again.
      expect(await raw('tools/call', { ...call, inputResponses: responses })).toHaveProperty('inputRequests')
      // A state of a server's own is left to the server.
      const answered = await raw('tools/call', { ...call, requestState: 'own' })
      expect(sent.at(-1)?.params.requestState).toBe('own')
      expect(answered).toHaveProperty('inputRequests')
    },
  )

  verifies('S2.30', 'a module that declared only calls sees no questions, answers or states', async () => {
    const { first, next, sent } = await world([
      { ...program(one('say', 'mutation', 'response', 'tools/call')), name: 'results' },
      { ...program(one('log', 'mutation', 'request', 'tools/call')), name: 'calls' },
    ])
    const asked = await first()
    expect(asked.inputRequests).toEqual({ sample: SAMPLING, form: FORM })
    const { content } = await next(asked, { sample: SAID, form: FILLED })
    // The server is told all of it beside what the module made of the call, once for each round.
    const { received, inputResponses, requestState } = sent.at(-1)?.params ?? {}
    expect([received, inputResponses, requestState]).toMatchObject([
      [{ phase: 'request' }, { phase: 'request' }],
      { sample: SAID },
      STATE,
    ])
    const { payload } = JSON.parse(String((content as JsonObject[])[0]?.text)) as JsonObject
    expect(isObject(payload) && payload.resultType).toBe(undefined)
  })

  verifies('S2.13', 'without a module that wants them nothing is touched', async () => {
    const { first, raw, sent } = await world([{ use: 'block', tools: ['nothing'] }])
    expect((await first()).requestState).toBe(STATE)
    const params = { ...call, requestState: STATE, inputResponses: { sample: SAID } }
    await raw('tools/call', params)
    expect(sent.at(-1)?.params).toBe(params)
  })

  test('secrets are struck out of questions, and the state of the server survives it', async () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    const { first, next } = await world([{ use: 'redact', arguments: true }], {
      form: { ...FORM, params: { message: `use ${secret}?` } },
    })
    const asked = await first()
    expect(JSON.stringify(asked)).not.toContain(secret)
    const { answers, requestState } = await next(asked, { form: FILLED })
    expect([answers, requestState]).toEqual([{ form: FILLED }, expect.any(String)])
  })

  test('a server that only wants to be asked again is', async () => {
    const server: Handler = async ({ params }) =>
      params.requestState === STATE
        ? { content: [], done: true }
        : { resultType: 'input_required', requestState: STATE }
    const { first, next } = await world([{ use: 'redact' }], {}, { server })
    const asked = await first()
    expect(asked).toEqual({ resultType: 'input_required', requestState: expect.any(String) })
    expect(await next(asked)).toMatchObject({ done: true })
  })

  test('a waiting question survives a change of modules and ends with the proxy', async () => {
    const { first, next, configure } = await world([{ use: 'log' }])
    const asked = await first()
    await configure([])
    expect((await next(asked, { sample: SAID, form: FILLED })).answers).toEqual({
      sample: SAID,
      form: FILLED,
    })
    let end: unknown
    const watch = layer('watch', async (next, exchange) => {
      try {
        return await next(exchange)
      } catch (error) {
        end = error
        throw error
      }
    })
    const ending = await world([{ use: 'watch' }], undefined, { definitions: [watch] })
    const last = await ending.first()
    await ending.modules.close()
    expect((end as RpcError).message).toMatch(/withdrawn/)
    expect((await errorOf(ending.next(last, { sample: SAID }))).message).toMatch(/^Invalid requestState/)
  })

  test('a client that leaves takes its questions along', async () => {
    const controller = new AbortController()
    const slow = layer('slow', (_, { signal }) => {
      controller.abort(new Error('the client left'))
      return new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason)
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    })
    const { raw } = await world([{ use: 'slow' }], undefined, { definitions: [slow] })
    await expect(raw('tools/call', call, { signal: controller.signal })).rejects.toThrow('the client left')
  })

  test('invalid questions fail the call', async () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`q${at}`, FORM]))
    for (const inputRequests of [many, { a: 'text' }, { a: { params: {} } }, { a: FORM, b: { method: 5 } }]) {
      const { first } = await world([{ use: 'log' }], inputRequests as JsonObject)
      expect(await errorOf(first())).toBeInstanceOf(RpcError)
    }
    const odd = JSON.parse('{"__proto__":{"method":"roots/list"},"constructor":{"method":"roots/list"}}')
    const { first, next } = await world([{ use: 'log' }], odd)
    const asked = await first()
    expect(Object.keys(asked.inputRequests as object)).toEqual(['__proto__', 'constructor'])
    const answers = JSON.parse('{"__proto__":{"roots":[1]},"constructor":{"roots":[2]}}')
    expect(Object.entries((await next(asked, answers)).answers as object)).toEqual(Object.entries(answers))
  })
})
