import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { connectionsOf, withAliases } from '../../../src/proxy/connections.ts'
import type { ServerStatus } from '../../../src/upstream/contract.ts'
import { upstreams } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const clocks = { now: () => 1_000_000, elapsed: () => 400 }

function told(mcpServers: JsonObject, status: Partial<ServerStatus> = {}) {
  const { servers } = parseConfig({ mcpServers })
  const pool = upstreams({ servers: {} })
  pool.status = () =>
    servers.map(
      ({ name }) => ({ server: name, state: 'idle', transport: 'stdio', ...status }) as ServerStatus,
    )
  return withAliases(connectionsOf(servers, pool, clocks))
}

const SECRETS = [
  'hush-0',
  'hush-1',
  'hush-2',
  'hush-3',
  'hush-4',
  'hush-5',
  'hush-6',
  'hush-7',
  'hush-8',
  'hush-9',
  'hu',
  'hush-10',
]

verifies('S4.37', 'credentials are struck out wherever a configuration holds them', () => {
  const connections = told({
    local: {
      command: 'serve',
      args: [
        '--api-key=hush-0',
        '--token',
        'hush-1',
        'postgres://me:hush-2@db/orders',
        '--dsn=mysql://me:hush-3@db/x',
        '-p',
        '7',
        '--password=hu',
        '--verbose',
        '--root=/data',
      ],
      env: { GITHUB_TOKEN: 'hush-4', DATABASE_URL: 'postgres://me:hush-5@db', PLAIN: 'hush-10' },
    },
    remote: {
      url: 'https://me:hush-6@example.com/mcp?api_key=hush-7',
      headers: { Authorization: 'Bearer hush-8', 'X-Own': 'hush-10' },
      oauth: { clientSecret: 'hush-9', clientId: 'me' },
    },
  })
  const texts = connections.map((connection) => JSON.stringify(connection.descriptor()))
  for (const secret of SECRETS) expect(texts.join('\n')).not.toContain(`${secret}"`)
  expect(texts.join('\n')).not.toContain('hush')
  // The parts that tell how it is reached are still there.
  expect(connections[0]?.descriptor()).toMatchObject({
    command: 'serve',
    args: expect.arrayContaining([
      '--api-key=***',
      '--token',
      '***',
      '-p',
      '7',
      '--password=***',
      '--verbose',
      '--root=/data',
    ]),
    env: { GITHUB_TOKEN: '***', DATABASE_URL: '***', PLAIN: '***' },
  })
  expect(texts[1]).toContain('example.com/mcp')
})

verifies('S4.37', 'an error of a connection contains no secrets', () => {
  const server = { command: 'serve', args: ['--api-key', 'hush-hush-0'], env: { TOKEN: 'hush-hush-1' } }
  const lastError = 'serve --api-key hush-hush-0 failed at https://x?token=hush-hush-2 with hush-hush-1'
  const [connection] = told({ local: server }, { lastError })
  expect(connection?.lastError).toContain('serve --api-key *** failed')
  expect(connection?.lastError).not.toContain('hush')
})

describe('the description of a connection', () => {
  verifies('S4.38', 'is a copy that callers may change', () => {
    const [connection] = told({ local: { command: 'serve', args: ['a'], env: { A: 'b' } } })
    const first = connection?.descriptor() as JsonObject
    const before = JSON.stringify(first)
    first.command = 'rm'
    ;(first.args as string[]).push('-rf')
    ;(first.env as JsonObject).A = 'changed'
    expect(JSON.stringify(connection?.descriptor())).toBe(before)
  })

  verifies('S4.31 S4.32', 'an id is of the configuration alone, and the time is the clock’s', () => {
    const one = { command: 'serve', args: ['a'] }
    const ids = (servers: JsonObject) => told(servers).map(({ id, alias }) => [id, alias])
    expect(ids({ a: one, b: { ...one, args: ['b'] } })).toEqual(ids({ a: one, b: { ...one, args: ['b'] } }))
    const [[first], [second]] = ids({ a: one, b: { ...one, args: ['b'] } }) as [string[], string[]]
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    // Listed 100 ms ago, by the monotonic clock.
    expect(told({ a: one }, { listed: 300 })[0]?.refreshed).toBe(999_900)
    expect(told({ a: one })[0]?.refreshed).toBeUndefined()
  })

  test('gives the latest description of a server', () => {
    const initialize = { serverInfo: { name: 'x', version: '1' } }
    expect(told({ a: { command: 'x' } }, { initialize })[0]?.serverInfo).toEqual(initialize.serverInfo)
    expect(told({ a: { command: 'x' } }, { initialize: { serverInfo: 'x' } })[0]?.serverInfo).toBeUndefined()
  })
})
