/** How many files of the source a small call of a stdio client to a stdio server passes, there and back. */
import { Session } from 'node:inspector/promises'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import { LineReader } from '../../src/protocol/stream.ts'
import { temporaryFolder } from '../support/upstream.ts'

/** The present number. A change that adds a file to the way of every call raises it, and says why. */
const MOST_FILES = 22

/** After as many calls that run every file of the list, the list is the way. */
const CALLS_WITHOUT_A_CHANGE = 20

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))
const SERVER = fileURLToPath(new URL('../support/servers/stdio.mjs', import.meta.url))

test('a small call passes no more files than it has to', async () => {
  const client = await connected()
  const call = (): Promise<unknown> =>
    client.ask('tools/call', { name: 'shop_echo', arguments: { text: 'x' } })
  await call()
  const always = await alwaysCalled(call)
  expect(always).toContain('proxy/router.ts')
  expect(always.length, always.join(', ')).toBeLessThanOrEqual(MOST_FILES)
})

/** Files that each of many calls runs. Files that only some calls run belong to other work: a log that is written, a list that is kept. */
async function alwaysCalled(call: () => Promise<unknown>): Promise<string[]> {
  let always = await calledFiles(call)
  for (let unchanged = 0; unchanged < CALLS_WITHOUT_A_CHANGE; unchanged++) {
    const files = await calledFiles(call)
    const both = always.filter((file) => files.includes(file))
    if (both.length < always.length) unchanged = 0
    always = both
    await sleep(10)
  }
  return always
}

/** Files of the source of which some function runs meanwhile. */
async function calledFiles(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session()
  session.connect()
  onTestFinished(() => session.disconnect())
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return result
    .filter(
      ({ url, functions }) =>
        url.includes('/src/') &&
        !url.includes('node_modules') &&
        functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
    )
    .map(({ url }) =>
      fileURLToPath(new URL(url.startsWith('file:') ? url : `file://${url}`)).slice(SRC.length),
    )
    .sort()
}

/** A client of the proxy over standard input and output, which has one server that is a process of its own. */
async function connected(): Promise<{ ask(method: string, params: object): Promise<unknown> }> {
  const input = new PassThrough()
  const output = new PassThrough()
  const config = parseConfig({
    mcpServers: { shop: { command: process.execPath, args: [SERVER] } },
    proxySettings: { dataDir: temporaryFolder() },
  })
  const gateway = await createGateway(config, { input, output })
  onTestFinished(() => gateway.close())
  await gateway.start()
  const waiting = new Map<number, (message: unknown) => void>()
  const lines = new LineReader({
    maxBytes: 1_000_000,
    onLine: (parts) => {
      const message = JSON.parse(Buffer.concat(parts).toString())
      waiting.get(message.id)?.(message)
    },
    onDiscarded: () => {},
  })
  output.on('data', (chunk) => lines.push(chunk))
  let id = 0
  const send = (message: object): void => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const ask = (method: string, params: object): Promise<unknown> => {
    id++
    const answered = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method, params })
    return answered
  }
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  await ask('tools/list', {})
  return { ask }
}
