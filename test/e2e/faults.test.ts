/** Servers that break every rule: the others go on, the session lives, and the model is told what happened. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type LineClient, startLineClient, toolNames } from './support/line-client.ts'
import { report, timed } from './support/report.ts'
import { fixture, startProxy, type ToolResult, temporaryDirectory, textOf } from './support/world.ts'

const script = fileURLToPath(new URL('../support/servers/stdio.mjs', import.meta.url))

/** A server that misbehaves from its start; see `support/servers` for the options. */
const faulty = (options: object): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [script, JSON.stringify(options)],
})

const good = fixture('good')
const hanging = faulty({ slowStart: 3_600_000 })
const absent = { command: '/nonexistent/server' }
/** Long enough for servers to start on a busy machine. */
const impatient = { connect: { timeoutMs: 15_000, callTimeoutMs: 6000 } }

/** Waits for a notification that came after `seen` others. */
const listChanged = (client: LineClient, seen: number): Promise<void> =>
  expect
    .poll(() => client.notifications.slice(seen), { timeout: 120_000 })
    .toContain('notifications/tools/list_changed')

verifies(
  'S3.36',
  'a call without an answer ends with an error that names server, tool and limit',
  async () => {
    const { call } = await startProxy({ servers: { f: fixture('f'), good }, settings: impatient })
    const [late, other] = await Promise.all([call('f_never'), call('good_text', { size: 5 })])
    expect(late.isError).toBe(true)
    expect(textOf(late)).toContain('server `f`')
    expect(textOf(late)).toContain('tool `never`')
    expect(textOf(late)).toContain('6 s')
    expect(textOf(other)).toBe('aaaaa')
    // The server was slow, not dead: it is still the same process that answers.
    expect(JSON.parse(textOf(await call('f_calls')))).toMatchObject({ initialize: 1 })
  },
)

verifies('S3.36', 'a limit of one server is its own, and progress extends it', async () => {
  const servers = { f: { ...fixture('f'), timeout: 6 }, good }
  const { client, call } = await startProxy({ servers })
  expect(textOf(await call('f_never'))).toContain('6 s')
  const steps: unknown[] = []
  const slow = await client.callTool(
    { name: 'f_slow', arguments: { ms: 8000 } },
    { onprogress: (step) => steps.push(step) },
  )
  expect(textOf(slow as never)).toBe('slept 8000')
  expect(steps).toHaveLength(4)
})

verifies('S3.34 S1.61', 'garbage on a server’s output is skipped; the answer after it arrives', async () => {
  const tools = ['echo', 'garbage']
  const noisy = faulty({
    tools,
    noise: ['Server v1.2 ready', '{"not": "json rpc"}', '{broken', '[1, 2]', ''],
  })
  const { call, stderr } = await startProxy({ servers: { noisy, f: fixture('f') } })
  expect(textOf(await call('noisy_echo', { a: 1 }))).toBe('{"a":1}')
  expect(textOf(await call('f_garbage'))).toBe('after garbage')
  expect(textOf(await call('noisy_garbage'))).toBe('after the garbage')
  expect(textOf(await call('f_text', { size: 3 }))).toBe('aaa')
  expect(stderr()).toContain('not JSON-RPC')
})

for (const [tool, words] of [
  ['die', 'exited with code 3'],
  ['half', 'in the middle of a message'],
] as const) {
  verifies(
    'S3.34',
    `a server that ends during \`${tool}\` fails that call alone, and comes back`,
    async () => {
      const { call } = await startProxy({ servers: { f: fixture('f'), good } })
      const before = JSON.parse(textOf(await call('f_environment'))) as { pid: number }
      const running = call('good_slow', { ms: 800 })
      const dead = await call(`f_${tool}`)
      expect(dead.isError).toBe(true)
      expect(textOf(dead)).toContain('server `f`')
      expect(textOf(dead)).toContain(`tool \`${tool}\``)
      expect(textOf(dead)).toContain(words)
      expect(textOf(await running)).toBe('slept 800')
      const after = JSON.parse(textOf(await call('f_environment'))) as { pid: number }
      expect(after.pid).not.toBe(before.pid)
    },
  )
}

verifies('S3.34', 'all running calls fail when their server dies', async () => {
  const { client, call } = await startProxy({ servers: { f: fixture('f') } })
  const asked = [call('f_never'), call('f_never')]
  // The server has read what it was asked before when it tells of the last.
  await new Promise((onprogress) => {
    const slow = client.callTool({ name: 'f_slow', arguments: { ms: 3_600_000 } }, { onprogress })
    asked.push(slow as Promise<ToolResult>)
  })
  const answers = await Promise.all([...asked, call('f_die')])
  for (const answer of answers) {
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('exited with code 3')
  }
})

for (const [name, broken, words] of [
  ['cannot be started', absent, 'not found'],
  ['ends at once', faulty({ crash: 7, stderr: 'no licence\n' }), 'exited with code 7: no licence'],
  ['hangs at initialize', hanging, 'did not connect within 15 s'],
  ['speaks no known protocol', faulty({ version: '1999-01-01' }), 'protocol version 1999-01-01'],
] as const) {
  verifies('S3.34 S3.36 S1.61', `a server that ${name} stops no client`, async () => {
    const client = startLineClient({ servers: { broken, good }, settings: impatient })
    const opened = await timed(() => client.open())
    const listed = await timed(() => toolNames(client))
    expect(opened.value).toMatchObject({ serverInfo: { name: 'mcp-rlm-proxy' } })
    expect(listed.value).toContain('good_text')
    expect(listed.value.some((tool) => tool.startsWith('broken_'))).toBe(false)
    expect(textOf(await client.call('good_text', { size: 3 }))).toBe('aaa')
    const refused = await client.call('broken_echo')
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/server `broken` (?:is not available|has not answered yet)/)
    await expect.poll(() => client.stderr()).toContain(words)
    expect(client.strays).toEqual([])
    // The proxy does not wait again for a server that did not come: a slower call is still under way.
    const order: string[] = []
    const again = timed(() => toolNames(client))
    await Promise.all([
      again.then(() => order.push('list')),
      client.call('good_slow', { ms: 5000 }).then(() => order.push('call')),
    ])
    expect(order).toEqual(['list', 'call'])
    expect((await again).value).toEqual(listed.value)
    report(`a server that ${name}`, {
      'initialize ms': Math.round(opened.ms),
      'tools/list ms': Math.round(listed.ms),
      'second ms': Math.round((await again).ms),
    })
  })
}

verifies(
  'S3.34 S3.6',
  'initialize does not wait for servers: it is answered while all of them hang',
  async () => {
    const client = startLineClient({ servers: { a: hanging, b: hanging } })
    const opened = await Promise.race([
      client.open(),
      new Promise((_, reject) => setTimeout(reject, 100_000, new Error('initialize waited'))),
    ])
    expect(opened).toMatchObject({ capabilities: { tools: { listChanged: true } } })
  },
)

verifies(
  'S3.34',
  'a server that comes up after the list was given is announced, and its tools work',
  async () => {
    const directory = temporaryDirectory()
    const gate = join(directory, 'gate')
    const mended = {
      command: 'sh',
      args: ['-c', `test -e ${gate} && exec "$0" "$@"`, ...commandOf(fixture('m'))],
    }
    const patient = startLineClient({ servers: { mended, good } })
    await patient.open()
    expect(await toolNames(patient)).not.toContain('mended_text')
    const seen = patient.notifications.length
    writeFileSync(gate, '')
    await listChanged(patient, seen)
    expect(await toolNames(patient)).toContain('mended_text')
    expect(textOf(await patient.call('mended_text', { size: 4 }))).toBe('aaaa')
  },
)

verifies(
  'S3.34 S3.6',
  'a server that is slow within its limit is waited for by tools/list, not by initialize',
  async () => {
    const client = startLineClient({ servers: { slow: faulty({ slowStart: 1000 }), good } })
    const opened = await timed(() => client.open())
    const names = await timed(() => toolNames(client))
    expect(names.value).toContain('slow_echo')
    expect(names.value).toContain('good_text')
    report('a slow server', { 'initialize ms': Math.round(opened.ms), 'tools/list ms': Math.round(names.ms) })
  },
)

verifies('S3.34 S1.20', 'a second start lists remembered tools before the servers answer', async () => {
  const directory = temporaryDirectory()
  const gate = join(directory, 'gate')
  writeFileSync(gate, '')
  const wait = `until test -e ${gate}; do sleep 0.05; done; exec "$0" "$@"`
  const servers = { gated: { command: 'sh', args: ['-c', wait, ...commandOf(fixture('g'))] } }
  const first = startLineClient({ servers, directory })
  await first.open()
  const names = await toolNames(first)
  expect(names).toContain('gated_text')
  await first.end()

  rmSync(gate)
  const second = startLineClient({ servers, directory })
  const opened = await second.open()
  expect(opened).toMatchObject({ instructions: expect.stringContaining('Instructions of g') })
  expect(await toolNames(second)).toEqual(names)
  const waiting = second.call('gated_text', { size: 2 })
  writeFileSync(gate, '')
  expect(textOf(await waiting)).toBe('aa')
})

verifies('S3.34', 'remembered tools that a server no longer has are announced as changed', async () => {
  const directory = temporaryDirectory()
  const list = join(directory, 'tools')
  // The configuration is the same; what the server offers is not. It starts when there is something to offer.
  const start = `until test -e ${list}; do sleep 0.05; done; exec "$0" "$1" "$(cat ${list})"`
  const servers = { s: { command: 'sh', args: ['-c', start, process.execPath, script] } }
  writeFileSync(list, JSON.stringify({ tools: ['echo', 'old'] }))
  const first = startLineClient({ servers, directory })
  await first.open()
  expect(await toolNames(first)).toContain('s_old')
  await first.end()
  rmSync(list)
  const second = startLineClient({ servers, directory })
  await second.open()
  expect(await toolNames(second)).toContain('s_old')
  const offer = join(directory, 'offer')
  writeFileSync(offer, JSON.stringify({ tools: ['echo', 'new'] }))
  renameSync(offer, list)
  await listChanged(second, 0)
  const names = await toolNames(second)
  expect(names).toContain('s_new')
  expect(names).not.toContain('s_old')
})

function commandOf({ command, args }: { command: string; args: string[] }): string[] {
  return [command, ...args]
}
