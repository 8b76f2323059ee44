import { expect, test } from 'vitest'
import type { Handler } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { createOwnNames } from '../../../src/proxy/layers.ts'
import { around } from '../../support/onion.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const tool = (server: string, name: string, listed = `${server}_${name}`): JsonObject =>
  withOrigin({ name }, { server, name, listed: `${server}_${name}` }, listed)

/** The layer before a made-up handler; `asked` are the methods and names that reach the handler. */
function world(tools: JsonObject[], given: readonly string[] = []) {
  const state = { tools, asked: [] as [string, unknown][] }
  const inner: Handler = async ({ method, params }) => {
    state.asked.push([method, params.name ?? params.ref])
    return method.endsWith('/list') ? { tools: state.tools, prompts: state.tools } : { content: [] }
  }
  const layer = createOwnNames({
    isGiven: (_, name) => given.includes(name),
    servers: () => ['a', 'b', 'down'],
  })
  const on = client()
  const handler = around(layer, inner)
  const ask = (method: string, params: JsonObject = {}) => handler({ ...exchange(on), method, params })
  return { state, ask, call: (name: string) => ask('tools/call', { name }) }
}

verifies('S3.2', 'a name that is given goes on at once, without a look at any list', async () => {
  const { state, call } = world([tool('a', 'read')], ['a_read', 'proxy_filter'])
  await call('a_read')
  await call('proxy_filter')
  expect(state.asked).toEqual([
    ['tools/call', 'a_read'],
    ['tools/call', 'proxy_filter'],
  ])
})

test('looks another name up in the last list before it lists again', async () => {
  const { state, ask, call } = world([tool('a', 'read')])
  await call('mcp__proxy__a_read')
  await call('read')
  await ask('tools/list')
  await call('proxy-a_read')
  state.tools = [tool('a', 'read'), tool('b', 'write')]
  await call('b/write')
  await call('nothing')
  expect(state.asked).toEqual([
    ['tools/list', undefined],
    ['tools/call', 'a_read'],
    ['tools/call', 'a_read'],
    ['tools/list', undefined],
    ['tools/call', 'a_read'],
    ['tools/list', undefined],
    ['tools/call', 'b_write'],
    ['tools/list', undefined],
    ['tools/call', 'nothing'],
  ])
})

verifies(
  'S2.16',
  'of a tool that a module renamed the new name counts, and its server’s own is no name any more',
  async () => {
    const { state, call } = world([tool('a', 'find', 'seek'), tool('b', 'find')], ['a_find'])
    await call('mcp__proxy__seek')
    await call('find')
    await call('mcp__proxy__a_find')
    expect(state.asked.filter(([method]) => method === 'tools/call')).toEqual([
      ['tools/call', 'seek'],
      ['tools/call', 'b_find'],
      ['tools/call', 'mcp__proxy__a_find'],
    ])
  },
)

test('an ambiguous name is refused with the candidates, without hidden tools', async () => {
  const { call } = world([tool('a', 'find'), tool('b', 'find')])
  await expect(call('find')).rejects.toMatchObject({
    code: -32602,
    message: 'Ambiguous tool: find. It may mean several; call one of a_find, b_find.',
  })
  const hidden = world([tool('b', 'find')], ['a_find'])
  await hidden.call('find')
  await hidden.call('x_a_find')
  expect(hidden.state.asked.filter(([method]) => method === 'tools/call')).toEqual([
    ['tools/call', 'b_find'],
    ['tools/call', 'x_a_find'],
  ])
})

test('prompts and their completions are named alike', async () => {
  const { state, ask } = world([tool('a', 'greet')])
  await ask('prompts/get', { name: 'mcp__proxy__a_greet' })
  await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' } })
  await ask('completion/complete', { ref: { type: 'ref/resource', uri: 'x' } })
  expect(state.asked.slice(1)).toEqual([
    ['prompts/get', 'a_greet'],
    ['completion/complete', { type: 'ref/prompt', name: 'a_greet' }],
    ['completion/complete', { type: 'ref/resource', uri: 'x' }],
  ])
})
