/**
 * The conformance fixture over HTTP, both eras at one address: `node server.mjs [port] [--legacy-only | --modern-only]`.
 * Without a port it takes a free one; it prints its address. On 127.0.0.1 only, guarded against DNS rebinding.
 */
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { localhostHostValidation, localhostOriginValidation, toWebRequest } from '@modelcontextprotocol/node'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import { createLegacy } from './legacy.mjs'
import { createModern } from './modern.mjs'

const PATH = '/mcp'

const { values: only, positionals } = parseArgs({
  options: { 'legacy-only': { type: 'boolean' }, 'modern-only': { type: 'boolean' } },
  allowPositionals: true,
})
const guards = [localhostHostValidation(), localhostOriginValidation()]
const legacy = createLegacy()
const modern = createModern()

async function handle(request, response) {
  if (new URL(request.url, 'http://localhost').pathname !== PATH) return void response.writeHead(404).end()
  if (!guards.every((guard) => guard(request, response))) return
  const body = await readJson(request)
  if (body === null) return void response.writeHead(400).end()
  const era = (await isLegacy(request, body)) ? legacy : modern
  await era.handle(request, response, body)
}

/** Undefined without a body, null when it is no JSON. */
async function readJson(request) {
  if (request.method !== 'POST') return undefined
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return null
  }
}

async function isLegacy(request, body) {
  if (only['legacy-only']) return true
  if (only['modern-only']) return false
  return isLegacyRequest(await toWebRequest(request, body), body)
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    process.stderr.write(`${error.stack}\n`)
    response.destroy()
  })
})
server.listen(Number(positionals[0] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`http://localhost:${server.address().port}${PATH}\n`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server.close()
    await Promise.allSettled([legacy.close(), modern.close()])
    server.closeAllConnections()
    process.exit(0)
  })
}
