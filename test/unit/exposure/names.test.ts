import { expect, test } from 'vitest'
import { definitionsOf } from '../../../src/exposure/dispatch/definition.ts'
import { calledName, EXPOSURE_NAMES, RESERVED_NAMES } from '../../../src/exposure/names.ts'
import { callTools } from '../../../src/exposure/retrieve/call-tool.ts'

test('what is counted is the tool that was run', () => {
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

test('no server can have a name that is offered', () => {
  const offered = [
    ...EXPOSURE_NAMES,
    ...[true, false].flatMap((split) => callTools(split).map(({ name }) => name)),
  ]
  expect(new Set(RESERVED_NAMES.retrieve)).toEqual(new Set(offered))
  const dispatching = [true, false].flatMap((splitCalls) =>
    definitionsOf({ splitCalls }).map(({ name }) => name),
  )
  expect(new Set(RESERVED_NAMES.dispatch)).toEqual(new Set(dispatching))
  expect(RESERVED_NAMES.passthrough).toEqual([])
})
