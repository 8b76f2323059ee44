import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../../src/cli/program.ts'
import type { ServerConfig } from '../../../src/config/servers.ts'
import { createGateway } from '../../../src/gateway.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type ToolServer, toolServer } from '../../support/embedded.ts'
import { verifies } from '../../support/verifies.ts'
import { world } from './support.ts'

const two = JSON.stringify({
  mcpServers: { good: { command: 'node' }, bad: { command: 'gone', env: { TOKEN: 'sesame-street' } } },
})

describe('doctor', () => {
  test('all well: 0, with version and tools of each server', async () => {
    const w = world({
      status: () => ({
        state: 'ready',
        tools: 4,
        initialize: { serverInfo: { name: 'x-server', version: '1.2' } },
      }),
    })
    w.write('mcp.json', two)
    expect(await w.cli('doctor')).toBe(0)
    expect(w.out()).toMatch(/ok +node +v\d+/)
    expect(w.out()).toMatch(/ok +configuration +\S+mcp\.json: 2 servers/)
    expect(w.out()).toMatch(/ok +good +x-server 1\.2, 4 tools, 0 ms/)
    expect(w.err()).toBe('')
  })

  test('what the definitions of all tools cost, and what is listed for less', async () => {
    const description = 'Reads what is asked for. '.repeat(300)
    const tool = (name: string) => ({ name, description, inputSchema: { type: 'object' } })
    const told = async (definitions: JsonObject[], ...flags: string[]) => {
      const w = world({ definitions })
      w.write('mcp.json', two)
      expect(await w.cli('doctor', '--json', ...flags)).toBe(0)
      const { findings } = JSON.parse(w.out()) as { findings: { subject: string }[] }
      return findings.find(({ subject }) => subject === 'tools')
    }
    expect(await told([])).toBeUndefined()
    const few = { subject: 'tools', state: 'ok', message: '2 tools, 3.6k tokens in every conversation' }
    expect(await told([tool('a')])).toEqual(few)
    const many = ['a', 'b', 'c', 'd', 'e'].map(tool)
    expect(await told(many)).toEqual({
      subject: 'tools',
      state: 'warning',
      message: '10 tools, 18k tokens in every conversation',
      remedy:
        'Consider "exposure": "retrieve" in proxySettings: it lists tools that find these (1.1k tokens).',
    })
    expect(await told(many, '--exposure', 'retrieve')).toEqual({
      subject: 'tools',
      state: 'ok',
      message: '10 tools, 18k tokens, behind "exposure": "retrieve"',
    })
  })

  test('how far it is, at a terminal alone', async () => {
    const w = world()
    w.write('mcp.json', two)
    let shown = ''
    const stderr = { isTTY: true, write: (text: string) => (shown += text) }
    expect(await runCli({ ...w.host, stderr }, ['doctor', '--json'])).toBe(0)
    expect(shown.split('\r\u001b[2K')).toEqual([
      '',
      `${'░'.repeat(20)} 0/2 servers looked at, waiting for good, bad`,
      `${'█'.repeat(10)}${'░'.repeat(10)} 1/2 servers looked at, waiting for bad`,
      '',
    ])
    expect(JSON.parse(w.out())).toMatchObject({ ok: true })
  })

  test('a server’s name for itself cannot command the terminal', async () => {
    const serverInfo = { name: 'x\u001b[2J\u0007', version: '1' }
    const w = world({ status: () => ({ state: 'ready', tools: 4, initialize: { serverInfo } }) })
    w.write('mcp.json', two)
    expect(await w.cli('doctor')).toBe(0)
    expect(w.out()).toContain('x [2J  1, 4 tools')
    expect(w.out()).not.toMatch(/[^\P{Cc}\n]/u)
  })

  test('no server forges a finding or a remedy, by its name or by what it says', async () => {
    const forged = 'ok       all       everything is well'
    const name = `x\n${forged}`
    const w = world({
      status: () => ({
        state: 'waiting',
        lastError: `gone\n${forged}\r\n→ Run: rm -rf\u2028${forged}\u202e\u0085`,
      }),
    })
    w.write('mcp.json', JSON.stringify({ mcpServers: { [name]: { command: `none\n${forged}` } } }))
    await w.cli('doctor')
    const lines = w.out().split(/[\n\r\u2028\u2029\u0085]/)
    expect(lines.filter((line) => line.startsWith('ok ') && line.includes('everything'))).toEqual([])
    expect(lines.filter((line) => /^\s*→.*rm -rf/.test(line))).toEqual([])
    expect(lines.filter((line) => line.includes('│'))).toHaveLength(3)
    expect(w.out()).not.toMatch(/[\p{Cf}\p{Zl}]/u)
  })

  test('a broken server: 1, with its error and a remedy, without its secrets', async () => {
    const w = world({
      status: ({ servers }) =>
        servers[0]?.name === 'bad'
          ? { state: 'waiting', lastError: 'spawn gone ENOENT sesame-street' }
          : { state: 'ready', tools: 1 },
    })
    w.write('mcp.json', two)
    expect(await w.cli('doctor', '--json')).toBe(1)
    const { ok, findings } = JSON.parse(w.out())
    expect(ok).toBe(false)
    expect(findings).toContainEqual({
      subject: 'bad',
      state: 'broken',
      message: 'spawn gone ENOENT ***',
      remedy: 'Is gone installed and on the PATH? Write its whole path otherwise.',
    })
    expect(findings).toContainEqual(expect.objectContaining({ subject: 'good', state: 'ok' }))
  })

  test.each([
    ['server `a`: could not be started: the command `npx` was not found', 'Is npx installed'],
    [
      'server `a`: exited with code 1: npm error 404 Not Found - GET https://registry.example/x - Not found',
      'check its name in "args"',
    ],
    ['server `a`: exited with code 1: Error: ENOENT: no such file, open x', 'Run the command by hand'],
    ['server `a`: did not connect within 4 s', 'Raise connect.timeoutMs'],
    ['server `a`: could not be started: its working directory `/x` is not there', 'Check "cwd"'],
  ])('the remedy fits: %s', async (lastError, remedy) => {
    const w = world({ status: () => ({ state: 'waiting', lastError }) })
    w.write('mcp.json', '{"mcpServers": {"a": {"command": "npx"}}}')
    expect(await w.cli('doctor')).toBe(1)
    expect(w.out()).toContain(remedy)
  })

  verifies('S2.22', 'shows the number of tools of each profile; an empty profile is a warning', async () => {
    const modules = [
      { use: 'package', profile: 'notes', title: 'Notes' },
      { use: 'package', profile: 'data', default: true },
    ]
    const text = JSON.stringify({ mcpServers: { good: { command: 'node' } }, modules })
    const w = world()
    w.write('mcp.json', text)
    expect(await w.cli('doctor')).toBe(0)
    expect(w.out()).toMatch(/ok +profile notes +Notes; 3 tools of good; --profile notes or \/mcp\/notes\n/)
    expect(w.out()).toMatch(/ok +profile data +3 tools of good; --profile data or \/mcp\/data; the default\n/)
    const empty = world({ profileTools: 0 })
    empty.write('mcp.json', text)
    expect(await empty.cli('doctor', '--profile', 'notes')).toBe(0)
    expect(empty.out()).toMatch(/warning +profile notes +Notes; 0 tools/)
    expect(empty.out()).not.toContain('profile data')
  })

  test('reports a broken configuration as a finding and exits with 2', async () => {
    const w = world()
    w.write('mcp.json', '{')
    expect(await w.cli('doctor')).toBe(2)
    expect(w.out()).toMatch(/BROKEN +configuration +mcp\.json is not valid/)
  })

  test('looks at each server alone, connecting at once, with nothing remembered and nothing left behind', async () => {
    const w = world()
    w.write('mcp.json', two)
    await w.cli('doctor')
    expect(w.configs.map(({ servers }) => servers.map(({ name }) => name))).toEqual([
      ['good'],
      ['bad'],
      // Of which the order is asked, and no server is connected.
      ['good', 'bad'],
    ])
    expect(w.configs.every(({ settings }) => !settings.connect.lazy)).toBe(true)
    expect(w.configs.slice(0, 2).every(({ servers }) => servers[0]?.instance === 'shared')).toBe(true)
    expect(new Set(w.configs.map(({ settings }) => settings.dataDir)).size).toBe(3)
    expect(readdirSync(w.host.temporary)).toEqual([])
    expect(w.happened).toEqual(['close', 'close', 'close'])
  })
})

/** Doctor with real gateways, around servers of this process in place of programs. A name without a server is a program that fails. */
async function doctor(
  servers: Record<string, ToolServer | undefined>,
  modules: JsonObject[],
  more: { servers?: Record<string, JsonObject>; settings?: JsonObject } = {},
) {
  const w = world()
  const inProcess = (server: ServerConfig): ServerConfig => {
    const { name, instance, callTimeoutMs, tools } = server
    const { serve } = servers[name] ?? {}
    const fails = (): never => {
      throw new Error('gone')
    }
    const serving = { transport: 'in-process' as const, id: name, serve: serve ?? fails }
    return { name, instance, callTimeoutMs, ...(tools && { tools }), ...serving }
  }
  w.host.createGateway = async (config, parts) =>
    createGateway({ ...config, servers: config.servers.map(inProcess) }, parts)
  const mcpServers = Object.fromEntries(
    Object.keys(servers).map((name) => [name, { command: name, ...more.servers?.[name] }]),
  )
  w.write('mcp.json', JSON.stringify({ mcpServers, proxySettings: more.settings ?? {}, modules }))
  const code = await w.cli('doctor', '--json')
  const { findings } = JSON.parse(w.out()) as { findings: JsonObject[] }
  const rest = readdirSync(w.host.temporary)
  return { code, rest, of: (subject: string) => findings.filter((finding) => finding.subject === subject) }
}

const files = () => toolServer({ read_file: {}, write_file: {} })
const git = () => toolServer({ log: {}, push: {} })

describe('doctor, patterns and lists', () => {
  verifies('S2.22', 'counts profile tools from the servers it checked, starting each once', async () => {
    const servers = { files: files(), git: git() }
    const { code, rest, of } = await doctor(servers, [
      { use: 'package', profile: 'notes', tools: ['files/read_*'] },
      { use: 'package', profile: 'all', default: true },
      { use: 'block', tools: ['git/push'] },
      { use: 'rename', tools: { 'git/log': 'history' } },
    ])
    expect(code).toBe(0)
    expect(of('profile notes')[0]?.message).toMatch(/^1 tool of files;/)
    expect(of('profile all')[0]?.message).toMatch(/^3 tools of files, git;/)
    expect(of('git')[0]).toMatchObject({ state: 'ok', message: expect.stringContaining('2 tools') })
    expect(Object.values(servers).map(({ connections }) => connections)).toEqual([1, 1])
    expect(of('module block').map(({ state }) => state)).toEqual(['ok'])
    expect(rest).toEqual([])
  })

  verifies('S2.23', 'reports a pattern that matches nothing, with a likely correction', async () => {
    const { code, of } = await doctor({ files: files(), git: git() }, [
      { use: 'block', tools: ['files/wirte_file', 'git/*', 'flies/*', 'git_lgo'] },
      { use: 'log', tools: ['files/read_file'], servers: ['fles'] },
      // Clients without a profile see nothing of the other server.
      { use: 'package', profile: 'notes', servers: ['git'], default: true },
      { use: 'package', profile: 'all', servers: ['*'] },
    ])
    expect(code).toBe(0)
    const told = of('module block').filter(({ state }) => state === 'warning')
    expect(told.map(({ message, remedy }) => [message, remedy])).toEqual([
      ['tools: "files/wirte_file" fits nothing that the servers list', 'Did you mean "files/write_file"?'],
      ['tools: "flies/*" fits nothing that the servers list', 'Correct or remove it.'],
      ['tools: "git_lgo" fits nothing that the servers list', 'Did you mean "git_log"?'],
    ])
    // It knows tools by the names that clients call.
    expect(of('module log').map(({ state }) => state)).toEqual(['ok', 'warning'])
    expect(of('configuration')[1]?.message).toContain('has a log (log) with the server "fles"')
  })

  verifies('S2.23', 'so is one of the lists of tools that may be used', async () => {
    const { code, of } = await doctor({ files: files(), git: git() }, [], {
      servers: { files: { tools: { deny: ['write_*', 'delte_*'] } } },
      settings: { dispatch: { allow: ['files/*', 'git_log'], deny: ['gti/push'] } },
    })
    expect(code).toBe(0)
    expect(of('files').map(({ state, message }) => [state, message])).toEqual([
      ['ok', expect.stringContaining('2 tools')],
      ['warning', 'tools.deny: "delte_*" fits nothing that the servers list'],
    ])
    expect(of('configuration')[1]?.message).toBe(
      'dispatch.deny: "gti/push" fits nothing that the servers list',
    )
  })

  test('reports no pattern for a server that does not answer', async () => {
    const { code, of } = await doctor({ files: files(), away: undefined }, [
      { use: 'block', tools: ['away/x', 'away_y', 'files/z'] },
    ])
    expect(code).toBe(1)
    expect(of('away')[0]?.state).toBe('broken')
    const told = of('module block').filter(({ state }) => state === 'warning')
    expect(told.map(({ message }) => message)).toEqual([
      'tools: "files/z" fits nothing listed by the servers that answered',
    ])
  })
})
