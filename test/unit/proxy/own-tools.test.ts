import { expect, test } from 'vitest'
import { aliasTools, definitionsOf } from '../../../src/features/dispatch/index.ts'
import { callTools } from '../../../src/features/retrieve/call-tool.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { calledNameIn, EXPOSURE_NAMES, RESERVED_NAMES, tooManyParams } from '../../../src/proxy/own-tools.ts'

const calledName = calledNameIn({ exposure: 'dispatch' }) ?? String

test('counts the tool that was run', () => {
  expect(calledName({ name: 'call_tool', arguments: { name: 'files_read' } })).toBe('files_read')
  expect(calledName({ name: 'call_tool_read', arguments: { name: 'files_read' } })).toBe('files_read')
  expect(calledName({ name: 'files_read', arguments: { name: 'x' } })).toBe('files_read')
  expect(calledName({ name: 'call_tool_of_a_server', arguments: { name: 'x' } })).toBe(
    'call_tool_of_a_server',
  )
  for (const args of [undefined, null, [], 'x', {}, { name: 7 }])
    expect(calledName({ name: 'call_tool', ...(args !== undefined && { arguments: args }) })).toBe(
      'call_tool',
    )
})

test('counts a dispatch call as a call of the inner tool', () => {
  const counted = (args: JsonObject, name = 'proxy-dispatch') => calledName({ name, arguments: args })
  expect(counted({ action: 'call', tool: 'read' })).toBe('read')
  expect(counted({ tool: 'read' }, 'proxy-dispatch-read')).toBe('read')
  expect(counted({ action: 'filter', tool: 'read' })).toBe('proxy_filter')
  expect(counted({ action: 'search_result', cache_id: 'x' })).toBe('proxy_search')
  for (const args of [
    {},
    { action: 'list', tool: 'read' },
    { action: 'toString' },
    { action: 'call' },
    { action: 7 },
  ])
    expect(counted(args)).toBe('proxy-dispatch')
  expect(counted({ action: 'call', tool: 'x'.repeat(500) })).toBe('proxy-dispatch')
})

test('no server can have a name that is offered', () => {
  const offered = [
    ...EXPOSURE_NAMES,
    ...[true, false].flatMap((split) => callTools(split).map(({ name }) => name)),
  ]
  expect(new Set(RESERVED_NAMES.retrieve)).toEqual(new Set(offered))
  const dispatching = [
    ...[true, false].flatMap((splitCalls) => definitionsOf({ splitCalls })),
    ...aliasTools(),
  ].map(({ name }) => name)
  expect(new Set(RESERVED_NAMES.dispatch)).toEqual(new Set(dispatching))
  expect(RESERVED_NAMES.passthrough).toEqual([])
})

test('a call with thousands of parameters is answered without reading them', () => {
  const given = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at]))
  expect(tooManyParams('proxy_filter', given(1000))).toBeUndefined()
  expect(JSON.stringify(tooManyParams('proxy_filter', given(1001)))).toContain(
    'proxy_filter was given 1,001 parameters, and reads at most 1,000.',
  )
})
