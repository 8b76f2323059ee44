import { describe, expect, test } from 'vitest'
import type { GatewayParts } from '../../../src/gateway.ts'
import { type World, type WorldOptions, world } from './support.ts'

const CONFIG = JSON.stringify({
  mcpServers: {
    docs: { url: 'https://mcp.example/mcp' },
    local: { command: 'node' },
    off: { url: 'https://mcp.example/mcp', oauth: false },
    fixed: { url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer x' } },
  },
})

/** A world with gateways that tell what they were handed, and ask for a sign-in when they are told to. */
function loginWorld(options: WorldOptions & { link?: string } = {}): World & { parts: GatewayParts[] } {
  const parts: GatewayParts[] = []
  const made = world(options)
  const { createGateway } = made.host
  made.host.createGateway = async (config, given) => {
    parts.push(given)
    if (options.link !== undefined) given.signIn?.tell?.('docs', options.link)
    return await createGateway(config, given)
  }
  made.write('mcp.json', CONFIG)
  return Object.assign(made, { parts })
}

describe('login', () => {
  test('connects this server alone, keeps tokens where run finds them, and leaves nothing else behind', async () => {
    const made = loginWorld({ link: 'http://127.0.0.1:1234/abc' })
    expect(await made.cli('login', 'docs')).toBe(0)
    expect(made.out()).toBe('Signed in to docs. It offers 3 tools.\n')
    expect(made.err()).toBe('Sign in in the browser: http://127.0.0.1:1234/abc\n')
    const [config] = made.configs
    expect(config?.servers.map(({ name }) => name)).toEqual(['docs'])
    expect(config?.settings.connect).toMatchObject({ lazy: false, timeoutMs: 600_000 })
    expect(config?.settings.dataDir).toContain(made.host.temporary)
    expect(made.parts[0]?.signIn?.dataDir).toBe(`${made.host.home}/.mcpproxy`)
    expect(made.happened).toEqual(['close'])
  })

  test('over SSH it says how to reach the address', async () => {
    const made = loginWorld({ link: 'http://127.0.0.1:1234/abc', env: { SSH_CONNECTION: 'x' } })
    await made.cli('login', 'docs')
    expect(made.err()).toContain('ssh -L 1234:127.0.0.1:1234')
  })

  test('says that a server requires no sign-in', async () => {
    const made = loginWorld()
    expect(await made.cli('login', 'docs')).toBe(0)
    expect(made.out()).toBe('docs answers; no sign-in was asked for. It offers 3 tools.\n')
  })

  test('reports a failure with exit code 1', async () => {
    const made = loginWorld({
      status: () => ({ state: 'waiting', lastError: 'server `docs`: access_denied' }),
    })
    expect(await made.cli('login', 'docs')).toBe(1)
    expect(made.err()).toBe('server `docs`: access_denied\n')
    expect(made.happened).toEqual(['close'])
  })

  test.each([
    ['nobody', 'There is no server nobody.\nServers are: docs, local, off, fixed.'],
    ['local', 'is a command'],
    ['off', 'has "oauth": false'],
    ['fixed', 'has an Authorization header'],
  ])('refuses %s, with exit code 2', async (name, words) => {
    for (const command of ['login', 'logout']) {
      const made = loginWorld()
      expect(await made.cli(command, name)).toBe(2)
      expect(made.err()).toContain(words)
      expect(made.configs).toEqual([])
    }
  })
})

test('logout forgets, and begins no sign-in', async () => {
  const made = loginWorld()
  expect(await made.cli('logout', 'docs')).toBe(0)
  expect(made.out()).toBe('Signed out of docs.\n')
  expect(made.happened).toEqual(['sign out docs', 'close'])
  expect(made.parts[0]?.signIn).toMatchObject({ interactive: false })
})

test('doctor uses the tokens that are there, begins no sign-in, and names the command', async () => {
  const lastError = 'server `docs`: needs you to sign in: run `mcp-rlm-proxy login docs`'
  const made = loginWorld({ status: () => ({ state: 'waiting', lastError }) })
  made.write('mcp.json', JSON.stringify({ mcpServers: { docs: { url: 'https://mcp.example/mcp' } } }))
  expect(await made.cli('doctor')).toBe(1)
  expect(made.out()).toContain('→ Run: mcp-rlm-proxy login docs')
  expect(made.parts[0]?.signIn).toEqual({ dataDir: `${made.host.home}/.mcpproxy`, interactive: false })
})
