/** The actions of the dispatch tool as its documentation has them: what is given, what comes back, and what is refused how. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { textBlock } from '../../../../src/protocol/content.ts'
import { RPC, RpcError } from '../../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import {
  type Embedded,
  embedded,
  type ReadResult,
  type ToolOf,
  toolServer,
} from '../../../support/embedded.ts'
import { verifies } from '../../../support/verifies.ts'

const string = { type: 'string' }
const schema = (properties: JsonObject, ...required: string[]): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

const TIME_NOW = '{"time":"2026-02-18T10:00:00Z"}'

const TIME: Record<string, ToolOf> = {
  get_current_time: {
    description: 'Tells what the clock says. Use it for dates as well.',
    inputSchema: schema({ timezone: string }),
    annotations: { readOnlyHint: true, openWorldHint: false, title: 'Wall clock' },
    run: () => TIME_NOW,
  },
  query: { description: 'Runs a statement', inputSchema: schema({ sql: string }, 'sql') },
}

const FILES: Record<string, ToolOf> = {
  filesystemQuery: {
    description: 'Inspects what lies on a disk',
    inputSchema: schema(
      { operation: string, path: string, maxDepth: { type: 'integer' } },
      'operation',
      'path',
    ),
    annotations: { readOnlyHint: true },
    run: (args) =>
      'operation' in args && 'path' in args
        ? JSON.stringify(args)
        : { content: [textBlock('Invalid arguments: required property missing')], isError: true },
  },
  filesystemModify: {
    description: 'Writes files',
    inputSchema: schema({ path: string, content: string }, 'path', 'content'),
    annotations: { destructiveHint: true, title: 'Scribe' },
  },
  query: { description: 'Asks the index', inputSchema: schema({ text: string }, 'text') },
  strict: {
    inputSchema: schema({ start_date: string }, 'start_date'),
    run: () => {
      throw new RpcError(RPC.invalidParams, 'unrecognized argument', {
        allowed: ['start_date'],
        more: 'x'.repeat(9000),
      })
    },
  },
}

const folder = mkdtempSync(join(tmpdir(), 'dispatch-'))
const [time, files] = [toolServer(TIME), toolServer(FILES)]
let close = async (): Promise<void> => {}
let opened: Promise<Embedded> | undefined

/** One for all tests: what a test finds called was called by it. */
async function world() {
  opened ??= embedded({
    servers: { time: time.serve, files: files.serve },
    settings: { spill: { allowDirs: [folder] } },
    dataDir: join(folder, 'data'),
    until: (end) => {
      close = end
    },
  })
  for (const server of [time, files]) server.calls.length = 0
  return { ...(await opened), time, files }
}

afterAll(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

const textOf = ({ content }: ReadResult): string => content.map(({ text }) => text).join('\n')
const connectionsIn = ({ connections }: JsonObject): JsonObject[] => connections as JsonObject[]
const toolsIn = ({ tools }: JsonObject = {}): JsonObject[] => tools as JsonObject[]

describe('list', () => {
  verifies('S4.8 S4.9 S4.48', 'tells connections and tools, each flag its part', async () => {
    const { data, ask } = await world()
    const compact = await data({ action: 'list' })
    expect(compact).toMatchObject({ action: 'list', totalConnections: 2 })
    expect(connectionsIn(compact).map(({ alias, name, toolCount }) => [alias, name, toolCount])).toEqual([
      ['c1', 'time', 2],
      ['c2', 'files', 4],
    ])
    expect(toolsIn(connectionsIn(compact)[0])).toEqual([
      {
        name: 'get_current_time',
        description: 'Tells what the clock says.',
        annotations: { readOnlyHint: true },
      },
      { name: 'query', description: 'Runs a statement' },
    ])
    // The documentation's own example.
    const [only, ...others] = connectionsIn(
      await data({
        action: 'list',
        connection: 'c1',
        includeTools: true,
        includeInputSchema: false,
        includeAnnotations: true,
      }),
    )
    expect(others).toEqual([])
    expect(only).toEqual(connectionsIn(compact)[0])
    const without = await data({ action: 'list', includeTools: false })
    for (const connection of connectionsIn(without))
      expect(Object.keys(connection)).toEqual(['alias', 'name', 'toolCount'])
    const bare = connectionsIn(await data({ action: 'list', connection: 'c1', includeAnnotations: false }))
    expect(toolsIn(bare[0])[0]).not.toHaveProperty('annotations')
    const detail = connectionsIn(
      await data({ action: 'list', connection: 'time', format: 'detail', includeInputSchema: true }),
    )
    expect(detail).toMatchObject([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        alias: 'c1',
        descriptor: { transport: 'in-process' },
        serverInfo: { name: 'tool-server', version: '7' },
        lastRefreshed: expect.stringMatching(/^\d{4}-/),
        tools: [
          {
            description: TIME.get_current_time?.description,
            annotations: TIME.get_current_time?.annotations,
            inputSchema: TIME.get_current_time?.inputSchema,
          },
          {},
        ],
      },
    ])
    const unknown = await ask({ action: 'list', connection: 'tme' })
    expect([unknown.isError, textOf(unknown)]).toEqual([true, expect.stringContaining('Did you mean time?')])
  })

  verifies('S4.8', 'a list too long to read is kept, and says how to go on', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [
        `tool_number_${n}`,
        { description: `Does thing ${n} ${'x'.repeat(100)}` },
      ]),
    )
    const server = toolServer(many)
    const { data, ask } = await embedded({ servers: { many: server.serve } })
    const answer = await ask({ action: 'list', includeInputSchema: true })
    expect(textOf(answer).length).toBeLessThanOrEqual(8000)
    const told = JSON.parse(textOf(answer))
    expect(told.connections).toMatchObject([{ toolCount: 300 }])
    const asked = JSON.parse(/\{"action":"filter".*?\}/.exec(told.note)?.[0] ?? '{}')
    expect(textOf(await ask({ ...asked, aggregate: 'count' }))).toContain('300')
    expect(textOf(await ask({ ...asked, where: ['name = tool_number_299'] }))).toContain('Does thing 299')
    expect((await data({ action: 'list', includeTools: false })).note).toBeUndefined()
  })
})

describe('search', () => {
  verifies('S4.10', 'finds by name, description and annotations, and says by which', async () => {
    const { data } = await world()
    const found = await data({ action: 'search', query: 'time', connection: 'c1', limit: 10 })
    expect(found).toMatchObject({ action: 'search', query: 'time', totalMatches: expect.any(Number) })
    const fields = async (query: string): Promise<Record<string, unknown>> =>
      Object.fromEntries(
        toolsIn(await data({ action: 'search', query })).map(({ name, matchedFields }) => [
          String(name),
          matchedFields,
        ]),
      )
    expect((await fields('filesystemModify')).filesystemModify).toContain('name')
    expect((await fields('clock')).get_current_time).toEqual(
      expect.arrayContaining(['description', 'annotations']),
    )
    expect((await fields('scribe')).filesystemModify).toEqual(['annotations'])
    // A word of a hint is not found by a query that means something else.
    expect(await fields('read-only')).toMatchObject({
      get_current_time: ['annotations'],
      filesystemQuery: ['annotations'],
    })
    expect(await fields('open world')).toEqual({})
    expect((await fields('maxDepth')).filesystemQuery).toContain('parameters')
    const [best] = toolsIn(await data({ action: 'search', query: 'inspect a disk' }))
    expect(best).toMatchObject({
      name: 'filesystemQuery',
      connection: 'c2',
      signature: '(operation: string, path: string, maxDepth?: integer)',
    })
  })

  verifies('S4.10', 'a limit cuts what is shown and not what is counted, a connection both', async () => {
    const { data } = await world()
    const all = await data({ action: 'search', query: 'query' })
    expect(toolsIn(all).length).toBeGreaterThanOrEqual(2)
    const one = await data({ action: 'search', query: 'query', limit: 1 })
    expect([toolsIn(one).length, one.totalMatches]).toEqual([1, all.totalMatches])
    const there = await data({ action: 'search', query: 'query', connection: 'time' })
    expect(toolsIn(there).map(({ name, connection }) => [name, connection])).toEqual([['query', 'c1']])
    expect(there.totalMatches).toBe(1)
    const nothing = await data({ action: 'search', query: 'xyzzy plugh' })
    expect(nothing).toMatchObject({ totalMatches: 0, tools: [] })
  })

  verifies('S4.11', 'an empty question or unknown connection gives an error with the remedy', async () => {
    const { ask } = await world()
    for (const query of [undefined, '', '  ']) {
      const answer = await ask({ action: 'search', ...(query !== undefined && { query }) })
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining('needs query')])
    }
    const unknown = await ask({ action: 'search', query: 'time', connection: 'c9' })
    expect([unknown.isError, textOf(unknown)]).toEqual([
      true,
      expect.stringContaining('c1 (time), c2 (files)'),
    ])
  })
})

describe('call', () => {
  verifies('S4.12 S4.19', 'the documentation’s example, and its reply', async () => {
    const { ask } = await world()
    const answer = await ask({ action: 'call', tool: 'get_current_time', connection: 'c1', arguments: {} })
    expect(answer).toEqual({
      action: 'call',
      tool: 'get_current_time',
      estimatedTokens: expect.any(Number),
      content: [{ type: 'text', text: '{"time":"2026-02-18T10:00:00Z"}' }],
    })
    expect(answer.estimatedTokens).toBeGreaterThan(5)
    expect(await ask({ action: 'call', tool: 'get_current_time', arguments: {} })).toEqual(answer)
    expect(await ask({ action: 'call', tool: 'time_get_current_time' })).toEqual({
      ...answer,
      tool: 'get_current_time',
    })
  })

  verifies(
    'S4.13',
    'a tool of several connections, and one of none, are answered with candidates',
    async () => {
      const { ask, time, files } = await world()
      const several = await ask({ action: 'call', tool: 'query', arguments: {} })
      expect([several.isError, textOf(several)]).toEqual([
        true,
        expect.stringContaining('query (connection c1, time), query (connection c2, files)'),
      ])
      const absent = await ask({ action: 'call', tool: 'filesystemQuerry' })
      expect([absent.isError, textOf(absent)]).toEqual([
        true,
        expect.stringContaining('Did you mean filesystemQuery (connection c2, files)'),
      ])
      const elsewhere = await ask({ action: 'call', tool: 'get_current_time', connection: 'files' })
      expect([elsewhere.isError, textOf(elsewhere)]).toEqual([true, expect.stringContaining('in c2 (files)')])
      expect((await ask({ action: 'call' })).isError).toBe(true)
      expect([...time.calls, ...files.calls]).toEqual([])
      await ask({ action: 'call', tool: 'query', connection: 'c2', arguments: { text: 'x' } })
      expect(files.calls).toMatchObject([{ name: 'query', arguments: { text: 'x' } }])
    },
  )

  verifies('S4.14 S4.30 S4.50', 'arguments of a file are not echoed, and what is none is told', async () => {
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    }
    mkdirSync(join(folder, 'directory'))
    const { ask, files } = await world()
    const argumentsFile = file('args.json', '{"path":"/x","content":"größe"}')
    const answer = await ask({ action: 'call', tool: 'filesystemModify', argumentsFile })
    expect(answer.arguments).toEqual({ _fromFile: argumentsFile })
    expect(files.calls).toMatchObject([{ arguments: { path: '/x', content: 'größe' } }])
    const wrong: [string, string][] = [
      [file('list.json', '[1]'), 'no object'],
      [file('text.json', '"x"'), 'no object'],
      [file('broken.json', '{"a":'), 'does not hold JSON'],
      [join(folder, 'missing.json'), 'No such file'],
      [join(folder, 'directory'), 'No such file'],
      ['/etc/hostname', 'No such file'],
      ['args.json', 'No such file'],
    ]
    for (const [path, words] of wrong) {
      const refused = await ask({ action: 'call', tool: 'filesystemModify', argumentsFile: path })
      expect([path, refused.isError, textOf(refused)]).toEqual([path, true, expect.stringContaining(words)])
    }
    const both = await ask({
      action: 'call',
      tool: 'filesystemModify',
      argumentsFile,
      arguments: { path: 'y' },
    })
    expect(both.isError).toBe(true)
    // The result of one call is the arguments of the next. Where to read may stand among arguments.
    const first = await ask({
      action: 'call',
      tool: 'filesystemQuery',
      arguments: { operation: 'read', path: '/data' },
      resultToFile: true,
    })
    const stat = { resultFile: first.resultFile ?? null, op: 'stat' }
    const told = await ask({ action: 'readresult', ...stat })
    expect(told).toMatchObject({ byteSize: 35, lineCount: 1 })
    expect(await ask({ action: 'readresult', arguments: stat })).toEqual(told)
    const second = await ask({
      action: 'call',
      tool: 'filesystemQuery',
      argumentsFile: first.resultFile ?? null,
    })
    expect(JSON.parse(textOf(second))).toEqual({ operation: 'read', path: '/data' })
    expect(files.calls.length).toBe(3)
  })

  verifies(
    'S4.49',
    'questions are asked of files in allowed directories, as readresult reads them',
    async () => {
      const { ask } = await world()
      const resultFile = join(folder, 'rows é.json')
      writeFileSync(
        resultFile,
        JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, name: `née ${id}` }))),
      )
      const filtered = textOf(await ask({ action: 'filter', resultFile, where: ['id = 7'] }))
      expect(filtered).toContain('née 7')
      expect(filtered).not.toContain('née 8')
      expect(textOf(await ask({ action: 'search_result', resultFile, pattern: 'née 41' }))).toContain(
        'née 41',
      )
      expect(textOf(await ask({ action: 'explore', resultFile }))).toContain('50')
      for (const action of ['filter', 'search_result', 'explore']) {
        const refused = await ask({ action, resultFile: '/etc/passwd', pattern: 'root' })
        expect([refused.isError, textOf(refused)]).toEqual([
          true,
          expect.stringContaining('none that may be read here'),
        ])
      }
    },
  )

  verifies('S4.45', 'meta reaches the server as _meta', async () => {
    const { ask, time } = await world()
    await ask({ action: 'call', tool: 'get_current_time', meta: { trace: 'abc', deep: { n: [1] } } })
    expect(time.calls).toMatchObject([{ _meta: { trace: 'abc', deep: { n: [1] } } }])
  })

  verifies(
    'S4.50',
    'misplaced arguments get an error with the right call, and nothing is called',
    async () => {
      const { ask, files } = await world()
      const misplaced = await ask({
        action: 'call',
        tool: 'filesystemQuery',
        operation: 'read',
        path: '/data',
      })
      expect(misplaced.isError).toBe(true)
      const [shown = ''] = /\{"action":"call".*\}/.exec(textOf(misplaced)) ?? []
      expect(files.calls).toEqual([])
      const right = JSON.parse(shown)
      expect(right).toEqual({
        action: 'call',
        tool: 'filesystemQuery',
        arguments: { operation: 'read', path: '/data' },
      })
      expect(JSON.parse(textOf(await ask(right)))).toEqual({ operation: 'read', path: '/data' })
      // The name of the tool and the object of its inputs under other names.
      for (const meant of [
        { name: 'filesystemQuery', args: { operation: 'read', path: '/data' } },
        { tool: 'filesystemQuery', args: '{"operation":"read","path":"/data"}' },
        { tool_name: 'filesystemQuery', parameters: { operation: 'read' }, path: '/data' },
        { name: 'filesystemQuery', arguments: '{"operation":"read"}', path: '/data' },
        { name: 'filesystemQuery', arguments: { operation: 'read', path: '/data' } },
      ] as JsonObject[]) {
        const told = await ask({ action: 'call', ...meant })
        expect(told.isError).toBe(true)
        const [call = ''] = /\{"action":"call".*\}/.exec(textOf(told)) ?? []
        expect(JSON.parse(textOf(await ask(JSON.parse(call))))).toEqual({ operation: 'read', path: '/data' })
      }
      files.calls.length = 1
      // An input of the tool stays one beside the name of the tool.
      const named = textOf(await ask({ action: 'call', tool: 'filesystemQuery', name: 'x', args: ['y'] }))
      expect(named).toContain('"tool":"filesystemQuery","arguments":{"name":"x","args":["y"]}')
      // Other actions take their parameters beside action, and find them there.
      const found = await ask({ action: 'search', query: 'time' })
      expect(await ask({ action: 'search', arguments: { query: 'time' } })).toEqual(found)
      expect(await ask({ action: 'search', args: '{"query":"time"}' })).toEqual(found)
      const listed = await ask({ action: 'list', connection: 'c1' })
      expect(await ask({ action: 'list', name: 'c1' })).toEqual(listed)
      // Both, and an object that came as a text.
      const half = await ask({
        action: 'call',
        tool: 'filesystemQuery',
        arguments: { operation: 'read' },
        path: '/y',
      })
      expect(textOf(half)).toContain('"arguments":{"operation":"read","path":"/y"}')
      const asText = await ask({
        action: 'call',
        tool: 'filesystemQuery',
        arguments: '{"operation":"o","path":"p"}',
      })
      expect(JSON.parse(textOf(asText))).toEqual({ operation: 'o', path: 'p' })
      for (const args of ['text', 7, ['a']])
        expect(await ask({ action: 'call', tool: 'filesystemQuery', arguments: args })).toMatchObject({
          isError: true,
        })
      const huge = await ask({
        action: 'call',
        tool: 'filesystemModify',
        path: 'p',
        content: 'x'.repeat(5000),
      })
      expect(textOf(huge).length).toBeLessThan(1000)
      expect(files.calls.length).toBe(2)
    },
  )

  verifies('S4.51', 'an argument error of a server comes with the input schema', async () => {
    const { ask } = await world()
    const typo = await ask({
      action: 'call',
      tool: 'filesystemQuery',
      arguments: { operation: 'list', pth: '/' },
    })
    expect(typo.isError).toBe(true)
    // The words of the server stand first, as they came.
    expect(typo.content[0]?.text).toBe('Invalid arguments: required property missing')
    const help = typo.content[1]?.text ?? ''
    expect(help).toContain('(operation: string, path: string, maxDepth?: integer)')
    expect(help).toContain('did you mean path?')
    expect(help).toContain('path is missing')
    // A server may refuse by a protocol error as well: the model reads it.
    const refused = await ask({ action: 'call', tool: 'strict', arguments: { startDate: 'today' } })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toContain('unrecognized argument')
    expect(textOf(refused)).toContain('did you mean start_date?')
    // The data of the error is there beside the message, up to a limit.
    expect(textOf(refused)).toContain('data: {"allowed":["start_date"],')
    expect(textOf(refused)).toMatch(/…\[7,\d+ characters left out\]/)
    expect(textOf(refused).length).toBeLessThan(3000)
  })
})

verifies('S4.50', 'an unknown action or parameter gets an error with the nearest name', async () => {
  const { ask } = await world()
  for (const [args, words] of [
    [{ action: 'lst' }, 'Did you mean list?'],
    [{}, 'needs action'],
    [{ tool: 'echo', arguments: {} }, '{"action": "call", "tool": "…"'],
    [{ action: 7 }, 'needs action'],
    [{ action: 'list', conection: 'c1' }, 'Did you mean connection?'],
    [{ action: 'search', query: 'x', limit: 'many' }, 'limit'],
  ] as [JsonObject, string][]) {
    const answer = await ask(args)
    expect([args, answer.isError, textOf(answer)]).toEqual([args, true, expect.stringContaining(words)])
  }
})

verifies('S4.34', 'a client that fills in every listed parameter is understood', async () => {
  const { ask } = await world()
  const nothing = {
    connection: '',
    query: '',
    cache_id: '',
    resultFile: '',
    argumentsFile: '',
    op: '',
    pattern: '',
  }
  const filled = {
    ...nothing,
    path: null,
    where: [],
    resultToFile: false,
    tool: 'get_current_time',
    arguments: {},
  }
  expect(await ask({ ...filled, action: 'call' })).toMatchObject({ content: [{ text: TIME_NOW }] })
  const listed = await ask({ ...nothing, action: 'list', where: [] })
  expect(JSON.parse(textOf(listed))).toMatchObject({ totalConnections: 2 })
  // Of an input of the tool, nothing is something.
  expect(await ask({ ...filled, action: 'call', timezone: '' })).toMatchObject({ isError: true })
})
