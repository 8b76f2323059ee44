/** Results of tens of megabytes: kept, previewed within the limit, and other clients do not wait for them. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import { residentBytes } from './support/processes.ts'
import { report, timed } from './support/report.ts'
import { fixture, handleOf, PATIENT, startProxy, type ToolResult, textOf } from './support/world.ts'

const MB = 1_000_000
const LIMIT = 8000
const servers = { f: fixture('f'), g: fixture('g') }

/** Runs a small piece of work again and again while a large one is under way, and tells the longest wait. */
async function worstWhile(large: Promise<unknown>, small: () => Promise<void>): Promise<number> {
  const state = { going: true }
  const done = large.finally(() => {
    state.going = false
  })
  let worst = 0
  while (state.going) {
    worst = Math.max(worst, (await timed(small)).ms)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await done
  return Math.round(worst)
}

for (const [name, tool, args, size, found] of [
  ['12 MB in one line', 'f_big', { bytes: 12 * MB }, /12,000,\d{3} bytes/, 'lazy dog'],
  ['12 MB of JSON', 'f_records', { count: 12_000, pad: 880 }, /\b12,000\b/, 'name 11999'],
  ['60 MB in one line', 'f_big', { bytes: 60 * MB }, /60,000,\d{3} bytes/, 'lazy dog'],
] as const) {
  verifies('S3.7', `${name} over stdio: previewed, kept whole, the session alive`, async () => {
    const { client, call, transport } = await startProxy({ servers })
    await call('g_text', { size: 1 })
    const answer = timed(() => call(tool, args))
    const worst = await worstWhile(answer, async () => void (await client.ping(PATIENT)))
    const { value: result, ms } = await answer
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(LIMIT)
    expect(textOf(result)).toMatch(size)
    const query = await timed(() =>
      call('proxy_search', { cache_id: handleOf(result), pattern: found, max_results: 2 }),
    )
    expect(query.value.isError, textOf(query.value)).toBeFalsy()
    expect(textOf(query.value)).toContain(found)
    expect(textOf(query.value).length).toBeLessThanOrEqual(LIMIT)
    expect(textOf(await call('g_text', { size: 1000 }))).toBe('a'.repeat(1000))
    report(name, {
      'reply ms': Math.round(ms),
      'worst ping ms': worst,
      'first search ms': Math.round(query.ms),
      'RSS MB': Math.round(residentBytes(transport.pid ?? 0) / MB),
    })
  })
}

verifies('S3.11 S3.26', 'a kept 12 MB JSON answers with records, counts and fields', async () => {
  const { call } = await startProxy({ servers })
  const handle = handleOf(await call('f_records', { count: 12_000, pad: 880 }))
  const open = await call('proxy_filter', { cache_id: handle, where: ['state = open'], aggregate: 'count' })
  expect(textOf(open)).toMatch(/\b4,?000\b/)
  const one = await call('proxy_filter', {
    cache_id: handle,
    where: ['id = 11999'],
    fields: ['name', 'owner.login'],
  })
  expect(textOf(one)).toContain('name 11999')
  expect(textOf(one)).toContain('user9')
  const shape = await call('proxy_explore', { cache_id: handle })
  expect(textOf(shape)).toMatch(/12,?000/)
})

verifies('S3.7', 'over HTTP another client’s small calls are answered while 60 MB arrive', async () => {
  const { url } = await startHttpProxy({ servers })
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(url))
    onTestFinished(() => client.close())
    return client
  }
  const [anna, ben] = await Promise.all([connect(), connect()])
  const call = async (client: Client, name: string, args: object): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: { ...args } }, PATIENT)) as ToolResult
  await Promise.all([anna, ben].map((client) => call(client, 'g_text', { size: 1 })))
  const worst: Record<string, number> = {}
  for (const bytes of [12 * MB, 60 * MB]) {
    let small = 0
    const large = call(anna, 'f_big', { bytes })
    worst[`${bytes / MB} MB: worst small call ms`] = await worstWhile(large, async () => {
      expect(textOf(await call(ben, 'g_text', { size: 1000 }))).toBe('a'.repeat(1000))
      small++
    })
    // The first of them was answered before the large one, or there would be no second. The smaller one may be there at once.
    if (bytes > 12 * MB) expect(small).toBeGreaterThan(1)
    expect(JSON.stringify(await large).length).toBeLessThanOrEqual(LIMIT)
    expect(textOf(await large)).toContain(`${(bytes / MB).toLocaleString('en')},000,0`)
  }
  report('over HTTP', worst)
})

for (const [megabytes, outcome] of [
  [200, 'kept'],
  [300, 'refused'],
] as const) {
  verifies('S3.7 S3.36', `an answer of ${megabytes} MB is ${outcome}, and the session lives`, async () => {
    const { client, call, transport } = await startProxy({ servers })
    await call('g_text', { size: 1 })
    const answer = timed(() => call('f_big', { bytes: megabytes * MB }))
    const worst = await worstWhile(answer, async () => void (await client.ping(PATIENT)))
    const { value: result, ms } = await answer
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(LIMIT)
    if (outcome === 'kept') {
      expect(result.isError).toBeFalsy()
      expect(textOf(result)).toMatch(/200,000,\d{3} bytes/)
      const hits = await call('proxy_search', {
        cache_id: handleOf(result),
        pattern: 'lazy dog',
        max_results: 1,
      })
      expect(textOf(hits)).toContain('lazy dog')
      for (const query of [
        { pattern: 'quick.*lazy', max_results: 1 },
        { pattern: 'jumps', mode: 'bm25', top_k: 1 },
        { pattern: 'lasy', mode: 'fuzzy', max_results: 1 },
      ]) {
        const more = await call('proxy_search', { cache_id: handleOf(result), ...query })
        expect(more.isError, textOf(more)).toBeFalsy()
        expect(textOf(more).length).toBeLessThanOrEqual(LIMIT)
        expect(textOf(more)).toContain('lazy')
      }
    } else {
      expect(result.isError).toBe(true)
      expect(textOf(result)).toContain('server `f`')
      expect(textOf(result)).toContain('tool `big`')
      expect(textOf(result)).toMatch(/limit is \d+ bytes/)
    }
    expect(textOf(await call('f_text', { size: 1000 }))).toBe('a'.repeat(1000))
    expect(textOf(await call('g_text', { size: 10 }))).toBe('a'.repeat(10))
    report(`${megabytes} MB ${outcome}`, {
      'reply ms': Math.round(ms),
      'worst ping ms': worst,
      'RSS MB': Math.round(residentBytes(transport.pid ?? 0) / MB),
    })
  })
}
