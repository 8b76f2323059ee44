import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { localBuckets } from '../../../src/protocol/rate.ts'
import { createServerQuotas } from '../../../src/proxy/router.ts'
import { verifies } from '../../support/verifies.ts'

const servers = (quotas: Record<string, number | undefined>) =>
  parseConfig({
    mcpServers: Object.fromEntries(
      Object.entries(quotas).map(([name, rps]) => [
        name,
        { command: 'x', ...(rps !== undefined && { quota: { rps } }) },
      ]),
    ),
  }).servers

test('an unchanged quota keeps its remaining calls; others start new or end', () => {
  const quotas = createServerQuotas(localBuckets(() => 0))
  quotas.configure(servers({ same: 1, other: 1, gone: 1, free: undefined }))
  for (const name of ['same', 'other', 'gone', 'free']) expect(quotas.take(name)).toBeUndefined()
  for (const name of ['same', 'other', 'gone']) expect(quotas.take(name)).toContain(`Server \`${name}\``)
  expect(quotas.take('free')).toBeUndefined()
  quotas.configure(servers({ same: 1, other: 2, gone: undefined }))
  expect(quotas.take('same')).toContain('try again')
  expect(quotas.take('other')).toBeUndefined()
  expect(quotas.take('other')).toBeUndefined()
  expect(quotas.take('other')).toContain('try again')
  expect(quotas.take('gone')).toBeUndefined()
})

verifies(
  'S1.59',
  'a server that has had its calls is spared, the others are not, and the time that is told is enough',
  () => {
    let now = 0
    const { take, configure } = createServerQuotas(localBuckets(() => now))
    configure([
      { name: 'a', quota: { rps: 1, burst: 2 } },
      { name: 'b', quota: { rps: 1 / 60 } },
    ])
    expect([take('a'), take('a')]).toEqual([undefined, undefined])
    expect(take('a')).toMatch(/Server `a` .* try again in 1 s/)
    expect(take('c')).toBeUndefined()
    expect(take('b')).toBeUndefined()
    expect(take('b')).toMatch(/try again in 60 s/)
    now = 1000
    expect(take('a')).toBeUndefined()
    expect(take('a')).toMatch(/try again/)
  },
)
