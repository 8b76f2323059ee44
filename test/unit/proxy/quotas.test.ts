import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { createServerQuotas } from '../../../src/proxy/quotas.ts'

const servers = (quotas: Record<string, number | undefined>) =>
  parseConfig({
    mcpServers: Object.fromEntries(
      Object.entries(quotas).map(([name, rps]) => [
        name,
        { command: 'x', ...(rps !== undefined && { quota: { rps } }) },
      ]),
    ),
  }).servers

test('a quota that stays goes on with what is left of it; others begin anew or end', () => {
  const quotas = createServerQuotas(() => 0)
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
