/** Calls of models that do not fit the definition, and the replies that they get. */

import { expect, test } from 'vitest'
import { resolveTool } from '../../../../src/features/dispatch/call.ts'
import { readDispatchParams } from '../../../../src/features/dispatch/params.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { spellingsOf } from '../../../../src/protocol/spellings.ts'
import { verifies } from '../../../support/verifies.ts'
import { dispatchWorld, textOf } from './world.ts'

const read = (args: JsonObject) => readDispatchParams('proxy-dispatch', args)

const TOOLS = [
  ['alpha', 'echo'],
  ['beta', 'echo'],
  ['beta', 'Sum'],
  ['beta', 'a/sum'],
].map(([server = '', original = '']) => ({
  name: `${server}_${original}`,
  original,
  server,
  definition: { name: original },
}))
const CONNECTIONS = ['alpha', 'beta'].map((server, at) => ({
  server,
  alias: `c${at + 1}`,
  id: `${at}`.repeat(32),
  descriptor: () => ({}),
}))
const resolved = (name: string, connection?: string) => {
  const shelf = { tools: TOOLS, meant: spellingsOf(TOOLS) }
  const found = resolveTool(name, connection, shelf, CONNECTIONS)
  return 'tool' in found ? found.tool.name : found.failure
}

test('numbers, truth values and the action are read however they are written', () => {
  expect(read({ action: ' List ', includeTools: 'FALSE', refresh: 'true' })).toMatchObject({
    params: { action: 'list', includeTools: false, refresh: true },
  })
  expect(read({ action: 'readresult', resultFile: 'x', op: 'head', lines: '3' })).toMatchObject({
    params: { lines: 3 },
  })
  expect(read({ action: 'search', query: '12', limit: 'many' })).toMatchObject({
    failure: expect.stringContaining('limit'),
  })
  expect(read({ action: 'search', query: '12' })).toMatchObject({ params: { query: '12' } })
})

verifies('S4.50', 'the right shape keeps what was right, the connection above all', () => {
  const args = { action: 'call', tool: 'echo', connection: 'c2', resultToFile: true, message: 'hi' }
  const { failure = '' } = read(args) as { failure?: string }
  expect(JSON.parse(failure.slice(failure.indexOf('{')))).toEqual({
    action: 'call',
    tool: 'echo',
    connection: 'c2',
    resultToFile: true,
    arguments: { message: 'hi' },
  })
})

test('an unknown parameter is told what the action takes', () => {
  expect(read({ action: 'readresult', resultFile: 'x', lins: 3 })).toEqual({
    failure: expect.stringMatching(
      /lins: no such parameter\. Did you mean lines\? Action readresult takes resultFile, /,
    ),
  })
  expect(read({ action: 'call', tool: 'x', refresh: true })).toMatchObject({ params: { refresh: true } })
})

test('a file of readresult may be called path', () => {
  expect(read({ action: 'readresult', path: '/x', op: 'stat' })).toMatchObject({
    params: { resultFile: '/x' },
  })
  const both = read({ action: 'readresult', cache_id: 'a', path: '$.x' })
  expect(both).toMatchObject({ params: { cache_id: 'a' } })
  expect(both).not.toHaveProperty('params.resultFile')
})

verifies('S4.13', 'a tool may be named with its connection, and in other capitals', () => {
  expect(resolved('beta/echo')).toBe('beta_echo')
  expect(resolved('c1.echo')).toBe('alpha_echo')
  expect(resolved('C2:SUM')).toMatch(/no tool/)
  expect(resolved('sum', 'c2')).toBe('beta_Sum')
  expect(resolved('a/sum')).toBe('beta_a/sum')
  expect(resolved('gamma/echo')).toMatch(/^There is no tool/)
  expect(resolved('mcp__proxy__beta_echo')).toBe('beta_echo')
  expect(resolved('mcp__proxy__echo', 'beta')).toBe('beta_echo')
  expect(resolved('echo')).toMatch(/Candidates/)
})

test('a result in a file is asked about by its file, and errors say how it is asked here', async () => {
  const world = dispatchWorld({ spill: { threshold: 100 } })
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `n${id}` }))
  const reply = await world.run({ content: [{ type: 'text', text: JSON.stringify(rows) }] })
  expect(reply.cache_id).toMatch(/^[0-9a-z]{12}$/)
  expect(String(reply.resultFile)).toContain(String(reply.cache_id))
  const asked = await world.ask({ action: 'filter', resultFile: reply.resultFile ?? '', where: ['id > 48'] })
  expect(world.calls.at(-1)).toMatchObject({ name: 'proxy_filter', arguments: { cache_id: reply.cache_id } })
  expect(textOf(asked)).not.toContain('proxy_filter')
})

test('a file may be what a reference refers to, and is not taken for a path then', async () => {
  const world = dispatchWorld({ spill: { threshold: 100 } })
  const reply = await world.run({ content: [{ type: 'text', text: 'x'.repeat(500) }] })
  const $from = String(reply.resultFile)
  const passed = await world.ask({ action: 'call', tool: 'write', arguments: { content: { $from } } })
  expect(world.calls.at(-1)).toMatchObject({ arguments: { content: { $from } } })
  expect(textOf(passed)).not.toContain('is a result in a file')
  const told = await world.ask({
    action: 'call',
    tool: 'write',
    arguments: { content: { $from, path: $from } },
  })
  expect(told.isError).toBeUndefined()
  const path = await world.ask({ action: 'call', tool: 'write', arguments: { $from, other: 1 } })
  expect(textOf(path)).toContain('is a result in a file')
})

test('a query that cannot be asked is told as an action', async () => {
  const world = dispatchWorld()
  const text =
    'Give one.\nKept result: proxy_filter {"cache_id": "…"}\nproxy_filter cannot read its parameters.'
  await world.run({ content: [] })
  const answer = { isError: true, content: [{ type: 'text', text }] }
  await world.run(answer)
  expect(textOf(await world.ask({ action: 'filter' }))).toBe(
    'Give one.\nKept result: proxy-dispatch {"action": "filter", "cache_id": "…"}\nproxy-dispatch filter cannot read its parameters.',
  )
})
