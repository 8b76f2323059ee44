/** The result cache in a gateway of this process, over a real server. */

import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { parseConfig } from '../../../../src/config/load-program.ts'
import { createGateway } from '../../../../src/gateway.ts'
import { isObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { stdioServer, temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const reads = { readOnlyHint: true }
const annotations = { calls: reads, big: reads, grow: reads }

/** A session with a gateway; `ask` gives the result of a tool. */
async function session(settings: JsonObject) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const connect = { timeoutMs: 120_000, listWaitMs: 120_000 }
  const mcpServers = { f: stdioServer({ annotations }) } as unknown as JsonObject
  const proxySettings = { dataDir: temporaryFolder(), connect, ...settings }
  const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }), { input, output })
  onTestFinished(() => gateway.close())
  await gateway.start()
  const waiting = new Map<unknown, (result: JsonObject) => void>()
  createInterface({ input: output }).on('line', (line) => {
    const { id, result } = JSON.parse(line)
    waiting.get(id)?.(result)
  })
  const request = (method: string, params: JsonObject): Promise<JsonObject> =>
    new Promise((resolve) => {
      const id = waiting.size + 1
      waiting.set(id, resolve)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const ask = (name: string, args: JsonObject = {}) => request('tools/call', { name, arguments: args })
  return { ask }
}

const isHit = ({ _meta }: JsonObject): boolean => isObject(_meta) && _meta['mcp-rlm-proxy/cached'] === true

verifies('S4.35', 'hits over a real server: flagged, the handle the same, until a tool changes', async () => {
  const { ask } = await session({ toolCache: { ttlMs: 3_600_000 } })
  // It tells what it was asked so far, so no two answers of it are the same.
  const first = await ask('f_calls')
  const second = await ask('f_calls')
  expect([isHit(first), isHit(second)]).toEqual([false, true])
  expect(second.content).toEqual(first.content)

  const large = await ask('f_big', { bytes: 200_000 })
  const again = await ask('f_big', { bytes: 200_000 })
  expect([isHit(large), isHit(again)]).toEqual([false, true])
  expect(again.content).toEqual(large.content)

  await ask('f_echo')
  const third = await ask('f_calls')
  expect(isHit(third)).toBe(false)
  expect(third.content).not.toEqual(first.content)
  expect(isHit(await ask('f_calls'))).toBe(true)
  // It says of itself that it reads, and the server that its tools are others.
  await ask('f_grow', { name: 'grown' })
  await expect.poll(async () => isHit(await ask('f_calls'))).toBe(false)
})

verifies('S4.35', 'off unless it is asked for; the seed’s name turns it on', async () => {
  const off = await session({})
  await off.ask('f_calls')
  expect(isHit(await off.ask('f_calls'))).toBe(false)
  const on = await session({ toolcachettl: 3_600_000, exposure: 'dispatch' })
  const call = () => on.ask('proxy-dispatch', { action: 'call', tool: 'calls' })
  await call()
  expect(isHit(await call())).toBe(true)
})
