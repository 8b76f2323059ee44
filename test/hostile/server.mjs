/**
 * A server that attacks, over standard input and output, or over HTTP on loopback. Usage: node server.mjs <attack> <moment>
 * `moment`: `start` before any message, `ready` after the handshake, `call` when a tool is called, `http` in streams of events.
 * With `http` it prints its address. Without an attack it prints the names of all, as JSON by kind. `none` is an honest server.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'

const [attack, moment = 'ready'] = process.argv.slice(2)
const VERSION = '2025-11-25'
const big = (size, of = 'x') => of.repeat(size)
const range = (count, make) => Array.from({ length: count }, (_, at) => make(at))
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const log = (data) => ({ method: 'notifications/message', params: { level: 'info', data } })
/** Text that would take long to make by `JSON.stringify`, in the place of a mark. */
const withText = (message, text) => line(message).replace('"@"', text)
const deep = (levels) => `${big(levels, '[')}${big(levels, ']')}`
const dense = (count) => `[${big(count, '[],')}1]`
const keys = (count) => Object.fromEntries(range(count, (at) => [`key${at}`, at]))
const tool = (name, more) => ({ name, inputSchema: { type: 'object' }, ...more })
let nextId = 0

/** Texts that are written again and again, as fast as they are read. */
const FLOODS = {
  y: () => big(30_000, 'y\n'),
  blank: () => big(60_000, '\n'),
  spaces: () => big(20, `${big(100_000, ' ')}\n`),
  'carriage-returns': () => big(30_000, '\r\n'),
  'long-garbage': () => big(30, `${big(2000)}\n`),
  braces: () => big(30_000, '{\n'),
  'half-json': () => big(3000, '{"jsonrpc":"2.0","id":\n'),
  binary: () => Buffer.from(range(60_000, (at) => (at * 7919) % 256)),
  'nul-bytes': () => `${big(60_000, '\0')}\n`,
  'bad-utf8': () =>
    Buffer.concat(
      range(500, () => Buffer.from([...Buffer.from('{"jsonrpc":"2.0","method":"'), 255, 254, 34, 125, 10])),
    ),
  'no-jsonrpc': () => big(3000, '{"hello":"world"}\n'),
  'empty-objects': () => big(5000, '{}\n'),
  'empty-batches': () => big(5000, '[]\n'),
  scalars: () => big(5000, '1\n"x"\nnull\n'),
  notifications: () => line(log('x')).repeat(1000),
  progress: () =>
    line({ method: 'notifications/progress', params: { progressToken: 1, progress: ++nextId } }).repeat(1000),
  'progress-tokens': () =>
    range(1000, (at) =>
      line({ method: 'notifications/progress', params: { progressToken: at, progress: ++nextId } }),
    ).join(''),
  'progress-texts': () =>
    line({
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1, message: big(100_000) },
    }).repeat(10),
  'list-changed': () => line({ method: 'notifications/tools/list_changed' }).repeat(1000),
  'all-changed': () =>
    ['tools', 'prompts', 'resources']
      .map((kind) => line({ method: `notifications/${kind}/list_changed` }))
      .join('')
      .repeat(300),
  updated: () => line({ method: 'notifications/resources/updated', params: { uri: 'a:b' } }).repeat(1000),
  'updated-many': () =>
    range(200, () =>
      line({ method: 'notifications/resources/updated', params: { uri: `a:${++nextId}${big(5000)}` } }),
    ).join(''),
  cancelled: () => line({ method: 'notifications/cancelled', params: { requestId: 1 } }).repeat(1000),
  'cancelled-all': () =>
    range(1000, (at) =>
      line({ method: 'notifications/cancelled', params: { requestId: at, reason: big(100) } }),
    ).join(''),
  'unknown-notification': () => line({ method: 'notifications/none', params: {} }).repeat(1000),
  pings: () => range(1000, () => line({ id: ++nextId, method: 'ping' })).join(''),
  questions: () =>
    range(200, () =>
      line({ id: ++nextId, method: 'sampling/createMessage', params: { messages: [], text: big(3000) } }),
    ).join(''),
  elicitations: () =>
    range(200, () =>
      line({
        id: ++nextId,
        method: 'elicitation/create',
        params: { message: big(1000), requestedSchema: {} },
      }),
    ).join(''),
  'same-question': () => line({ id: 1, method: 'roots/list' }).repeat(1000),
  'unknown-request': () => line({ id: 'x', method: 'none/none' }).repeat(1000),
  'long-ids': () => range(10, () => line({ id: `${++nextId}${big(100_000)}`, method: 'ping' })).join(''),
  'strange-ids': () =>
    big(1000, '{"jsonrpc":"2.0","id":{},"method":"ping"}\n{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n'),
  'strange-params': () => big(1000, '{"jsonrpc":"2.0","id":5,"method":"roots/list","params":[1]}\n'),
  'strange-answers': () => line({ id: 999_999, result: {} }).repeat(1000),
  'strange-errors': () => line({ id: null, error: { code: -1, message: 'x' } }).repeat(1000),
  'both-answers': () => line({ id: 999_999, result: {}, error: { code: 1, message: 'x' } }).repeat(1000),
  'guessed-answers': () => range(1000, (at) => line({ id: at + 1000, result: { content: [] } })).join(''),
  batches: () => `[${line(log('x')).trim().concat(',').repeat(500)}{"jsonrpc":"2.0","method":"x"}]\n`,
  'huge-batch': () => `[${big(40_000, '{"jsonrpc":"2.0","method":"x"},')}{"jsonrpc":"2.0","method":"x"}]\n`,
  'prototype-keys': () =>
    big(2000, '{"jsonrpc":"2.0","method":"__proto__","params":{"__proto__":{"id":1},"constructor":{}}}\n'),
  'same-keys': () => `{${big(100_000, '"method":"x",')}"jsonrpc":"2.0"}\n`,
  'deep-notification': () => withText(log('@'), deep(50_000)),
  'deep-request': () =>
    withText({ id: 7, method: 'sampling/createMessage', params: { messages: '@' } }, deep(50_000)),
  'deep-answer': () => withText({ id: 999_999, result: { x: '@' } }, deep(500_000)),
  'dense-notification': () => withText(log('@'), dense(1_000_000)),
  'rather-dense': () => withText(log('@'), dense(60_000)),
  'dense-request': () =>
    withText({ id: 7, method: 'sampling/createMessage', params: { messages: '@' } }, dense(60_000)),
  'dense-error': () => withText({ id: 12_345, error: { code: -1, message: 'x', data: '@' } }, dense(60_000)),
  'dense-answer': () => withText({ id: 999_999, result: { x: '@' } }, dense(3_000_000)),
  'long-notification': () => line(log(big(8_000_000))),
  'rather-long': () => line(log(big(3_900_000))),
  escapes: () => withText(log('@'), `"${big(400_000, '\\u0007')}"`),
  'many-keys': () => line(log(keys(30_000))),
  'long-error': () => line({ id: 12_345, error: { code: -1, message: big(6_000_000) } }),
  'strange-logs': () =>
    line({
      method: 'notifications/message',
      params: { level: { x: 1 }, logger: big(100_000), data: '\u001b[2J' },
    }).repeat(10),
  'elicited-addresses': () =>
    range(20, () =>
      line({
        id: ++nextId,
        method: 'elicitation/create',
        params: { mode: 'url', elicitationId: `${nextId}`, url: `https://x/${big(100_000)}`, message: 'x' },
      }),
    ).join(''),
  'states-of-tasks': () =>
    range(1000, () =>
      line({ method: 'notifications/tasks/status', params: { taskId: `t${++nextId}`, status: 'working' } }),
    ).join(''),
  'long-method': () => line({ method: big(1_000_000) }),
}

/** Result of `tools/list`. */
const LISTS = {
  'endless-pages': () => ({ tools: [tool(`t${++nextId}`)], nextCursor: `c${nextId}` }),
  'empty-pages': () => ({ tools: [], nextCursor: `c${++nextId}` }),
  'fat-pages': () => ({
    tools: [tool(`t${++nextId}`, { description: big(1_000_000) })],
    nextCursor: `c${nextId}`,
  }),
  'fat-cursor': () => ({ tools: [], nextCursor: `${++nextId}${big(100_000)}` }),
  'many-tools': () => ({ tools: range(20_000, (at) => tool(`tool_${at}_${at * 7919}`)) }),
  'near-names': () => ({ tools: range(10_000, (at) => tool(`${big(60, 'a')}${at}`)) }),
  'same-names': () => ({ tools: range(10_000, () => tool('same')) }),
  'long-names': () => ({ tools: range(100, (at) => tool(`${at}${big(100_000)}`)) }),
  'strange-names': () => ({ tools: range(5000, (at) => tool(`__proto__ \u202e\0 ${at} …`)) }),
  'no-tools': () => ({ tools: [...range(20_000, () => null), ...range(20_000, () => ({ name: 5 }))] }),
  'wide-schema': () => ({
    tools: [
      tool('attack', {
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(range(50_000, (at) => [`p${at}`, {}])),
        },
      }),
    ],
  }),
  'explosive-schema': () => ({
    tools: [
      tool('attack', {
        inputSchema: {
          type: 'object',
          properties: { x: { $ref: '#/$defs/d0' } },
          $defs: {
            ...Object.fromEntries(
              range(40, (at) => [`d${at}`, { anyOf: range(2, () => ({ $ref: `#/$defs/d${at + 1}` })) }]),
            ),
            d40: { type: 'string' },
          },
        },
      }),
    ],
  }),
  'deep-schema': () => ({ tools: [tool('attack', { _meta: { x: '@' } })] }),
  'dense-list': () => ({ tools: [tool('t', { _meta: { x: range(3_000_000, () => 1) } })] }),
  'list-of-text': () => ({ tools: big(2_000_000) }),
}

/** Answer to `tools/call`: a message, or text that is written as it is. */
const CALLS = {
  never: () => '',
  'half-answer': ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","te`,
  'huge-text': ({ id }) => line({ id, result: { content: [{ type: 'text', text: big(60_000_000) }] } }),
  'dense-result': ({ id }) =>
    withText({ id, result: { content: [], structuredContent: '@' } }, dense(4_000_000)),
  'deep-result': ({ id }) =>
    withText({ id, result: { content: [], structuredContent: '@' } }, deep(1_000_000)),
  'dense-text': ({ id }) => line({ id, result: { content: [{ type: 'text', text: dense(4_000_000) }] } }),
  'many-blocks': ({ id }) =>
    line({ id, result: { content: range(200_000, () => ({ type: 'text', text: 'x' })) } }),
  'many-links': ({ id }) =>
    line({
      id,
      result: { content: range(20_000, (at) => ({ type: 'resource_link', uri: `a:${at}`, name: 'x' })) },
    }),
  'strange-blocks': ({ id }) =>
    line({
      id,
      result: { content: range(5000, (at) => [null, 5, {}, { type: 'text' }, { type: 7 }][at % 5]) },
    }),
  'no-content': ({ id }) => line({ id, result: { content: 'x', isError: 7 } }),
  'fat-error-result': ({ id }) =>
    line({ id, result: { isError: true, content: [{ type: 'text', text: big(5_000_000) }] } }),
  'fat-error': ({ id }) => line({ id, error: { code: -1, message: big(1_000_000), data: big(1_000_000) } }),
  'dense-error-answer': ({ id }) =>
    withText({ id, error: { code: -1, message: 'x', data: '@' } }, dense(60_000)),
  'strange-error': ({ id }) => line({ id, error: { code: 'x', message: {}, data: [] } }),
  'progress-for-ever': ({ id, token }) =>
    line({
      method: 'notifications/progress',
      params: { progressToken: token ?? id, progress: ++nextId, message: big(1000) },
    }).repeat(5000),
  'zip-bomb-inside': ({ id }) =>
    line({
      id,
      result: {
        content: [
          {
            type: 'resource',
            resource: {
              uri: 'a:b.gz',
              mimeType: 'application/gzip',
              blob: gzipSync(Buffer.alloc(300_000_000), { level: 1 }).toString('base64'),
            },
          },
        ],
      },
    }),
  'many-pictures': ({ id }) =>
    line({
      id,
      result: {
        content: range(5000, () => ({ type: 'image', mimeType: 'image/png', data: big(400, 'iVBO') })),
      },
    }),
  'two-results': ({ id }) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${big(1_000_000)}"}]},"id":${id + 1},"result":{}}\n`,
  twice: ({ id }) => line({ id, result: { content: [] } }).repeat(2000),
  dies: () => process.exit(1),
}

/** Answer to `initialize`. */
const HANDSHAKES = {
  silent: () => undefined,
  'dies-at-once': () => process.exit(1),
  'fat-instructions': (result) => ({ ...result, instructions: big(3_000_000) }),
  'fat-name': (result) => ({ ...result, serverInfo: { name: big(1_000_000), version: big(1_000_000) } }),
  'many-capabilities': (result) => ({ ...result, capabilities: { tools: {}, experimental: keys(100_000) } }),
  'strange-version': (result) => ({ ...result, protocolVersion: { big: big(1_000_000) } }),
  'strange-capabilities': (result) => ({
    ...result,
    capabilities: { tools: [], resources: 'x', logging: 5, prompts: { listChanged: {} }, completions: null },
  }),
  'dies-again': (result) => {
    setTimeout(() => process.exit(1), 20)
    return result
  },
  'closes-output': (result) => {
    setTimeout(() => process.stdout.destroy(), 20)
    return result
  },
  'no-handshake': () => ({}),
}

/** Texts that a timer writes, a little at a time. */
const DRIPS = {
  'drip-lines': '{"jsonrpc":"2.0",\n',
  'drip-bytes': 'x',
  'drip-halves': '{"jsonrpc":"2.0","method":"',
}

/** Neither of these. */
const DEAF = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"
const MANNERS = ['deaf', 'stderr', 'grandchildren']

/** The broken answers over HTTP, by name. */
const OVER_HTTP = {
  comments: (response) => endless(response, 'text/event-stream', big(20_000, ': x\n')),
  'endless-line': (response) => endless(response, 'text/event-stream', big(100_000)),
  'endless-event': (response) => endless(response, 'text/event-stream', `data: ${big(10_000)}\n`),
  'event-ids': (response) =>
    endless(response, 'text/event-stream', big(1000, `id: ${big(1000)}\nretry: 0\ndata:\n\n`)),
  'closed-streams': (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n'),
  'endless-body': (response) => endless(response, 'application/json', big(100_000)),
  'dense-body': (response) => endless(response, 'application/json', big(30_000, '[],')),
  'zip-bomb': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(gzipSync(Buffer.alloc(300_000_000, 32), { level: 1 }))
  },
  'lying-length': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4000000000' })
    response.write('{')
  },
  'fat-headers': (response) =>
    response.writeHead(200, Object.fromEntries(range(10, (at) => [`x-${at}`, big(1500)]))).end('{}'),
  'early-hints': (response) => endlessRaw(response, 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'),
  'headers-without-end': (response) =>
    endlessRaw(response, big(20, `x-y: ${big(100)}\r\n`), 'HTTP/1.1 200 OK\r\n'),
  'chunk-extensions': (response) =>
    endlessRaw(
      response,
      `1;x=${big(10_000)}\r\n \r\n`,
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
    ),
  'waits-for-years': (response) =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end('id: 1\nretry: 999999999999999\ndata:\n\n'),
  redirects: (response) => response.writeHead(307, { location: '/mcp' }).end(),
  'server-errors': (response) =>
    response.writeHead(500, { 'content-type': 'text/plain' }).end(big(3_000_000)),
  'new-sessions': (response) =>
    response
      .writeHead(404, { 'mcp-session-id': `s${++nextId}`, 'content-type': 'application/json' })
      .end('{}'),
  'sign-in-loops': (response) =>
    response.writeHead(401, { 'www-authenticate': `Bearer x="${big(8000)}"` }).end(),
  'too-many': (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
  'changed-lists': (response, { id, method }) => {
    const changed = `data: ${line({ method: 'notifications/tools/list_changed' })}\n`
    const result =
      method === 'tools/list' ? { tools: range(5000, () => tool(`t${++nextId}`)) } : { content: [] }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (id === undefined) return setInterval(() => response.write(changed), 10)
    response.end(`${changed}data: ${line({ id, result })}\n`)
  },
}

const KINDS = { FLOODS, LISTS, CALLS, HANDSHAKES, DRIPS, MANNERS, OVER_HTTP }

function endless(response, type, text) {
  response.writeHead(200, { 'content-type': type })
  response.on('error', () => {})
  void (async () => {
    while (!response.closed) await written(response, text)
  })()
}

/** Bytes that no response of Node can write, on its connection. */
function endlessRaw({ socket }, text, before = '') {
  socket.on('error', () => {})
  socket.write(before)
  void (async () => {
    while (!socket.closed) await written(socket, text)
  })()
}

/** Resolves when the stream takes more; a turn later, so that what is asked is read. */
function written(stream, text) {
  return new Promise((resolve) => {
    if (stream.write(text)) return setImmediate(resolve)
    stream.once('drain', resolve)
    stream.once('close', resolve)
  })
}

async function flood(stream, wrap = (text) => text) {
  const make = Object.hasOwn(FLOODS, attack) ? FLOODS[attack] : undefined
  while (make !== undefined && !stream.closed) await written(stream, wrap(make()))
}

/** The text of an answer, with its newline; empty for none. */
function answerTo({ id, method, params = {} }) {
  if (id === undefined || method === undefined) return ''
  if (method === 'initialize') {
    const result = {
      protocolVersion: params.protocolVersion ?? VERSION,
      capabilities: { tools: {}, resources: {}, logging: {} },
      serverInfo: { name: 'hostile', version: '1' },
    }
    const said = HANDSHAKES[attack] ? HANDSHAKES[attack](result) : result
    return said === undefined ? '' : line({ id, result: said })
  }
  if (method === 'server/discover') return line({ id, error: { code: -32601, message: 'Method not found' } })
  if (method === 'tools/list') {
    if (attack === 'all-changed') return line({ id, result: { tools: [tool(`t${++nextId}`)] } })
    const result = LISTS[attack]?.() ?? { tools: [tool('attack'), tool('list'), tool('file')] }
    return withText({ id, result }, deep(20_000))
  }
  if (method === 'tools/call') {
    if (attack in CALLS) return CALLS[attack]({ id, token: params._meta?.progressToken })
    const list = range(3000, (at) => ({ id: at, name: `row ${at}.` }))
    const text =
      params.name === 'list'
        ? JSON.stringify(list)
        : params.name === 'file'
          ? readFileSync(params.arguments.path, 'utf8')
          : 'done'
    return line({ id, result: { content: [{ type: 'text', text }] } })
  }
  return line({ id, result: method.startsWith('resources') ? { resources: [], resourceTemplates: [] } : {} })
}

function overStdio() {
  const { stdin, stdout, stderr } = process
  const begin = () => {
    void flood(stdout)
    if (attack in DRIPS) setInterval(() => stdout.write(DRIPS[attack]), 1)
    if (attack === 'stderr')
      void (async () => {
        for (;;) await written(stderr, big(1000, `${big(60)}\n`))
      })()
  }
  stdout.on('error', () => process.exit(0))
  process.on('SIGTERM', () => attack !== 'deaf' && process.exit(0))
  if (moment === 'start') begin()
  createInterface({ input: stdin })
    .on('line', (text) => {
      const message = JSON.parse(text)
      stdout.write(answerTo(message))
      if (moment === 'ready' && message.method === 'notifications/initialized') begin()
      if (moment === 'call' && message.method === 'tools/call') begin()
    })
    .on('close', () => attack !== 'deaf' && process.exit(0))
  if (attack === 'deaf') setInterval(() => {}, 1000)
  if (attack === 'grandchildren')
    for (const _ of range(3, Number)) spawn(process.execPath, ['-e', DEAF], { stdio: 'inherit' })
}

function overHttp() {
  const events = (text) =>
    String(text)
      .split('\n')
      .filter((one) => one !== '')
      .map((one) => `data: ${one}\n\n`)
      .join('')
  const stream = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.on('error', () => {})
    void flood(response, events)
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const message = JSON.parse(body || '{}')
    const isTool = message.method?.startsWith('tools/')
    if (attack in OVER_HTTP && (isTool || request.method === 'GET'))
      return OVER_HTTP[attack](response, message)
    if (request.method === 'GET') return attack in FLOODS ? stream(response) : response.writeHead(405).end()
    if (message.id === undefined) return response.writeHead(202).end()
    if (message.method === 'tools/call' && attack in FLOODS) return stream(response)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answerTo(message) || undefined)
  })
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`)
  })
  process.stdin.resume().on('end', () => process.exit(0))
}

if (attack === undefined) {
  const names = Object.entries(KINDS).map(([kind, table]) => [
    kind,
    Array.isArray(table) ? table : Object.keys(table),
  ])
  process.stdout.write(`${JSON.stringify(Object.fromEntries(names))}\n`)
} else if (moment === 'http') overHttp()
else overStdio()
