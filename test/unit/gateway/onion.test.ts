import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { FEATURES, featuresTable } from '../../../src/gateway/onion.ts'
import { createGateway, type GatewayParts } from '../../../src/gateway.ts'
import type { Middleware } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const page = readFileSync(new URL('../../../docs/modules.md', import.meta.url), 'utf8')

const mine: Middleware = { name: 'mine', wrap: (next) => next }

async function open(config: JsonObject, settings: JsonObject, parts: GatewayParts = {}) {
  const proxySettings = { dataDir: temporaryFolder(), ...settings }
  const gateway = await createGateway(parseConfig({ mcpServers: {}, ...config, proxySettings }), parts)
  onTestFinished(() => gateway.close())
  return gateway
}

const MOST = {
  log: { level: 'debug' },
  transport: 'streamable-http',
  truncateOutputLength: 100,
  toolCache: { ttlMs: 1 },
}

describe('layers around an exchange', () => {
  verifies('S2.9 S2.31', 'is one list from the client to the servers, modules in their places', async () => {
    const modules = [{ use: 'log' }, { use: 'shape' }, { use: 'block', mode: 'audit' }]
    const settings = { ...MOST, exposure: 'dispatch', naming: { rename: { 'a/x': 'y' } } }
    const mcpServers = { a: { command: 'x', quota: { rps: 2 } } }
    const gateway = await open({ mcpServers, modules }, settings, { middlewares: [mine] })
    const layers = gateway.layers()
    expect(layers.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'feature call-log',
      'feature count',
      'feature account',
      'feature dispatch',
      'layer mine',
      'module log',
      'feature truncate',
      'feature shape',
      'feature collect',
      'feature references',
      'feature result-cache',
      'module block',
      'feature router',
    ])
    expect(layers.filter(({ kind }) => kind === 'module').map(({ what }) => what)).toEqual([
      'use: log',
      'use: block, audit',
    ])
    for (const { kind, what } of layers) if (kind === 'feature') expect(what).toMatch(/^[A-Z].+\.$/)
    expect(layers.at(-1)?.what).toContain('Names of `naming.rename`: 1. Quotas: a 2 a second.')
  })

  verifies('S2.9', 'is always there for the greater part, and follows the list of modules', async () => {
    const gateway = await open({}, {})
    const names = (): string[] => gateway.layers().map(({ name }) => name)
    const always = FEATURES.filter(({ when }) => when === 'always').map(({ name }) => name)
    expect(always).toEqual(['account', 'shape', 'collect', 'references', 'router'])
    expect(names()).toEqual(['call-log', ...always])
    const proxySettings = { dataDir: temporaryFolder() }
    await gateway.reconfigure(parseConfig({ mcpServers: {}, modules: [{ use: 'redact' }], proxySettings }))
    expect(names()).toEqual(['call-log', 'account', 'shape', 'collect', 'references', 'redact', 'router'])
  })

  verifies('S2.10', 'stays what it was, and so do the servers, when one module cannot be made', async () => {
    const server = (name: string): JsonObject => ({ [name]: { command: 'x' } })
    const gateway = await open({ mcpServers: server('a'), modules: [{ use: 'block' }] }, {})
    const twice = { use: 'rename', tools: { 'a/x': 'z', 'a/y': 'z' } }
    const next = parseConfig({ mcpServers: server('b'), modules: [{ use: 'redact' }, twice] })
    await expect(gateway.reconfigure(next)).rejects.toThrow('gives the name "z" to two tools: a/x and a/y')
    expect(gateway.modules().map(({ name }) => name)).toEqual(['block'])
    expect(gateway.layers().map(({ name }) => name)).toContain('block')
    expect(gateway.status().map(({ server: name }) => name)).toEqual(['a'])
  })

  verifies('S2.9 S2.35', 'is on the page, and so is each basic feature', async () => {
    const [hidden, all] = [await open({}, { exposure: 'retrieve' }), await open({}, MOST)]
    const known = FEATURES.map(({ name }) => name)
    for (const { name, kind } of [...hidden.layers(), ...all.layers()])
      if (kind === 'feature') expect(known).toContain(name)
    expect(page).toContain(featuresTable())
    const basics = page.split('The basic features')[1]?.split('\n## ')[0] ?? ''
    for (const feature of [
      'logging',
      'aggregation',
      'blocking',
      'renaming',
      'content update',
      'truncation and cache',
      'search',
      'metrics',
    ])
      expect(basics).toMatch(new RegExp(`\\| ${feature} \\| .*\`.+\` *`))
  })
})
