/** The settings for the results of single tools, and the kept copies of results that pass. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { handleOf, startProxy, textOf } from './support/world.ts'

const SERVER = fileURLToPath(new URL('../support/servers/paged.mjs', import.meta.url))
const paged = (more: object = {}) => ({ command: process.execPath, args: [SERVER], ...more })

test('patterns of a server win over those of all, small results are kept quietly, and `limit` brings many rows at once', async () => {
  const results = {
    'list_*': { maxResponseSize: 1500, fields: ['number', 'title'] },
    search_jira: { whole: true },
  }
  const { call } = await startProxy({
    servers: { p: paged({ results }), q: paged() },
    settings: {
      keepSmallResults: true,
      results: {
        '*/search_*': { maxResponseSize: 3000, previewSize: 600 },
        'p/list_links': { fields: ['state'] },
      },
    },
  })

  // Fields of each record, the whole kept: also where a pattern for all says otherwise.
  for (const tool of ['p_list_issues', 'p_list_links']) {
    const some = await call(tool)
    expect(textOf(some)).toMatch(
      /keeps the whole result of p_list_\w+, with all fields\. Shown here: number, title\./,
    )
    expect(textOf(some)).toContain('Issue 30')
    expect(textOf(some)).not.toContain('user3')
    const login = { cache_id: handleOf(some), where: ['user.login = user3'], aggregate: 'count' }
    expect(textOf(await call('proxy_filter', login))).toContain('"count":2')
  }
  // Never shaped.
  const whole = await call('p_search_jira')
  expect(JSON.parse(textOf(whole)).issues).toHaveLength(50)
  expect(whole._meta).toBeUndefined()
  // A pattern of all, where the server has none.
  const preview = await call('q_search_issues')
  expect(textOf(preview).length).toBeLessThanOrEqual(700)
  expect(textOf(preview)).toContain('PARTIAL: 30 of 1,214')

  // It passes, with nothing added, and is kept.
  const small = await call('q_list_issues')
  expect(small._meta).toBeUndefined()
  expect(JSON.parse(textOf(small))).toHaveLength(30)
  const listed = textOf(await call('proxy_explore'))
  const kept = /([0-9a-z]{12})[^\n]*q_list_issues/.exec(listed)?.[1]
  expect(kept, listed).toBeDefined()
  expect(textOf(await call('proxy_search', { cache_id: '*', pattern: 'Issue 17:' }))).toContain(kept)
  expect(textOf(await call('proxy_filter', { cache_id: kept, where: ['number = 17'] }))).toContain(
    'Issue 17: slow query',
  )

  // All of it this once, up to the cap.
  const cache_id = handleOf(await call('q_list_issues', { perPage: 300 }))
  const rows = { cache_id, fields: ['number', 'title', 'state'] }
  const usual = textOf(await call('proxy_filter', rows))
  expect(usual.length).toBeLessThanOrEqual(8000)
  expect(usual).not.toContain('Issue 300')
  const all = textOf(await call('proxy_filter', { ...rows, limit: 300 }))
  expect(all.length).toBeLessThanOrEqual(32_000)
  expect(all).toContain('Issue 300')
  const longer = textOf(
    await call('proxy_filter', {
      cache_id: handleOf(await call('q_list_issues', { perPage: 1214 })),
      limit: 1214,
    }),
  )
  expect(longer.length).toBeLessThanOrEqual(8000)
})
