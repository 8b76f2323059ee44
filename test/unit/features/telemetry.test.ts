import { expect, test, vi } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { openTelemetry } from '../../../src/features/telemetry/index.ts'
import { embedded, type ToolServer, toolServer } from '../../support/embedded.ts'
import { collector } from '../../support/otlp.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const META = {
  traceparent: `00-${TRACE}-${PARENT}-01`,
  tracestate: 'rojo=00f067aa0ba902b7',
  baggage: 'user=alice',
  kept: 'as it came',
}

function shop(): ToolServer {
  return toolServer({
    rows: {
      annotations: { readOnlyHint: true },
      run: () => JSON.stringify(Array.from({ length: 400 }, (_, id) => ({ id, state: 'open' }))),
    },
    fail: { run: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) },
    ask: {
      run: async (_, __, call) => {
        const params = { messages: [], maxTokens: 1, _meta: { traceparent: `00-${TRACE}-${PARENT}-01` } }
        return JSON.stringify(await call.request({ method: 'sampling/createMessage', params }))
      },
    },
  })
}

/** A gateway that tells the collector, with a server that notes what it is sent. */
async function world(telemetry: Record<string, unknown>, status?: number) {
  const server = shop()
  const told = await collector(status)
  const proxy = await embedded({
    servers: { shop: server.serve },
    settings: {
      exposure: 'passthrough',
      telemetry: { enabled: true, endpoint: told.url, ...telemetry } as never,
    },
    capabilities: { sampling: {} },
  })
  const call = (name: string, args: Record<string, unknown> = {}, _meta?: object) =>
    proxy.client.callTool({ name, arguments: args, ...(_meta && { _meta: { ..._meta } }) })
  return { ...proxy, server, told, call }
}

test('the trace of a client goes through the proxy to the server, and the spans have the names of the conventions', async () => {
  const { call, server, told, gateway } = await world({ headers: { 'x-key': 'k' }, serviceName: 'desk' })
  await call('shop_rows', {}, META)
  await call('shop_fail')
  await expect(call('nowhere')).rejects.toThrow()
  await gateway.close()

  const of = (name: string, kind: number) =>
    told.spans.filter((span) => span.name === name && span.kind === kind)
  const [outer] = of('tools/call shop_rows', 2)
  const [inner] = of('tools/call rows', 3)
  expect(outer).toMatchObject({
    traceId: TRACE,
    parentId: PARENT,
    traceState: META.tracestate,
    status: 0,
    attributes: {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'shop_rows',
      'mcp.protocol.version': expect.stringMatching(/^20/),
      'mcp.session.id': expect.stringMatching(/^[0-9a-f]{8}$/),
      'network.transport': 'pipe',
      'mcp_rlm_proxy.client': 'embedder 1',
      'mcp_rlm_proxy.kept': true,
      'mcp_rlm_proxy.tokens.original': expect.any(Number),
      'mcp_rlm_proxy.tokens.delivered': expect.any(Number),
    },
  })
  expect(inner).toMatchObject({
    traceId: TRACE,
    parentId: outer?.spanId,
    attributes: {
      'gen_ai.tool.name': 'rows',
      'mcp_rlm_proxy.server': 'shop',
      'network.transport': 'pipe',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
    },
  })
  // The server reads the span of the proxy as its parent, and everything else as the client wrote it.
  const { traceparent, ...rest } = (server.calls[0]?._meta ?? {}) as Record<string, string>
  expect(traceparent).toBe(`00-${TRACE}-${inner?.spanId}-01`)
  expect(rest).toMatchObject({ tracestate: META.tracestate, baggage: META.baggage, kept: META.kept })

  // A trace begins where the client sends none. A result that says that it is an error makes the span one.
  const [failed] = of('tools/call shop_fail', 2)
  expect(failed).toMatchObject({ parentId: '', status: 2, attributes: { 'error.type': 'tool_error' } })
  expect(failed?.traceId).not.toBe(TRACE)
  expect(server.calls[1]?._meta).toMatchObject({ traceparent: expect.stringContaining(`${failed?.traceId}`) })
  expect(of('tools/call nowhere', 2)[0]).toMatchObject({
    status: 2,
    attributes: { 'error.type': '-32602', 'rpc.response.status_code': '-32602' },
  })

  // Metrics: a name that no server has is no value of one.
  const named = told.points.filter(({ name }) => name === 'mcp.server.operation.duration')
  expect(named.map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual(
    expect.arrayContaining(['shop_rows', 'shop_fail']),
  )
  expect(JSON.stringify(named)).not.toContain('nowhere')
  expect(named[0]).toMatchObject({ unit: 's', count: 1, bounds: expect.arrayContaining([0.01, 300]) })
  expect(told.points.map(({ name }) => name)).toContain('mcp.client.operation.duration')
  expect(told.points.map(({ name }) => name)).toContain('mcp.server.session.duration')
  expect(told.resource).toMatchObject({ 'service.name': 'desk' })
  expect(told.headers[0]).toMatchObject({ 'x-key': 'k', 'content-type': 'application/x-protobuf' })
})

test('a question of a server to the client is a span in the trace that the server says', async () => {
  const { call, told, gateway, client } = await world({})
  const asked: unknown[] = []
  client.fallbackRequestHandler = async ({ params }) => {
    asked.push(params?._meta)
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'yes' } }
  }
  await call('shop_ask')
  await gateway.close()
  const question = told.spans.find(({ name }) => name === 'sampling/createMessage')
  expect(question).toMatchObject({ kind: 3, traceId: TRACE, parentId: PARENT })
  expect(asked).toEqual([{ traceparent: `00-${TRACE}-${question?.spanId}-01` }])
})

test('what is no trace begins a new one, and what hostile clients write is cut', async () => {
  const { call, server, told, gateway } = await world({})
  const traceparents = [
    '',
    'x',
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    7,
    { a: 1 },
    `00-${TRACE}-${PARENT}-01`.repeat(999),
  ]
  for (const traceparent of traceparents) await call('shop_fail', {}, { traceparent, tracestate: 'a=b' })
  await call('x'.repeat(5_000)).catch(() => {})
  await gateway.close()
  for (const { _meta } of server.calls) {
    expect((_meta as { traceparent: string }).traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(_meta as object).not.toHaveProperty('tracestate')
  }
  expect(told.spans.filter(({ parentId, kind }) => kind === 2 && parentId !== '')).toEqual([])
  expect(Math.max(...told.spans.map((span) => JSON.stringify(span).length))).toBeLessThan(3_000)
})

test('a client that is not sampled, and a share of 0, send no span, and the trace goes on', async () => {
  const { call, server, told, gateway } = await world({ sampleRatio: 0 })
  await call('shop_fail', {}, { traceparent: `00-${TRACE}-${PARENT}-00` })
  await call('shop_fail')
  await gateway.close()
  expect(told.spans).toEqual([])
  expect(server.calls[0]?._meta).toMatchObject({ traceparent: expect.stringMatching(`^00-${TRACE}-.*-00$`) })
})

test('where nothing is configured the context of the client passes as it came', async () => {
  const server = shop()
  const { client } = await embedded({
    servers: { shop: server.serve },
    settings: { exposure: 'passthrough' },
  })
  await client.callTool({ name: 'shop_fail', arguments: {}, _meta: { ...META } })
  expect(server.calls[0]?._meta).toEqual(META)
})

test('a collector that refuses costs a line of the log', async () => {
  const told = await collector(400)
  const warn = vi.fn()
  const config = parseConfig({
    mcpServers: {},
    proxySettings: { telemetry: { enabled: true, endpoint: `${told.url}/` } },
  })
  const telemetry = await openTelemetry(config, { logger: { warn } as never, elapsed: () => 0 })
  const backend = telemetry.watching({ handler: async () => ({}), opened() {}, closed() {} } as never)
  const client = { id: 'c', era: 'modern', info: {}, agent: { id: 'a' }, protocolVersion: '2026-07-28' }
  const exchange = { method: 'tools/list', params: {}, client } as never
  for (let nth = 0; nth < 3; nth++) await backend.handler(exchange)
  await telemetry.close()
  expect(warn).toHaveBeenCalledTimes(1)
  expect(told.spans).toHaveLength(3)
})
