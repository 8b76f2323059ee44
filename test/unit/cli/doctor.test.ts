import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
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

  test('a server’s name for itself cannot command the terminal', async () => {
    const serverInfo = { name: 'x\u001b[2J\u0007', version: '1' }
    const w = world({ status: () => ({ state: 'ready', tools: 4, initialize: { serverInfo } }) })
    w.write('mcp.json', two)
    expect(await w.cli('doctor')).toBe(0)
    expect(w.out()).toContain('x [2J  1, 4 tools')
    expect(w.out()).not.toMatch(/[^\P{Cc}\n]/u)
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

  verifies(
    'S2.22',
    'profiles are told with how many tools they have; one with none is a warning',
    async () => {
      const modules = [
        { use: 'package', profile: 'notes', title: 'Notes' },
        { use: 'package', profile: 'data', default: true },
      ]
      const text = JSON.stringify({ mcpServers: { good: { command: 'node' } }, modules })
      const w = world()
      w.write('mcp.json', text)
      expect(await w.cli('doctor')).toBe(0)
      expect(w.out()).toMatch(/ok +profile notes +Notes; 3 tools of good; --profile notes or \/mcp\/notes\n/)
      expect(w.out()).toMatch(
        /ok +profile data +3 tools of good; --profile data or \/mcp\/data; the default\n/,
      )
      const empty = world({ profileTools: 0 })
      empty.write('mcp.json', text)
      expect(await empty.cli('doctor', '--profile', 'notes')).toBe(0)
      expect(empty.out()).toMatch(/warning +profile notes +Notes; 0 tools/)
      expect(empty.out()).not.toContain('profile data')
    },
  )

  test('a broken configuration: 2, told as a finding', async () => {
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
