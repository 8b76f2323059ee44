import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { stat } from 'node:fs'
import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import { LargeResult, plain, type Result } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { LIMIT_DEFAULTS, type Limits } from '../../../src/protocol/limits.ts'
import type { JsonRpcMessage } from '../../../src/protocol/message.ts'
import { causeOfDeath, StdioTransport } from '../../../src/upstream/stdio.ts'
import { client, exchange, jsonOf, stdioServer, textOf, toolCall, upstreams } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

/** All that a transport wants but for its command. */
const TRANSPORT = {
  env: {},
  cwd: undefined,
  graceMs: 100,
  largeBytes: 1e6,
  maxMessageBytes: 1e6,
  limits: LIMIT_DEFAULTS,
  conceal: (text: string) => text,
  logger: silentLogger,
}

const failure = (promise: Promise<Result>): Promise<unknown> => promise.then(plain, (error: unknown) => error)

for (const order of ['result-last', 'result-first']) {
  verifies('S3.34', `a large answer arrives unparsed, byte for byte (${order})`, async () => {
    const pool = upstreams({ servers: { s: stdioServer({ order }) }, defaults: { largeBytes: 1000 } })
    const small = await pool.request('s', toolCall('big', { bytes: 10 }), exchange())
    expect(small).not.toBeInstanceOf(LargeResult)
    const large = await pool.request('s', toolCall('big', { bytes: 3_000_000 }), exchange())
    expect(large).toBeInstanceOf(LargeResult)
    const bytes = Buffer.from((large as LargeResult).bytes).toString('utf8')
    expect(bytes).toBe(JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] }))
  })

  test(`a message over the ceiling fails its request alone (${order})`, async () => {
    const pool = upstreams({ servers: { s: stdioServer({ order }) }, defaults: { maxMessageBytes: 100_000 } })
    const me = client()
    const [tooBig, slow] = await Promise.all([
      failure(pool.request('s', toolCall('big', { bytes: 200_000 }), exchange(me))),
      pool.request('s', toolCall('sleep', { ms: 50 }), exchange(me)),
    ])
    expect(tooBig).toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      message: expect.stringMatching(
        /^server `s`: tool `big`: the server sent a message of 2000\d\d bytes; the limit is 100000 bytes$/,
      ),
    })
    expect(textOf(slow)).toBe('awake')
    expect(pool.status()[0]?.state).toBe('ready')
  })
}

test('a message of 200 MB passes below the ceiling', async () => {
  const pool = upstreams({ servers: { s: stdioServer() } })
  const large = await pool.request('s', toolCall('big', { bytes: 200_000_000 }), exchange())
  expect((large as LargeResult).bytes.length).toBe(
    200_000_000 + '{"content":[{"type":"text","text":""}]}'.length,
  )
})

test('lines on stdout that are no messages are skipped', async () => {
  const pool = upstreams({
    servers: { s: stdioServer({ noise: ['starting up', '{', 'null', '7', '"text"'] }) },
  })
  const result = await pool.request('s', toolCall('garbage'), exchange())
  expect(textOf(result)).toBe('after the garbage')
})

test('an answer that holds no object fails its request at once', async () => {
  const pool = upstreams({ servers: { s: stdioServer() } })
  expect(await failure(pool.request('s', toolCall('empty-answer'), exchange()))).toMatchObject({
    code: 'UPSTREAM_PROTOCOL',
    message: 'server `s`: tool `empty-answer`: the server sent an answer with a result that is not an object',
  })
})

test('answers with other members and in a batch are read', async () => {
  const pool = upstreams({ servers: { s: stdioServer() }, defaults: { largeBytes: 10 } })
  const answer = (text: string): Promise<unknown> =>
    failure(pool.request('s', toolCall('answer', { text }), exchange()))
  expect(await answer('{"extra":1,"jsonrpc":"2.0","id":$ID,"result":{"a":1}}')).toEqual({ a: 1 })
  expect(await answer('[{"jsonrpc":"2.0","id":$ID,"result":{"a":2}}]')).toEqual({ a: 2 })
})

verifies('S3.34 S3.36', 'a server that dies fails its calls at once, with its last words', async () => {
  const pool = upstreams({ servers: { s: stdioServer() } })
  const me = client()
  await pool.open(me)
  const pending = failure(pool.request('s', toolCall('never'), exchange(me)))
  const fatal = failure(pool.request('s', toolCall('die', { code: 7 }), exchange(me)))
  expect(await pending).toMatchObject({
    code: 'UPSTREAM_CLOSED',
    message: 'server `s`: tool `never` got no answer: the server exited with code 7: last words',
  })
  expect(await fatal).toMatchObject({ code: 'UPSTREAM_CLOSED' })
  expect(pool.status()[0]?.lastError).toBe('server `s`: exited with code 7: last words')
})

/** A fake process, and the transport that starts it. */
function fakeProcess(stdin: Writable = new PassThrough(), limits: Partial<Limits> = {}) {
  const child = Object.assign(new EventEmitter(), {
    exitCode: null as number | null,
    signalCode: null,
    stdin,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  })
  const transport = new StdioTransport({
    ...TRANSPORT,
    largeBytes: 100_000,
    limits: { ...LIMIT_DEFAULTS, ...limits },
    command: 'x',
    args: [],
    spawn: () => child as unknown as ChildProcessWithoutNullStreams,
  })
  return { child, transport }
}

test('reports an exit as an exit, even if the event loop was blocked at the end of output', async () => {
  const { child, transport } = fakeProcess()
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  process.nextTick(() => child.emit('spawn'))
  await transport.start()
  child.stdout.once('end', () => {
    // The exit is there to be read before the time is up for which it is waited, and is read after.
    stat('/', () => {
      child.exitCode = 7
      child.emit('exit', 7, null)
    })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)
  })
  child.stdout.end()
  child.stdout.resume()
  await ended
  expect(transport.failure).toBe('exited with code 7')
})

test('reports an incomplete message at the end of output', async () => {
  const pool = upstreams({ servers: { s: stdioServer() } })
  expect(await failure(pool.request('s', toolCall('half'), exchange()))).toMatchObject({
    message:
      'server `s`: tool `half` got no answer: the server exited with code 3 in the middle of a message',
  })
})

verifies('S3.34', 'the next call after a death starts the server again, at once', async () => {
  const pool = upstreams({
    servers: { s: stdioServer() },
    defaults: { backoff: { initialMs: 60_000, maxMs: 60_000, factor: 1 } },
  })
  const me = client()
  const first = textOf(await pool.request('s', toolCall('pid'), exchange(me)))
  await failure(pool.request('s', toolCall('die', { code: 0 }), exchange(me)))
  const second = textOf(await pool.request('s', toolCall('pid'), exchange(me)))
  expect(second).not.toBe(first)
})

test('a log level outlives the process it was set on', async () => {
  const pool = upstreams({ servers: { s: stdioServer() } })
  const me = client()
  const level = { method: 'logging/setLevel', params: { level: 'debug' } }
  await pool.request('s', level, exchange(me))
  await failure(pool.request('s', toolCall('die', { code: 0 }), exchange(me)))
  const { received } = jsonOf(await pool.request('s', toolCall('calls'), exchange(me))) as JsonObject
  expect(received).toMatchObject([{ method: 'initialize' }, {}, level, { method: 'tools/call' }])
})

test('a server killed from outside comes back as well', async () => {
  const pool = upstreams({ servers: { s: stdioServer() } })
  const me = client()
  const pid = Number(textOf(await pool.request('s', toolCall('pid'), exchange(me))))
  const pending = failure(pool.request('s', toolCall('never'), exchange(me)))
  process.kill(pid, 'SIGKILL')
  expect(await pending).toMatchObject({ message: expect.stringContaining('was killed by SIGKILL') })
  expect(textOf(await pool.request('s', toolCall('echo', { back: true }), exchange(me)))).toBe(
    '{"back":true}',
  )
})

test('a command that does not exist is named', async () => {
  const pool = upstreams({ servers: { s: { command: '/no/such/command' } } })
  expect(await failure(pool.request('s', toolCall('echo'), exchange()))).toMatchObject({
    code: 'UPSTREAM_CONNECT',
    message: expect.stringContaining('server `s`: could not be started: the command `/no/such/command`'),
  })
})

test('a directory that does not exist is named, not the command', async () => {
  const pool = upstreams({ servers: { s: { command: process.execPath, cwd: '/no/such/directory' } } })
  expect(await failure(pool.request('s', toolCall('echo'), exchange()))).toMatchObject({
    message: 'server `s`: could not be started: its working directory `/no/such/directory` is not there',
  })
})

test('a process that gets no more files fails like any other', async () => {
  // Node then gives a child without streams, and its error a moment later.
  const spawn = () => {
    const child = Object.assign(new EventEmitter(), { exitCode: null, signalCode: null })
    process.nextTick(() => child.emit('error', Object.assign(new Error(), { code: 'EMFILE' })))
    return child as unknown as ChildProcessWithoutNullStreams
  }
  const pool = upstreams({ servers: { s: { command: 'x' } }, spawn })
  expect(await failure(pool.request('s', toolCall('echo'), exchange()))).toMatchObject({
    code: 'UPSTREAM_CONNECT',
    message: 'server `s`: could not be started: too many files are open in this process (EMFILE)',
  })
})

verifies('S3.38', 'last words do not tell clients the secrets of a server', async () => {
  const env = { API_TOKEN: 'tok-1234567' }
  const server = { ...stdioServer({ crash: 2, stderr: 'no such account: tok-1234567\n' }), env }
  const pool = upstreams({ servers: { s: server } })
  expect(await failure(pool.request('s', toolCall('echo'), exchange()))).toMatchObject({
    message: 'server `s`: exited with code 2: no such account: ***',
  })
})

test('reports the last stderr lines of a server that exits at start', async () => {
  const pool = upstreams({ servers: { s: stdioServer({ crash: 2, stderr: 'API_KEY is missing\n' }) } })
  expect(await failure(pool.request('s', toolCall('echo'), exchange()))).toMatchObject({
    code: 'UPSTREAM_CONNECT',
    message: 'server `s`: exited with code 2: API_KEY is missing',
  })
})

verifies(
  'S3.35',
  'the process gets its arguments, working directory and environment over a safe base',
  async () => {
    const server = {
      ...stdioServer({ name: 'from-arguments' }),
      cwd: '/',
      env: { GIVEN: 'yes', HOME: '/over' },
    }
    const pool = upstreams({
      servers: { s: server },
      environment: {
        PATH: process.env.PATH,
        HOME: '/base',
        LANG: 'C',
        OTHER_SECRET: 'no',
        NODE_OPTIONS: '--no-warnings',
      },
    })
    const result = await pool.request('s', toolCall('env'), exchange())
    const environment = JSON.parse(textOf(result)) as Record<string, string>
    expect(environment).toMatchObject({ GIVEN: 'yes', HOME: '/over', LANG: 'C', PATH: process.env.PATH })
    expect(environment).not.toHaveProperty('OTHER_SECRET')
    expect(environment).not.toHaveProperty('NODE_OPTIONS')
    expect(pool.known('s')).toMatchObject({ serverInfo: { name: 'from-arguments' } })
  },
)

verifies(
  'S3.36',
  'a server that does not read gets no more than it may leave unread, until it reads on',
  async () => {
    const pool = upstreams({ servers: { s: stdioServer(), other: stdioServer() } })
    const me = client()
    const call = (args: JsonObject = {}) => failure(pool.request('s', toolCall('pid', args), exchange(me)))
    const pid = Number(textOf((await call()) as JsonObject))
    process.kill(pid, 'SIGSTOP')
    const large = 'x'.repeat(15_000_000)
    const waiting = [1, 2, 3, 4, 5].map(() => call({ large }))
    expect(await call()).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      message: expect.stringMatching(
        /^server `s`: tool `pid` was not sent: the server does not read what it is sent: 75.0 MB wait for it; .*`limits.serverUnreadBytes`/,
      ),
      next: expect.stringMatching(/^Nothing was called\./),
    })
    expect(textOf(await pool.request('other', toolCall('echo', { a: 1 }), exchange(me)))).toBe('{"a":1}')
    process.kill(pid, 'SIGCONT')
    for (const answer of await Promise.all(waiting)) expect(textOf(answer as JsonObject)).toBe(String(pid))
    expect(textOf((await call()) as JsonObject)).toBe(String(pid))
  },
)

test('queues no requests for a server that does not read, but still sends cancellations', async () => {
  const taken: string[] = []
  const stdin = new Writable({ decodeStrings: false, write: (chunk: string) => void taken.push(chunk) })
  const { child, transport } = fakeProcess(stdin)
  process.nextTick(() => child.emit('spawn'))
  await transport.start()
  void transport.send({ jsonrpc: '2.0', id: 1, method: 'x', params: { large: 'x'.repeat(70_000_000) } })
  const before = stdin.writableLength
  for (let id = 0; id < 10; id++)
    await expect(transport.send({ jsonrpc: '2.0', id, result: {} })).rejects.toThrow('does not read')
  expect(stdin.writableLength).toBe(before)
  void transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  await new Promise((resolve) => setImmediate(resolve))
  expect(stdin.writableLength).toBeGreaterThan(before)
})

test('waits when the server does not read', async () => {
  const transport = new StdioTransport({
    ...TRANSPORT,
    command: process.execPath,
    args: ['-e', 'setTimeout(() => process.stdin.resume(), 100)'],
  })
  await transport.start()
  const message: JsonRpcMessage = { jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(5_000_000) } }
  const order: string[] = []
  const sent = transport.send(message).then(() => order.push('sent'))
  await new Promise((resolve) => setImmediate(resolve))
  order.push('later')
  await sent
  expect(order).toEqual(['later', 'sent'])
  await transport.close()
  await expect(transport.send(message)).rejects.toThrow('takes no more input')
})

const node = `node:fs:573
  return binding.open(
                 ^

Error: ENOENT: no such file or directory, open '/no/where'
    at Object.openSync (node:fs:573:18)
    at file:///srv/server.mjs:10:52 {
  errno: -2,
  code: 'ENOENT',
  syscall: 'open',
  path: '/no/where'
}

Node.js v20.20.2
`
const missing = `node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/srv/nope.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2`
const npm = `npm error code E404
npm error 404 Not Found - GET https://registry.example/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log
`
const python = `Traceback (most recent call last):
  File "/srv/server.py", line 1, in <module>
    import nope
ModuleNotFoundError: No module named 'nope'
`

test.each([
  ['an error of Node', node, "Error: ENOENT: no such file or directory, open '/no/where'"],
  ['a missing script', missing, "Error: Cannot find module '/srv/nope.js'"],
  [
    'a package that is not there',
    npm,
    'npm error 404 Not Found - GET https://registry.example/no-such-server - Not found',
  ],
  ['an error of Python', python, "ModuleNotFoundError: No module named 'nope'"],
  ['a plain line', 'starting\nno licence\n', 'no licence'],
  ['one that only looks like an error', 'Error: ignored\nno licence', 'no licence'],
  ['nothing but what follows', 'Node.js v20.20.2\n', 'Node.js v20.20.2'],
  ['a thrown text', `boom\n\nNode.js v20.20.2`, 'boom'],
  ['nothing', ' \n', ''],
])('the reason is told: %s', (_, stderr, reason) => {
  expect(causeOfDeath('', stderr, null)).toBe(reason)
})

const greeting = 'Knowledge Graph MCP Server running on stdio\n'

test.each([
  ['a process that was killed', greeting, '', 'SIGKILL', ''],
  ['one that was killed while it logged', '', greeting, 'SIGTERM', ''],
  [
    'one that named an error and was killed',
    greeting,
    'Error: out of ideas\n',
    'SIGKILL',
    'Error: out of ideas',
  ],
  ['one that ended by itself after it had spoken', greeting, '', null, ''],
  ['one that ended by itself with a word', greeting, 'no licence\n', null, 'no licence'],
  ['one whose error came before its answer', python, '', null, "ModuleNotFoundError: No module named 'nope'"],
  ['one that aborts', greeting, 'out of memory\n', 'SIGABRT', 'out of memory'],
])('a greeting is not the reason: %s', (_, before, after, signal, reason) => {
  expect(causeOfDeath(before, after, signal)).toBe(reason)
})

/** A transport with a started process, and what it delivered. */
async function fakeServer(limits: Partial<Limits>) {
  const { child, transport } = fakeProcess(undefined, limits)
  const messages: JsonRpcMessage[] = []
  const troubles: string[] = []
  transport.onmessage = (message) => messages.push(message)
  transport.onerror = (error) => troubles.push(error.message)
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  process.nextTick(() => child.emit('spawn'))
  await transport.start()
  return { child, transport, messages, troubles, ended }
}

test('ends a server that prints lines without end, and says which limit it passed', async () => {
  const { child, transport, ended } = await fakeServer({ serverBadLines: 500, serverMessagesPerSecond: 1e6 })
  child.stdout.write('y\n'.repeat(100_000))
  await ended
  expect(transport.failure).toBe(
    'printed too many lines in a minute that are no messages: the limit is 500 lines (raise `limits.serverBadLines` in `proxySettings` if this is intended)',
  )
})

test('reads a flood of messages in turns, and others have theirs between', async () => {
  const { child, messages, transport } = await fakeServer({
    serverTurnMessages: 10,
    serverMessagesPerSecond: 1e6,
  })
  child.stdout.write('{"jsonrpc":"2.0","method":"notifications/x"}\n'.repeat(1000))
  let most = 0
  for (let before = 0; messages.length < 1000; before = messages.length) {
    await new Promise((resolve) => setImmediate(resolve))
    most = Math.max(most, messages.length - before)
  }
  expect(most).toBeLessThanOrEqual(20)
  await transport.close()
})

test('what came before an exit is read to its end, however many turns it takes', async () => {
  const { child, messages, ended } = await fakeServer({ serverTurnMessages: 1, serverMessagesPerSecond: 1e6 })
  child.stdout.end('{"jsonrpc":"2.0","method":"notifications/x"}\n'.repeat(300))
  child.exitCode = 0
  child.emit('close', 0, null)
  await ended
  expect(messages).toHaveLength(300)
})

test('a message that is no result and too long is thrown away while it comes', async () => {
  const { child, messages, troubles, transport } = await fakeServer({ serverMessageBytes: 300_000 })
  child.stdout.write(
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${'x'.repeat(400_000)}"}}\n`,
  )
  child.stdout.write(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"${'x'.repeat(400_000)}"}}\n`)
  child.stdout.write('{"jsonrpc":"2.0","id":8,"result":{}}\n')
  await expect.poll(() => messages).toHaveLength(2)
  expect(troubles[0]).toMatch(
    /^sent a message of \d+ bytes that is no result; the limit is 300000 bytes \(raise `limits.serverMessageBytes`/,
  )
  expect(messages).toMatchObject([
    { id: 7, error: { message: expect.stringContaining('`limits.serverMessageBytes`') } },
    { id: 8, result: {} },
  ])
  await transport.close()
})

test('a short message of very many values is not parsed', async () => {
  const { child, messages, troubles, transport } = await fakeServer({ serverMessageValues: 10_000 })
  child.stdout.write(
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":[${'[],'.repeat(300_000)}1]}}\n`,
  )
  await expect.poll(() => troubles).toHaveLength(1)
  expect(troubles[0]).toContain('`limits.serverMessageValues`')
  expect(messages).toHaveLength(0)
  await transport.close()
})
