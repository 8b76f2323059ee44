/** Any server of the published interceptor proposal plugs in: the same behaviour over standard input and output and over HTTP. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished } from 'vitest'
import { RPC, type RpcError } from '../../src/protocol/errors.ts'
import type { Handler } from '../../src/protocol/exchange.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { moduleWorld } from '../support/module-world.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const script = fileURLToPath(new URL('../support/servers/interceptors.mjs', import.meta.url))
/** A busy machine takes its time to start a module. */
const timeoutMs = 120_000

async function overStdio(options: JsonObject): Promise<JsonObject> {
  return { command: process.execPath, args: [script, JSON.stringify(options)] }
}

async function overHttp(options: JsonObject): Promise<JsonObject> {
  const child = spawn(process.execPath, [script, JSON.stringify({ ...options, http: true })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: line.toString().trim() }
}

const mutation = (name: string, does: string, more: JsonObject = {}): JsonObject => ({
  ...{ name, does, type: 'mutation', hook: { events: [`x/${name}`], phase: 'both' } },
  ...more,
})
const validation = (name: string, does: string, more: JsonObject = {}): JsonObject =>
  mutation(name, does, { type: 'validation', ...more })
const hook = (event: string, phase = 'both'): JsonObject => ({ hook: { events: [event], phase } })

const errorOf = (work: Promise<unknown>): Promise<RpcError> =>
  work.then(
    (result) => Promise.reject(new Error(`passed: ${JSON.stringify(result)}`)),
    (error: RpcError) => error,
  )

describe.each([
  ['over standard input and output', overStdio],
  ['over HTTP', overHttp],
])('a server of interceptors %s', (_, reach) => {
  async function world(interceptors: JsonObject[], more: JsonObject = {}, options: JsonObject = {}) {
    const entry = await reach({ interceptors, ...options })
    /** The server gives back what it got. */
    const server: Handler = async ({ params }) => ({ ...params, served: true })
    const made = await moduleWorld([{ ...entry, name: 'm', timeoutMs, ...more }], { server })
    await made.modules.check()
    return made
  }

  verifies('S2.32 S2.37', 'is discovered page by page, and greeted as the extension wants it', async () => {
    const all = ['c', 'a', 'b'].map((name) => mutation(name, 'log', hook('x/call', 'response')))
    const { ask, modules } = await world(all, {}, { pages: 1 })
    expect(modules.status()).toMatchObject([
      { state: 'ok', message: 'c (mutation), a (mutation), b (mutation)' },
    ])
    const { capabilities, received } = await ask('x/call')
    expect(capabilities).toMatchObject({ extensions: { 'io.modelcontextprotocol/interceptors': {} } })
    // Of equal priority: by name.
    expect((received as JsonObject[]).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  verifies('S2.19 S2.37', 'receives every field that the proposal defines for a call', async () => {
    const one = mutation('say', 'say', hook('x/say', 'request'))
    const told = async (more: JsonObject): Promise<JsonObject> => {
      const { ask } = await world([one], more)
      const { content } = await ask('x/say', { q: 1 })
      return JSON.parse(String((content as JsonObject[])[0]?.text)) as JsonObject
    }
    expect(await told({ config: { strict: true } })).toEqual({
      name: 'say',
      event: 'x/say',
      phase: 'request',
      payload: { q: 1 },
      config: { strict: true },
      timeoutMs,
      context: {
        principal: { type: 'anonymous' },
        sessionId: expect.any(String),
        timestamp: '1970-01-01T00:00:00.000Z',
      },
    })
  })

  verifies(
    'S2.30 S2.31 S2.37',
    'mutations run one after the other: by priority of the phase, then by name',
    async () => {
      const at = (name: string, priorityHint?: unknown): JsonObject =>
        mutation(name, 'sign', {
          ...hook('x/sign'),
          ...(priorityHint !== undefined && { priorityHint }),
        } as JsonObject)
      const { ask, sent } = await world([
        at('zero'),
        at('late', 1000),
        at('turned', { request: 2000, response: -2000 }),
        at('also', { request: -5 }),
        at('first', -2_147_483_648),
      ])
      const { signed } = await ask('x/sign', {})
      const request = ['first', 'also', 'zero', 'late', 'turned']
      expect(sent[0]?.params.signed).toEqual(request)
      expect(signed).toEqual([...request, 'first', 'turned', 'also', 'zero', 'late'])
    },
  )

  verifies('S2.37', 'requests are changed and then judged, results are judged and then changed', async () => {
    const { ask, sent } = await world([
      mutation('sign', 'sign', hook('x/in', 'request')),
      validation('after', 'signed', hook('x/in', 'request')),
      mutation('mark', 'sign', hook('x/out', 'response')),
      validation('before', 'unsigned', hook('x/out', 'response')),
    ])
    expect(await ask('x/in', {})).toEqual({ signed: ['sign'], served: true })
    expect(await ask('x/out', {})).toEqual({ served: true, signed: ['mark'] })
    expect(sent.map(({ params }) => params)).toEqual([{ signed: ['sign'] }, {}])
  })

  verifies(
    'S2.34 S2.37',
    'validations are asked all at once, and only severity `error` refuses',
    async () => {
      const { ask, lines, sent } = await world([
        // Each waits for the other: one after the other they would wait for ever.
        validation('one', 'meet', hook('x/meet', 'request')),
        validation('two', 'meet', hook('x/meet', 'request')),
        validation('judge', 'judge', hook('x/judge', 'request')),
        validation('guard', 'judge', hook('x/guard', 'response')),
      ])
      expect(await ask('x/meet')).toEqual({ served: true })
      for (const severity of ['warn', 'info'])
        expect(await ask('x/judge', { severity })).toEqual({ severity, served: true })
      expect(lines).toMatchObject([{ messages: ['found warn'] }, { messages: ['found info'] }])
      const before = sent.length
      const { code, message, data } = await errorOf(ask('x/judge', { severity: 'error' }))
      expect({ code, message, data }).toEqual({
        code: RPC.invalidParams,
        message: 'Refused by the module `m`: found error',
        data: { validationErrors: [{ interceptor: 'judge', severity: 'error', message: 'found error' }] },
      })
      expect(sent).toHaveLength(before)
      // The server has worked by then; what it gave does not come through.
      expect((await errorOf(ask('x/guard', { severity: 'error' }))).code).toBe(RPC.invalidParams)
      expect(sent).toHaveLength(before + 1)
    },
  )

  verifies(
    'S2.30 S2.37',
    'wildcards: everything, a phase, a family; the phase of the hook holds beside them',
    async () => {
      const { ask, tell } = await world([
        mutation('all', 'sign', hook('*')),
        mutation('in', 'sign', hook('*/request')),
        mutation('out', 'sign', hook('*/response')),
        mutation('narrow', 'sign', hook('*', 'request')),
        mutation('never', 'sign', hook('*/request', 'response')),
        mutation('family', 'sign', hook('y/*', 'response')),
        mutation('flat', 'sign', { hook: null, events: ['x/flat'], phase: 'response' }),
        mutation('list', 'sign', { hook: null, hooks: [{ events: ['x/flat'], phase: 'request' }] }),
      ])
      expect((await ask('x/one')).signed).toEqual(['all', 'in', 'narrow', 'all', 'out'])
      expect((await ask('y/one')).signed).toEqual(['all', 'in', 'narrow', 'all', 'family', 'out'])
      expect((await ask('x/flat')).signed).toEqual(['all', 'in', 'list', 'narrow', 'all', 'flat', 'out'])
      // A star does not ask for notifications, because they are many.
      expect((await tell('client', { method: 'notifications/message', params: {} }))?.params).toEqual({})
    },
  )

  verifies(
    'S2.37 S2.39',
    'failures: closed by default, open where it says so, and the user has the last word',
    async () => {
      const all = [
        mutation('error', 'fail'),
        mutation('error-open', 'fail', { failOpen: true }),
        mutation('time', 'expire'),
        validation('judge', 'expire', { failOpen: true }),
        mutation('next', 'sign', { ...hook('x/error-open', 'request') }),
      ]
      const { ask, lines } = await world(all)
      for (const name of ['error', 'time']) {
        const { code, message } = await errorOf(ask(`x/${name}`))
        expect([code, message]).toEqual([
          RPC.internalError,
          'The message was refused because the module `m` failed.',
        ])
      }
      expect(lines.map(({ level, error }) => [level, error])).toEqual([
        ['error', 'the interceptor failed'],
        ['error', 'Interceptor execution timeout'],
      ])
      // The result of the others counts.
      expect(await ask('x/error-open')).toEqual({ signed: ['next'], served: true })
      expect(await ask('x/judge')).toEqual({ served: true })
      expect(lines.slice(2).every(({ level }) => level === 'warn')).toBe(true)
      const open = await world(all, { failOpen: true })
      expect(await open.ask('x/error')).toEqual({ served: true })
      const closed = await world(all, { failOpen: false })
      expect((await errorOf(closed.ask('x/error-open'))).code).toBe(RPC.internalError)
    },
  )

  verifies(
    'S2.37 S2.39',
    'audit: changes, refuses and delays nothing, and logs what it would have done',
    async () => {
      const all = [
        mutation('shadow', 'sign', { ...hook('x/call'), mode: 'audit' }),
        mutation('real', 'sign', hook('x/call')),
        validation('judge', 'judge', { ...hook('x/call', 'request'), mode: 'audit' }),
        // It never answers: to wait for it would be to wait for two minutes.
        mutation('hang', 'hang', { ...hook('x/call'), mode: 'audit' }),
        validation('fail', 'fail', { ...hook('x/call', 'request'), mode: 'audit' }),
        mutation('short', 'answer', { hook: { events: ['tools/call'], phase: 'request' }, mode: 'audit' }),
      ]
      const { ask, lines } = await world(all)
      expect(await ask('x/call', { severity: 'error' })).toEqual({
        severity: 'error',
        signed: ['real', 'real'],
        served: true,
      })
      await ask('tools/call', { name: 'a' })
      await expect
        .poll(() => lines.map(({ interceptor, message }) => `${interceptor}: ${message}`).sort())
        .toEqual([
          'fail: a module failed',
          'judge: audit: the module would have refused the message',
          'shadow: audit: the module would have changed the message',
          'shadow: audit: the module would have changed the message',
          'short: audit: the module would have answered in place of the server',
        ])
      // The configuration makes an onlooker of any module.
      const looking = await world([mutation('real', 'sign', hook('x/call'))], { mode: 'audit' })
      expect(await looking.ask('x/call')).toEqual({ served: true })
      const enforced = await world([{ ...(all[0] as JsonObject) }], { mode: 'enforce' })
      expect((await enforced.ask('x/call')).signed).toEqual(['shadow', 'shadow'])
    },
  )

  verifies('S2.33', 'an answer of another kind than the message is a failure', async () => {
    const { ask } = await world([
      mutation('other', 'other', { hook: { events: ['tools/call', 'tools/list'], phase: 'both' } }),
      mutation('verdict', 'judge'),
      validation('change', 'sign'),
    ])
    const asked: [string, JsonObject][] = [
      ['tools/call', { name: 'a' }],
      ['tools/list', { tools: [] }],
      ['x/verdict', {}],
      ['x/change', {}],
    ]
    for (const [method, params] of asked)
      expect((await errorOf(ask(method, params))).message).toBe(
        'The message was refused because the module `m` failed.',
      )
  })
})

/** Answers of a server, by method. */
const speaking = (answers: string, starts = ''): JsonObject => ({
  command: process.execPath,
  args: [
    '-e',
    `if (process.argv[1]) require('node:fs').appendFileSync(process.argv[1], 'x')
     const offered = [{ name: 'sign', type: 'mutation', hooks: [{ events: ['x/sign'], phase: 'request' }] }]
     const version = (params) => params._meta?.['io.modelcontextprotocol/protocolVersion']
     const refuse = (code, message, data) => { throw { code, message, data } }
     const answers = { ${answers} }
     require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method, params } = JSON.parse(line)
       let answer
       try { answer = { result: (answers[method] ?? (() => refuse(-32601, 'not known')))(params) } } catch (error) { answer = { error } }
       if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
     })`,
    starts,
  ],
  ...{ name: 'm', timeoutMs },
})

verifies('S2.32 S2.37', 'a server that speaks the modern era alone plugs in as well', async () => {
  const modern = (body: string): string =>
    `(params) => version(params) === '2026-07-28' ? { resultType: 'complete', ${body} } : refuse(-32022, 'which?', { supported: ['2026-07-28'] })`
  const { ask, sent, modules } = await moduleWorld([
    speaking(`initialize: () => refuse(-32022, 'modern only', { supported: ['2026-07-28'] }),
      'server/discover': ${modern(`supportedVersions: ['2026-07-28'], capabilities: {}`)},
      'interceptors/list': ${modern('interceptors: offered')},
      'interceptor/invoke': ${modern(`type: 'mutation', modified: true, payload: { ...params.payload, signed: params._meta }`)},`),
  ])
  expect(await modules.check()).toMatchObject([{ state: 'ok', message: 'sign (mutation)' }])
  await ask('x/sign', { q: 1 })
  expect(sent.at(-1)?.params).toMatchObject({
    q: 1,
    signed: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
  })
})

verifies(
  'S2.39',
  'a server without a known protocol version is reported once and not restarted with every message',
  async () => {
    const starts = join(temporaryFolder(), 'starts')
    const { ask, modules } = await moduleWorld([speaking('', starts)])
    const message = 'speaks no revision of MCP that this proxy speaks'
    expect(await modules.check()).toMatchObject([{ state: 'failed', message }])
    for (let times = 0; times < 50; times++) await errorOf(ask('tools/call', { name: 'a' }))
    // One for each era.
    expect(readFileSync(starts, 'utf8')).toBe('xx')
  },
)
