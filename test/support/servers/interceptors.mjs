/**
 * A server of interceptors, written from the published proposal (SEP-1763, SEP-2624), without an SDK. `options.interceptors`: what it
 * offers, each with a `does`. `options.http`: over streamable HTTP at this port, or any (true); its address is the first line on
 * standard output. `options.pages`: so many a page of the list.
 */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { createDeeds } from './deeds.mjs'

const options = JSON.parse(process.argv[2] ?? '{}')
const state = { received: [], capabilities: undefined }
const deeds = createDeeds(options, state)

async function answer(method, params = {}) {
  if (method === 'initialize') {
    state.capabilities = params.capabilities
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { extensions: { 'io.modelcontextprotocol/interceptors': { supportedEvents: ['*'] } } },
      serverInfo: { name: 'interceptors', version: '1' },
    }
  }
  if (method === 'ping') return {}
  if (method === 'interceptors/list') {
    const all = (options.interceptors ?? []).map(({ does: _, ...descriptor }) => descriptor)
    const { pages = all.length } = options
    const at = Number(params.cursor ?? 0)
    return {
      interceptors: all.slice(at, at + pages),
      ...(at + pages < all.length && { nextCursor: String(at + pages) }),
    }
  }
  if (method !== 'interceptor/invoke') throw Object.assign(new Error('unknown method'), { code: -32601 })
  const one = options.interceptors.find(({ name }) => name === params.name)
  state.received.push({ event: params.event, phase: params.phase, name: params.name })
  const { name: interceptor, type } = one
  return { interceptor, type, phase: params.phase, ...(await deeds[one.does](one, params)) }
}

async function reply({ id, method, params }) {
  try {
    return { jsonrpc: '2.0', id, result: await answer(method, params) }
  } catch (error) {
    return {
      jsonrpc: '2.0',
      id,
      error: { code: error.code ?? -32603, message: error.message, data: error.data },
    }
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
  server.listen(Number.isInteger(options.http) ? options.http : 0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  )
  process.stdin.on('end', () => process.exit(0)).resume()
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const message = JSON.parse(line)
    if (message.id !== undefined)
      void reply(message).then((text) => process.stdout.write(`${JSON.stringify(text)}\n`))
  }
}
