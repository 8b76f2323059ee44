import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { JsonRpcMessage } from '../../../src/protocol/message.ts'
import { StdioTransport } from '../../../src/server/stdio.ts'

async function started(output = new PassThrough()) {
  const input = new PassThrough()
  const transport = new StdioTransport({ input, output, maxMessageBytes: 1e6 })
  const received: JsonRpcMessage[] = []
  transport.onmessage = (message) => received.push(message)
  await transport.start()
  return { transport, input, output, received }
}

test('each message of a batch is read; what is no message is refused', async () => {
  const { input, output, received } = await started()
  input.write(
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"jsonrpc":"2.0","method":"note"}]\n[]\nnull\n{"x"\n',
  )
  await expect.poll(() => received).toHaveLength(2)
  await once(output, 'readable')
  const refused = String(output.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(refused.map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32600],
    [null, -32600],
    [null, -32600],
    [null, -32700],
  ])
})

test('a client that does not read is sent answers, and no more notifications than it can hold', async () => {
  const { transport, output } = await started()
  const params = { data: 'x'.repeat(1024 * 1024) }
  const told = Array.from({ length: 40 }, () => transport.send({ jsonrpc: '2.0', method: 'note', params }))
  const answer = transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  expect(output.writableLength).toBeLessThan(20 * 1024 * 1024)
  output.resume()
  const outcomes = await Promise.allSettled(told)
  expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(20)
  await answer
})

test('a client that reads slowly costs no listeners', async () => {
  const { transport, output } = await started(new PassThrough({ highWaterMark: 10 }))
  const listeners = (): number => output.listenerCount('close') + output.listenerCount('drain')
  const before = listeners()
  for (let round = 0; round < 3; round++) {
    const sent = Array.from({ length: 20 }, (_, id) => transport.send({ jsonrpc: '2.0', id, result: {} }))
    expect(listeners()).toBeLessThanOrEqual(before + 2)
    output.resume()
    await Promise.all(sent)
    output.pause()
    expect(listeners()).toBe(before)
  }
})
