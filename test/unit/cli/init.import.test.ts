import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { world } from './support.ts'

const file = (servers: object, key = 'mcpServers'): string => JSON.stringify({ other: 1, [key]: servers })

describe('import', () => {
  test('gathers the servers of all clients, the nearest first, and leaves the proxy itself out', async () => {
    const w = world()
    w.write('~/.config/Claude/claude_desktop_config.json', file({ a: { command: 'desktop' } }))
    w.write('.cursor/mcp.json', file({ b: { url: 'http://localhost/mcp' }, a: { command: 'second' } }))
    w.write('.vscode/mcp.json', file({ c: { type: 'http', url: 'http://localhost/c' } }, 'servers'))
    w.write(
      '~/.claude.json',
      JSON.stringify({
        projects: { [w.host.cwd]: { mcpServers: { d: { command: 'project' } } } },
        mcpServers: { me: { command: 'npx', args: ['-y', 'mcp-rlm-proxy@1'] } },
      }),
    )
    expect(await w.cli('import')).toBe(0)
    const written = JSON.parse(w.out())
    expect(written).toEqual({
      mcpServers: {
        a: { command: 'desktop' },
        b: { url: 'http://localhost/mcp' },
        c: { type: 'http', url: 'http://localhost/c' },
        d: { command: 'project' },
      },
    })
    expect(parseConfig(written).servers).toHaveLength(4)
    expect(w.err()).toContain('a is left out')
    expect(w.err()).toContain('me is this proxy')
  })

  test('takes one client, and writes a new private file', async () => {
    const w = world()
    w.write('.cursor/mcp.json', file({ a: { command: 'x' } }))
    w.write('.mcp.json', file({ b: { command: 'y' } }))
    expect(await w.cli('import', 'claude-code', '--out', 'new.json')).toBe(0)
    const path = join(w.host.cwd, 'new.json')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { b: { command: 'y' } } })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(w.out()).toBe('')
    expect(await w.cli('import', 'claude-code', '--out', 'new.json')).toBe(2)
  })

  test('says where it looked when there is nothing, and which clients it knows', async () => {
    const w = world()
    expect(await w.cli('import', 'cursor')).toBe(2)
    expect(w.err()).toContain(join(w.host.home, '.cursor/mcp.json'))
    expect(await w.cli('import', 'emacs')).toBe(2)
    expect(w.err()).toContain('claude-desktop, claude-code, cursor, vscode, codex')
  })
})
