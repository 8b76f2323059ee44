import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ServerConfig } from '../../../src/config/servers.ts'
import { createGateway } from '../../../src/gateway.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type ToolServer, toolServer } from '../../support/embedded.ts'
import { verifies } from '../../support/verifies.ts'
import { world } from './support.ts'

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

describe('doctor, of what servers list', () => {
  verifies(
    'S2.22',
    'profiles are counted by what the servers said when they were tried: each is started once',
    async () => {
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
    },
  )

  verifies('S2.23', 'a pattern that fits nothing is told, with what was probably meant', async () => {
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

  test('of a server that does not answer nobody knows what it lists', async () => {
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
