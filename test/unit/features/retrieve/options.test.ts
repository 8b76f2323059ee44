/** Settings of the exposure `retrieve`, by their own names and by those of the environment. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../src/config/load-program.ts'
import { ProxyError } from '../../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const mcpServers = { a: { command: 'node' } }

const config = (value: JsonObject, env: Record<string, string> = {}) =>
  loadConfig({ value, env, cwd: '/', home: '/home/someone' }).config

function load(proxySettings: JsonObject, env: Record<string, string> = {}) {
  return config({ mcpServers, proxySettings }, env).settings
}

function failure(proxySettings: JsonObject, env: Record<string, string> = {}): string {
  try {
    load(proxySettings, env)
  } catch (error) {
    if (error instanceof ProxyError) return error.text
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('how tools are retrieved', () => {
  verifies(
    'S1.31 S1.32 S1.34 S1.35',
    'without a word about it the defaults hold, and tools pass through',
    () => {
      const { exposure, retrieve, index, truncateOutputLength } = load({})
      expect({ exposure, truncateOutputLength, index }).toEqual({
        exposure: 'passthrough',
        index: { engine: 'static', languages: ['en'], learn: false },
      })
      expect(retrieve).toEqual({
        routing: 'call',
        topK: 5,
        detail: 'compact',
        variants: 'single',
        poolLimit: 15,
        pool: { scoreWeight: 0.7, freshnessWeight: 0.3, maxAgeSeconds: 1800 },
        listWithinTokens: 0,
        listChangedExecTimeoutMs: 5000,
      })
    },
  )

  verifies(
    'S1.31 S1.32 S1.33 S1.34 S1.35 S1.37 S1.46',
    'every environment name, in the spellings of the older proxy',
    () => {
      const settings = load(
        {},
        {
          MCPPROXY_ROUTING_TYPE: 'DYNAMIC',
          MCPPROXY_EMBEDDER: 'HF',
          MCPPROXY_HF_MODEL: 'all-MiniLM-L6-v2',
          MCPPROXY_TOP_K: '7',
          MCPPROXY_TOOLS_LIMIT: '20',
          MCPPROXY_TRUNCATE_OUTPUT_LEN: '4000',
          MCPPROXY_LIST_CHANGED_EXEC: 'touch /tmp/changed',
          MCPPROXY_VECTOR_STORE: 'postgres://db/tools',
          MCPPROXY_LIST_WITHIN_TOKENS: '9000',
          MCPPROXY_VARIANTS: 'readwritedestructive',
          MCPPROXY_POOL_SCORE_WEIGHT: '0.5',
        },
      )
      expect(settings).toMatchObject({
        exposure: 'retrieve',
        truncateOutputLength: 4000,
        retrieve: {
          routing: 'dynamic',
          topK: 7,
          poolLimit: 20,
          pool: { scoreWeight: 0.5 },
          listWithinTokens: 9000,
          variants: 'readWriteDestructive',
          listChangedExec: 'touch /tmp/changed',
        },
        index: { engine: 'hf', model: 'all-MiniLM-L6-v2', vectorStore: 'postgres://db/tools' },
      })
    },
  )

  verifies('S1.31', 'a routing is enough to be offered tools by it; an exposure that is set wins', () => {
    expect(load({}, { MCPPROXY_ROUTING_TYPE: 'CALL_TOOL' })).toMatchObject({
      exposure: 'retrieve',
      retrieve: { routing: 'call' },
    })
    expect(load({ retrieve: { routing: 'dynamic' } }).exposure).toBe('retrieve')
    expect(load({ exposure: 'passthrough' }, { MCPPROXY_ROUTING_TYPE: 'DYNAMIC' }).exposure).toBe(
      'passthrough',
    )
    expect(load({ retrieve: { topK: 3 } }).exposure).toBe('passthrough')
  })

  verifies(
    'S1.68',
    'as many tools as deserve it, from the file, the environment or a variable in the file',
    () => {
      expect(load({ retrieve: { topK: 'adaptive' } }).retrieve.topK).toBe('adaptive')
      expect(load({}, { MCPPROXY_TOP_K: 'Adaptive' }).retrieve.topK).toBe('adaptive')
      const cwd = temporaryFolder()
      writeFileSync(join(cwd, 'mcp.json'), '{"mcpServers":{},"proxySettings":{"retrieve":{"topK":"${K}"}}}')
      expect(loadConfig({ cwd, home: cwd, env: { K: '9' } }).config.settings.retrieve.topK).toBe(9)
    },
  )

  test.each([
    ['MCPPROXY_TOP_K', '0', 'a whole number from 1 to 50, or adaptive'],
    ['MCPPROXY_TOP_K', '51', 'a whole number from 1 to 50, or adaptive'],
    ['MCPPROXY_TOP_K', 'many', 'a whole number from 1 to 50, or adaptive'],
    ['MCPPROXY_TOP_K', '2.5', 'a whole number from 1 to 50, or adaptive'],
    ['MCPPROXY_POOL_SCORE_WEIGHT', '2', 'a number from 0 to 1'],
    ['MCPPROXY_TOOLS_LIMIT', '0', 'a whole number from 1 to 100'],
    ['MCPPROXY_TOOLS_LIMIT', '101', 'a whole number from 1 to 100'],
    ['MCPPROXY_TOOL_NAME_LIMIT', '9', 'a whole number from 10 to 200'],
    ['MCPPROXY_TOOL_NAME_LIMIT', '201', 'a whole number from 10 to 200'],
    ['MCPPROXY_ROUTING_TYPE', 'static', 'one of call, dynamic'],
    ['MCPPROXY_EMBEDDER', 'faiss', 'one of static, words, hf, openai, hybrid'],
    ['MCPPROXY_TRUNCATE_OUTPUT_LEN', '0', 'a whole number from 1 to'],
  ])('%s = %s is refused with what is allowed', (name, value, allowed) => {
    const told = failure({}, { [name]: value })
    expect(told).toContain(`environment variable ${name}`)
    expect(told).toContain(allowed)
  })

  verifies('S1.59', 'a quota of a server, and what is wrong with one', () => {
    const parse = (quota: JsonObject) => config({ mcpServers: { a: { command: 'node', quota } } })
    expect(parse({ rps: 0.5, burst: 5 }).servers).toMatchObject([
      { name: 'a', quota: { rps: 0.5, burst: 5 } },
    ])
    expect(() => parse({ rps: 0 })).toThrow(ProxyError)
    expect(() => parse({ burst: 5 })).toThrow(ProxyError)
  })
})
