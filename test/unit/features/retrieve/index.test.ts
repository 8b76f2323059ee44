import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Finder } from '../../../../src/discovery/finder.ts'
import { indexTools } from '../../../../src/discovery/lexical.ts'
import { ToolPools } from '../../../../src/discovery/pool.ts'
import { openUsage } from '../../../../src/discovery/usage.ts'
import { createEngine, ENGINE_DEFAULTS } from '../../../../src/engine/pool.ts'
import { createProxyTools } from '../../../../src/features/query-tools/index.ts'
import { createRetrieve, lean, type RetrieveOptions } from '../../../../src/features/retrieve/index.ts'
import type { Servers } from '../../../../src/features/retrieve/routing.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { plain } from '../../../../src/protocol/content.ts'
import { RPC, RpcError } from '../../../../src/protocol/errors.ts'
import type { Client, Exchange } from '../../../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../../../src/protocol/json.ts'
import { withOrigin } from '../../../../src/protocol/origin.ts'
import { PROXY_TOOL_NAMES } from '../../../../src/proxy/own-tools.ts'
import { SETTINGS } from '../../../support/defaults.ts'
import { around } from '../../../support/onion.ts'
import { client, exchange } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const string = { type: 'string' }

function tool(server: string, name: string, description: string, more: JsonObject = {}): JsonObject {
  const inputSchema = {
    type: 'object',
    properties: { path: string, depth: { type: 'integer' } },
    required: ['path'],
  }
  return withOrigin({ name: `${server}_${name}`, description, inputSchema, ...more }, { server, name })
}

const TOOLS = [
  { name: 'proxy_filter', description: 'own', inputSchema: { type: 'object', properties: {} } },
  tool('files', 'read_file', 'Read the contents of a file. It must exist.', {
    annotations: { readOnlyHint: true },
  }),
  tool('files', 'write_file', 'Write a file', { annotations: { destructiveHint: false } }),
  tool('files', 'delete_file', 'Delete a file'),
  tool('web', 'create_issue', 'Open a new issue in a repository'),
  tool('web', 'list_issues', 'List the issues of a repository'),
  tool('web', 'send_mail', 'Send a mail to somebody'),
]

/** By words, without a memory. */
const finder: Finder = {
  over(tools) {
    const words = indexTools(tools)
    return async (question, limit) => words.search(question, limit)
  },
  release() {},
  retain() {},
  close: async () => {},
}

const done: JsonObject = { content: [{ type: 'text', text: 'done' }], _meta: { kept: true } }

function world(
  options: Partial<RetrieveOptions> = {},
  tools: () => JsonObject[] = () => TOOLS,
  answer: (params: JsonObject) => JsonObject = () => done,
) {
  const calls: JsonObject[] = []
  const changed: Client[] = []
  const time = { now: 0 }
  const registry =
    options.routing === 'dynamic'
      ? {
          pools: new ToolPools({ ...SETTINGS.retrieve.pool, limit: 3, maxAgents: 10, now: () => time.now }),
          changed: (one: Client) => void changed.push(one),
        }
      : undefined
  const layer = createRetrieve({
    routing: 'call',
    topK: 5,
    listWithinTokens: 0,
    detail: 'compact',
    variants: 'single',
    budget: 8000,
    ownTools: new Set(['proxy_filter']),
    finder,
    registry,
    bounded: async (_, result) => ({ ...result, bounded: true }),
    countTokens: async (texts) => texts.map((text) => text.length),
    ...options,
  })
  /** Which tools were asked for. */
  const lists: string[] = []
  const handler = around(layer, async ({ method, params, listing = 'all' }) => {
    if (method === 'tools/list') {
      lists.push(listing)
      return { tools: tools(), extra: 1 }
    }
    calls.push(params)
    return answer(params)
  })
  const one = client()
  const ask = async (method: string, params: JsonObject, who: Client = one, extra: Partial<Exchange> = {}) =>
    plain(await handler(exchange(who, { method, params, ...extra })))
  const call = (name: string, args: JsonObject = {}, who?: Client) =>
    ask('tools/call', { name, arguments: args, _meta: { progressToken: 1 } }, who)
  const text = async (name: string, args: JsonObject = {}, who?: Client): Promise<string> => {
    const { content } = await call(name, args, who)
    return String((content as JsonObject[])[0]?.text)
  }
  const names = async (who?: Client): Promise<string[]> =>
    ((await ask('tools/list', {}, who)).tools as JsonObject[]).map(({ name }) => String(name))
  const retrieve = async (args: JsonObject, who?: Client) =>
    JSON.parse(await text('retrieve_tools', args, who))
  return { ask, call, text, names, retrieve, calls, changed, one, time, lists }
}

/** Two of three cannot be reached. */
const servers = (): Servers => ({
  names: ['github', 'mail', 'web'],
  unavailable: [
    { server: 'github', reason: 'sign in first' },
    { server: 'web', reason: 'is slow' },
  ],
})

const found = (answer: { tools: { name: string }[] }): string[] => answer.tools.map(({ name }) => name)

describe('learning from use', () => {
  const tools = [
    ...TOOLS,
    tool('a', 'show_report', 'Shows an incoming report'),
    tool('b', 'show_record', 'Shows an incoming record'),
    tool('c', 'show_letter', 'Shows an incoming letter'),
  ]
  const query = 'show what is incoming'

  async function learning(answer: (params: JsonObject) => JsonObject = () => done) {
    const usage = await openUsage({ path: undefined, reset: false, logger: silentLogger })
    onTestFinished(() => usage.close())
    return world({ finder: { ...finder, usage } }, () => tools, answer)
  }

  test('moves a tool that was called up where a like question is asked, and hides none', async () => {
    const { retrieve, call } = await learning()
    const before = found(await retrieve({ query }))
    expect(before).toHaveLength(3)
    await call('call_tool', { name: String(before[2]), arguments: { path: 'x' } })
    const after = found(await retrieve({ query: `please ${query}` }))
    expect(after).toEqual([before[2], before[0], before[1]])
    expect(found(await retrieve({ query: 'letter' }))).toEqual(['c_show_letter'])
  })

  test('learns of clients that call a tool by its name, for all of their profile', async () => {
    const { retrieve, ask, one } = await learning()
    const [, , last] = found(await retrieve({ query }))
    await ask('tools/call', { name: String(last), arguments: {} })
    expect(found(await retrieve({ query }, { ...client(), agent: { ...one.agent, id: 'another' } }))[0]).toBe(
      last,
    )
    expect(found(await retrieve({ query }, { ...client(), profile: 'work' }))[0]).not.toBe(last)
  })

  test('learns nothing of a call that failed', async () => {
    const { retrieve, call } = await learning(() => ({ content: [], isError: true }))
    const before = found(await retrieve({ query }))
    await call('call_tool', { name: String(before[2]), arguments: { path: 'x' } })
    expect(found(await retrieve({ query }))).toEqual(before)
  })
})

describe('the routing call', () => {
  verifies('S1.9 S1.5', 'lists the same two tools before and after a search', async () => {
    const { names, retrieve } = world()
    const before = await names()
    expect(before).toEqual(['retrieve_tools', 'call_tool', 'describe_tool', 'proxy_filter'])
    await retrieve({ query: 'read file' })
    expect(await names()).toEqual(before)
  })

  test('gives full schemas on request, except one that would fill the reply', async () => {
    const huge = { type: 'object', properties: { text: { type: 'string', description: 'x'.repeat(9000) } } }
    const tools = [...TOOLS, tool('web', 'translate_poem', 'Translate a poem', { inputSchema: huge })]
    const { retrieve } = world({ detail: 'full' }, () => tools)
    const [read] = (await retrieve({ query: 'read the contents of a file', top_k: 1 })).tools
    expect(read.inputSchema.required).toEqual(['path'])
    expect(read.signature).toBeUndefined()
    const [poem] = (await retrieve({ query: 'translate a poem', top_k: 1 })).tools
    expect(poem).toMatchObject({ name: 'web_translate_poem', signature: expect.stringContaining('text') })
    expect(poem.inputSchema).toBeUndefined()
  })

  verifies('S1.12', 'gives names, servers, scores, descriptions and signatures', async () => {
    const answer = await world().retrieve({ query: 'read the contents of a file', top_k: 1 })
    expect(answer).toEqual({
      message: 'The best 1 of 6 tools. Run one with call_tool.',
      query: 'read the contents of a file',
      total_available_tools: 6,
      tools: [
        {
          name: 'files_read_file',
          original_name: 'read_file',
          server: 'files',
          score: expect.any(Number),
          description: 'Read the contents of a file.',
          signature: '(path: string, depth?: integer)',
        },
      ],
    })
  })

  test('says where no tool is a close match', async () => {
    const scoring = (score: number): Finder => ({ ...finder, over: () => async () => [{ index: 0, score }] })
    const message = async (score: number): Promise<string> =>
      (await world({ closeFrom: 0.3, finder: scoring(score) }).retrieve({ query: 'read' })).message
    expect(await message(0.3)).toBe('The best 1 of 6 tools. Run one with call_tool.')
    expect(await message(0.29)).toBe(
      'The best 1 of 6 tools, none of them a close match. Run one with call_tool.',
    )
  })

  verifies('S1.55', 'a question without a match gives an empty list', async () => {
    expect(await world().retrieve({ query: 'xyzzy plugh' })).toMatchObject({ tools: [] })
  })

  verifies('S1.69', 'several questions are one call, and no tool comes twice', async () => {
    const answer = await world().retrieve({
      queries: ['open an issue', 'list issues', 'open an issue'],
      top_k: 2,
    })
    expect(new Set(found(answer)).size).toBe(found(answer).length)
    expect(found(answer)).toEqual(expect.arrayContaining(['web_create_issue', 'web_list_issues']))
  })

  verifies(
    'S1.8',
    'runs a tool by its name: the answer is the tool’s own, and nothing else of the request changes',
    async () => {
      const { call, calls } = world()
      const result = await call('call_tool', { name: 'files_read_file', arguments: { path: 'x' } })
      expect(result).toEqual({ content: [{ type: 'text', text: 'done' }], _meta: { kept: true } })
      expect(calls).toEqual([
        { name: 'files_read_file', arguments: { path: 'x' }, _meta: { progressToken: 1 } },
      ])
    },
  )

  test.each([
    [{ name: 'files_read_file', args: { path: 'x' } }],
    [{ name: 'files_read_file', parameters: { path: 'x' } }],
    [{ name: 'files_read_file', arguments: '{"path":"x"}' }],
    [{ name: 'files_read_file', path: 'x' }],
    [{ tool_name: 'files_read_file', arguments: { path: 'x' } }],
    [{ tool: 'read_file', arguments: { path: 'x' } }],
    [{ name: 'read_file', arguments: { path: 'x' }, tool: 'other' }],
  ])('reads what models write: %j', async (args) => {
    const { call, calls } = world()
    await call('call_tool', args)
    expect(calls).toMatchObject([{ name: 'files_read_file', arguments: { path: 'x' } }])
  })

  test.each([
    [{}, 'call_tool needs name'],
    [{ name: 7 }, 'call_tool needs name'],
    [{ name: 'files_raed_file' }, 'Did you mean files_read_file'],
    [{ name: 'files_read_file', arguments: {} }, 'path is missing'],
    [{ name: 'files_read_file', arguments: {} }, 'files_read_file(path: string, depth?: integer)'],
    [{ name: 'files_read_file', arguments: [1] }, 'arguments must be an object'],
    [{ name: 'files_read_file', arguments: '{"path"' }, 'arguments must be an object'],
    [{ name: '__proto__' }, 'not found'],
    [{ name: 'proxy_filter' }, 'call proxy_filter itself, without call_tool'],
  ])('says what to do instead: %j', async (args, words) => {
    const { call, calls } = world()
    const result = await call('call_tool', args as JsonObject)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content).replaceAll('\\"', '"')).toContain(words)
    expect(calls).toEqual([])
  })

  verifies(
    'S1.62',
    'a tool that is not there, or no longer, is a result that says how to go on',
    async () => {
      let tools = TOOLS
      const { call, retrieve } = world({}, () => tools)
      expect(found(await retrieve({ query: 'send mail' }))).toContain('web_send_mail')
      tools = TOOLS.filter(({ name }) => name !== 'web_send_mail')
      const result = await call('call_tool', { name: 'web_send_mail', arguments: { path: 'x' } })
      expect(result).toMatchObject({ isError: true })
      expect(JSON.stringify(result)).toContain('not found')
      expect(JSON.stringify(result)).toContain('Use retrieve_tools first')
      expect(found(await retrieve({ query: 'send mail' }))).not.toContain('web_send_mail')
    },
  )

  test('an error of the server is a result; a cancelled call is not', async () => {
    const refusing = (code: number) =>
      world({}, undefined, () => {
        throw new RpcError(code, 'no such tool here')
      }).call('call_tool', { name: 'web_send_mail', arguments: { path: 'x' } })
    expect(await refusing(RPC.invalidParams)).toEqual({
      content: [{ type: 'text', text: 'web_send_mail was refused by its server: no such tool here' }],
      isError: true,
    })
    await expect(refusing(RPC.cancelled)).rejects.toThrow('no such tool here')
  })

  test('an unknown tool name gives an isError result', async () => {
    const { call } = world({}, undefined, ({ name }) => {
      throw new RpcError(RPC.invalidParams, `refused ${name}`)
    })
    expect(await call('web_send_mial')).toMatchObject({ isError: true })
    expect(JSON.stringify(await call('web_send_mial'))).toContain('Did you mean web_send_mail?')
    for (const name of ['web_send_mail', 'proxy_filter'])
      await expect(call(name, { path: 'x' })).rejects.toThrow(`refused ${name}`)
  })

  test('two servers with a tool of the same name are told apart', async () => {
    const twice = [...TOOLS, tool('other', 'read_file', 'Read a file elsewhere')]
    const { text } = world({}, () => twice)
    expect(await text('call_tool', { name: 'read_file', arguments: { path: 'x' } })).toContain(
      'run one of files_read_file, other_read_file',
    )
  })

  test('a tool that is called by its own name is called', async () => {
    const { call, calls } = world()
    await call('web_send_mail', { path: 'x' })
    expect(calls).toMatchObject([{ name: 'web_send_mail' }])
  })

  test('calls that read can be approved alone', async () => {
    const { names, text, calls, retrieve } = world({ variants: 'readWriteDestructive' })
    expect(await names()).toEqual([
      'retrieve_tools',
      'call_tool_read',
      'call_tool_write',
      'call_tool_destructive',
      'describe_tool',
      'proxy_filter',
    ])
    const { message, tools } = await retrieve({ query: 'file' })
    expect(message).toContain('Run one with the tool that its call_with names.')
    expect(
      tools.map(({ name, call_with }: { name: string; call_with: string }) => [name, call_with]),
    ).toEqual(
      expect.arrayContaining([
        ['files_read_file', 'call_tool_read'],
        ['files_write_file', 'call_tool_write'],
        ['files_delete_file', 'call_tool_destructive'],
      ]),
    )
    const args = { path: 'x' }
    expect(await text('call_tool_read', { name: 'files_delete_file', arguments: args })).toContain(
      'call_tool_destructive',
    )
    expect(await text('call_tool_write', { name: 'files_delete_file', arguments: args })).toContain(
      'call_tool_destructive',
    )
    expect(calls).toEqual([])
    for (const [runner, name] of [
      ['call_tool_read', 'files_read_file'],
      ['call_tool_write', 'files_write_file'],
      ['call_tool_write', 'files_read_file'],
      ['call_tool_destructive', 'files_delete_file'],
    ] as const)
      expect(await text(runner, { name, arguments: args })).toBe('done')
    expect(calls).toHaveLength(4)
  })

  test('tells all that a server says of a tool', async () => {
    const { text } = world()
    const told = JSON.parse(await text('describe_tool', { names: ['files_read_file', 'files_read_fil'] }))
    expect(told).toEqual(
      [
        { ...TOOLS[1], server: 'files' },
        { name: 'files_read_fil', error: 'not found; did you mean files_read_file, files_write_file?' },
      ].map((entry) => JSON.parse(JSON.stringify(entry))),
    )
  })

  test.each([
    [{ names: 'files_read_file' }],
    [{ name: 'files_read_file' }],
    [{ names: '["files_read_file"]' }],
    [{ tools: ['files_read_file'] }],
  ])('reads which tools are to be described: %j', async (args) => {
    const told = JSON.parse(await world().text('describe_tool', args))
    expect(told).toMatchObject([{ name: 'files_read_file' }])
  })

  test('of more than five tools the others are named, to be asked for again', async () => {
    const { call } = world()
    const result = await call('describe_tool', { names: TOOLS.slice(1).map(({ name }) => name) })
    const [told, left] = (result.content as JsonObject[]).map(({ text }) => String(text))
    expect(JSON.parse(told ?? '')).toHaveLength(5)
    expect(left).toBe('Not told here, ask again for: web_send_mail')
  })

  test('bounds an oversized definition, and reports an unknown tool', async () => {
    const { call } = world({ budget: 100 })
    const result = await call('describe_tool', { names: ['files_read_file', 'files_write_file'] })
    expect(result).toMatchObject({ bounded: true })
    expect((result.content as JsonObject[])[1]).toMatchObject({
      text: expect.stringContaining('files_write_file'),
    })
    expect(await call('describe_tool', { names: ['nothing'] })).toMatchObject({ isError: true })
  })

  test.each([
    [{ query: 'send mail' }],
    [{ q: 'send mail' }],
    [{ query: ['send mail'] }],
    [{ queries: 'send mail' }],
    [{ queries: '["send mail"]' }],
    [{ query: 'send mail', limit: 3 }],
    [{ query: 'send mail', top_k: '3' }],
    [{ query: 'send mail', top_k: 500 }],
    [{ query: 'send mail', k: null }],
  ])('reads how models ask: %j', async (args) => {
    const answer = await world().retrieve(args)
    expect(answer.query).toBe('send mail')
    expect(found(answer)[0]).toBe('web_send_mail')
  })

  test.each([
    [{ query: { task: 'send mail' } }],
    [{ queries: [{ task: 'send mail' }] }],
    [{ query: [5, 'send mail'] }],
  ])('reads a question that is no text: %j', async (args) => {
    expect(found(await world().retrieve(args))).toContain('web_send_mail')
  })

  test('a long question is cut, and the reply says so', async () => {
    const { message, tools } = await world().retrieve({ query: `send mail ${'please '.repeat(100_000)}` })
    expect(tools[0].name).toBe('web_send_mail')
    expect(message).toContain('Only the first 2000 characters of a question were read.')
    expect((await world().retrieve({ query: 'send mail' })).message).not.toContain('Only the first')
  })

  test.each([
    [{}, 'needs query'],
    [{ query: ' ' }, 'needs query'],
    [{ query: true }, 'query'],
    [{ query: 'x', top_k: 0 }, 'top_k'],
    [{ query: 'x', top_k: 'many' }, 'top_k'],
    [{ query: 'x', qurey: 'y' }, 'Did you mean query?'],
    [{ queries: Array.from({ length: 11 }, (_, n) => `q${n}`) }, 'queries'],
  ])('says what is wrong with a question: %j', async (args, words) => {
    const result = await world().call('retrieve_tools', args as JsonObject)
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toContain(words)
  })

  test('all is listed as it is while it is small', async () => {
    const { names } = world({ listWithinTokens: 100_000 })
    expect(await names()).toEqual(TOOLS.map(({ name }) => name))
  })

  test('a proxy that is the client sees every tool', async () => {
    const { names, one } = world()
    expect(await names({ ...one, via: ['outer'] })).toEqual(TOOLS.map(({ name }) => name))
  })

  verifies('S1.61', 'names an unreachable server unless its tools are known', async () => {
    const answer = await world({ servers }).retrieve({ query: 'merge the branch' })
    expect(answer).toMatchObject({ tools: [], unavailable_servers: { github: 'sign in first' } })
    expect(answer.unavailable_servers).not.toHaveProperty('web')
    expect(await world().retrieve({ query: 'send mail' })).not.toHaveProperty('unavailable_servers')
  })

  verifies('S1.61', 'the description names the servers, and which of them cannot be reached', async () => {
    const { tools } = await world({ servers }).ask('tools/list', {})
    expect(String((tools as JsonObject[])[0]?.description)).toContain(
      'Servers: mail. Not available now: github (sign in first), web (is slow).',
    )
  })

  test('a call of a tool of a server that cannot be reached says which and why', async () => {
    const unknown = (): never => {
      throw new RpcError(RPC.invalidParams, 'Unknown tool')
    }
    const { text } = world({ servers }, undefined, unknown)
    const said = 'the server github is not available (sign in first)'
    expect(await text('call_tool', { name: 'github_merge' })).toContain(said)
    expect(await text('github_merge')).toContain(said)
    // Its tools are known: this is none of them.
    expect(await text('call_tool', { name: 'web_merge' })).toContain('not found')
    expect(await text('call_tool', { name: 'githubs_merge' })).toContain('not found')
  })

  test('lists without asking servers and reads their tools afterwards', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { names, lists } = world({ servers })
    expect(await names()).toEqual(['retrieve_tools', 'call_tool', 'describe_tool', 'proxy_filter'])
    expect(lists).toEqual(['own'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(lists).toEqual(['own', 'all'])
  })

  test('a reply that would be too long loses its last tools and says so', async () => {
    const { retrieve } = world({ budget: 500 })
    const answer = await retrieve({ query: 'file issue mail', top_k: 10 })
    expect(answer.tools.length).toBeGreaterThan(0)
    expect(answer.message).toMatch(/more found; ask for fewer/)
  })
})

describe('the routing dynamic', () => {
  verifies(
    'S1.6 S1.7 S1.10 S1.14',
    'adds found tools to the list, notifies once and keeps them',
    async () => {
      const { names, retrieve, changed, one } = world({ routing: 'dynamic' })
      expect(await names()).toEqual(['retrieve_tools', 'proxy_filter'])
      const answer = await retrieve({ query: 'open an issue in a repository', top_k: 1 })
      expect(answer).toMatchObject({
        newly_registered: ['web_create_issue'],
        evicted_tools: [],
        pool_size: 1,
        pool_limit: 3,
        total_available_tools: 6,
        tools: [{ name: 'web_create_issue', newly_registered: true }],
      })
      expect(changed).toEqual([one])
      expect(await names()).toEqual(['retrieve_tools', 'proxy_filter', 'web_create_issue'])
    },
  )

  verifies('S1.11', 'does not register a tool twice or notify again', async () => {
    const { retrieve, changed } = world({ routing: 'dynamic' })
    await retrieve({ query: 'send a mail', top_k: 1 })
    expect(await retrieve({ query: 'send a mail', top_k: 1 })).toMatchObject({
      newly_registered: [],
      tools: [{ newly_registered: false }],
    })
    expect(changed).toHaveLength(1)
  })

  verifies('S1.15 S1.17', 'holds as many as its limit, for each agent', async () => {
    const { names, retrieve } = world({ routing: 'dynamic' })
    for (const query of ['send mail', 'create issue', 'list issues', 'read file', 'delete file'])
      await retrieve({ query, top_k: 1 })
    expect(await names()).toHaveLength(2 + 3)
    const other = client()
    expect(await names({ ...other, agent: { id: 'other', kind: 'session' } })).toEqual([
      'retrieve_tools',
      'proxy_filter',
    ])
  })

  test('a registered tool that its server no longer has is not listed', async () => {
    let tools = TOOLS
    const { names, retrieve } = world({ routing: 'dynamic' }, () => tools)
    await retrieve({ query: 'send a mail', top_k: 1 })
    tools = TOOLS.slice(0, 3)
    expect(await names()).toEqual(['retrieve_tools', 'proxy_filter'])
  })

  verifies('S1.54', 'registers the best tools up to the limit', async () => {
    const { names, retrieve } = world({ routing: 'dynamic' })
    const answer = await retrieve({ queries: ['file', 'issue', 'mail'], top_k: 10 })
    expect(answer).toMatchObject({ pool_size: 3, pool_limit: 3, evicted_tools: [] })
    expect(found(answer)).toEqual(answer.newly_registered)
    expect((await names()).slice(2).sort()).toEqual(found(answer).sort())
  })

  test('a tool that its server dropped takes no place in the pool', async () => {
    let tools = TOOLS
    const { retrieve } = world({ routing: 'dynamic' }, () => tools)
    for (const query of ['send mail', 'create issue', 'list issues']) await retrieve({ query, top_k: 1 })
    tools = TOOLS.slice(0, 4)
    expect(await retrieve({ query: 'delete file', top_k: 1 })).toMatchObject({
      pool_size: 1,
      evicted_tools: [],
    })
  })

  verifies('S1.54', 'a call keeps a tool', async () => {
    const { call, retrieve, time, names } = world({ routing: 'dynamic' })
    for (const query of ['send mail', 'create issue', 'list issues']) await retrieve({ query, top_k: 1 })
    time.now = 1_800_000
    await call('web_send_mail', { path: 'x' })
    await retrieve({ query: 'delete file', top_k: 1 })
    expect(await names()).toContain('web_send_mail')
  })
})

const definitions = createProxyTools({
  engine: createEngine({ ...ENGINE_DEFAULTS, queryTimeout: 1000 }),
  resultStore: undefined as never,
  call: async () => ({}),
  ownTools: PROXY_TOOL_NAMES,
  budget: 8000,
}).map(({ definition }) => definition)

const parametersOf = ({ inputSchema }: JsonObject): JsonObject =>
  isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}

test('our own tools are shorter, and name no parameter that they do not have', () => {
  expect(definitions.map(({ name }) => name)).toEqual(['proxy_filter', 'proxy_search', 'proxy_explore'])
  for (const definition of definitions) {
    const before = JSON.stringify(definition)
    const short = lean(definition)
    expect(JSON.stringify(short).length).toBeLessThan(0.8 * before.length)
    expect(short.name).toBe(definition.name)
    expect(Object.keys(parametersOf(definition))).toEqual(
      expect.arrayContaining(Object.keys(parametersOf(short))),
    )
    expect(Object.keys(parametersOf(short))).toContain('cache_id')
    expect(String(short.description)).not.toContain('fresh call')
    expect(JSON.stringify(definition)).toBe(before)
  }
})

test('does not copy definitions of servers', () => {
  const other = {
    name: 'files_read',
    title: 'Read',
    inputSchema: { type: 'object', properties: { tool: {} } },
  }
  expect(lean(other)).toBe(other)
  const odd = { name: 'proxy_filter', inputSchema: null }
  expect(lean(odd)).toBe(odd)
  expect(lean({ name: 'constructor', inputSchema: { properties: {} } })).toMatchObject({
    name: 'constructor',
  })
})
