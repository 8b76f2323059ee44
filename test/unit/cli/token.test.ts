import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addToken, listTokens } from '../../../src/cli/token.ts'
import { hashToken, readTokens } from '../../../src/data/tokens.ts'
import { verifies } from '../../support/verifies.ts'
import { world } from './support.ts'

const NOW = Date.UTC(2030, 0, 1)
const nothing = { config: undefined, flags: {}, wrapped: undefined }

describe('token add', () => {
  test('prints the token alone, once, and keeps its hash, in the data directory', async () => {
    const w = world()
    expect(await w.cli('token', 'add', 'my laptop')).toBe(0)
    expect(w.out()).toMatch(/^mrp_[\w-]{43}\n$/)
    const path = join(w.host.home, '.mcpproxy', 'tokens.json')
    expect(readTokens(path)).toEqual([
      {
        id: expect.stringMatching(/^t_[0-9a-f]{16}$/),
        name: 'my laptop',
        hash: hashToken(w.out().trim()),
        created: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
      },
    ])
    expect([path, join(path, '..')].map((at) => statSync(at).mode & 0o777)).toEqual([0o600, 0o700])
    expect(readFileSync(path, 'utf8') + w.err()).not.toContain(w.out().trim())
    expect(w.err()).toContain('restart a proxy that runs')
  })

  test('a second one needs no restart, and each is another', async () => {
    const w = world()
    await w.cli('token', 'add', 'a')
    const said = w.err()
    await w.cli('token', 'add', 'b')
    expect(w.err().slice(said.length)).not.toContain('restart')
    const [a, b] = w.out().trim().split('\n')
    expect(a).not.toBe(b)
  })

  verifies('S2.22', 'with --profile it opens that profile alone, which has to be there', async () => {
    const w = world()
    const modules = [
      { use: 'package', profile: 'notes' },
      { use: 'package', profile: 'data' },
    ]
    w.write('mcp.json', JSON.stringify({ mcpServers: { a: { command: 'x' } }, modules }))
    expect(await w.cli('token', 'add', 'a', '--profile', 'notes')).toBe(0)
    expect(w.err()).toContain('for the profile notes alone')
    const path = join(w.host.home, '.mcpproxy', 'tokens.json')
    expect(readTokens(path).map(({ profiles }) => profiles)).toEqual([['notes']])
    await w.cli('token', 'list')
    expect(w.out()).toContain('for notes, made')
    expect(await w.cli('token', 'add', 'b', '--profile', 'note')).toBe(2)
    expect(w.err()).toContain('Did you mean notes? There are: notes, data.')
    const file = JSON.parse(readFileSync(path, 'utf8')) as { tokens: object[] }
    writeFileSync(path, JSON.stringify({ ...file, tokens: [{ ...file.tokens[0], profiles: 'notes' }] }))
    expect(() => readTokens(path)).toThrow('is no token')
    const empty = world()
    expect(await empty.cli('token', 'add', 'a', '--profile', 'notes')).toBe(2)
  })

  test('writes where the configuration says', async () => {
    const w = world()
    w.write(
      'mcp.json',
      JSON.stringify({ mcpServers: {}, proxySettings: { auth: { tokens: 'secret/t.json' } } }),
    )
    await w.cli('token', 'add', 'a')
    expect(readTokens(join(w.host.cwd, 'secret/t.json'))).toHaveLength(1)
    expect(existsSync(join(w.host.home, '.mcpproxy'))).toBe(false)
  })

  test.each([
    ['12h', '2030-01-01T12:00:00.000Z'],
    ['90d', '2030-04-01T00:00:00.000Z'],
    ['2w', '2030-01-15T00:00:00.000Z'],
    ['1y', '2031-01-01T00:00:00.000Z'],
    ['2030-01-31', '2030-01-31T00:00:00.000Z'],
    ['2030-01-31T10:00:00Z', '2030-01-31T10:00:00.000Z'],
  ])('--expires %s: %s', async (expires, at) => {
    const w = world()
    await addToken(w.host, nothing, 'a', expires, NOW)
    expect(readTokens(join(w.host.home, '.mcpproxy/tokens.json'))[0]?.expires).toBe(at)
  })

  test.each([
    '',
    'soon',
    '0d',
    '-1d',
    '90',
    '90m',
    '1.5d',
    '2029-12-31',
    '2030-01-01',
    '999999y',
    '2030-99-99',
  ])('--expires %j is refused, and nothing is written', async (expires) => {
    const w = world()
    await expect(addToken(w.host, nothing, 'a', expires, NOW)).rejects.toThrow('no time to come')
    expect(w.out()).toBe('')
    expect(existsSync(join(w.host.home, '.mcpproxy/tokens.json'))).toBe(false)
  })

  test.each(['', ' a', 'a ', 'a\nb', 'x'.repeat(65), '\u001b[2J'])('the name %j is refused', async (name) => {
    const w = world()
    expect(await w.cli('token', 'add', name)).toBe(2)
    expect(w.out()).toBe('')
  })

  test('a name that is taken is refused, and says how to go on', async () => {
    const w = world()
    await w.cli('token', 'add', 'a')
    const said = w.out()
    expect(await w.cli('token', 'add', 'a')).toBe(2)
    expect(w.out()).toBe(said)
    expect(w.err()).toContain('mcp-rlm-proxy token remove "a"')
  })

  test('a file that holds something else stays as it is', async () => {
    const w = world()
    const path = w.write('~/.mcpproxy/tokens.json', '{"version": 7}')
    expect(await w.cli('token', 'add', 'a')).toBe(2)
    expect([w.out(), readFileSync(path, 'utf8')]).toEqual(['', '{"version": 7}'])
    expect(existsSync(`${path}.lock`)).toBe(false)
  })
})

describe('token list', () => {
  test('shows names and times, no hash', async () => {
    const w = world()
    await listTokens(w.host, nothing, false, NOW)
    expect(w.out()).toContain('There are no tokens in ')
    await addToken(w.host, nothing, 'a', '1d', NOW)
    await addToken(w.host, nothing, 'longer', undefined, NOW)
    const before = w.out().length
    await listTokens(w.host, nothing, false, NOW + 2 * 86_400_000)
    expect(w.out().slice(before)).toMatch(
      /^t_\w+ {2}a {7}made 2030-01-01, EXPIRED 2030-01-02\nt_\w+ {2}longer {2}made 2030-01-01, does not expire\n$/,
    )
    const length = w.out().length
    await listTokens(w.host, nothing, true, NOW)
    const rows = JSON.parse(w.out().slice(length))
    expect(rows).toMatchObject([{ name: 'a', expired: false }, { name: 'longer' }])
    expect(w.out()).not.toContain('sha256')
  })
})

describe('token remove', () => {
  test('takes away one, by name or by id', async () => {
    const w = world()
    for (const name of ['a', 'b', 'c']) await w.cli('token', 'add', name)
    const path = join(w.host.home, '.mcpproxy/tokens.json')
    expect(await w.cli('token', 'remove', 'a')).toBe(0)
    expect(await w.cli('token', 'remove', readTokens(path)[0]?.id ?? '')).toBe(0)
    expect(readTokens(path).map(({ name }) => name)).toEqual(['c'])
    expect(w.err()).not.toContain('No token is left')
    await w.cli('token', 'remove', 'c')
    expect(w.err()).toContain(
      `No token is left in ${path}: every HTTP gateway that uses it refuses every client (401), now and after a restart.\n` +
        `Make a token: mcp-rlm-proxy token add <name>. To ask for none, remove ${path} and restart the proxy.\n`,
    )
    expect(existsSync(path)).toBe(true)
  })

  test('an unknown one: 2, and nothing changes', async () => {
    const w = world()
    expect(await w.cli('token', 'remove', 'x')).toBe(2)
    await w.cli('token', 'add', 'a')
    const path = join(w.host.home, '.mcpproxy/tokens.json')
    const before = readFileSync(path, 'utf8')
    expect(await w.cli('token', 'remove', 'x')).toBe(2)
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(w.err()).toContain('There is no token x')
  })

  test('while another command holds the file: says so', async () => {
    const w = world()
    await w.cli('token', 'add', 'a')
    const path = join(w.host.home, '.mcpproxy/tokens.json')
    writeFileSync(`${path}.lock`, '')
    expect(await w.cli('token', 'remove', 'a')).toBe(2)
    expect(w.err()).toContain('are being changed by another command')
    expect(existsSync(`${path}.lock`)).toBe(true)
  })

  test('what a command left that was interrupted is removed a minute later', async () => {
    const w = world()
    await w.cli('token', 'add', 'a')
    const path = join(w.host.home, '.mcpproxy/tokens.json')
    writeFileSync(`${path}.lock`, '')
    const before = Date.now() / 1000 - 61
    utimesSync(`${path}.lock`, before, before)
    expect(await w.cli('token', 'remove', 'a')).toBe(0)
    expect(readdirSync(join(w.host.home, '.mcpproxy')).filter((name) => name.includes('lock'))).toEqual([])
  })
})

test('doctor tells how clients authenticate', async () => {
  const w = world()
  const told = async (proxySettings: object, ...flags: string[]): Promise<unknown> => {
    w.write('mcp.json', JSON.stringify({ mcpServers: { a: { command: 'x' } }, proxySettings }))
    const before = w.out().length
    await w.cli('doctor', '--json', ...flags)
    const { findings } = JSON.parse(w.out().slice(before))
    const { state, message } = findings.find(
      ({ subject }: { subject: string }) => subject === 'authentication',
    )
    return `${state}: ${message}`
  }
  const http = { transport: 'streamable-http' }
  expect(await told({})).toBe('ok: the one local client that starts the proxy')
  expect(await told(http)).toBe('ok: none: everybody on this machine may connect (127.0.0.1)')
  const open = { ...http, host: '0.0.0.0' }
  expect(await told(open)).toBe('broken: none: everybody who reaches 0.0.0.0 may connect')
  expect(await told({ ...open, allowUnauthenticated: true })).toMatch(/^warning: none/)
  expect(await told(open, '--allow-unauthenticated')).toMatch(/^warning: none/)
  expect(await told({ ...http, auth: { tokens: 'none.json' } })).toMatch(
    /^broken: The file of tokens .* cannot be read/,
  )
  w.write('mcp.json', '{"mcpServers": {}}')
  const path = join(w.host.home, '.mcpproxy/tokens.json')
  await addToken(w.host, nothing, 'a', '1h', NOW - 1e12)
  await addToken(w.host, nothing, 'b', undefined, NOW)
  const auth = { issuer: 'https://issuer.example', publicUrl: 'https://x.example/mcp' }
  expect(await told({ ...open, auth })).toBe(
    `ok: 2 tokens (1 expired) in ${path}; OAuth tokens of https://issuer.example`,
  )
  await w.cli('token', 'remove', 'b')
  const locked = `broken: no client can connect: ${path} holds no token`
  expect(await told(open)).toBe(`${locked} that has not expired`)
  await w.cli('token', 'remove', 'a')
  expect([await told(open), await told(http)]).toEqual([locked, locked])
  expect(await told({ ...open, auth })).toMatch(/^ok: 0 tokens in .*; OAuth tokens of/)
})

test('a start over HTTP says which clients may connect, and what to do if none can', async () => {
  const w = world({ start: async () => ({ url: 'http://127.0.0.1:1/mcp' }) })
  w.write('mcp.json', '{"mcpServers": {"a": {"command": "x"}}}')
  w.leave()
  const started = async (): Promise<string> => {
    const before = w.err().length
    await w.cli('--transport', 'streamable-http', '--log-level', 'error')
    return w.err().slice(before)
  }
  expect(await started()).toContain(
    '  authentication: none: everybody on this machine may connect (127.0.0.1)\n',
  )
  await w.cli('token', 'add', 'a')
  const path = join(w.host.home, '.mcpproxy/tokens.json')
  expect(await started()).toContain(`  authentication: 1 token in ${path}\n`)
  await w.cli('token', 'remove', 'a')
  expect(await started()).toContain(
    `  authentication: no client can connect: ${path} holds no token. Make a token: mcp-rlm-proxy token add <name>. ` +
      `To ask for none, remove ${path} and restart the proxy.\n`,
  )
  rmSync(path)
  expect(await started()).toContain('none: everybody on this machine may connect')
})
