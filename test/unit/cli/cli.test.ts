import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readLedger } from '../../../src/observe/savings-report.ts'
import { verifies } from '../../support/verifies.ts'
import { world } from './support.ts'

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
    expect(await readLedger(join(w.host.home, '.mcpproxy'))).toMatchObject([{ day: '2026-02-03' }])
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

  verifies('S2.22', '--profile chooses one, and one that there is not ends the start', async () => {
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

  test('a gateway that cannot start is closed, and the exit code is 1', async () => {
    const w = world({ start: () => Promise.reject(new Error('listen EADDRINUSE')) })
    w.write('mcp.json', one)
    expect(await w.cli(...quiet)).toBe(1)
    expect(w.happened).toEqual(['start', 'close'])
    expect(w.err()).toContain('listen EADDRINUSE')
  })
})

describe('what is wrong ends with 2, in words, and with an empty standard output', () => {
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
    expect(await failing(one, 'npx', 'server')).toContain('mcp-rlm-proxy -- npx server')
    expect(await failing(one, 'doctr')).toContain(
      'Did you mean doctor? To wrap a server, write: mcp-rlm-proxy -- doctr',
    )
    expect(await failing(one, 'npx')).not.toContain('Did you mean')
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
})
