/**
 * A server of interceptors, written from the published proposal (SEP-1763), without an SDK. `options.interceptors`: what it offers, each with
 * a `does`. `options.http`: over streamable HTTP, its address is the first line on standard output.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const options = JSON.parse(process.argv[2] ?? '{}')
const received = []

const shout = (value) => {
  if (typeof value === 'string') return value.toUpperCase()
  if (Array.isArray(value)) return value.map(shout)
  if (value === null || typeof value !== 'object') return value
  const kept = new Set(['name', 'type', 'uri', 'method', 'role', '_meta'])
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, kept.has(key) ? inner : shout(inner)]),
  )
}

/** What an interceptor does with a message. */
const deeds = {
  pass: ({ type }) => (type === 'mutation' ? { modified: false } : { valid: true }),
  shout: (_, { payload }) => ({ modified: true, payload: shout(payload) }),
  deny: () => ({
    valid: false,
    severity: 'error',
    messages: [{ message: 'denied by policy', severity: 'error' }],
  }),
  warn: () => ({ valid: false, severity: 'warn', messages: [{ message: 'a remark', severity: 'warn' }] }),
  other: () => ({ modified: true, payload: { somethingElse: true } }),
  answer: () => ({
    modified: true,
    _meta: { 'mcp-rlm-proxy/answer': { content: [{ type: 'text', text: 'answered by the module' }] } },
  }),
  fail: () => {
    throw new Error('the interceptor failed')
  },
  huge: (_, { payload }) => ({
    modified: true,
    payload: { ...payload, filler: 'x'.repeat(options.size ?? 100_000_000) },
  }),
  hang: () => new Promise(() => {}),
  loop: () => {
    for (;;);
  },
  exit: () => process.exit(3),
  say: (_, params) => ({
    modified: true,
    payload: { content: [{ type: 'text', text: JSON.stringify(params) }] },
  }),
  seen: () => ({ modified: true, payload: { content: [{ type: 'text', text: JSON.stringify(received) }] } }),
}

async function answer(method, params = {}) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { extensions: { 'io.modelcontextprotocol/interceptors': { supportedEvents: ['*'] } } },
      serverInfo: { name: 'interceptors', version: '1' },
    }
  if (method === 'ping') return {}
  if (method === 'interceptors/list')
    return { interceptors: (options.interceptors ?? []).map(({ does: _, ...descriptor }) => descriptor) }
  if (method !== 'interceptor/invoke') throw Object.assign(new Error('unknown method'), { code: -32601 })
  const one = options.interceptors.find(({ name }) => name === params.name)
  received.push({ event: params.event, phase: params.phase, name: params.name })
  const { name: interceptor, type } = one
  return { interceptor, type, phase: params.phase, ...(await deeds[one.does](one, params)) }
}

async function reply({ id, method, params }) {
  try {
    return { jsonrpc: '2.0', id, result: await answer(method, params) }
  } catch (error) {
    return { jsonrpc: '2.0', id, error: { code: error.code ?? -32603, message: error.message } }
  }
}

if (options.http) {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    let body = ''
    for await (const chunk of request) body += chunk
    const message = JSON.parse(body)
    if (message.id === undefined) return response.writeHead(202).end()
    const text = JSON.stringify(await reply(message))
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`))
  process.stdin.on('end', () => process.exit(0)).resume()
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line)
    if (message.id !== undefined)
      void reply(message).then((text) => process.stdout.write(`${JSON.stringify(text)}\n`))
  }
}
