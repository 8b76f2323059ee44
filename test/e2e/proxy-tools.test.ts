import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { fixture, handleOf, startProxy, textOf } from './support/world.ts'

const servers = { f: fixture('f') }
const BUDGET = 8000

verifies(
  'S3.4 S3.5',
  'the tools of the proxy are ordinary tools with flat parameters and short texts',
  async () => {
    const { client } = await startProxy({ servers })
    const { tools } = await client.listTools()
    const own = tools.filter(({ name }) => name.startsWith('proxy_'))
    expect(own.map(({ name }) => name)).toEqual([
      'proxy_filter',
      'proxy_search',
      'proxy_explore',
      'proxy_code',
    ])
    for (const { name, description = '', inputSchema } of own) {
      expect(description.length).toBeLessThan(2048)
      for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {})) {
        const { type, items } = schema as { type?: string; items?: { type?: string } }
        if (parameter === 'arguments') expect(type).toBe('object')
        else if (type === 'array') expect(items?.type, `${name}.${parameter}`).toBe('string')
        else expect(['string', 'number', 'integer', 'boolean'], `${name}.${parameter}`).toContain(type)
      }
    }
    expect(client.getInstructions()?.length).toBeLessThan(2048)
    expect(client.getInstructions()).toContain('cache_id')
  },
)

verifies('S3.13', 'by handle and by fresh call, for each of the three', async () => {
  const { call } = await startProxy({ servers })
  const kept = handleOf(await call('f_records', { count: 300 }))
  const questions = {
    proxy_filter: { where: ['id = 17'], fields: ['name'] },
    proxy_search: { pattern: 'name 17"?$' },
    proxy_explore: { path: 'owner' },
  }
  for (const [tool, question] of Object.entries(questions)) {
    const byHandle = await call(tool, { cache_id: kept, ...question })
    expect(byHandle.isError, textOf(byHandle)).toBeFalsy()
    const fresh = await call(tool, {
      tool: 'f_records',
      arguments: { count: 3 },
      ...question,
      where: undefined,
    })
    expect(fresh.isError, textOf(fresh)).toBeFalsy()
    const handle = /cache_id ([0-9a-z]{12}) keeps/.exec(textOf(fresh))?.[1]
    const again = await call('proxy_filter', { cache_id: handle ?? '', aggregate: 'count' })
    expect(textOf(again)).toContain('3')
  }
  expect(textOf(await call('proxy_filter', { cache_id: kept, ...questions.proxy_filter }))).toContain(
    'name 17',
  )
})

verifies('S3.14', 'no source or two sources: the error shows both forms', async () => {
  const { call } = await startProxy({ servers })
  for (const args of [{}, { cache_id: 'abcdefabcdef', tool: 'f_text' }]) {
    const answer = await call('proxy_filter', args)
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toContain('proxy_filter {"cache_id"')
    expect(textOf(answer)).toContain('proxy_filter {"tool"')
  }
  const itself = await call('proxy_search', { tool: 'proxy_filter', pattern: 'x' })
  expect(itself.isError).toBe(true)
})

verifies('S3.15', 'an unknown or expired handle is a terminal error with the call to repeat', async () => {
  const settings = { cacheTTLSeconds: 1, cacheDiskMaxBytes: 0 }
  const { call } = await startProxy({ servers, settings })
  const handle = handleOf(await call('f_records', { count: 300 }))
  const unknown = await call('proxy_filter', { cache_id: '0123456789ab' })
  expect(unknown.isError).toBeUndefined()
  expect(textOf(unknown)).toContain('Do not retry')
  expect(textOf(unknown)).toContain('"tool"')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const expired = await call('proxy_filter', { cache_id: handle })
  expect(textOf(expired)).toBe(textOf(unknown).replaceAll('0123456789ab', handle))
})

verifies('S3.16', 'where they are asked for, savings are in _meta and not in the text', async () => {
  const { call } = await startProxy({ servers, settings: { savingsInReplies: true } })
  const handle = handleOf(await call('f_records', { count: 300 }))
  const answer = await call('proxy_filter', { cache_id: handle, where: ['state = open'], fields: ['id'] })
  const savings = answer._meta?.['mcp-rlm-proxy/savings'] as Record<string, unknown>
  expect(savings.originalTokens).toBeGreaterThan(Number(savings.deliveredTokens))
  expect(savings.steps).toMatchObject({ where: { applied: true }, projection: { applied: true } })
  expect(textOf(answer)).not.toMatch(/saved|savings/i)
  const usual = await startProxy({ servers })
  const kept = await usual.call('f_records', { count: 300 })
  expect(kept._meta).toEqual({ 'mcp-rlm-proxy/cache-id': handleOf(kept) })
  expect(await usual.call('proxy_filter', { cache_id: handleOf(kept), limit: 1 })).not.toHaveProperty('_meta')
})

verifies(
  'S3.11 S3.43',
  'an answer that is too large is bounded, and is a document of its own, again and again',
  async () => {
    const { call } = await startProxy({ servers })
    let handle = handleOf(await call('f_records', { count: 20_000, pad: 200 }))
    const everything = await call('proxy_search', { cache_id: handle, pattern: '.*', max_results: 1_000_000 })
    expect(textOf(everything).length).toBeLessThanOrEqual(BUDGET)
    for (const where of ['id >= 10', 'id >= 20', 'id >= 30', 'id >= 40']) {
      const answer = await call('proxy_filter', { cache_id: handle, where: [where], limit: 100_000 })
      expect(answer.isError, textOf(answer)).toBeFalsy()
      expect(textOf(answer).length).toBeLessThanOrEqual(BUDGET)
      expect(textOf(answer)).toContain((20_000 - Number(where.slice(6))).toLocaleString('en'))
      const next = handleOf(answer)
      expect(next).not.toBe(handle)
      handle = next
    }
    const count = await call('proxy_filter', { cache_id: handle, aggregate: 'count' })
    expect(textOf(count)).toMatch(/19,?960/)
  },
)

verifies('S3.26', 'pages join to the whole; several handles in one call', async () => {
  const { call } = await startProxy({ servers })
  const handle = handleOf(await call('f_records', { count: 300 }))
  const seen = new Set<string>()
  for (let offset = 0; offset < 300; offset += 40) {
    const page = await call('proxy_filter', { cache_id: handle, fields: ['name'], offset, limit: 40 })
    for (const [name] of textOf(page).matchAll(/name \d+/g)) seen.add(name)
  }
  expect(seen.size).toBe(300)
  const other = handleOf(await call('f_records', { count: 200, pad: 50 }))
  const both = await call('proxy_filter', { cache_id: `${handle}, ${other}`, aggregate: 'count' })
  expect(textOf(both)).toContain('500')
  const list = await call('proxy_filter', {
    cache_id: [handle, other],
    where: ['id = 5'],
    fields: ['id', 'name'],
  })
  expect(textOf(list)).toMatch(/^2 of 500 records match/)
})

verifies('S3.13', 'a fresh call that fails gives the failure of that tool', async () => {
  const { call } = await startProxy({ servers })
  const failed = await call('proxy_filter', {
    tool: 'f_give',
    arguments: { result: { content: [{ type: 'text', text: 'no such table' }], isError: true } },
  })
  expect(failed.isError).toBe(true)
  expect(textOf(failed)).toContain('no such table')
  const unknown = await call('proxy_filter', { tool: 'f_recods', arguments: {} })
  expect(unknown.isError).toBe(true)
  expect(textOf(unknown)).toMatch(/Unknown tool: f_recods.*Did you mean f_records/)
  expect(textOf(await call('proxy_search', { tool: 'f_refuse', pattern: 'x' }))).toContain(
    'refused (JSON-RPC error -32050)',
  )
})
