import { expect, test } from 'vitest'
import { parseConfig } from '../../../../src/config/load-program.ts'
import { ProxyError } from '../../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { verifies } from '../../../support/verifies.ts'

const settings = (proxySettings: JsonObject) => parseConfig({ mcpServers: {}, proxySettings }).settings

function failure(proxySettings: JsonObject): string {
  try {
    settings(proxySettings)
  } catch (error) {
    if (error instanceof ProxyError) return error.text
  }
  return expect.unreachable('it was accepted')
}

verifies('S4.54', 'off by default; with the limits of the documentation', () => {
  expect(settings({}).bridge).toEqual({
    enabled: false,
    port: 0,
    tools: [],
    inlineBytes: 4096,
    resultTtlSeconds: 600,
  })
})

verifies('S4.54', 'it does not start where other machines could reach it', () => {
  const bridge = { enabled: true }
  for (const transport of ['streamable-http', 'sse'])
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.com'])
      expect(failure({ transport, host, bridge })).toContain(
        `proxySettings.bridge.enabled is true, but the proxy listens on ${host}`,
      )
  for (const host of ['127.0.0.1', 'localhost', '::1'])
    expect(settings({ transport: 'sse', host, bridge }).bridge.enabled).toBe(true)
  // Over stdio the bridge has an address of its own.
  expect(settings({ host: '0.0.0.0', bridge }).bridge.enabled).toBe(true)
  expect(settings({ transport: 'sse', host: '0.0.0.0', bridge: {} }).bridge.enabled).toBe(false)
})

test('a token that could be guessed is refused, and not repeated', () => {
  for (const token of ['hush-hush', 'hush-hush with spaces in it, which no header takes']) {
    const text = failure({ bridge: { enabled: true, token } })
    expect(text).toContain('proxySettings.bridge.token')
    expect(text).not.toContain('hush-hush')
  }
})

verifies('S4.35', 'the result cache is off, and its older name turns it on', () => {
  expect(settings({}).toolCache).toEqual({ ttlMs: 0, tools: [] })
  expect(parseConfig({ mcpServers: {}, toolcachettl: 5000 }).settings.toolCache.ttlMs).toBe(5000)
})
