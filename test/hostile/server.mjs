/**
 * A server that attacks, over standard input and output, or over HTTP on loopback. Usage: node server.mjs <attack> <moment>
 * `moment`: `start` before any message, `ready` after the handshake, `call` when a tool is called, `http` as a stream of events.
 * With `http` it prints its address.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const [attack = 'none', moment = 'ready'] = process.argv.slice(2)
const VERSION = '2025-11-25'
const big = (size) => 'x'.repeat(size)
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const log = (data) => ({ method: 'notifications/message', params: { level: 'info', data } })
let nextId = 0

/** What is written again and again, as fast as it is read. */
const FLOODS = {
  y: () => 'y\n'.repeat(30_000),
  blank: () => '\n'.repeat(60_000),
  'long-garbage': () => `${big(2000)}\n`.repeat(30),
  braces: () => '{\n'.repeat(30_000),
  'half-json': () => '{"jsonrpc":"2.0","id":\n'.repeat(3000),
  binary: () => Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * 7919) % 256)),
  'no-jsonrpc': () => '{"hello":"world"}\n'.repeat(3000),
  notifications: () => line(log('x')).repeat(1000),
  progress: () =>
    line({ method: 'notifications/progress', params: { progressToken: 1, progress: ++nextId } }).repeat(1000),
  'list-changed': () => line({ method: 'notifications/tools/list_changed' }).repeat(1000),
  updated: () => line({ method: 'notifications/resources/updated', params: { uri: 'a:b' } }).repeat(1000),
  cancelled: () => line({ method: 'notifications/cancelled', params: { requestId: 1 } }).repeat(1000),
  'unknown-notification': () => line({ method: 'notifications/none', params: {} }).repeat(1000),
  pings: () => Array.from({ length: 1000 }, () => line({ id: ++nextId, method: 'ping' })).join(''),
  questions: () =>
    Array.from({ length: 200 }, () =>
      line({ id: ++nextId, method: 'sampling/createMessage', params: { messages: [], text: big(3000) } }),
    ).join(''),
  'same-question': () => line({ id: 1, method: 'roots/list' }).repeat(1000),
  'unknown-request': () => line({ id: 'x', method: 'none/none' }).repeat(1000),
  'strange-answers': () => line({ id: 999_999, result: {} }).repeat(1000),
  'strange-errors': () => line({ id: null, error: { code: -1, message: 'x' } }).repeat(1000),
  batches: () => `[${line(log('x')).trim().concat(',').repeat(500)}{"jsonrpc":"2.0","method":"x"}]\n`,
  'deep-notification': () => line(log(0)).replace('0}', `${'['.repeat(50_000)}${']'.repeat(50_000)}}`),
  'dense-notification': () => line(log('@')).replace('"@"', `[${'[],'.repeat(1_000_000)}1]`),
  'long-notification': () => line(log(big(8_000_000))),
  'many-keys': () =>
    line(log(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`key${at}`, at])))),
  'long-error': () => line({ id: 12_345, error: { code: -1, message: big(6_000_000) } }),
  'long-method': () => line({ method: big(1_000_000) }),
}

/** What is done instead of being a server that answers. */
const LISTS = {
  'endless-pages': (id) => ({ id, result: { tools: [tool(`t${++nextId}`)], nextCursor: `c${nextId}` } }),
  'fat-pages': (id) => ({
    id,
    result: {
      tools: [{ ...tool(`t${++nextId}`), description: big(1_000_000) }],
      nextCursor: `c${nextId}`,
    },
  }),
  'fat-cursor': (id) => ({ id, result: { tools: [], nextCursor: `${++nextId}${big(100_000)}` } }),
  'many-tools': (id) => ({ id, result: { tools: Array.from({ length: 5000 }, (_, at) => tool(`t${at}`)) } }),
  'dense-list': (id) => ({
    id,
    result: { tools: [{ ...tool('t'), _meta: { x: Array.from({ length: 3_000_000 }, () => 1) } }] },
  }),
}

function tool(name) {
  return { name, inputSchema: { type: 'object' } }
}

async function flood(write) {
  for (;;) {
    const more = FLOODS[attack]?.()
    if (more === undefined) return
    await write(more)
  }
}

/** One byte or half a line after the other. */
function drip(write) {
  const half = attack === 'drip-lines' ? '{"jsonrpc":"2.0",\n' : '{"jsonrpc":"2.0","method":"'
  if (attack.startsWith('drip')) setInterval(() => write(attack === 'drip-bytes' ? 'x' : half), 1)
}

function answerTo({ id, method, params = {} }) {
  if (method === 'initialize')
    return {
      id,
      result: {
        protocolVersion: params.protocolVersion ?? VERSION,
        capabilities: { tools: {}, resources: {}, logging: {} },
        serverInfo: { name: 'hostile', version: '1' },
      },
    }
  if (method === 'tools/list') return LISTS[attack]?.(id) ?? { id, result: { tools: [tool('attack')] } }
  if (method === 'tools/call' && attack === 'never') return undefined
  return { id, result: method?.startsWith('resources') ? { resources: [], resourceTemplates: [] } : {} }
}

function overStdio() {
  const write = (text) =>
    new Promise((resolve) => {
      if (process.stdout.write(text)) setImmediate(resolve)
      else process.stdout.once('drain', resolve)
    })
  const begin = () => {
    void flood(write)
    drip(write)
  }
  process.stdout.on('error', () => process.exit(0))
  process.on('SIGTERM', () => attack !== 'deaf' && process.exit(0))
  if (moment === 'start') begin()
  createInterface({ input: process.stdin })
    .on('line', (text) => {
      const message = JSON.parse(text)
      if (attack === 'silent') return
      const answer = message.id === undefined || message.method === undefined ? undefined : answerTo(message)
      if (answer) process.stdout.write(line(answer))
      if (moment === 'ready' && message.method === 'notifications/initialized') begin()
      if (moment === 'call' && message.method === 'tools/call') begin()
    })
    .on('close', () => attack !== 'deaf' && process.exit(0))
  if (attack === 'deaf') setInterval(() => {}, 1000)
}

function overHttp() {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method === 'GET') return stream(response)
    const message = JSON.parse(body || '{}')
    if (message.id === undefined) return response.writeHead(202).end()
    if (message.method === 'tools/call') return stream(response)
    const answer = answerTo(message)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(line(answer ?? { id: message.id, result: {} }))
  })
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`)
  })
  const stream = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.on('error', () => {})
    const write = (text) =>
      new Promise((resolve) => {
        const events = String(text)
          .split('\n')
          .filter((one) => one !== '')
          .map((one) => `data: ${one}\n\n`)
        if (response.write(attack === 'comments' ? ': x\n'.repeat(20_000) : events.join('')))
          setImmediate(resolve)
        else response.once('drain', resolve)
      })
    void flood(write)
  }
}

if (attack === 'comments') FLOODS.comments = () => ''
if (moment === 'http') overHttp()
else overStdio()
process.stdin.on('end', () => attack !== 'deaf' && process.exit(0))
