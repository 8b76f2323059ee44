/** A gateway of this process that runs programs, and a client that says yes to whatever a person is asked. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { parseConfig } from '../../dist/config/load-program.js'
import { createGateway } from '../../dist/gateway.js'

const require = createRequire(import.meta.url)
const packageOf = (name) => dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`))

/** Servers that people use, as the configuration names them. */
export const SERVERS = {
  files: (folder) => ({
    command: process.execPath,
    args: [join(packageOf('server-filesystem'), 'dist/index.js'), folder],
  }),
  memory: (file) => ({
    command: process.execPath,
    args: [join(packageOf('server-memory'), 'dist/index.js')],
    env: { MEMORY_FILE_PATH: file },
  }),
  /** Needs `node:sqlite`: where Node is older, npx brings a newer one. */
  sqlite: (file) => ({
    command: 'npx',
    args: [
      ...['-y', '--prefer-offline'],
      ...(Number.parseInt(process.versions.node, 10) < 24 ? ['-p', 'node@24'] : []),
      ...['-p', '@bytebase/dbhub@1.4.0', 'dbhub', '--transport', 'stdio', '--dsn', `sqlite://${file}`],
    ],
  }),
}

/** @returns `call`: a tool; its reply with the milliseconds and the tokens that the model writes and reads. */
export async function openWorld({ mcpServers = {}, code = {} } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'bench-code-'))
  const proxySettings = { dataDir, code: { enabled: true, ...code } }
  const input = new PassThrough()
  const output = new PassThrough()
  const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }), { input, output })
  await gateway.start()
  const request = clientOf(input, output)
  await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'bench', version: '1' },
  })
  return {
    request,
    async call(name, args) {
      const begun = performance.now()
      const result = await request('tools/call', { name, arguments: args })
      const ms = performance.now() - begun
      const text = result.content.map((block) => block.text ?? '').join('\n')
      const asked = JSON.stringify({ name, arguments: args })
      return { text, failed: result.isError === true, ms, tokens: tokensOf(asked) + tokensOf(text) }
    },
    async close() {
      await gateway.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export const tokensOf = (text) => encode(text, { disallowedSpecial: new Set() }).length

/** The handle that a reply names. */
export function handleIn(text) {
  const handle = /cache_id ([0-9a-z]{12,25})/.exec(text)?.[1]
  if (handle === undefined) throw new Error(`no cache_id in: ${text.slice(0, 300)}`)
  return handle
}

/** One JSON-RPC request after the other, or several at once. */
function clientOf(input, output) {
  const waiting = new Map()
  const send = (message) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  createInterface({ input: output }).on('line', (line) => {
    const { id, method, result, error } = JSON.parse(line)
    if (method !== undefined) {
      if (id !== undefined) send({ id, result: method === 'elicitation/create' ? { action: 'accept' } : {} })
      return
    }
    const one = waiting.get(id)
    waiting.delete(id)
    if (error) one?.reject(new Error(error.message))
    else one?.resolve(result)
  })
  return (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
    })
}
