import { expect, test } from 'vitest'
import { createDirectory } from '../../../src/pipeline/directory.ts'
import type { Upstreams } from '../../../src/upstream/upstreams.ts'
import { exchange } from '../../support/upstream.ts'

test('a name that a server lists twice is listed once', async () => {
  const items = [
    { name: 'a', title: 'first' },
    { name: 'b' },
    { name: 'a', title: 'second' },
    { title: 'no name' },
  ]
  const upstreams = { servers: ['s'], list: async () => [{ server: 's', items }] } as unknown as Upstreams
  const naming = { prefix: 'always', separator: '_', maxLength: 60, charset: 'default', rename: {} } as const
  const directory = createDirectory({ upstreams, naming, reserved: [] })
  const { listed } = await directory.list('tools', exchange())
  expect(listed.map(({ item }) => item)).toEqual([{ name: 's_a', title: 'first' }, { name: 's_b' }])
})
