import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { joinCapabilities } from '../../../src/server/backend.ts'

const having = (capabilities: JsonObject): JsonObject => ({ capabilities })

test('a capability of one server stays when another server lacks it', () => {
  const joined = joinCapabilities([
    having({ resources: { subscribe: true }, logging: {} }),
    having({ resources: { subscribe: false, listChanged: false }, prompts: {}, tools: {} }),
    having({}),
    { protocolVersion: '2025-11-25' },
  ])
  expect(joined).toEqual({
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
  })
})

test('while a server is unknown everything is offered', () => {
  expect(Object.keys(joinCapabilities([having({}), undefined])).sort()).toEqual([
    'completions',
    'logging',
    'prompts',
    'resources',
    'tools',
  ])
})

test('resources are offered where no server has any, for what is kept is read as one', () => {
  expect(joinCapabilities([having({ tools: {} })])).toEqual({ tools: { listChanged: true }, resources: {} })
})

test('names of capabilities are data', () => {
  const joined = joinCapabilities([
    having(JSON.parse('{"__proto__":{"polluted":true},"experimental":{"x":{}}}')),
  ])
  expect(joined.polluted).toBeUndefined()
  expect(Object.keys(joined)).toEqual(['tools', 'resources', '__proto__', 'experimental'])
})
