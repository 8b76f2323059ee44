/**
 * The server behind every candidate: tiny and fast, so that what is measured is what stands in front of it. Tools: echo (gives
 * its text back), big (that many bytes of records as JSON text, different at every call), slow (answers late).
 * Usage: node upstream.mjs stdio | http (prints its address on standard output)
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const text = { type: 'string' }
const TOOLS = [
  { name: 'echo', inputSchema: { type: 'object', properties: { text }, required: ['text'] } },
  { name: 'big', inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } } } },
  { name: 'slow', inputSchema: { type: 'object', properties: { ms: { type: 'integer' } } } },
]
const SERIAL = '00000000'
const bodies = new Map()
let serial = 0

if (process.argv[2] === 'http') serveHttp()
else serveStdio()

function serveStdio() {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line)
    if (message.id === undefined) return
    respond(message, (parts) => {
      process.stdout.cork()
      for (const part of parts) process.stdout.write(part)
      process.stdout.write('\n')
      process.stdout.uncork()
    })
  })
}

function serveHttp() {
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const message = JSON.parse(Buffer.concat(chunks))
    if (message.id === undefined) return void response.writeHead(202).end()
    const session = message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {}
    respond(message, (parts) => {
      const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, ...session })
      for (const part of parts) response.write(part)
      response.end()
    })
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
  process.stdin.on('end', () => process.exit()).resume()
}

/** Hands on the answer as texts and bytes in a row. */
function respond({ id, method, params }, send) {
  const answer = (result) => send([JSON.stringify({ jsonrpc: '2.0', id, result })])
  if (method === 'initialize') {
    const serverInfo = { name: 'upstream', version: '1.0.0' }
    return answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo })
  }
  if (method === 'ping') return answer({})
  if (method === 'tools/list') return answer({ tools: TOOLS })
  if (method === 'tools/call') {
    const given = params.arguments
    if (params.name === 'echo') return answer({ content: [{ type: 'text', text: given.text }] })
    if (params.name === 'slow') return void setTimeout(() => answer({ content: [] }), given.ms)
    if (params.name === 'big')
      return send([`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, body(given.bytes), '}'])
  }
  send([JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: `no ${method}` } })])
}

/** Made once for each size, so that making it is not measured; the serial number in it makes every answer a new one. */
function body(bytes) {
  let made = bodies.get(bytes)
  if (made === undefined) {
    const records = []
    for (let length = 60; length < bytes; ) {
      const id = records.length
      const record = JSON.stringify({
        id,
        title: `Item ${id}`,
        score: (id * 7919) % 1000,
        owner: { login: `user${id % 97}` },
      })
      records.push(record)
      length += JSON.stringify(record).length - 1
    }
    const json = `[{"serial":"${SERIAL}"},${records.join(',')}]`
    made = Buffer.from(JSON.stringify({ content: [{ type: 'text', text: json }] }))
    bodies.set(bytes, made)
  }
  const copy = Buffer.from(made)
  copy.write(String(++serial).padStart(SERIAL.length, '0'), copy.indexOf(SERIAL))
  return copy
}
