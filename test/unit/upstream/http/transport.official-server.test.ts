/** The transport against servers built with the official SDK. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { plain } from '../../../../src/protocol/content.ts'
import { type Era, LEGACY_VERSIONS, MODERN_META, MODERN_VERSIONS } from '../../../../src/protocol/eras.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Notification, Request, RequestId } from '../../../../src/protocol/message.ts'
import { Peer } from '../../../../src/protocol/peer.ts'
import { createTransport } from '../../../support/loopback.ts'

async function officialServer(...flags: string[]): Promise<string> {
  const script = fileURLToPath(new URL('../../../conformance/server.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return line.toString().trim()
}

interface Told {
  notification: Notification
  via: RequestId | undefined
}

/** A connection after its handshake. */
async function peerTo(url: string, era: Era): Promise<{ peer: Peer; told: Told[]; asked: Request[] }> {
  const it = createTransport(url, { era })
  const told: Told[] = []
  const asked: Request[] = []
  const peer = new Peer(it, {
    onNotification: (notification, via) => told.push({ notification, via }),
    onRequest: async (request) => {
      asked.push(request)
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'hi' } }
    },
  })
  await peer.start()
  if (era === 'legacy') {
    const [protocolVersion] = LEGACY_VERSIONS
    const params = {
      protocolVersion,
      clientInfo: { name: 'test', version: '1' },
      capabilities: { sampling: {} },
    }
    await peer.request({ method: 'initialize', params })
    it.setProtocolVersion(protocolVersion)
    peer.notify({ method: 'notifications/initialized' })
  }
  return { peer, told, asked }
}

const _meta: JsonObject = {
  [MODERN_META.protocolVersion]: MODERN_VERSIONS[0],
  [MODERN_META.clientInfo]: { name: 'test', version: '1' },
  [MODERN_META.clientCapabilities]: {},
}

describe('modern', () => {
  test('calls, progress, errors and subscriptions', async () => {
    const { peer, told } = await peerTo(await officialServer('--modern-only'), 'modern')
    const ask = async (method: string, params: JsonObject = {}): Promise<JsonObject> =>
      plain(await peer.request({ method, params: { ...params, _meta } }))
    expect(await ask('server/discover')).toMatchObject({ supportedVersions: [...MODERN_VERSIONS] })
    expect(await ask('tools/call', { name: 'test_simple_text', arguments: {} })).toMatchObject({
      content: [{ type: 'text' }],
    })
    await expect(ask('no/such/method')).rejects.toMatchObject({ code: -32601 })
    await expect(ask('prompts/get', { name: 'größe' })).rejects.toMatchObject({ code: -32602 })

    const progress: JsonObject[] = []
    const call = { method: 'tools/call', params: { name: 'test_tool_with_progress', arguments: {}, _meta } }
    await peer.request(call, { onProgress: (params) => progress.push(params) })
    expect(progress.length).toBeGreaterThan(0)

    const leave = new AbortController()
    const ids: RequestId[] = []
    const listening = peer.request(
      { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta } },
      { signal: leave.signal, onId: (id) => ids.push(id) },
    )
    const ended = listening.catch((error: unknown) => error)
    await expect.poll(() => told.map(({ via }) => via)).toEqual(ids)
    leave.abort()
    expect(await ended).toBeInstanceOf(Error)
    expect(await ask('tools/list')).toMatchObject({ tools: expect.any(Array) })
  })
})

describe('legacy', () => {
  test('calls, log messages on their stream and requests of the server', async () => {
    const { peer, told, asked } = await peerTo(await officialServer('--legacy-only'), 'legacy')
    const ask = async (name: string, args: JsonObject = {}): Promise<JsonObject> =>
      plain(await peer.request({ method: 'tools/call', params: { name, arguments: args } }))
    expect(await ask('test_simple_text')).toMatchObject({ content: [{ type: 'text' }] })
    await ask('test_tool_with_logging')
    expect(told.length).toBeGreaterThan(0)
    expect(new Set(told.map(({ via }) => via))).toEqual(new Set([3]))
    expect(await ask('test_sampling', { prompt: 'hello' })).toMatchObject({ content: [{ type: 'text' }] })
    expect(asked).toMatchObject([{ method: 'sampling/createMessage' }])
  })

  test('a stream that the server closes in the middle of a call is taken up again', async () => {
    const { peer } = await peerTo(await officialServer('--legacy-only'), 'legacy')
    const call = { method: 'tools/call', params: { name: 'test_reconnection', arguments: {} } }
    expect(plain(await peer.request(call))).toMatchObject({ content: [{ type: 'text' }] })
  })
})
