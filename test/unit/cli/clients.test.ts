import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CLIENTS, readClientFile, serversIn } from '../../../src/cli/clients.ts'
import { parseConfig } from '../../../src/config/load-program.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import { world } from './support.ts'

const stdio = { command: 'node', args: ['server.js'], env: { LEVEL: 'high' } }

/** By client: a file as its documentation shows it, and what the proxy makes of it. */
const SAMPLES: Record<string, { file: string | object; servers: object }> = {
  'claude-desktop': { file: { mcpServers: { a: stdio } }, servers: { a: stdio } },
  'claude-code': {
    file: {
      mcpServers: {
        a: { type: 'stdio', ...stdio, alwaysLoad: true },
        b: { type: 'http', url: 'http://localhost:1/mcp' },
      },
    },
    servers: { a: { type: 'stdio', ...stdio }, b: { type: 'http', url: 'http://localhost:1/mcp' } },
  },
  cursor: { file: { mcpServers: { a: stdio } }, servers: { a: stdio } },
  vscode: {
    file: { servers: { a: { type: 'stdio', ...stdio } }, inputs: [] },
    servers: { a: { type: 'stdio', ...stdio } },
  },
  codex: {
    file: `model = "m" # a comment
[mcp_servers.a]
command = "node"
args = ["server.js", 'C:\\plain', "\${HOME}"]
env_vars = ["TOKEN"]
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled_tools = ["read"]
disabled_tools = ["write"]
default_tools_approval_mode = "approve"
[mcp_servers.a.env]
LEVEL = "high"
[mcp_servers.a.tools.read]
approval_mode = "approve"
[mcp_servers."b c"]
enabled = false
url = "http://localhost:1/mcp"
bearer_token_env_var = "B_TOKEN"
http_headers = { X-One = "1" }
env_http_headers = { X-Two = "TWO" }
`,
    servers: {
      a: {
        command: 'node',
        args: ['server.js', 'C:\\plain', '$${HOME}'],
        env: { LEVEL: 'high', TOKEN: '${TOKEN}' },
        timeout: 2,
        tools: { allow: ['read'], deny: ['write'] },
      },
      'b c': {
        disabled: true,
        url: 'http://localhost:1/mcp',
        headers: { 'X-One': '1', Authorization: 'Bearer ${B_TOKEN}', 'X-Two': '${TWO}' },
      },
    },
  },
  gemini: {
    file: {
      mcpServers: {
        a: { ...stdio, trust: true, timeout: 1500, includeTools: ['read'], excludeTools: ['write'] },
        b: { httpUrl: 'http://localhost:1/mcp' },
      },
    },
    servers: {
      a: { ...stdio, timeout: 2, tools: { allow: ['read'], deny: ['write'] } },
      b: { httpUrl: 'http://localhost:1/mcp' },
    },
  },
  qwen: { file: { mcpServers: { a: { ...stdio, trust: true } } }, servers: { a: stdio } },
  opencode: {
    file: {
      mcp: {
        a: {
          type: 'local',
          command: ['node', 'server.js', '{env:TOKEN}', '${plain}'],
          environment: { LEVEL: 'high' },
          enabled: true,
        },
        b: { type: 'remote', url: 'http://localhost:1/mcp', enabled: false, headers: { X: '1' } },
      },
    },
    servers: {
      a: { command: 'node', args: ['server.js', '${TOKEN}', '$${plain}'], env: { LEVEL: 'high' } },
      b: { url: 'http://localhost:1/mcp', disabled: true, headers: { X: '1' } },
    },
  },
  copilot: {
    file: {
      mcpServers: {
        a: { type: 'local', ...stdio, tools: ['*'], deferTools: 'never' },
        b: { type: 'http', url: 'http://localhost:1/mcp', tools: ['read'], timeout: 60_000 },
      },
    },
    servers: {
      a: stdio,
      b: { type: 'http', url: 'http://localhost:1/mcp', tools: { allow: ['read'] }, timeout: 60 },
    },
  },
  cline: {
    file: {
      mcpServers: {
        a: { ...stdio, disabled: false, autoApprove: ['read'], timeout: 60 },
        b: { transportType: 'streamableHttp', url: 'http://localhost:1/mcp' },
      },
    },
    servers: {
      a: { ...stdio, disabled: false, timeout: 60 },
      b: { type: 'streamableHttp', url: 'http://localhost:1/mcp' },
    },
  },
  windsurf: {
    file: { mcpServers: { a: stdio, b: { serverUrl: 'http://localhost:1/mcp', disabledTools: ['write'] } } },
    servers: { a: stdio, b: { serverUrl: 'http://localhost:1/mcp', tools: { deny: ['write'] } } },
  },
  zed: {
    file: {
      context_servers: {
        a: { source: 'custom', enabled: true, ...stdio },
        b: { source: 'custom', command: { path: 'node', args: ['b.js'], env: {} } },
        extension: { source: 'extension', settings: {} },
      },
    },
    servers: { a: stdio, b: { command: 'node', args: ['b.js'], env: {} } },
  },
}

const textOf = (file: string | object): string => (typeof file === 'string' ? file : JSON.stringify(file))
const value = (text: string): JsonObject => JSON.parse(text) as JsonObject

test('every client has a sample', () => {
  expect(Object.keys(SAMPLES)).toEqual(CLIENTS.map(({ id }) => id))
})

describe.each(CLIENTS)('$title', (client) => {
  const { file, servers } = SAMPLES[client.id] as { file: string | object; servers: object }

  test('its servers are imported from each of its files, and the proxy takes them', async () => {
    const files = client.files(world().host).length
    for (let index = 0; index < files; index++) {
      const w = world({ env: { TOKEN: 't', B_TOKEN: 'b', TWO: '2' } })
      const path = client.files(w.host)[index] ?? ''
      const inHome = !relative(w.host.home, path).startsWith('..')
      w.write(inHome ? `~/${relative(w.host.home, path)}` : relative(w.host.cwd, path), textOf(file))
      expect(await w.cli('import', client.id)).toBe(0)
      expect(value(w.out())).toEqual({ mcpServers: servers })
      expect(w.err()).toBe('')
      const config = parseConfig(value(w.out()))
      expect([...config.servers.map(({ name }) => name), ...config.disabled].toSorted()).toEqual(
        Object.keys(servers),
      )
    }
  })

  test('init shows an entry that loads again, and starts the proxy with the configuration', async () => {
    const w = world()
    expect(await w.cli('init', '--client', client.id)).toBe(0)
    const read = readClientFile(client, w.out(), 'shown').value
    expect(isObject(read) && serversIn(client, read, w.host.cwd)).toMatchObject([
      {
        name: 'proxy',
        entry: expect.objectContaining({ command: 'npx', args: expect.arrayContaining(['mcp-rlm-proxy']) }),
      },
    ])
    expect(w.out()).toContain(join(w.host.cwd, 'mcp.json'))
    expect(w.err()).toContain(client.files(w.host).at(client.target))
    for (const note of client.notes) expect(w.err()).toContain(note)
  })

  test('init --write adds it to a file, keeps what is there, and a second time refuses', async () => {
    const w = world()
    const path = client.files(w.host).at(client.target) ?? ''
    const inHome = !relative(w.host.home, path).startsWith('..')
    w.write(inHome ? `~/${relative(w.host.home, path)}` : relative(w.host.cwd, path), textOf(file))
    expect(await w.cli('init', '--client', client.id, '--write')).toBe(0)
    const after = readFileSync(path, 'utf8')
    const read = readClientFile(client, after, path).value
    const names = isObject(read) ? serversIn(client, read, w.host.cwd).map(({ name }) => name) : []
    expect(names).toEqual([...Object.keys(servers), 'proxy'])
    const [aside = ''] = readdirSync(dirname(path)).filter((name) => name.endsWith('.before-mcp-rlm-proxy'))
    expect(readFileSync(join(dirname(path), aside), 'utf8')).toBe(textOf(file))
    expect(await w.cli('init', '--client', client.id, '--write')).toBe(2)
    expect(w.err()).toContain(`${basename(path)} has a server named proxy. It was not changed.`)
    expect(readFileSync(path, 'utf8')).toBe(after)
  })

  test('init --write makes a file where there is none, and import leaves the proxy out', async () => {
    const w = world()
    expect(await w.cli('init', '--client', client.id, '--write')).toBe(0)
    const path = client.files(w.host).at(client.target) ?? ''
    expect(readFileSync(path, 'utf8')).toContain('mcp-rlm-proxy')
    expect(await w.cli('import', client.id)).toBe(2)
    expect(w.err()).toContain('proxy is this proxy and is left out')
  })
})

test('a file of TOML that is broken, or cannot be extended, stays as it is', async () => {
  const w = world()
  const path = w.write('~/.codex/config.toml', '[mcp_servers\n')
  expect(await w.cli('import', 'codex')).toBe(2)
  expect(w.err()).toContain('config.toml: this is not valid TOML')
  expect(await w.cli('init', '--client', 'codex', '--write')).toBe(2)
  expect(readFileSync(path, 'utf8')).toBe('[mcp_servers\n')
  const inline = 'mcp_servers = { a = { command = "x" } }\n'
  w.write('~/.codex/config.toml', inline)
  expect(await w.cli('init', '--client', 'codex', '--write')).toBe(2)
  expect(w.err()).toContain('has a form that is not understood')
  expect(readFileSync(path, 'utf8')).toBe(inline)
})

test('comments in a file of JSON survive --write', async () => {
  const w = world()
  const path = w.write('~/.config/zed/settings.json', '{\n  // mine\n  "theme": "One",\n}\n')
  expect(await w.cli('init', '--client', 'zed', '--write')).toBe(0)
  expect(readFileSync(path, 'utf8')).toContain('// mine')
})

test('init NAME is the same as init --client NAME', async () => {
  const [short, long] = [world(), world()]
  expect(await short.cli('init', 'cursor')).toBe(0)
  expect(await long.cli('init', '--client', 'cursor')).toBe(0)
  expect(short.out().replaceAll(short.host.cwd, '.')).toBe(long.out().replaceAll(long.host.cwd, '.'))
})

test('names an unknown client and the known ones', async () => {
  const w = world()
  expect(await w.cli('init', '--client', 'emacs')).toBe(2)
  expect(w.err()).toContain('"emacs" is not a client I know.')
  expect(await w.cli('init', '--write')).toBe(2)
  expect(w.err()).toContain('--write needs a client.')
})

test('whatever is in a file, reading it fails in no other way than by problems', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CLIENTS),
      fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .jsonValue()
          .map((one) => JSON.stringify({ mcpServers: { a: one, ['__proto__']: one }, mcp: { a: one } })),
      ),
      (client, text) => {
        const { value: read, problems } = readClientFile(client, text, 'file')
        if (read === undefined) expect(problems.length).toBeGreaterThan(0)
        else if (isObject(read)) serversIn(client, read, '.')
        expect(({} as JsonObject).command).toBeUndefined()
      },
    ),
  )
})
