import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { resultSettingsOf } from '../../../src/gateway/result-settings.ts'
import { permitsOf, toolListsOf, unmatchedTools } from '../../../src/gateway/servers.ts'
import { verifies } from '../../support/verifies.ts'

function config(dispatch: object, a: object = {}) {
  return parseConfig({
    mcpServers: { a: { command: 'x', ...a }, b: { command: 'x' } },
    proxySettings: { dispatch } as never,
  })
}

const permits = (...args: Parameters<typeof config>) => permitsOf(config(...args)) ?? (() => true)

verifies('S4.49', 'what is denied is denied also where it is allowed, for one server and for all', () => {
  expect(permitsOf(config({}))).toBeUndefined()
  const all = permits({ allow: ['read_*'], deny: ['read_secret'] })
  expect(all('a', 'read_file')).toBe(true)
  expect(all('a', 'read_secret')).toBe(false)
  expect(all('b', 'write_file')).toBe(false)
  const one = permits({}, { tools: { allow: ['read_*'] } })
  expect([one('a', 'read_file'), one('a', 'write_file'), one('b', 'write_file')]).toEqual([true, false, true])
  const both = permits({ deny: ['*_file'] }, { tools: { allow: ['read_*'] } })
  expect([both('a', 'read_file'), both('a', 'read_dir'), both('b', 'read_dir')]).toEqual([false, true, true])
  expect(permits({ allow: [] })('a', 'read_file')).toBe(false)
})

test('the lists for all take a tool with its server, in both spellings', () => {
  const some = permits({ deny: ['a/read_*', 'b_read_file'] })
  expect([some('a', 'read_file'), some('b', 'read_file'), some('b', 'read_dir')]).toEqual([
    false,
    false,
    true,
  ])
})

test('only the lists that changed are reported', () => {
  const before = toolListsOf(config({ deny: ['x'] }))
  expect(toolListsOf(config({ deny: ['x'] }))).toBe(before)
  expect(toolListsOf(config({ deny: ['y'] }))).not.toBe(before)
  expect(toolListsOf(config({ deny: ['x'] }, { tools: { deny: ['z'] } }))).not.toBe(before)
  expect(toolListsOf(config({ deny: ['x'] }, { structured: 'keep' }))).not.toBe(before)
  expect(toolListsOf(config({ deny: ['x'] }, { tools: { structured: ['z'] } }))).not.toBe(before)
})

test('structured content is kept for all, for a server, or for single tools of one', () => {
  const kept = (a: object, structured?: string) => {
    const settingsOf = resultSettingsOf(
      parseConfig({
        mcpServers: { a: { command: 'x', ...a }, b: { command: 'x' } },
        proxySettings: structured === undefined ? {} : ({ structured } as never),
      }),
    )
    const keeps = (server: string, tool: string) => settingsOf(server, tool).structured === 'keep'
    return [
      keeps('a', 'read_file'),
      keeps('a', 'write_file'),
      keeps('b', 'read_file'),
      keeps('', 'read_file'),
    ]
  }
  expect(kept({})).toEqual([false, false, false, false])
  expect(kept({}, 'keep')).toEqual([true, true, true, true])
  expect(kept({ structured: 'keep' })).toEqual([true, true, false, false])
  expect(kept({ structured: 'drop' }, 'keep')).toEqual([false, false, true, true])
  expect(kept({ tools: { structured: ['read_*'] } })).toEqual([true, false, false, false])
})

test('a pattern of tools that keep it and fits none is told', () => {
  const written = config({}, { tools: { structured: ['read_*', 'nothing'] } })
  expect(unmatchedTools(written, new Map([['a', ['read_file']]]))).toEqual([
    { server: 'a', option: 'tools.structured', pattern: 'nothing' },
  ])
})

test('settings for results come from the last pattern that fits, those of a server before those of all', () => {
  const written = parseConfig({
    mcpServers: {
      a: { command: 'x', results: { 'list_*': { maxResponseSize: 900 }, list_all: { whole: true } } },
      b: { command: 'x' },
    },
    proxySettings: {
      results: {
        '*/list_*': { maxResponseSize: 500, previewSize: 300 },
        b_list_all: { fields: ['id'] },
      },
    } as never,
  })
  const settingsOf = resultSettingsOf(written)
  expect(settingsOf('a', 'list_all')).toEqual({
    structured: 'drop',
    maxResponseSize: 900,
    previewSize: 300,
    whole: true,
  })
  expect(settingsOf('b', 'list_all')).toEqual({
    structured: 'drop',
    maxResponseSize: 500,
    previewSize: 300,
    fields: ['id'],
  })
  expect(settingsOf('b', 'other')).toEqual({ structured: 'drop' })
  expect(settingsOf.differ).toBe(true)
  expect(resultSettingsOf(config({})).differ).toBe(false)
  const listed = new Map([
    ['a', ['list_some']],
    ['b', ['x']],
  ])
  expect(unmatchedTools(written, listed)).toEqual([
    { server: 'a', option: 'results', pattern: 'list_all' },
    { option: 'results', pattern: 'b_list_all' },
  ])
})
