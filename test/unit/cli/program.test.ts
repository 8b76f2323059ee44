import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { COMMANDS, commandsTable, runCli } from '../../../src/cli/program.ts'
import { readLedger } from '../../../src/observe/savings-report.ts'
import { verifies } from '../../support/verifies.ts'
import { type World, world } from './support.ts'

const one = JSON.stringify({ mcpServers: { a: { command: 'node' } } })
/** Log lines of a run are not what these tests are about. */
const quiet = ['--log-level', 'error']

describe('run', () => {
  test('serves until the client leaves, then closes once and ends with 0', async () => {
    const w = world()
    w.write('mcp.json', one)
    const running = w.cli(...quiet)
    w.leave()
    expect(await running).toBe(0)
    expect(w.happened).toEqual(['start', 'close', 'exit 0'])
    expect(w.configs[0]?.servers).toMatchObject([{ name: 'a' }])
  })

  verifies('S3.39', 'prints a summary to standard error and keeps it for stats', async () => {
    const w = world()
    w.write('mcp.json', one)
    const running = w.cli(...quiet)
    w.leave()
    await running
    expect(w.out()).toBe('')
    expect(w.err()).toContain('Savings: 2 calls, 900 → 100 tokens.')
    expect((await readLedger(join(w.host.home, '.mcpproxy'))).days).toMatchObject([{ day: '2026-02-03' }])
    expect(await w.cli('stats')).toBe(0)
    expect(w.out()).toContain('Saved in all: 800 tokens (89 %).')
  })

  test('flags are settings', async () => {
    const w = world()
    w.write('other.json', one)
    const running = w.cli(...quiet, '-c', 'other.json', '--port', '1234', '--max-response-size', '999')
    w.leave()
    await running
    expect(w.configs[0]?.settings).toMatchObject({
      port: 1234,
      maxResponseSize: 999,
      log: { level: 'error' },
    })
  })

  verifies('S2.22', '--profile chooses one, and an unknown name ends the start', async () => {
    const w = world({ start: async () => ({ url: 'http://127.0.0.1:1/mcp' }) })
    const modules = [
      { use: 'package', profile: 'notes', title: 'Notes' },
      { use: 'package', profile: 'data' },
    ]
    w.write('mcp.json', JSON.stringify({ mcpServers: { a: { command: 'x' } }, modules }))
    const running = w.cli('--transport', 'streamable-http')
    await expect.poll(() => w.err()).toContain('profile data at http://127.0.0.1:1/mcp/data\n')
    w.leave()
    expect(await running).toBe(0)
    expect(await w.cli('--profile', 'date')).toBe(2)
    expect(w.err()).toContain('Did you mean data? There are: notes, data.')
    expect(await w.cli('--profile', 'notes', '--', 'npx', 'server')).toBe(2)
    const chosen = w.cli('--profile', 'notes')
    await expect.poll(() => w.configs.at(-1)?.modules.length).toBe(1)
    expect(await chosen).toBe(0)
  })

  test('-- wraps one command, whatever its arguments look like', async () => {
    const w = world()
    const running = w.cli(...quiet, '--', 'npx', '-y', 'server-x', '--port', '5', 'doctor')
    w.leave()
    expect(await running).toBe(0)
    expect(w.configs[0]?.servers).toMatchObject([
      { name: 'x', command: 'npx', args: ['-y', 'server-x', '--port', '5', 'doctor'] },
    ])
  })

  describe('without --, the first word that is no command begins the command to wrap', () => {
    function withPrograms(...names: string[]): World {
      const w = world({ env: { PATH: 'bin' } })
      w.write('mcp.json', one)
      for (const name of names) chmodSync(w.write(name, ''), 0o755)
      return w
    }

    const wrapping: [string, string[], string[]][] = [
      ['with all options that follow', [], ['npx', '-y', 'server-x', '--port', '5', '--help', 'doctor']],
      ['a -- in it belongs to it', [], ['npx', '-y', 'server-x', '--', '--version']],
      [
        'options of the proxy stand before it',
        ['--port=9', '--max-response-size', '999'],
        ['npx', 'server-x'],
      ],
      ['a program that is called almost as a command', [], ['doctr', 'run']],
      ['a program by its path', [], ['./bin/npx', 'server-x']],
    ]

    test.each(wrapping)('%s', async (_name, own, words) => {
      const w = withPrograms('bin/npx', 'bin/doctr')
      const running = w.cli(...quiet, ...own, ...words)
      w.leave()
      expect([await running, w.err()]).toEqual([0, expect.not.stringContaining('nor a program')])
      const [command, ...args] = words
      expect(w.configs[0]?.servers).toMatchObject([{ command, args }])
      if (own.length > 0) expect(w.configs[0]?.settings).toMatchObject({ port: 9, maxResponseSize: 999 })
    })

    test('a command, a value of an option or an option that is not known is no program', async () => {
      const w = withPrograms('bin/5', 'bin/doctor')
      expect(await w.cli('doctor')).toBe(0)
      expect(w.out()).toMatch(/configuration +.*mcp\.json: 1 server/)
      expect(await w.cli('--prot', '5')).toBe(2)
      expect(w.err()).toContain("unknown option '--prot'")
      expect(await w.cli('--config', 'mcp.json', '5')).toBe(2)
      expect(w.err()).toContain('both --config and a command')
    })

    test('a file that cannot be executed and a directory are no programs', async () => {
      const w = withPrograms('bin/folder/x')
      w.write('bin/plain', '')
      for (const word of ['plain', 'folder', './bin/plain']) expect(await w.cli(word)).toBe(2)
      expect(w.configs).toEqual([])
    })

    test('every command that help shows is known', async () => {
      const w = world()
      await w.cli('--help')
      const [, commands = ''] = w.out().split('\nCommands:\n')
      const shown = [...commands.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
      expect(shown.slice(0, COMMANDS.length)).toEqual(COMMANDS)
    })

    test('the page on commands holds their table, which names each', () => {
      const page = readFileSync(fileURLToPath(new URL('../../../docs/commands.md', import.meta.url)), 'utf8')
      expect(page).toContain(commandsTable())
      for (const name of COMMANDS.filter((one) => one !== 'help'))
        expect(commandsTable()).toContain(`\`mcp-rlm-proxy ${name}`)
    })
  })

  test('started by hand at a terminal, one line says that it is a stdio server and how a client starts it', async () => {
    const w = world()
    const path = w.write('mcp.json', one)
    const started = async (terminal: boolean, ...argv: string[]): Promise<string> => {
      const before = w.err().length
      w.leave()
      await runCli({ ...w.host, terminal }, [...quiet, ...argv])
      return w.err().slice(before)
    }
    expect(await started(false)).not.toContain('stdio server')
    expect(await started(true, '--transport', 'streamable-http')).not.toContain('stdio server')
    const line = /^This is a stdio server: .*To add it to a client: (.*)$/m
    const [, file = ''] = line.exec(await started(true)) ?? []
    expect(JSON.parse(file)).toEqual({
      mcpServers: { proxy: { command: 'npx', args: ['-y', 'mcp-rlm-proxy', '--config', path] } },
    })
    const [, wrapped = ''] = line.exec(await started(true, '--', 'npx', '-y', 'x')) ?? []
    expect(JSON.parse(wrapped).mcpServers.proxy.args).toEqual(['-y', 'mcp-rlm-proxy', '--', 'npx', '-y', 'x'])
  })

  test('a gateway that cannot start is closed, and the exit code is 1', async () => {
    const w = world({ start: () => Promise.reject(new Error('listen EADDRINUSE')) })
    w.write('mcp.json', one)
    expect(await w.cli(...quiet)).toBe(1)
    expect(w.happened).toEqual(['start', 'close'])
    expect(w.err()).toContain('listen EADDRINUSE')
  })
})

describe('a wrong command line exits with 2, an explanation and empty standard output', () => {
  async function failing(file: string | undefined, ...argv: string[]): Promise<string> {
    const w = world({ env: { MCPPROXY_LOG_LEVEL: 'error' } })
    if (file !== undefined) w.write('mcp.json', file)
    expect(await w.cli(...argv)).toBe(2)
    expect(w.out()).toBe('')
    expect(w.happened).toEqual([])
    return w.err()
  }

  verifies('S3.37', 'missing file: how to start, with a file to paste', async () => {
    const text = await failing(undefined)
    expect(text).toContain('There is no mcp.json in')
    expect(text).toContain('mcp-rlm-proxy init')
    expect(text).toContain('"mcpServers"')
  })

  verifies('S3.37', 'duplicate, unknown, wrong type, unset variable, broken JSON', async () => {
    expect(await failing('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}')).toContain(
      'is there twice',
    )
    expect(await failing('{"mcpServers": {"a": {"comand": "x"}}}')).toContain('Did you mean "command"?')
    expect(await failing('{"mcpServers": {"a": {"command": 5}}}')).toContain(
      'mcpServers.a.command is a number',
    )
    expect(await failing('{"mcpServers": {"a": {"command": "${NOPE}"}}}')).toContain('${NOPE}')
    expect(await failing('{"mcpServers": ')).toContain('mcp.json:1:16: a value is missing')
    expect(await failing('{"mcpServers": {"a": {"command": "x"')).toContain('is not valid: 1 error\n')
    const near =
      '{"mcpServers": {}, "proxySettings": {"exposure": "retreive", "transport": "carrier-pigeon"}}'
    expect(await failing(near)).toMatch(/Did you mean "retrieve"\?[\s\S]*Write for example "stdio"/)
  })

  verifies('S3.37', 'the command line itself', async () => {
    expect(await failing(one, '--prot', '5')).toContain("unknown option '--prot'")
    expect(await failing(one, 'doctr', '--json')).toMatch(
      /"doctr" is neither a command of mcp-rlm-proxy nor a program on the PATH\.[\s\S]*Did you mean doctor\?/,
    )
    expect(await failing(one, 'other.json')).toMatch(/mcp-rlm-proxy --config <file>$/m)
    expect(await failing(one, 'other.json')).not.toContain('Did you mean')
    expect(await failing(one, '--config', '.')).toMatch(/ is a directory\.\nName the file in it\./)
    expect(await failing(one, '--port', 'x')).toContain('option --port: proxySettings.port is "x"')
    expect(await failing(one, '--')).toContain('no command after "--"')
    expect(await failing(one, '-c', 'mcp.json', '--', 'x')).toContain('both --config and a command')
    expect(await failing(one, '--log-file', '/dev/null/x')).toContain(
      'The log file /dev/null/x cannot be opened',
    )
  })

  verifies(
    'S1.41',
    'a file that the environment names and that is not there is written as a sample',
    async () => {
      const w = world({ env: { MCPPROXY_CONFIG_PATH: 'conf/proxy.json' } })
      expect(await w.cli()).toBe(2)
      const path = join(w.host.cwd, 'conf/proxy.json')
      expect(w.err()).toContain(`A sample is now in ${path}.`)
      expect(readFileSync(path, 'utf8')).toContain('"mcpServers"')
      expect(w.out()).toBe('')
    },
  )

  test('a file named by --config is never written', async () => {
    const w = world()
    expect(await w.cli('--config', 'no.json')).toBe(2)
    expect(existsSync(join(w.host.cwd, 'no.json'))).toBe(false)
  })
})

describe('help and version', () => {
  test('help goes to standard output and describes every flag', async () => {
    const w = world()
    expect(await w.cli('--help')).toBe(0)
    expect(w.err()).toBe('')
    for (const word of ['--transport', '(default: 8000)', 'doctor', 'MCPPROXY_CONFIG_PATH', 'Examples:']) {
      expect(w.out()).toContain(word)
    }
  })

  test('a command shows its own options and where to find the others', async () => {
    for (const words of [['login'], ['token', 'add'], ['pins', 'approve'], ['doctor']]) {
      const w = world()
      expect(await w.cli(...words, '--help')).toBe(0)
      expect(w.out()).toContain('\nGlobal options: see mcp-rlm-proxy --help\n')
      expect(w.out()).not.toContain('--transport')
      expect(w.out().split('\n').length).toBeLessThan(20)
    }
  })

  test('version', async () => {
    const w = world()
    expect(await w.cli('--version')).toBe(0)
    expect(w.out()).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('init', () => {
  test('writes a first file for you alone and never over another', async () => {
    const w = world()
    expect(await w.cli('init')).toBe(0)
    const path = join(w.host.cwd, 'mcp.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    w.write('mcp.json', 'mine')
    expect(await w.cli('init')).toBe(2)
    expect(readFileSync(path, 'utf8')).toBe('mine')
  })
})

describe('stats', () => {
  test('without a file and without a past', async () => {
    const w = world()
    expect(await w.cli('stats')).toBe(0)
    expect(w.out()).toContain('Nothing was saved yet')
    expect(existsSync(join(w.host.home, '.mcpproxy'))).toBe(false)
  })

  test('as JSON', async () => {
    const w = world()
    expect(await w.cli('stats', '--json')).toBe(0)
    expect(JSON.parse(w.out())).toMatchObject({ totals: { calls: 0, savedTokens: 0 }, days: [], tools: [] })
  })

  test('of all replicas where they share a store, and of this machine alone while it is away', async () => {
    const config = JSON.stringify({
      mcpServers: { a: { command: 'a' } },
      proxySettings: {
        transport: 'streamable-http',
        sessions: { key: 'a key of sixteen characters' },
        store: { url: 'valkey://localhost' },
      },
    })
    const tools = [{ tool: 'a_x', kind: 'call' as const, calls: 7, originalTokens: 90, deliveredTokens: 10 }]
    const w = world({ savingsOfReplicas: [{ day: '2026-02-03', tools }] })
    w.write('mcp.json', config)
    expect(await w.cli('stats')).toBe(0)
    expect(w.out()).toContain('2026-02-03 to 2026-02-03, all replicas\nSavings: 7 calls')
    expect(w.configs[0]?.servers).toEqual([])
    const away = world()
    away.write('mcp.json', config)
    expect(await away.cli('stats')).toBe(0)
    expect(away.err()).toContain('these are the savings of this machine alone')
  })
})
