import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../../src/observe/log.ts'
import { serveHttp } from '../../../../src/server/http/streamable.ts'
import type { Backend } from '../../../../src/server/legacy.ts'
import { deferred } from '../../../support/deferred.ts'

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function served(changes: Partial<Backend> = {}, maxSessions = 100) {
  const logged: object[] = []
  const backend: Backend = {
    handler: async () => ({}),
    describe: () => ({ capabilities: {}, serverInfo: { name: 'proxy', version: '1' }, instructions: '' }),
    opened: () => {},
    closed: () => {},
    notified: () => {},
    identity: 'tested',
    logger: { ...silentLogger, info: (fields) => logged.push(fields) },
    ...changes,
  }
  const options = { host: '127.0.0.1', port: 0, maxSessions, sessionIdleMs: 1e6, now: Date.now, backend }
  const listener = await serveHttp(options)
  onTestFinished(() => listener.close())
  const post = (message: object, session?: string): Promise<Response> =>
    fetch(listener.url, {
      method: 'POST',
      headers: { ...HEADERS, ...(session !== undefined && { 'mcp-session-id': session }) },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const open = async (): Promise<string> => {
    const clientInfo = { name: 'c', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const response = await post({ id: 1, method: 'initialize', params })
    await response.text()
    return response.headers.get('mcp-session-id') ?? ''
  }
  return { post, open, logged }
}

test('the stream of a cancelled request ends', async () => {
  const begun = deferred()
  const { post, open } = await served({
    handler: () => {
      begun.resolve()
      return new Promise(() => {})
    },
  })
  const session = await open()
  const response = await post({ id: 'slow', method: 'tools/call', params: {} }, session)
  await begun.promise
  await post({ method: 'notifications/cancelled', params: { requestId: 'slow' } }, session)
  expect(await response.text()).toContain('"code":-32800')
})

test('only a handshake takes a place among the sessions', async () => {
  const { post, open } = await served({}, 1)
  const session = await open()
  for (let n = 0; n < 5; n++) expect((await post({ id: n, method: 'tools/list' })).status).toBe(400)
  const answer = await post({ id: 2, method: 'tools/list' }, session)
  expect(await answer.text()).toContain('"result":{}')
})

test('when all sessions are at work the next is asked to come again', async () => {
  const { post, open } = await served({}, 1)
  const session = await open()
  for (let n = 0; n < 5; n++) await (await post({ id: n, method: 'tools/list' }, session)).text()
  expect((await post({ id: 1, method: 'initialize' })).status).toBe(503)
})

test('the log does not tell the id that opens a session', async () => {
  const { open, logged } = await served()
  const session = await open()
  expect(session).not.toBe('')
  expect(logged).toHaveLength(1)
  expect(JSON.stringify(logged)).not.toContain(session)
})
