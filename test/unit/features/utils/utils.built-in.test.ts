import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../../../../src/config/load.ts'
import { withBuiltIn } from '../../../../src/features/utils/index.ts'
import { temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

const mcpServers = { files: { command: 'x' } }
const serve = (): void => {}
const withUtils = (utils: object, servers: object = mcpServers) =>
  withBuiltIn(parseConfig({ mcpServers: servers, proxySettings: { utils } } as never))

verifies('S4.3', 'the server for files is there when it is wanted, behind those of the configuration', () => {
  const config = parseConfig({ mcpServers })
  expect(withBuiltIn(config)).toBe(config)
  const names = ({ servers }: { servers: readonly { name: string }[] }) => servers.map(({ name }) => name)
  expect(names(withUtils({ enabled: true, root: '/data' }))).toEqual(['files', 'utils'])
  expect(names(withBuiltIn(config, { mine: serve }))).toEqual(['files', 'mine'])
})

test('one with another root is another server, in every run the same', () => {
  const id = (root: string) => {
    const server = withUtils({ enabled: true, root }).servers[1]
    return server?.transport === 'in-process' ? server.id : undefined
  }
  expect(id('/a')).toBeTypeOf('string')
  expect(id('/a')).toBe(id('/a'))
  expect(id('/b')).not.toBe(id('/a'))
})

test('two servers of one name are refused', () => {
  expect(() => withUtils({ enabled: true, root: '/a' }, { utils: { command: 'x' } })).toThrow(
    'Two servers are called utils',
  )
  expect(() => withBuiltIn(parseConfig({ mcpServers }), { files: serve })).toThrow(
    'Two servers are called files',
  )
})

verifies(
  'S4.3',
  'with no directory named it has an empty one of its own, made when it is first used',
  async () => {
    const dataDir = temporaryFolder()
    const config = parseConfig({ mcpServers, proxySettings: { dataDir, useutils: true } } as never)
    const server = withBuiltIn(config).servers[1]
    if (server?.transport !== 'in-process') throw new Error('there is no such server')
    expect(existsSync(join(dataDir, 'utils'))).toBe(false)
    await server.serve({ start: async () => {}, send: async () => {}, close: async () => {} })
    expect(existsSync(join(dataDir, 'utils'))).toBe(true)
  },
)
