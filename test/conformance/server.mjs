/**
 * The conformance fixture: `node server.mjs [port] [--stdio] [--legacy-only | --modern-only] [--meta-is-modern]`. Over HTTP both
 * eras are at one address, which it prints; without a port it takes a free one. `--meta-is-modern`: a request without a session that has any `_meta`
 * is taken for one of the modern era, as some servers of both eras do. On 127.0.0.1 only, guarded against DNS rebinding.
 */
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'
import { localhostHostValidation, localhostOriginValidation, toWebRequest } from '@modelcontextprotocol/node'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import { createLegacy } from './legacy.mjs'
import { createLists } from './lists.mjs'
import { createModern } from './modern.mjs'
import { runStdio } from './stdio.mjs'

const PATH = '/mcp'

const { values: options, positionals } = parseArgs({
  options: {
    stdio: { type: 'boolean' },
    'legacy-only': { type: 'boolean' },
    'modern-only': { type: 'boolean' },
    'meta-is-modern': { type: 'boolean' },
  },
  allowPositionals: true,
})
const only = options['legacy-only'] ? 'legacy' : options['modern-only'] ? 'modern' : undefined
const guards = [localhostHostValidation(), localhostOriginValidation()]
const lists = createLists()

async function handle(eras, request, response) {
  if (new URL(request.url, 'http://localhost').pathname !== PATH) return void response.writeHead(404).end()
  if (!guards.every((guard) => guard(request, response))) return
  const body = await readJson(request)
  if (body === null) return void response.writeHead(400).end()
  const era = only ?? ((await isLegacy(request, body)) ? 'legacy' : 'modern')
  await eras[era].handle(request, response, body)
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
  const isNew = request.headers['mcp-session-id'] === undefined
  if (options['meta-is-modern'] && isNew && body?.params?._meta !== undefined) return false
  return isLegacyRequest(await toWebRequest(request, body), body)
}

function serveHttp(port) {
  const eras = { legacy: createLegacy(lists), modern: createModern(lists) }
  const server = createServer((request, response) => {
    handle(eras, request, response).catch((error) => {
      process.stderr.write(`${error.stack}\n`)
      response.destroy()
    })
  })
  server.listen(port, '127.0.0.1', () => {
    process.stdout.write(`http://localhost:${server.address().port}${PATH}\n`)
  })
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      server.close()
      await Promise.allSettled([eras.legacy.close(), eras.modern.close()])
      server.closeAllConnections()
      process.exit(0)
    })
  }
}

if (options.stdio) await runStdio(lists, only)
else serveHttp(Number(positionals[0] ?? 0))
