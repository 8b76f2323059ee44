/** Clients and servers of either era, through the whole proxy: a module meets the same questions and answers in all four pairs. */
import { PassThrough } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { describe, expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import { defineModule } from '../../src/module-runtime/module.ts'
import { plain } from '../../src/protocol/content.ts'
import { MODERN_META } from '../../src/protocol/eras.ts'
import { RPC, RpcError } from '../../src/protocol/errors.ts'
import { isObject, type JsonObject } from '../../src/protocol/json.ts'
import type { Transport } from '../../src/protocol/message.ts'
import { Peer } from '../../src/protocol/peer.ts'
import type { Serve } from '../../src/upstream/in-process.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const VERSION = '2026-07-28'
const FORM = { message: 'who?', requestedSchema: { type: 'object', properties: {} } }
const SAMPLE = { messages: [{ role: 'user', content: { type: 'text', text: 'what?' } }], maxTokens: 5 }
const QUESTIONS: Record<string, JsonObject> = {
  form: { method: 'elicitation/create', params: FORM },
  sample: { method: 'sampling/createMessage', params: SAMPLE },
}
const capabilities = { elicitation: { form: {} }, sampling: {} }
const tools = [{ name: 'ask', inputSchema: { type: 'object' } }]

interface Seen {
  /** Calls that ended by being cancelled. */
  cancelled: number
  calls: number
}

/** A server with a tool that asks two things and answers with what it was told. */
const SERVERS: Record<string, (seen: Seen) => Serve> = {
  legacy: (seen) => async (transport) => {
    const peer: Peer = new Peer(transport, {
      async onRequest({ method, params = {} }, { signal, request }) {
        if (method === 'initialize')
          return {
            protocolVersion: params.protocolVersion ?? '',
            capabilities: { tools: {} },
            serverInfo: { name: 's', version: '1' },
          }
        if (method === 'tools/list') return { tools }
        if (method !== 'tools/call') throw new RpcError(RPC.methodNotFound, method)
        seen.calls++
        signal.addEventListener('abort', () => void seen.cancelled++)
        const answers = await Promise.all(
          Object.entries(QUESTIONS).map(async ([key, question]) => {
            const asked = request({ method: String(question.method), params: question.params as JsonObject })
            return [key, plain(await asked)] as const
          }),
        )
        return { content: [{ type: 'text', text: JSON.stringify(Object.fromEntries(answers)) }] }
      },
      onNotification() {},
    })
    await peer.start()
  },
  modern: (seen) => async (transport) => {
    const peer = new Peer(transport, {
      async onRequest({ method, params = {} }) {
        const own = { resultType: 'complete' }
        if (method === 'server/discover')
          return {
            ...own,
            supportedVersions: [VERSION],
            capabilities: { tools: {} },
            ttlMs: 0,
            cacheScope: 'private',
          }
        if (method === 'tools/list') return { ...own, tools, ttlMs: 0, cacheScope: 'private' }
        if (method !== 'tools/call') throw new RpcError(RPC.methodNotFound, method)
        seen.calls++
        const { inputResponses, requestState } = params
        if (!isObject(inputResponses))
          return { resultType: 'input_required', inputRequests: QUESTIONS, requestState: 'the server’s' }
        expect(requestState).toBe('the server’s')
        return { ...own, content: [{ type: 'text', text: JSON.stringify(inputResponses) }] }
      },
      onNotification() {},
    })
    await peer.start()
  },
}

/** Calls the tool and answers what it is asked. */
const CLIENTS: Record<
  string,
  (transport: Transport, answer: (request: JsonObject) => JsonObject) => Promise<JsonObject>
> = {
  async legacy(transport, answer) {
    const peer = new Peer(transport, {
      onRequest: async (request) => answer({ ...request }),
      onNotification() {},
    })
    await peer.start()
    const clientInfo = { name: 'c', version: '1' }
    await peer.request({
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
    })
    peer.notify({ method: 'notifications/initialized' })
    return plain(await peer.request({ method: 'tools/call', params: { name: 's_ask', arguments: {} } }))
  },
  async modern(transport, answer) {
    const peer = new Peer(transport, { onRequest: async () => ({}), onNotification() {} })
    await peer.start()
    const _meta = {
      [MODERN_META.protocolVersion]: VERSION,
      [MODERN_META.clientInfo]: { name: 'c', version: '1' },
      [MODERN_META.clientCapabilities]: capabilities,
    }
    const params: JsonObject = { name: 's_ask', arguments: {}, _meta }
    let answers: JsonObject = {}
    for (;;) {
      const result = plain(await peer.request({ method: 'tools/call', params: { ...params, ...answers } }))
      if (result.resultType !== 'input_required') return result
      const asked = Object.entries(result.inputRequests as JsonObject)
      const inputResponses = Object.fromEntries(asked.map(([key, one]) => [key, answer(one as JsonObject)]))
      answers = { inputResponses, requestState: result.requestState ?? null }
    }
  },
}

const ANSWERS: Record<string, JsonObject> = {
  'elicitation/create': { action: 'accept', content: { name: 'me' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'that' } },
}

async function call(client: string, server: string, refused: string[] = []) {
  const seen: Seen = { calls: 0, cancelled: 0 }
  const trace: JsonObject[] = []
  const asked: JsonObject[] = []
  const observe = defineModule({
    name: 'observe',
    options: z.object({}),
    messages: ['elicitation/*', 'sampling/*'],
    create: () => ({
      wrap: (next) => async (exchange) => {
        const { method, params, toward = '' } = exchange
        trace.push({ method, params, toward })
        if (refused.includes(method)) throw new RpcError(RPC.invalidParams, 'refused by a module')
        const result = plain(await next({ ...exchange, params: { ...params, seen: true } }))
        trace.push({ method, result })
        return { ...result, heard: true }
      },
    }),
  })
  const proxySettings = { dataDir: temporaryFolder(), exposure: 'passthrough' }
  const written = { mcpServers: {}, proxySettings, modules: [{ use: 'observe' }] }
  const input = new PassThrough()
  const output = new PassThrough()
  const parts = { modules: [observe], servers: { s: SERVERS[server]?.(seen) as Serve }, input, output }
  const gateway = await createGateway(parseConfig(written, [observe]), parts)
  onTestFinished(() => gateway.close())
  await gateway.start()
  const transport = new StdioServerTransport(output, input) as unknown as Transport
  const ran = CLIENTS[client]?.(transport, (request) => {
    asked.push({ method: request.method ?? null, params: request.params ?? null })
    return ANSWERS[String(request.method)] ?? {}
  })
  const outcome = await (ran as Promise<JsonObject>).then(
    (result) => ({ result }),
    (error: RpcError) => ({ error: [error.code, error.message] }),
  )
  const byMethod = (a: JsonObject, b: JsonObject): number => (String(a.method) < String(b.method) ? -1 : 1)
  return { outcome, trace: trace.toSorted(byMethod), asked: asked.toSorted(byMethod), seen }
}

const pairs = ['legacy', 'modern'].flatMap((client) =>
  ['legacy', 'modern'].map((server) => [client, server] as const),
)

describe.each(pairs)('a %s client at a %s server', (client, server) => {
  verifies('S2.11 S2.13', 'a module sees and changes questions and answers', async () => {
    const { outcome, trace, asked } = await call(client, server)
    expect(trace).toEqual([
      { method: 'elicitation/create', params: FORM, toward: 'client' },
      { method: 'elicitation/create', result: ANSWERS['elicitation/create'] },
      { method: 'sampling/createMessage', params: SAMPLE, toward: 'client' },
      { method: 'sampling/createMessage', result: ANSWERS['sampling/createMessage'] },
    ])
    expect(asked).toEqual([
      { method: 'elicitation/create', params: { ...FORM, seen: true } },
      { method: 'sampling/createMessage', params: { ...SAMPLE, seen: true } },
    ])
    const { content } = (outcome as { result: JsonObject }).result
    expect(JSON.parse(String((content as JsonObject[])[0]?.text))).toEqual({
      form: { ...ANSWERS['elicitation/create'], heard: true },
      sample: { ...ANSWERS['sampling/createMessage'], heard: true },
    })
  })

  verifies('S2.34', 'a question that a module refuses is not asked, and the call ends', async () => {
    const { outcome, asked, seen } = await call(client, server, [
      'elicitation/create',
      'sampling/createMessage',
    ])
    expect(JSON.stringify(outcome)).toContain('refused by a module')
    expect(asked).toEqual([])
    expect(seen.calls).toBe(1)
    // A server that waits for its answer gets a cancellation.
    if (client === 'modern' && server === 'legacy') await expect.poll(() => seen.cancelled).toBe(1)
  })
})
