import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { withInProcessServers } from '../../../src/gateway/servers.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const mcpServers = { files: { command: 'x' } }
const serve = (): void => {}
const withUtils = (utils: object, servers: object = mcpServers) =>
  withInProcessServers(parseConfig({ mcpServers: servers, proxySettings: { utils } } as never))

verifies('S4.3', 'adds the server for files on request, after the configured ones', async () => {
  const config = parseConfig({ mcpServers })
  expect(await withInProcessServers(config)).toBe(config)
  const names = ({ servers }: { servers: readonly { name: string }[] }) => servers.map(({ name }) => name)
  expect(names(await withUtils({ enabled: true, root: '/data' }))).toEqual(['files', 'utils'])
  expect(names(await withInProcessServers(config, { mine: serve }))).toEqual(['files', 'mine'])
})

test('one with another root is another server, in every run the same', async () => {
  const id = async (root: string) => {
    const server = (await withUtils({ enabled: true, root })).servers[1]
    return server?.transport === 'in-process' ? server.id : undefined
  }
  expect(await id('/a')).toBeTypeOf('string')
  expect(await id('/a')).toBe(await id('/a'))
  expect(await id('/b')).not.toBe(await id('/a'))
})

test('two servers of one name are refused', async () => {
  await expect(withUtils({ enabled: true, root: '/a' }, { utils: { command: 'x' } })).rejects.toThrow(
    'Two servers are called utils',
  )
  await expect(withInProcessServers(parseConfig({ mcpServers }), { files: serve })).rejects.toThrow(
    'Two servers are called files',
  )
})

verifies(
  'S4.3',
  'with no directory named it has an empty one of its own, made when it is first used',
  async () => {
    const dataDir = temporaryFolder()
    const config = parseConfig({ mcpServers, proxySettings: { dataDir, useutils: true } } as never)
    const server = (await withInProcessServers(config)).servers[1]
    if (server?.transport !== 'in-process') throw new Error('there is no such server')
    expect(existsSync(join(dataDir, 'utils'))).toBe(false)
    await server.serve({ start: async () => {}, send: async () => {}, close: async () => {} })
    expect(existsSync(join(dataDir, 'utils'))).toBe(true)
  },
)
