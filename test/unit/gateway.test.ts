import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import { temporaryFolder } from '../support/upstream.ts'

test('closed while it starts, nothing listens', async () => {
  const proxySettings = { transport: 'streamable-http', port: 0, dataDir: temporaryFolder() }
  const gateway = await createGateway(parseConfig({ mcpServers: {}, proxySettings }))
  const starting = gateway.start()
  await Promise.all([gateway.close(), gateway.close()])
  const { url } = await starting
  await expect(fetch(`${url}`)).rejects.toThrow('fetch failed')
})

/** A gateway with one server, of which nothing is known, and its standard input and output. */
async function withOneServer() {
  const input = new PassThrough()
  const output = new PassThrough()
  const proxySettings = { dataDir: temporaryFolder() }
  const mcpServers = { one: { command: process.execPath, args: ['-e', 'process.stdin.resume()'] } }
  const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }), { input, output })
  onTestFinished(() => gateway.close())
  await gateway.start()
  const states = (): string[] => gateway.status().map(({ state }) => state)
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const hello = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`
  /** The states of the servers when the handshake is answered. */
  const seen = new Promise<string[]>((resolve) => output.once('data', () => resolve(states())))
  return { gateway, input, hello, states, seen }
}

test('the handshake is answered before servers are started, and starts none for a client that has left', async () => {
  const { gateway, input, hello, states, seen } = await withOneServer()
  input.end(hello)
  expect(await seen).toEqual(['idle'])
  await gateway.ended
  await new Promise((resolve) => setImmediate(resolve))
  expect(states()).toEqual(['idle'])
})

test('a server that nothing is known of is started right after the handshake', async () => {
  const { input, hello, states, seen } = await withOneServer()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  input.write(hello)
  expect(await seen).toEqual(['idle'])
  await vi.advanceTimersByTimeAsync(1)
  expect(states()).toEqual(['connecting'])
})
