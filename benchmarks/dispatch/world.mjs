/** The built proxy over standard input and output, before servers that people use, and a client that counts tokens. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { tokensOf } from '../answers/tokens.mjs'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const packages = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol', import.meta.url))

/** A folder for the time of `run`. */
export async function withFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), 'dispatch-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The servers that are installed with the project, as entries of `mcpServers`. */
export function installedServers(folder) {
  const server = (name, args = [], env = {}) => ({
    command: process.execPath,
    args: [join(packages, `server-${name}/dist/index.js`), ...args],
    env,
  })
  return {
    filesystem: server('filesystem', [folder]),
    memory: server('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
    everything: server('everything', ['stdio']),
  }
}

/** Runs with a client of the proxy. `call` gives a result and counts what a model would write and read. */
export async function withProxy({ folder, servers, settings }, run) {
  const file = join(folder, 'mcp.json')
  const proxySettings = {
    dataDir: join(folder, 'data'),
    // All have to be there before they are counted, and some come by npx.
    connect: { timeoutMs: 180_000, listWaitMs: 170_000 },
    log: { level: 'error' },
    ...settings,
  }
  writeFileSync(file, JSON.stringify({ mcpServers: servers, proxySettings }))
  const client = new Client({ name: 'benchmark', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, '--config', file],
    stderr: 'ignore',
  })
  await client.connect(transport)
  const counted = { tokens: 0 }
  try {
    return await run({
      client,
      counted,
      async call(name, args) {
        const result = await client.callTool({ name, arguments: args }, { timeout: 180_000 })
        const text = result.content.map((block) => block.text ?? '').join('\n')
        if (result.isError) throw new Error(`${name}: ${text.slice(0, 500)}`)
        counted.tokens += tokensOf(JSON.stringify({ name, arguments: args })) + tokensOf(text)
        return { ...result, text, tokens: tokensOf(text) }
      },
    })
  } finally {
    await client.close()
  }
}
