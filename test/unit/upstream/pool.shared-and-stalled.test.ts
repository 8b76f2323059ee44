import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { client, exchange, toolCall, upstreams } from '../../support/upstream.ts'

/** A server that answers everything, tells of every subscription, and on the tool `half` begins a line that it never ends. */
const SERVER = {
  command: process.execPath,
  args: [
    '-e',
    `const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
     const serverInfo = { name: 'x', version: '1' }
     const capabilities = { tools: {}, resources: { subscribe: true } }
     require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method, params } = JSON.parse(line)
       if (id === undefined) return
       if (method === 'initialize') return send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } })
       if (method === 'server/discover') return send({ id, error: { code: -32601, message: 'no' } })
       if (method === 'tools/call' && params.name === 'half') return process.stdout.write('{"jsonrpc":"2.0","id":' + id)
       if (method === 'tools/call' && params.name === 'touch')
         send({ method: 'notifications/resources/updated', params: { uri: params.arguments.uri } })
       if (method === 'resources/unsubscribe') global.left = true
       send({ id, result: { content: [{ type: 'text', text: global.left ? 'left ' + process.pid : String(process.pid) }] } })
     })`,
  ],
}

test('an update of a shared server is for those alone that subscribed', async () => {
  const pool = upstreams({ servers: { s: { ...SERVER, instance: 'shared' } } })
  const [ann, ben, cid] = [client(), client(), client()]
  const ask = (who: typeof ann, method: string, uri: string) =>
    pool.request('s', { method, params: { uri } }, exchange(who))
  await ask(ann, 'resources/subscribe', 'file:///a')
  await ask(ben, 'resources/subscribe', 'file:///a')
  await ask(cid, 'resources/subscribe', 'file:///b')
  const told = async (uri: string) => {
    pool.recorded.notifications.length = 0
    await pool.request('s', toolCall('touch', { uri }), exchange(cid))
    return pool.recorded.notifications.map((each) => each.client)
  }
  expect(await told('file:///a')).toEqual([ann, ben])
  expect(await told('file:///a/part')).toEqual([ann, ben])
  expect(await told('file:///b')).toEqual([cid])
  expect(await told('file:///else')).toEqual([])
  // One that leaves takes nothing from the other.
  await ask(ann, 'resources/unsubscribe', 'file:///a')
  expect(await told('file:///a')).toEqual([ben])
  expect(JSON.stringify(await pool.request('s', toolCall('x'), exchange(cid)))).not.toContain('left')
  await ask(ben, 'resources/unsubscribe', 'file:///a')
  expect(await told('file:///a')).toEqual([])
  expect(JSON.stringify(await pool.request('s', toolCall('x'), exchange(cid)))).toContain('left')
  await pool.release(cid)
  expect(await told('file:///b')).toEqual([])
})

test('a call that ends on an unfinished line ends the connection, and the next call has a new one', async () => {
  const pool = upstreams({ servers: { s: { ...SERVER, timeoutMs: 3_000 } } })
  const mine = exchange()
  const pid = async () => JSON.stringify(await pool.request('s', toolCall('x'), mine))
  const before = await pid()
  await expect(pool.request('s', toolCall('half'), mine)).rejects.toThrow(/did not answer/)
  await sleep(0)
  expect(await pid()).not.toBe(before)
})
