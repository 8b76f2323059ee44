import { expect } from 'vitest'
import { createCallLog } from '../../../src/features/call-log/index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import type { Result } from '../../../src/protocol/content.ts'
import { calledName } from '../../../src/proxy/own-tools.ts'
import { exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

async function logged(params: object, answer: () => Promise<Result>): Promise<object[]> {
  const lines: object[] = []
  const logger = { ...silentLogger, debug: (fields: object) => void lines.push(fields) }
  let time = 0
  const layer = createCallLog({ logger, calledName, elapsed: () => (time += 7) })
  await layer
    .wrap(answer)(exchange(undefined, { params: params as never }))
    .catch(() => {})
  return lines
}

verifies('S4.36', 'a line for each call names the tool that was run, and how it ended', async () => {
  const secret = { token: 'hunter2' }
  const dispatched = {
    name: 'proxy-dispatch',
    arguments: { action: 'call', tool: 'write_file', arguments: secret },
  }
  const found = { name: 'call_tool_read', arguments: { name: 'files_read', arguments: secret } }
  const good = async (): Promise<Result> => ({ content: [] })
  const lines = [
    await logged(dispatched, good),
    await logged(found, async () => ({ content: [], isError: true })),
    await logged({ name: 'files_list', arguments: secret }, async () => {
      throw new Error('gone')
    }),
  ]
  expect(lines).toMatchObject([
    [{ tool: 'write_file', ms: 7, ended: 'result' }],
    [{ tool: 'files_read', ended: 'isError' }],
    [{ tool: 'files_list', ended: 'error' }],
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})
