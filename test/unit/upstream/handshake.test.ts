/** The first message to a server. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { viaOfCapabilities } from '../../../src/protocol/chain.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import { Peer } from '../../../src/protocol/peer.ts'
import { handshake } from '../../../src/upstream/handshake.ts'
import { linkedTransports } from '../../support/linked.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

/** The params of the `initialize` that a server of the legacy era gets. */
async function greeted(capabilities: JsonObject, via: readonly string[]): Promise<JsonObject> {
  const [near, far] = linkedTransports()
  let params: JsonObject | undefined
  const server = new Peer(far, {
    onRequest: async (request) => {
      params = request.params
      return { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } }
    },
    onNotification: () => {},
  })
  const peer = new Peer(near, { onRequest: async () => ({}), onNotification: () => {} })
  await Promise.all([server.start(), peer.start()])
  onTestFinished(() => peer.close())
  const clientInfo = { name: 'proxy', version: '1' }
  await handshake(peer, { era: 'legacy', clientInfo, capabilities, via }, () => {})
  return params ?? {}
}

verifies(
  'S2.6',
  'a legacy initialize has no _meta, which a server of both eras takes for modern',
  async () => {
    const params = await greeted({ sampling: {} }, ['outer', 'inner'])
    expect(params).not.toHaveProperty('_meta')
    expect(isObject(params.capabilities) && viaOfCapabilities(params.capabilities)).toEqual({
      via: ['outer', 'inner'],
      capabilities: { sampling: {} },
    })
  },
)

test('client capabilities are the same with and without a proxy chain in the handshake', async () => {
  const capabilities = fc.dictionary(
    fc.constantFrom('sampling', 'roots', '__proto__', 'other'),
    fc.dictionary(fc.string(), fc.jsonValue()),
  )
  const experimental = fc.dictionary(
    fc.string({ minLength: 1 }),
    fc.dictionary(fc.string(), fc.jsonValue()),
    {
      minKeys: 1,
    },
  )
  await fc.assert(
    fc.asyncProperty(capabilities, fc.option(experimental), async (plain, tried) => {
      const said = { ...plain, ...(tried && { experimental: tried }) } as JsonObject
      const params = await greeted(structuredClone(said), ['p'])
      expect(viaOfCapabilities(params.capabilities as JsonObject)).toEqual({ via: ['p'], capabilities: said })
    }),
    { numRuns: runs(50) },
  )
})

test.each([
  [{ experimental: { 'mcp-rlm-proxy/via': { proxies: 'all' } } }],
  [{ experimental: { 'mcp-rlm-proxy/via': { proxies: [1] } } }],
  [{ experimental: { 'mcp-rlm-proxy/via': {} } }],
])('names of proxies that are none are left out: %j', (capabilities) => {
  expect(viaOfCapabilities(capabilities as JsonObject)).toEqual({ via: [], capabilities: {} })
})
