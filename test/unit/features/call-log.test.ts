import { expect } from 'vitest'
import { createCallLog } from '../../../src/features/call-log/index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import type { Result } from '../../../src/protocol/content.ts'
import { calledNameIn } from '../../../src/proxy/own-tools.ts'
import { around } from '../../support/onion.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

async function logged(params: object, answer: () => Promise<Result>): Promise<object[]> {
  const lines: object[] = []
  const logger = { ...silentLogger, info: (fields: object) => void lines.push(fields) }
  let time = 0
  const layer = createCallLog({
    logger,
    calledName: calledNameIn({ exposure: 'retrieve' }),
    elapsed: () => (time += 7),
  })
  const asked = { ...client(), info: { name: 'codex', version: '0.1' } }
  await around(layer, answer)(exchange(asked, { params: params as never })).catch(() => {})
  return lines
}

verifies('S4.36', 'a line for each call names the tool that was run, and how it ended', async () => {
  const secret = { token: 'hunter2' }
  const dispatched = {
    name: 'proxy-dispatch',
    arguments: { action: 'call', tool: 'write_file', arguments: secret },
  }
  const found = { name: 'call_tool_read', arguments: { name: 'files_read', arguments: secret } }
  const good = async (): Promise<Result> => ({ content: [{ type: 'text', text: 'x'.repeat(500) }] })
  const lines = [
    await logged(dispatched, good),
    await logged(found, async () => ({ content: [], isError: true })),
    await logged({ name: 'files_list', arguments: secret }, async () => {
      throw new Error('gone')
    }),
  ]
  expect(lines).toMatchObject([
    [{ client: 'codex 0.1', tool: 'write_file', ms: 7, ended: 'result' }],
    [{ tool: 'files_read', ended: 'isError' }],
    [{ tool: 'files_list', ended: 'error' }],
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
  const [[line]] = lines as [[{ asked: number; answered: number }]]
  expect(line.asked).toBeCloseTo(JSON.stringify(dispatched.arguments).length, -1)
  expect(line.answered).toBeCloseTo(JSON.stringify(await good()).length, -1.5)
})
