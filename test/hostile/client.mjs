/**
 * A client that attacks over HTTP, until it is ended. Usage: node client.mjs <attack> <url>. It prints a line when it has begun.
 * Without an attack it prints the names of all.
 */
import { request } from 'node:http'
import { connect } from 'node:net'

const [attack, url] = process.argv.slice(2)
const { hostname, port } = new URL(url ?? 'http://127.0.0.1')
const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const LEGACY = '2025-11-25'
let id = 0

const call = (method, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
const initialize = (capabilities = {}, clientInfo = { name: 'hostile', version: '1' }) =>
  call('initialize', { protocolVersion: LEGACY, capabilities, clientInfo })
const keys = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at]))
const modern = (capabilities, clientInfo) =>
  call('tools/list', {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...(clientInfo && { 'io.modelcontextprotocol/clientInfo': clientInfo }),
    },
  })

const MODERN = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }
const big = (size, of = 'x') => of.repeat(size)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends bytes and reads what comes until the other side hangs up, or for so many milliseconds. */
const raw = (bytes, ms = 2000, reads = true) =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('error', () => {})
    socket.once('close', resolve)
    if (reads) socket.resume()
    setTimeout(() => socket.destroy(), ms)
  })
const head = (more = '') =>
  `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${more}`
const whole = (body, more) => `${head(more)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** Opens a session, and gives the header that names it. */
async function session(capabilities) {
  const opened = await post(initialize(capabilities))
  const headers = { 'mcp-session-id': opened?.headers['mcp-session-id'] ?? '' }
  await post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), headers)
  return headers
}

/** One session for all that this attack does. */
let ours
const inSession = async (attackOnce) => {
  ours ??= session({ sampling: {}, elicitation: {}, roots: {} })
  return attackOnce(await ours)
}
const inASession = (body) => () => inSession((headers) => post(body(), headers))

/** Opens a stream and keeps it for a while. `reads`: takes what comes. */
const stream = (headers, { reads = true, ms = 3000, method = 'GET', body } = {}) =>
  new Promise((resolve) => {
    const sent = request(url, { method, headers: { ...TYPES, ...headers } }, (response) => {
      if (reads) response.resume()
      else response.pause()
      response.on('error', () => {})
    })
    sent.once('error', () => {})
    sent.once('close', resolve)
    sent.end(body)
    setTimeout(() => sent.destroy(), ms)
  })

function post(body, headers = {}) {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers: { ...TYPES, ...headers } }, (response) => {
      response.resume()
      response.once('close', () => resolve(response))
    })
    sent.once('error', () => resolve(undefined))
    sent.end(body)
  })
}

/** So many at once, for ever. */
async function storm(width, attackOnce) {
  const work = async () => {
    for (;;) {
      await attackOnce()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: width }, work))
}

const half = (body, length) =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`
      socket.write(`${head}Content-Length: ${length}\r\n\r\n`)
      socket.write(body)
    })
    socket.on('error', () => {})
    socket.on('close', resolve)
    socket.resume()
  })

const attackWith = (x) => call('tools/call', { name: 'good_attack', arguments: { x } })
const nested = (depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

/** Each makes one attack; how many at once. */
const ATTACKS = {
  'many-keys': [2, () => post(call('tools/call', { name: 'x', arguments: keys(300_000) }))],
  'many-values': [
    2,
    () => post(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[${'[],'.repeat(4_000_000)}1]}}`),
  ],
  deep: [2, () => post(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(3_000_000)}1`)],
  'fat-capabilities': [2, () => post(initialize(keys(300_000)))],
  'fat-info': [2, () => post(initialize({}, { name: 'x'.repeat(5_000_000), version: '1' }))],
  'fat-modern': [
    2,
    () => post(modern(keys(90_000)), { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }),
  ],
  'handshake-flood': [4, () => post(initialize())],
  'modern-faces': [
    4,
    () =>
      post(modern({}, { name: `face${++id}`, version: '1' }), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
      }),
  ],
  'half-bodies': [40, () => half('{"jsonrpc":', 15_000_000)],
  'fat-halves': [20, () => half('x'.repeat(14_000_000), 15_000_000)],
  'half-headers': [
    40,
    () =>
      new Promise((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write('POST /mcp HTTP/1.1\r\nHost: x'))
        socket.on('error', () => {})
        socket.on('close', resolve)
      }),
  ],
  garbage: [4, () => post('{'.repeat(10_000))],
  'not-json': [4, () => post('x', { 'content-type': 'text/plain' })],
  'long-body': [2, () => post('x'.repeat(17_000_000))],
  'big-batch': [4, () => post(`[${Array.from({ length: 101 }, () => call('ping')).join(',')}]`)],
  'foreign-session': [4, () => post(call('tools/list'), { 'mcp-session-id': `nobody${++id}` })],
  'hang-up': [
    4,
    () =>
      new Promise((resolve) => {
        const sent = request(url, { method: 'POST', headers: TYPES })
        sent.on('error', () => {})
        sent.once('close', resolve)
        sent.write(initialize())
        setImmediate(() => sent.destroy())
      }),
  ],
  'duplicate-keys': [2, () => post(`{${'"jsonrpc":"2.0",'.repeat(200_000)}"id":1}`)],
  'wrong-types': [4, () => post('{"jsonrpc":2,"id":{},"method":[],"params":7}')],
  'prototype-keys': [
    4,
    () => post('{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":{"x":1}}}'),
  ],

  'slow-reader': [
    8,
    () =>
      inSession((headers) =>
        stream(headers, {
          reads: false,
          method: 'POST',
          body: call('tools/call', { name: 'good_list', arguments: {} }),
        }),
      ),
  ],
  'raw-slow-reader': [10, () => raw(whole(modern({})).repeat(200), 3000, false)],
  'drip-body': [
    20,
    async () => {
      const body = initialize()
      await Promise.all([raw(head(`Content-Length: ${body.length}\r\n\r\n`), 3000), pause(3000)])
    },
  ],
  'chunks-without-end': [
    4,
    () => raw(`${head('Transfer-Encoding: chunked\r\n\r\n')}${big(10_000, '1\r\n \r\n')}`, 1000),
  ],
  'bad-chunks': [4, () => raw(`${head('Transfer-Encoding: chunked\r\n\r\n')}zzz\r\n${big(1000)}`)],
  'both-lengths': [
    4,
    () => raw(`${head('Transfer-Encoding: chunked\r\n')}Content-Length: 5\r\n\r\n0\r\n\r\nGET /`),
  ],
  'cancel-storm': [
    8,
    () =>
      inSession(async (headers) => {
        const asked = call('tools/call', { name: 'good_list', arguments: {} })
        const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }
        await Promise.all([post(asked, headers), post(JSON.stringify(cancel), headers)])
      }),
  ],
  'abandoned-calls': [
    8,
    () =>
      inSession((headers) =>
        stream(headers, { method: 'POST', ms: 5, body: call('tools/call', { name: 'good_list' }) }),
      ),
  ],
  'many-sessions': [4, () => session()],
  'sessions-with-streams': [4, async () => stream(await session(), { ms: 20_000 })],
  'ended-sessions': [4, async () => stream(await session(), { method: 'DELETE', ms: 1000 })],
  'streams-of-one-session': [30, () => inSession((headers) => stream(headers, { ms: 5000 }))],
  'unread-streams': [30, () => inSession((headers) => stream(headers, { ms: 5000, reads: false }))],
  'modern-listeners': [
    30,
    () =>
      stream(
        { ...MODERN, 'mcp-method': 'subscriptions/listen' },
        {
          method: 'POST',
          ms: 5000,
          body: modern({}, { name: `face${++id}`, version: '1' }).replace(
            'tools/list',
            'subscriptions/listen',
          ),
        },
      ),
  ],
  'resumption-ids': [
    4,
    () => inSession((headers) => stream({ ...headers, 'last-event-id': `${++id}_${big(5000)}` }, { ms: 50 })),
  ],
  'long-header': [4, () => raw(whole('{}', `X: ${big(15_000)}\r\n`))],
  'giant-header': [4, () => raw(whole('{}', `X: ${big(1_000_000)}\r\n`))],
  'many-headers': [4, () => raw(whole('{}', big(3000, 'X: y\r\n')))],
  'header-without-end': [10, () => raw(`${head()}X: ${big(10_000)}`, 3000)],
  pipelining: [4, () => raw(big(300, whole(initialize())), 3000)],
  'pipelined-garbage': [4, () => raw(big(20_000, 'GET / HTTP/1.1\r\n\r\n'))],
  'long-path': [4, () => raw(`GET /mcp?${big(14_000)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)],
  'strange-paths': [
    4,
    () => raw(big(50, `GET //../%00%2e/${++id} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`)),
  ],
  'strange-methods': [
    4,
    () => raw(`BREW /mcp HTTP/1.1\r\nHost: x\r\n\r\nPATCH /mcp HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`),
  ],
  upgrade: [
    4,
    () =>
      raw(
        `GET /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
      ),
  ],
  'expect-continue': [10, () => raw(head('Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n'), 3000)],
  'bare-connections': [100, () => raw('', 3000)],
  'progress-tokens': [
    4,
    inASession(() =>
      call('tools/call', {
        name: 'good_attack',
        arguments: {},
        _meta: { progressToken: `${++id}${big(100_000)}` },
      }),
    ),
  ],
  'progress-flood': [
    4,
    inASession(() =>
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: ++id, progress: 1 },
      }),
    ),
  ],
  'answers-to-nothing': [
    4,
    inASession(() =>
      JSON.stringify({ jsonrpc: '2.0', id: ++id, result: { action: 'accept', content: keys(10_000) } }),
    ),
  ],
  'fat-answers': [
    2,
    inASession(() =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: ++id,
        result: { action: 'accept', content: { x: big(8_000_000) } },
      }),
    ),
  ],
  'roots-changed': [
    4,
    inASession(() => JSON.stringify({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })),
  ],
  subscribe: [4, inASession(() => call('resources/subscribe', { uri: `a:${++id}${big(10_000)}` }))],
  'strange-uris': [4, inASession(() => call('resources/read', { uri: big(500_000, '{x}%') }))],
  'log-levels': [
    4,
    inASession(() => call('logging/setLevel', { level: ['debug', 'emergency', 7][++id % 3] })),
  ],
  complete: [
    4,
    inASession(() =>
      call('completion/complete', {
        ref: { type: 'ref/prompt', name: big(100_000) },
        argument: { name: 'x', value: big(100_000) },
      }),
    ),
  ],
  'lists-again': [8, inASession(() => call('tools/list'))],
  'bad-cursors': [4, inASession(() => call('tools/list', { cursor: big(500_000) }))],
  'unknown-tools': [
    4,
    inASession(() => call('tools/call', { name: `good_${big(1_000_000)}`, arguments: {} })),
  ],
  'near-tools': [4, inASession(() => call('tools/call', { name: `good_attacl${++id}`, arguments: {} }))],
  'guessed-handles': [
    4,
    inASession(() => call('tools/call', { name: 'proxy_filter', arguments: { cache_id: `${++id}` } })),
  ],
  'strange-questions': [
    4,
    inASession(() =>
      call('tools/call', {
        name: 'proxy_search',
        arguments: { cache_id: big(100_000), pattern: big(5000, '(a+)+') },
      }),
    ),
  ],
  'strange-arguments': [
    4,
    inASession(() => call('tools/call', { name: 'proxy_filter', arguments: keys(20_000) })),
  ],
  'long-arguments': [
    2,
    inASession(() => call('tools/call', { name: 'good_attack', arguments: { x: big(10_000_000) } })),
  ],
  // As many values, levels and bytes as a message may have.
  'lists-in-arguments': [2, inASession(() => attackWith(Array.from({ length: 240_000 }, () => [])))],
  'numbers-in-arguments': [
    2,
    inASession(() => attackWith(Array.from({ length: 240_000 }, (_, at) => 123_456_789_012_345 + at))),
  ],
  'objects-in-arguments': [
    2,
    inASession(() => attackWith(Array.from({ length: 80_000 }, (_, at) => ({ [`k${at}`]: at })))),
  ],
  'levels-in-arguments': [2, inASession(() => attackWith(Array.from({ length: 250 }, () => nested(900))))],
  'kept-results': [4, inASession(() => call('tools/call', { name: 'good_list', arguments: {} }))],
  templates: [
    2,
    inASession(() =>
      call('tools/call', {
        name: 'good_attack',
        arguments: { x: { $template: big(200_000, '{a}') }, y: { $from: 'x' } },
      }),
    ),
  ],
  'legacy-batches': [
    4,
    inASession(() => `[${Array.from({ length: 100 }, () => call('tools/list')).join(',')}]`),
  ],
  'second-handshake': [4, inASession(() => initialize())],
  'modern-handshake': [
    4,
    () =>
      post(call('server/discover', JSON.parse(modern({})).params), {
        ...MODERN,
        'mcp-method': 'server/discover',
      }),
  ],
  'modern-headers': [
    4,
    () => post(modern({}), { ...MODERN, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?!!!?=' }),
  ],
  'foreign-origin': [4, () => post(initialize(), { origin: `http://${++id}.example` })],
  'foreign-host': [4, () => raw(`GET /mcp HTTP/1.1\r\nHost: ${++id}.example\r\n\r\n`)],
  metrics: [8, () => raw(`GET /metrics HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`, 1000)],
  'same-ids': [
    8,
    inASession(() =>
      JSON.stringify({ ...JSON.parse(call('tools/call', { name: 'good_list' })), id: 'same' }),
    ),
  ],
  'nested-questions': [
    4,
    inASession(() => {
      let question = { tool: 'good_list', arguments: {} }
      for (let at = 0; at < 200; at++) question = { tool: 'proxy_filter', arguments: question }
      return call('tools/call', { name: 'proxy_filter', arguments: question })
    }),
  ],
  'reference-flood': [
    2,
    inASession(() => attackWith(Array.from({ length: 20_000 }, () => ({ $from: 'last' })))),
  ],
  'forged-states': [
    4,
    () => {
      const { params } = JSON.parse(modern({}))
      const forged = {
        ...params,
        name: 'good_attack',
        arguments: {},
        requestState: big(100_000, 'e30.'),
        inputResponses: keys(5000),
      }
      return post(call('tools/call', forged), {
        ...MODERN,
        'mcp-method': 'tools/call',
        'mcp-name': 'good_attack',
      })
    },
  ],
  'strange-accepts': [4, () => post(initialize(), { accept: big(3000, 'a;q=0,') })],
  'profile-names': [4, () => raw(whole(initialize()).replace('/mcp', `/mcp/x${++id}`), 500)],
  'short-length': [4, () => raw(`${head('Content-Length: 5\r\n\r\n')}${initialize()}`, 500)],
  'utf-16': [4, () => post(Buffer.from(initialize(), 'utf16le'))],
  zipped: [4, () => post(Buffer.alloc(1000, 31), { 'content-encoding': 'gzip' })],
}

const found = ATTACKS[attack]
if (found === undefined) {
  process.stdout.write(`${JSON.stringify(Object.keys(ATTACKS))}\n`)
} else {
  process.stdout.write('begun\n')
  await storm(...found)
}
