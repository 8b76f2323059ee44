/** The environment of the older proxy, from outside: where it listens, what its servers see, what tools are called. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../support/verifies.ts'
import {
  fixture,
  MAIN,
  startProxy,
  type ToolResult,
  temporaryDirectory,
  textOf,
  writeConfig,
} from './support/world.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function retrieved(client: LegacyClient): Promise<boolean> {
  const asked = client.callTool({ name: 'retrieve_tools', arguments: { query: 'environment' } })
  return textOf((await asked) as ToolResult).includes('one_environment')
}

verifies('S1.38 S1.39 S1.40 S1.41', 'it listens where the environment says, by each transport', async () => {
  const directory = temporaryDirectory()
  const config = writeConfig(directory, { servers: { one: fixture('one') } })
  const env = {
    ...(process.env as Record<string, string>),
    MCPPROXY_CONFIG_PATH: config,
    MCPPROXY_TOP_K: '3',
  }
  const connect = async (transport: unknown): Promise<LegacyClient> => {
    const client = new LegacyClient({ name: 'test', version: '1' })
    onTestFinished(() => client.close())
    await client.connect(transport as never)
    return client
  }
  for (const [name, path] of [
    ['streamable-http', '/mcp'],
    ['sse', '/sse'],
  ] as const) {
    const port = await freePort()
    const child = spawn(process.execPath, [MAIN], {
      env: { ...env, MCPPROXY_TRANSPORT: name, MCPPROXY_HOST: '127.0.0.1', MCPPROXY_PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    const url = `http://127.0.0.1:${port}${path}`
    await expect.poll(() => said).toContain(url)
    const transport = name === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
    const client = await connect(new transport(new URL(url)))
    await expect.poll(() => retrieved(client)).toBe(true)
    await client.close()
  }
  const stdio = new StdioClientTransport({ command: process.execPath, args: [MAIN], env, stderr: 'ignore' })
  const client = await connect(stdio)
  await expect.poll(() => retrieved(client)).toBe(true)
})

verifies('S1.30 S3.35 S1.43', 'a server gets expanded variables, and unset ones as written', async () => {
  const env = { A: '${SEED_SET}', B: 'x-${SEED_UNSET}', C: '${SEED_UNSET:-c}' }
  const proxy = await startProxy({
    servers: { one: { ...fixture('one'), env } },
    env: { SEED_SET: 'value', MCPPROXY_LOG_LEVEL: 'WARNING' },
  })
  await expect
    .poll(async () => JSON.parse(await proxy.text('one_environment')).env)
    .toMatchObject({ A: 'value', B: 'x-${SEED_UNSET}', C: 'c' })
  expect(proxy.stderr()).toContain('SEED_UNSET')
  expect(proxy.stderr()).not.toContain('"level":"info"')
})
