import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Spelled, spellingsOf } from '../../../src/protocol/spellings.ts'
import { verifies } from '../../support/verifies.ts'

const of = (server: string, original: string, name = `${server}_${original}`): Spelled => ({
  server,
  original,
  name,
})
const FILES = of('filesystem', 'read_text_file')
const OURS: Spelled = { name: 'proxy_filter' }
const TOOLS = [
  OURS,
  FILES,
  of('filesystem', 'write'),
  of('git', 'log'),
  of('git', 'search'),
  of('mail', 'search'),
]

const named = (name: string, tools: readonly Spelled[] = TOOLS, options = {}): string[] =>
  spellingsOf(tools, options)(name).map((tool) => tool.name)

describe('names as models write them', () => {
  verifies('S3.2', 'every prefix that a client shows its model is understood', () => {
    for (const prefix of [
      '',
      'mcp__proxy__',
      'mcp_proxy_',
      'proxy_',
      'proxy-',
      'proxy__',
      'functions.',
      'functions.mcp__proxy__',
      'mcp-rlm-proxy_',
      'mcp__mcp-rlm-proxy__',
      'mcp_mcp_rlm_proxy_',
      'mcp__my_tools__',
      'mcp_tools_',
      'tools-',
      'tools:',
    ]) {
      expect(named(`${prefix}filesystem_read_text_file`)).toEqual([FILES.name])
      expect(named(`${prefix}proxy_filter`)).toEqual(['proxy_filter'])
    }
  })

  test('the own name of a server is understood alone, with its server, and behind the prefix of a client', () => {
    for (const name of [
      'read_text_file',
      'filesystem/read_text_file',
      'filesystem.read_text_file',
      'filesystem:read_text_file',
      'filesystem__read_text_file',
      'mcp__proxy__filesystem/read_text_file',
      'mcp__proxy__read_text_file',
      'functions.read_text_file',
      ' read_text_file ',
    ])
      expect(named(name)).toEqual([FILES.name])
    expect(named('git/search')).toEqual(['git_search'])
  })

  test('a name that several have means each of them', () => {
    expect(named('search')).toEqual(['git_search', 'mail_search'])
    expect(named('mcp__proxy__search')).toEqual(['git_search', 'mail_search'])
    const both = [of('a_b', 'c'), of('b', 'c')]
    expect(named('mcp_key_a_b_c', both)).toEqual(['a_b_c', 'b_c'])
    expect(named('mcp__key__a_b_c', both)).toEqual(['a_b_c'])
    expect(named('a_b_c', both)).toEqual(['a_b_c'])
  })

  test("accepts no partial names, and a server's own name only if it is unambiguous", () => {
    for (const name of [
      'text_file',
      'file',
      'xfilesystem_write',
      'filesystem_writ',
      'disk_write',
      'github/log',
      'mail/log',
      '',
      '_',
      'mcp__proxy__',
      '__proto__',
      'constructor',
      `${'x_'.repeat(5000)}filesystem_write`,
    ])
      expect(named(name)).toEqual([])
  })

  test('a prefix that names another server reaches nothing, whether that server lists anything or not', () => {
    const tools = [of('disk', 'delete_file', 'delete_file'), of('git', 'log', 'log')]
    expect(named('hub_delete_file', tools)).toEqual(['delete_file'])
    expect(named('hub_delete_file', tools, { servers: ['disk', 'git', 'hub'] })).toEqual([])
    expect(named('mcp__proxy__hub__delete_file', tools, { servers: ['disk', 'git', 'hub'] })).toEqual([])
    expect(named('git_delete_file', tools)).toEqual([])
    expect(named('mcp__disk__delete_file', tools)).toEqual(['delete_file'])
    expect(named('proxy_log', [...tools, of('proxy', 'x')])).toEqual([])
  })

  test('a name that belongs to another item does not match', () => {
    const isTaken = (name: string) => name === 'file_delete' || name === 'proxy_log'
    const tools = [of('disk', 'delete', 'delete'), of('git', 'log', 'log')]
    for (const name of ['file_delete', 'mcp__proxy__file_delete', 'x_file_delete', 'proxy_log'])
      expect(named(name, tools, { isTaken })).toEqual([])
    expect(named('x_delete', tools, { isTaken })).toEqual(['delete'])
  })

  const word = fc.constantFrom(
    'a',
    'b',
    'a_b',
    'c',
    'read',
    'list',
    'proxy',
    'mcp',
    'functions',
    'x-y',
    'toString',
  )
  const tools = fc
    .uniqueArray(fc.record({ server: word, original: word, prefixed: fc.boolean() }), {
      maxLength: 7,
      selector: ({ server, original, prefixed }) => (prefixed ? `${server}_${original}` : original),
    })
    .map((all) =>
      all.map(({ server, original, prefixed }) =>
        of(server, original, prefixed ? `${server}_${original}` : original),
      ),
    )
  const prefix = fc.oneof(
    fc.constantFrom('', 'mcp__proxy__', 'mcp_proxy_', 'proxy_', 'proxy-', 'functions.', 'mcp__k__', 'k-'),
    fc.tuple(word, fc.constantFrom('_', '__', '-', '.', '/', ':')).map((parts) => parts.join('')),
  )

  verifies('S3.2', 'no spelling reaches a tool that it does not end in, or that is one of several', () => {
    fc.assert(
      fc.property(
        tools,
        fc.array(prefix, { maxLength: 3 }),
        word,
        fc.nat(),
        fc.subarray(['a_b', 'read', 'a_read']),
        (all, prefixes, other, at, taken) => {
          const meaning = spellingsOf(all, { isTaken: (name) => taken.includes(name) })
          const target = all[at % Math.max(1, all.length)]
          for (const end of [target?.name, target?.original, other]) {
            const name = `${prefixes.join('')}${end}`
            const found = meaning(name)
            const exact = all.find((tool) => tool.name === name)
            if (exact) {
              expect(found).toEqual([exact])
              continue
            }
            if (taken.includes(name)) expect(found).toEqual([])
            expect(new Set(found).size).toBe(found.length)
            for (const tool of found) {
              const rest = [tool.name, tool.original ?? ''].find((one) => name.endsWith(one))
              expect(rest).toBeDefined()
              expect(
                name === rest || /[_\-./:]$/.test(name.slice(0, name.length - String(rest).length)),
              ).toBe(true)
            }
            // A tool found by its server's name is the only one of that name, or all of them are told.
            const [only, another] = found
            if (only && another === undefined && name === only.original)
              expect(all.filter(({ original }) => original === name)).toHaveLength(1)
          }
        },
      ),
      { numRuns: 3000 },
    )
  })
})
