/** Results in files by the built command: their owners, and what is left of them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import {
  fixture,
  handleOf,
  type RunningProxy,
  startProxy,
  type ToolResult,
  temporaryDirectory,
  textOf,
} from './support/world.ts'

type Reply = ToolResult & { resultFile: string }

const servers = { f: fixture('f') }
const settings = { exposure: 'dispatch' }
const records = { action: 'call', tool: 'records', arguments: { count: 3000 }, resultToFile: true }

const ask = async ({ call }: Pick<RunningProxy, 'call'>, args: Record<string, unknown>): Promise<Reply> =>
  (await call('proxy-dispatch', args)) as Reply

verifies(
  'S4.15 S4.21 S4.44 S4.55',
  'files are private, gone with their process however it ends, and never served by another',
  async () => {
    const directory = temporaryDirectory()
    const place = join(directory, 'data', 'spill')
    const options = { directory, servers, settings }
    const killed = await startProxy(options)
    const lost = await ask(killed, records)
    process.kill(killed.transport.pid ?? 0, 'SIGKILL')
    await expect.poll(() => killed.transport.pid).toBeNull()
    expect(existsSync(lost.resultFile)).toBe(true)

    const running = await Promise.all([startProxy(options), startProxy(options)])
    const replies = await Promise.all(running.map((one) => ask(one, records)))
    await expect.poll(() => existsSync(dirname(lost.resultFile))).toBe(false)
    expect(readdirSync(place)).toHaveLength(2)
    for (const [index, proxy] of running.entries()) {
      const { resultFile } = replies[index] as Reply
      expect(statSync(resultFile).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(resultFile)).mode & 0o777).toBe(0o700)
      expect(JSON.parse(readFileSync(resultFile, 'utf8'))).toHaveLength(3000)
      const size = await ask(proxy, { action: 'readresult', resultFile })
      expect(size).toMatchObject({ byteSize: statSync(resultFile).size, lineCount: 1 })
      const counted = await ask(proxy, {
        action: 'filter',
        cache_id: handleOf(replies[index] as Reply),
        where: ['state = open'],
        aggregate: 'count',
      })
      expect(textOf(counted)).toContain('1000')
      const others = [lost.resultFile, ...replies.map((reply) => reply.resultFile)]
      for (const other of others.filter((path) => path !== resultFile))
        expect(await ask(proxy, { action: 'readresult', resultFile: other })).toMatchObject({ isError: true })
    }
    const [interrupted, terminated] = running as [RunningProxy, RunningProxy]
    const gone = (index: number) =>
      expect.poll(() => existsSync(dirname(replies[index]?.resultFile ?? ''))).toBe(false)
    process.kill(interrupted.transport.pid ?? 0, 'SIGINT')
    await gone(0)
    expect(existsSync(replies[1]?.resultFile ?? '')).toBe(true)
    process.kill(terminated.transport.pid ?? 0, 'SIGTERM')
    await gone(1)
    expect(readdirSync(place)).toEqual([])
  },
)

verifies(
  'S4.55',
  'over HTTP the file and the handle of another agent are as if they did not exist',
  async () => {
    const { url } = await startHttpProxy({ servers, settings })
    const connect = async (): Promise<(args: Record<string, unknown>) => Promise<Reply>> => {
      const client = new Client({ name: 'test', version: '1.0.0' })
      await client.connect(new StreamableHTTPClientTransport(url))
      onTestFinished(() => client.close())
      return async (args) =>
        (await client.callTool({ name: 'proxy-dispatch', arguments: args })) as unknown as Reply
    }
    const [anna, ben] = await Promise.all([connect(), connect()])
    const annas = await anna(records)
    const handle = handleOf(annas)
    const read = { action: 'readresult', op: 'head' }
    expect(textOf(await anna({ ...read, resultFile: annas.resultFile }))).toContain('name 0')
    const missing = annas.resultFile.replace(handle, '0123456789ab')
    const foreign = await ben({ ...read, resultFile: annas.resultFile })
    expect(foreign).toEqual(await ben({ ...read, resultFile: missing }))
    expect(foreign.isError).toBe(true)
    const unknown = textOf(await ben({ ...read, cache_id: '0123456789ab' }))
    expect(textOf(await ben({ ...read, cache_id: handle }))).toBe(unknown.replace('0123456789ab', handle))
    const asArguments = { action: 'call', tool: 'give', argumentsFile: annas.resultFile }
    expect(await ben(asArguments)).toEqual(await ben({ ...asArguments, argumentsFile: missing }))
    // The same result is a file of his own.
    const bens = await ben(records)
    expect(bens.resultFile).not.toBe(annas.resultFile)
    expect(textOf(await ben({ ...read, resultFile: bens.resultFile }))).toContain('name 0')
  },
)

verifies(
  'S4.15 S4.21',
  'on a full disk the result is kept, and the reply says why there is no file',
  async () => {
    const proxy = await startProxy({ servers, settings, fileLimit: 100 })
    const reply = await ask(proxy, records)
    expect(reply).not.toHaveProperty('resultFile')
    expect(reply.isError).toBeUndefined()
    expect(textOf(reply)).toMatch(
      /^No file: .*\(EFBIG\)\. The result is kept in memory; do not call again\.\nSize: \d+ bytes/,
    )
    const cache_id = handleOf(reply)
    const counted = await ask(proxy, { action: 'filter', cache_id, aggregate: 'count' })
    expect(textOf(counted)).toContain('3000')
    const end = await ask(proxy, { action: 'readresult', cache_id, op: 'grep', pattern: '"name 2999"' })
    expect(textOf(end)).toContain('1 line matches')
    const spill = join(proxy.directory, 'data', 'spill')
    expect(readdirSync(join(spill, readdirSync(spill)[0] ?? ''))).toEqual(['.owner'])
    // Results are written as far as they fit, and removed when the client leaves.
    const { resultFile } = await ask(proxy, { ...records, arguments: { count: 10 } })
    expect(JSON.parse(readFileSync(resultFile, 'utf8'))).toHaveLength(10)
    await proxy.close()
    await expect.poll(() => readdirSync(spill)).toEqual([])
  },
)
