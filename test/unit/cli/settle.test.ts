import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serverName, wrapConfig } from '../../../src/cli/settle.ts'
import { parseConfig } from '../../../src/config/load-program.ts'

describe('serverName', () => {
  test.each([
    ['npx -y @modelcontextprotocol/server-filesystem .', 'filesystem'],
    ['npx -y @modelcontextprotocol/server-filesystem@1.2.3 /data', 'filesystem'],
    ['npx --yes mcp-server-git', 'git'],
    ['npx -p some-package github-mcp-server', 'github'],
    ['uvx mcp-server-fetch', 'fetch'],
    ['uvx --from git+https://example.org/x.git weather-server', 'weather'],
    ['uv run python weather.py', 'weather'],
    ['node /opt/server-memory/dist/index.js', 'memory'],
    ['/usr/bin/node ./build/index.js', 'server'],
    ['python -m mcp_server_time', 'time'],
    ['python3 tools/notes_mcp.py', 'notes'],
    ['docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:latest', 'github'],
    ['env KEY=1 npx server-everything', 'everything'],
    ['my-server', 'my'],
    ['npx', 'npx'],
    ['C:\\tools\\server-notes.exe --fast', 'notes'],
  ])('%s → %s', (line, name) => {
    expect(serverName(line.split(' '))).toBe(name)
  })

  test('is a legal part of a tool name, whatever the command', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        expect(serverName(words)).toMatch(/^[A-Za-z0-9_-]+$/)
      }),
    )
  })
})

describe('wrapConfig', () => {
  test('hands on words and environment as they are', () => {
    const env = { TOKEN: '${NOT_A_VARIABLE}', MCPPROXY_PORT: '1', GONE: undefined }
    const { servers } = parseConfig(wrapConfig(['npx', 'server-x', '${HOME}', '--', '-y'], env))
    expect(servers).toMatchObject([
      {
        name: 'x',
        command: 'npx',
        args: ['server-x', '${HOME}', '--', '-y'],
        env: { TOKEN: '${NOT_A_VARIABLE}' },
      },
    ])
    expect(servers[0]).not.toHaveProperty('env.MCPPROXY_PORT')
  })

  test('wants a command', () => {
    expect(() => wrapConfig([], {})).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})
