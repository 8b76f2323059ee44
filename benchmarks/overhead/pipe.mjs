/**
 * The least that a proxy in JavaScript can do. It reads each message, parses it, gives the request an id of its own and writes it out.
 * The answer goes the same way back. Any cost above this is the price of a feature.
 * Usage: node pipe.mjs stdio|http -- command args… | node pipe.mjs stdio|http <url>
 */
import { spawn } from 'node:child_process'
import { Agent, createServer, request } from 'node:http'

const [front, second, ...rest] = process.argv.slice(2)
const waiting = new Map()
let nextId = 1

const upstream = second === '--' ? stdioUpstream(rest) : httpUpstream(new URL(second))
if (front === 'http') serveHttp()
else serveStdio()

/** Renumbers a message of the client; `answered` gets the answer under the client's own id. */
function relay(message, headers, answered) {
  const { id } = message
  if (id === undefined) return upstream(message, headers, () => {})
  const own = nextId++
  waiting.set(own, (answer, answerHeaders) => {
    waiting.delete(own)
    answer.id = id
    answered(answer, answerHeaders)
  })
  message.id = own
  upstream(message, headers)
}

function settle(message, headers) {
  waiting.get(message.id)?.(message, headers)
}

function serveStdio() {
  let session = {}
  lines(process.stdin, (line) =>
    relay(JSON.parse(line), session, (answer, headers) => {
      if (headers?.['mcp-session-id']) session = { 'mcp-session-id': headers['mcp-session-id'] }
      process.stdout.write(`${JSON.stringify(answer)}\n`)
    }),
  )
  process.stdin.on('end', () => process.exit())
}

function serveHttp() {
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(await whole(incoming))
    const session = incoming.headers['mcp-session-id']
    const headers = session === undefined ? {} : { 'mcp-session-id': session }
    if (message.id === undefined) response.writeHead(202).end()
    relay(message, headers, (answer, answerHeaders) => {
      const body = JSON.stringify(answer)
      const issued = answerHeaders?.['mcp-session-id']
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...(issued !== undefined && { 'mcp-session-id': issued }),
        })
        .end(body)
    })
  })
  server.keepAliveTimeout = 600_000
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
  process.stdin.on('end', () => process.exit()).resume()
}

function stdioUpstream([command, ...args]) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  lines(child.stdout, (line) => settle(JSON.parse(line)))
  child.on('exit', () => process.exit())
  process.on('exit', () => child.kill())
  return (message) => void child.stdin.write(`${JSON.stringify(message)}\n`)
}

function httpUpstream(url) {
  const agent = new Agent({ keepAlive: true })
  return (message, headers) => {
    const body = JSON.stringify(message)
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
    sent.on('response', async (response) => {
      const answer = await whole(response)
      if (message.id !== undefined) settle(JSON.parse(answer), response.headers)
    })
    sent.end(body)
  }
}

async function whole(stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Lines of a stream, in time linear in their length. */
function lines(stream, onLine) {
  let chunks = []
  stream.on('data', (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      chunks.push(chunk.subarray(start, end))
      onLine(Buffer.concat(chunks).toString('utf8'))
      chunks = []
      start = end + 1
    }
    if (start < chunk.length) chunks.push(chunk.subarray(start))
  })
}
