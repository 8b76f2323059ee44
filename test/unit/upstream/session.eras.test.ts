/** Every pair of eras: a client of either, a server of either. The servers are the fixture of the conformance suite. */
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { plain } from '../../../src/protocol/content.ts'
import type { Client, Exchange } from '../../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import type { Request } from '../../../src/protocol/message.ts'
import type { Upstreams } from '../../../src/upstream/contract.ts'
import type { StdioServer } from '../../../src/upstream/stdio.ts'
import { client, exchange, type FakeClient, temporaryFolder, upstreams } from '../../support/upstream.ts'

const FIXTURE = fileURLToPath(new URL('../../conformance/server.mjs', import.meta.url))

function fixture(...flags: string[]): StdioServer {
  return { command: process.execPath, args: [FIXTURE, '--stdio', ...flags] }
}

const ALL: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

/** A client of the modern era: it is never asked, it reads what is asked in results. */
function modern(capabilities: JsonObject = ALL, kind: 'local' | 'anonymous' = 'local'): FakeClient {
  const base = client(capabilities)
  return {
    ...base,
    agent: { id: base.id, kind },
    era: 'modern',
    protocolVersion: '2026-07-28',
    ask: () => Promise.reject(new Error('a modern client cannot be asked')),
  }
}

/** A legacy client that answers each kind of question. */
function legacy(capabilities: JsonObject = ALL): FakeClient {
  const base = client(capabilities)
  return {
    ...base,
    ask: async (request) => {
      base.asked.push(request)
      if (request.method === 'roots/list') return { roots: [{ uri: 'file:///r', name: 'r' }] }
      if (request.method === 'sampling/createMessage')
        return { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' }
      return {
        action: 'accept',
        content: { name: 'Ada', color: 'Blue', ok: true, username: 'ada', email: 'a@b.c' },
      }
    },
  }
}

function tool(name: string, given: JsonObject = {}, more: JsonObject = {}): Request {
  return { method: 'tools/call', params: { name, arguments: given, ...more } }
}

/** Params as a modern client sends them. */
function enveloped(owner: Client, request: Request, meta: JsonObject = {}): Request {
  return {
    ...request,
    params: {
      ...request.params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'm', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': owner.capabilities,
        ...meta,
      },
    },
  }
}

async function send(
  pool: Upstreams,
  owner: Client,
  request: Request,
  extra: Partial<Exchange> = {},
): Promise<JsonObject> {
  const full = owner.era === 'modern' ? enveloped(owner, request) : request
  // A legacy exchange can be asked on its own stream.
  const asking = owner.era === 'legacy' ? { ask: (asked: Request) => owner.ask(asked) } : {}
  const on = exchange(owner, { params: full.params ?? {}, ...asking, ...extra })
  return plain(await pool.request('s', full, on))
}

function textOf(result: JsonObject): unknown {
  const [block] = Array.isArray(result.content) ? result.content : []
  return isObject(block) ? block.text : undefined
}

const ACCEPTED = { action: 'accept', content: { name: 'Ada', color: 'Blue', ok: true } }

/** Answers everything a result asks for. */
function answersTo(result: JsonObject): JsonObject {
  const requests = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : []
  const answers = requests.map(([key, request]) => [
    key,
    !isObject(request) || request.method === 'elicitation/create'
      ? ACCEPTED
      : request.method === 'roots/list'
        ? { roots: [] }
        : { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm' },
  ])
  const { requestState } = result
  return {
    inputResponses: Object.fromEntries(answers),
    ...(requestState !== undefined && { requestState }),
  }
}

describe.each(['--modern-only', '--legacy-only'])('a modern client at a server with %s', (flag) => {
  const world = () => upstreams({ servers: { s: fixture(flag) } })

  test('calls, reads and lists', async () => {
    const pool = world()
    const me = modern()
    expect(textOf(await send(pool, me, tool('test_simple_text')))).toMatch(/simple text/)
    const [list] = await pool.list('tools', me, new AbortController().signal)
    expect(list?.items.length).toBeGreaterThan(10)
    const read = { method: 'resources/read', params: { uri: 'test://static-text' } }
    expect(await send(pool, me, read)).toMatchObject({ contents: [{ uri: 'test://static-text' }] })
  })

  test('is asked in the result, answers in the next round, and gets the end', async () => {
    const pool = world()
    const me = modern()
    const call = (more: JsonObject = {}) =>
      send(pool, me, tool('test_input_required_result_elicitation', {}, more))
    const first = await call()
    expect(first).toMatchObject({ resultType: 'input_required' })
    const key = Object.keys(first.inputRequests ?? {})[0] ?? ''
    // An answer to something else is none.
    const { requestState } = first
    const state: JsonObject = requestState === undefined ? {} : { requestState }
    const again = await call({ ...state, inputResponses: { other: ACCEPTED } })
    expect(again).toMatchObject({ resultType: 'input_required' })
    const last = await call({
      ...(again.requestState !== undefined && { requestState: again.requestState }),
      inputResponses: { [key]: ACCEPTED },
    })
    expect(textOf(last)).toBe('Hello, Ada!')
  })

  test('goes through several rounds', async () => {
    const pool = world()
    const me = modern()
    let more: JsonObject = {}
    for (let round = 0; round < 5; round++) {
      const result = await send(pool, me, tool('test_input_required_result_multi_round', {}, more))
      if (result.resultType !== 'input_required') return expect(round).toBeGreaterThan(1)
      more = answersTo(result)
    }
    expect.unreachable('it asked for ever')
  })

  test('gets log messages only when it asks for them', async () => {
    const pool = world()
    const me = modern()
    const on = exchange(me, { params: {} })
    const logged = enveloped(me, tool('test_tool_with_logging'), {
      'io.modelcontextprotocol/logLevel': 'debug',
    })
    await pool.request('s', logged, { ...on, params: logged.params ?? {} })
    expect(on.notified.map(({ method }) => method)).toContain('notifications/message')
  })
})

describe('a modern client at a legacy server', () => {
  test('a state that was changed, is of another call or of another client is refused', async () => {
    const pool = upstreams({ servers: { s: fixture('--legacy-only') } })
    const me = modern()
    const name = 'test_input_required_result_elicitation'
    const { requestState } = await send(pool, me, tool(name))
    const state = String(requestState)
    const refused = { code: -32602, message: expect.stringContaining('requestState') }
    const attempt = (owner: Client, called: string, given: unknown): Promise<JsonObject> =>
      send(pool, owner, tool(called, {}, { requestState: given as string, inputResponses: {} }))
    await expect(attempt(me, name, `${state}x`)).rejects.toMatchObject(refused)
    await expect(attempt(me, name, `x${state}`)).rejects.toMatchObject(refused)
    await expect(attempt(me, name, 7)).rejects.toMatchObject(refused)
    await expect(attempt(me, 'test_simple_text', state)).rejects.toMatchObject(refused)
    await expect(attempt(modern(), name, state)).rejects.toMatchObject(refused)
    // None of this has harmed the call.
    expect(await attempt(me, name, state)).toMatchObject({ resultType: 'input_required' })
  })

  test('ends a parked call when its client does not return', async () => {
    const alarms: { ms: number; run: () => void }[] = []
    const pool = upstreams({
      servers: { s: fixture('--legacy-only') },
      later: (ms, run) => {
        const alarm = { ms, run }
        if (ms < 100) setTimeout(run, ms)
        else alarms.push(alarm)
        return () => void alarms.splice(alarms.indexOf(alarm), alarms.includes(alarm) ? 1 : 0)
      },
    })
    const me = modern()
    const name = 'test_input_required_result_elicitation'
    const first = await send(pool, me, tool(name))
    for (const alarm of alarms.filter(({ ms }) => ms === 300_000)) alarm.run()
    await expect(send(pool, me, tool(name, {}, answersTo(first)))).rejects.toMatchObject({ code: -32602 })
  })

  test('ends the longest parked call when too many wait', async () => {
    const pool = upstreams({ servers: { s: fixture('--legacy-only') } })
    const me = modern()
    const name = 'test_input_required_result_elicitation'
    const rounds: JsonObject[] = []
    for (let i = 0; i < 33; i++) rounds.push(await send(pool, me, tool(name)))
    const [first = {}, second = {}] = rounds
    await expect(send(pool, me, tool(name, {}, answersTo(first)))).rejects.toMatchObject({ code: -32602 })
    expect(textOf(await send(pool, me, tool(name, {}, answersTo(second))))).toBe('Hello, Ada!')
  })

  test('calls of anonymous clients that may be asked do not meet', async () => {
    const pool = upstreams({ servers: { s: fixture('--legacy-only') } })
    const me = modern(ALL, 'anonymous')
    const name = 'test_input_required_result_elicitation'
    const [one, two] = await Promise.all([send(pool, me, tool(name)), send(pool, me, tool(name))])
    const ends = await Promise.all(
      [one, two].map((result, index) => {
        const more = answersTo(result ?? {})
        const [key] = Object.keys(result?.inputRequests ?? {})
        const inputResponses = { [key ?? '']: { action: 'accept', content: { name: `N${index}` } } }
        return send(pool, me, tool(name, {}, { ...more, inputResponses }))
      }),
    )
    expect(ends.map(textOf)).toEqual(['Hello, N0!', 'Hello, N1!'])
  })

  test('does not ask a client for something it cannot do', async () => {
    const pool = upstreams({ servers: { s: fixture('--legacy-only') } })
    const result = await send(pool, modern({}), tool('test_sampling', { prompt: 'p' })).catch(
      (error: unknown) => error,
    )
    expect(result).not.toMatchObject({ resultType: 'input_required' })
  })
})

describe('a legacy client at a modern server', () => {
  const world = () => upstreams({ servers: { s: fixture('--modern-only') } })

  test('is asked as a legacy server would ask, and gets a legacy result', async () => {
    const pool = world()
    const me = legacy()
    const result = await send(pool, me, tool('test_input_required_result_elicitation'))
    expect(textOf(result)).toBe('Hello, Ada!')
    expect(result).not.toHaveProperty('resultType')
    expect(me.asked.map(({ method }) => method)).toEqual(['elicitation/create'])
  })

  test('is asked for everything at once and for one thing after the other', async () => {
    const pool = world()
    const me = legacy()
    await send(pool, me, tool('test_input_required_result_multiple_inputs'))
    expect(new Set(me.asked.map(({ method }) => method)).size).toBeGreaterThan(1)
    await send(pool, me, tool('test_input_required_result_multi_round'))
    expect(me.asked.length).toBeGreaterThan(4)
  })

  test('watches resources and hears of changes of lists', async () => {
    const pool = world()
    const me = legacy()
    const uri = { uri: 'test://watched-resource' }
    expect(await send(pool, me, { method: 'resources/subscribe', params: uri })).toEqual({})
    expect(await send(pool, me, { method: 'resources/unsubscribe', params: uri })).toEqual({})
    const { signal } = new AbortController()
    const names = async () => (await pool.list('tools', me, signal))[0]?.items.map(({ name }) => name)
    const before = await names()
    await send(pool, me, tool('test_trigger_tool_change'))
    await expect.poll(() => pool.recorded.changed).toContainEqual(['s', 'tools'])
    expect(await names()).not.toEqual(before)
  })

  test('sets the log level for what it calls', async () => {
    const pool = world()
    const me = legacy()
    const on = exchange(me)
    await pool.request('s', tool('test_tool_with_logging'), on)
    expect(on.notified).toEqual([])
    await pool.everywhere({ method: 'logging/setLevel', params: { level: 'debug' } }, 'logging', on)
    await pool.request('s', tool('test_tool_with_logging'), on)
    expect(on.notified.map(({ method }) => method)).toContain('notifications/message')
  })
})

test('lists stay true for more kinds of modern clients than are followed', async () => {
  const pool = upstreams({ servers: { s: fixture('--modern-only') } })
  const { signal } = new AbortController()
  const names = async (me: Client) =>
    (await pool.list('tools', me, signal))[0]?.items.map(({ name }) => name) ?? []
  const kinds = Array.from({ length: 20 }, (_, index) => modern({ experimental: { [`kind${index}`]: {} } }))
  const [first = modern(), last = modern()] = [kinds[0], kinds.at(-1)]
  const before = await names(first)
  for (const me of kinds) await names(me)
  await send(pool, last, tool('test_trigger_tool_change'))
  await expect.poll(() => names(last)).not.toEqual(before)
  expect(await names(first)).toEqual(await names(last))
})

describe('a server of both eras', () => {
  test('is spoken to in the era of each client, and in no other', async () => {
    const dataDir = temporaryFolder()
    const pool = upstreams({ servers: { s: fixture() }, dataDir })
    await send(pool, legacy(), tool('test_simple_text'))
    expect(pool.status()[0]?.initialize).toMatchObject({ protocolVersion: '2025-11-25' })
    await send(pool, modern(), tool('test_simple_text'))
    expect(pool.status()[0]?.initialize).toMatchObject({ protocolVersion: '2026-07-28' })
  })

  test('its era is remembered', async () => {
    const dataDir = temporaryFolder()
    const servers = { s: fixture('--legacy-only') }
    const first = upstreams({ servers, dataDir })
    await send(first, modern(), tool('test_simple_text'))
    await first.close()
    const starts: unknown[] = []
    const { spawn } = await import('node:child_process')
    const second = upstreams({
      servers,
      dataDir,
      spawn: (...args) => {
        starts.push(args)
        return spawn(...args)
      },
    })
    await send(second, modern(), tool('test_simple_text'))
    expect(starts).toHaveLength(1)
  })

  test('an older release that takes its place over HTTP is spoken to in its own era', async () => {
    const { createServer } = await import('node:http')
    const seen: string[] = []
    let modernToo = true
    const http = createServer(async (incoming, response) => {
      let body = ''
      for await (const chunk of incoming) body += chunk
      if (incoming.method !== 'POST') return void response.writeHead(405).end()
      const { id, method, params } = JSON.parse(body)
      seen.push(method)
      const isModern = params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined
      const send = (status: number, message: object) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
      }
      if (id === undefined) return void response.writeHead(202).end()
      if (isModern && !modernToo) return send(400, { error: { code: -32000, message: 'No session' } })
      const capabilities = { tools: {} }
      if (method === 'server/discover')
        return send(200, {
          result: { supportedVersions: ['2026-07-28'], capabilities, resultType: 'complete' },
        })
      if (method === 'initialize')
        return send(200, { result: { protocolVersion: '2025-11-25', capabilities, serverInfo: {} } })
      send(200, { result: { content: [{ type: 'text', text: isModern ? 'modern' : 'legacy' }] } })
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void http.close().closeAllConnections())
    const address = http.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
    const pool = upstreams({ servers: { s: { url } } })
    const me = modern()
    expect(textOf(await send(pool, me, tool('t')))).toBe('modern')
    expect(seen).not.toContain('initialize')
    modernToo = false
    expect(textOf(await send(pool, me, tool('t')))).toBe('legacy')
    expect(textOf(await send(pool, me, tool('t')))).toBe('legacy')
    expect(seen.filter((method) => method === 'server/discover')).toHaveLength(3)
  })

  test('a modern client that is not local starts no server before it asks something', async () => {
    const pool = upstreams({ servers: { s: fixture('--legacy-only') } })
    await pool.open(modern(ALL, 'anonymous'))
    expect(pool.status()[0]?.state).toBe('idle')
  })
})
