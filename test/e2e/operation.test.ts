/** The built command at work: its log, what it saved, where it finds its file and keeps its data. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { place, runProxy } from './support/command.ts'
import { startLineClient, toolNames } from './support/line-client.ts'
import { fixture, handleOf, temporaryDirectory, textOf } from './support/world.ts'

const f = fixture('f')
const servers = JSON.stringify({ f })

verifies(
  'S3.38 S1.43',
  'at debug level no secret of env, headers or address is logged; stdout stays clean',
  async () => {
    const secrets = {
      env: 'sk-env-7f3a9b1c',
      expanded: 'sk-expanded-51d2',
      header: 'sk-header-0b9e4d',
      query: 'sk-query-77aa12',
      userinfo: 'sk-userinfo-3c3c',
      own: 'sk-own-variable-9',
    }
    const loud = `console.error('starting with token', process.env.API_TOKEN, process.env.OTHER_SECRET); process.exit(1)`
    const client = startLineClient({
      servers: {
        f: { ...f, env: { API_TOKEN: secrets.env, OTHER_SECRET: '${EXPANDED}' } },
        loud: {
          command: process.execPath,
          args: ['-e', loud],
          env: { API_TOKEN: secrets.env, OTHER_SECRET: '${EXPANDED}' },
        },
        remote: {
          url: `http://user:${secrets.userinfo}@127.0.0.1:9/mcp?api_key=${secrets.query}`,
          headers: { Authorization: `Bearer ${secrets.header}` },
        },
      },
      args: ['--log-level', 'debug'],
      env: { EXPANDED: secrets.expanded, MY_API_KEY: secrets.own },
    })
    await client.open()
    await toolNames(client)
    const seen = textOf(await client.call('f_environment'))
    expect(seen).toContain(secrets.env)
    expect(seen).toContain(secrets.expanded)
    expect(seen).not.toContain(secrets.own)
    await client.call('f_refuse').catch(() => {})
    await expect.poll(() => client.stderr()).toMatch(/starting with token/)
    await client.end()
    expect(client.stderr()).toMatch(/"level":"debug"/)
    expect(client.stderr()).toMatch(/"server":"remote"/)
    for (const [name, secret] of Object.entries(secrets)) expect(client.stderr(), name).not.toContain(secret)
    expect(client.strays).toEqual([])
  },
)

verifies(
  'S1.43 S1.44',
  'the level and the file of the log: the environment, the command line over it',
  async () => {
    const at = place({ 'mcp.json': `{"mcpServers": ${servers}}` })
    const levels = async (args: string[], env: Record<string, string>): Promise<Set<string>> => {
      const { code, stdout, stderr } = await runProxy(args, { ...at, env: { ...at.env, ...env } })
      expect([code, stdout]).toEqual([0, ''])
      return new Set(levelsOf(stderr))
    }
    expect(await levels([], {})).toEqual(new Set(['info']))
    expect(await levels([], { MCPPROXY_LOG_LEVEL: 'ERROR' })).toEqual(new Set())
    expect(await levels([], { MCPPROXY_LOG_LEVEL: 'WARNING' })).toEqual(new Set())
    expect(await levels(['--log-level', 'info'], { MCPPROXY_LOG_LEVEL: 'ERROR' })).toEqual(new Set(['info']))

    const file = join(at.cwd, 'logs', 'proxy.log')
    expect(await levels([], { MCPPROXY_LOG_FILE: file })).toEqual(new Set())
    expect(levelsOf(readFileSync(file, 'utf8')).length).toBeGreaterThan(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  },
)

verifies('S3.39', 'reports savings at the end and by `stats`, less the proxy’s own cost', async () => {
  const client = startLineClient({ servers: { f } })
  await client.open()
  await toolNames(client)
  const small = await client.call('f_text', { size: 100 })
  const shaped = await client.call('f_records', { count: 500 })
  const answer = await client.call('proxy_filter', { cache_id: handleOf(shaped), aggregate: 'count' })
  const raw = await client.call('f_give', { result: small })
  await client.end()
  expect(client.stderr()).toMatch(/Savings: 3 calls, [\d,]+ → [\d,]+ tokens\./)
  expect(client.stderr()).toMatch(/in 1 answer of its own tools/)
  expect(client.stderr()).toMatch(/f_records +1 /)

  const env = { MCPPROXY_DATA_DIR: join(client.directory, 'data') }
  const told = await runProxy(['stats'], { env })
  expect(told.code).toBe(0)
  expect(told.stdout).toMatch(/Savings: 3 calls/)
  const { totals, tools } = JSON.parse((await runProxy(['stats', '--json'], { env })).stdout)
  expect(totals).toMatchObject({ calls: 3, proxyToolCalls: 1 })
  const delivered = [small, shaped, raw].map((result) => countTokens(textOf(result)))
  // A handle has 5 to 13 tokens and is counted as 8.
  const share = totals.deliveredTokens / delivered.reduce((sum, tokens) => sum + tokens)
  expect(share).toBeGreaterThan(0.93)
  expect(share).toBeLessThan(1.07)
  expect(totals.proxyToolTokens).toBe(countTokens(textOf(answer)))
  expect(totals.definitionTokens).toBeGreaterThan(500)
  expect(totals.savedTokens).toBe(
    totals.originalTokens - totals.deliveredTokens - totals.proxyToolTokens - totals.definitionTokens,
  )
  const row = tools.find(({ tool }: { tool: string }) => tool === 'f_records')
  expect(row.originalTokens).toBeGreaterThan(20 * row.deliveredTokens)

  // A second run adds to the first.
  const again = startLineClient({ servers: { f }, directory: client.directory })
  await again.open()
  await again.call('f_text', { size: 100 })
  await again.end()
  expect((await runProxy(['stats'], { env })).stdout).toMatch(/Savings: 4 calls/)
})

verifies(
  'S1.41',
  'the configuration is found by flag, by environment, as mcp.json, as mcp_config.json',
  async () => {
    const named = (name: string): string =>
      JSON.stringify({ mcpServers: { [name]: { ...f, disabled: false } } })
    const at = place({ 'mcp_config.json': named('third') })
    const other = temporaryDirectory()
    const [first, second] = [join(other, 'first.json'), join(other, 'second.json')]
    writeFileSync(first, named('first'))
    writeFileSync(second, named('second'))
    const found = async (args: string[], env: Record<string, string> = {}): Promise<unknown> => {
      const { stderr } = await runProxy(args, { ...at, env: { ...at.env, ...env } })
      return /"servers":\["(\w+)"\]/.exec(stderr)?.[1]
    }
    expect(await found([])).toBe('third')
    writeFileSync(join(at.cwd, 'mcp.json'), named('plain'))
    expect(await found([])).toBe('plain')
    expect(await found([], { MCPPROXY_CONFIG_PATH: second })).toBe('second')
    expect(await found(['--config', first], { MCPPROXY_CONFIG_PATH: second })).toBe('first')

    const absent = join(other, 'new', 'mcp.json')
    const sample = await runProxy([], { ...at, env: { ...at.env, MCPPROXY_CONFIG_PATH: absent } })
    expect(sample).toMatchObject({ code: 2, stdout: '' })
    expect(sample.stderr).toContain(absent)
    expect(readFileSync(absent, 'utf8')).toContain('"mcpServers"')
  },
)

verifies(
  'S1.42',
  'the data directory: ~/.mcpproxy unless chosen; a chosen one must work, the default may not',
  async () => {
    const at = place({ 'mcp.json': `{"mcpServers": ${servers}}`, 'a file': '' })
    expect((await runProxy([], at)).code).toBe(0)
    const usual = join(at.cwd, '.mcpproxy')
    expect(statSync(usual).mode & 0o777).toBe(0o700)
    const chosen = join(at.cwd, 'chosen')
    const ran = await runProxy([], { ...at, env: { ...at.env, MCPPROXY_DATA_DIR: chosen } })
    expect([ran.code, existsSync(chosen)]).toEqual([0, true])

    const impossible = join(at.cwd, 'a file', 'data')
    const refused = await runProxy([], { ...at, env: { ...at.env, MCPPROXY_DATA_DIR: impossible } })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(impossible)
    expect(refused.stderr).toContain('Name another directory')

    const temporary = join(at.cwd, 'tmp')
    mkdirSync(temporary)
    const homeless = { HOME: join(at.cwd, 'a file'), TMPDIR: temporary }
    const fallback = await runProxy([], { ...at, env: homeless })
    expect(fallback).toMatchObject({ code: 0, stdout: '' })
    expect(fallback.stderr).toMatch(/cannot be written to.*until the proxy ends/)
    expect(readdirSync(temporary)).toEqual([])
  },
)

/** The levels of the JSON lines; a line of another kind stands for itself. */
function levelsOf(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (line.startsWith('{') ? String(JSON.parse(line).level) : line))
}
