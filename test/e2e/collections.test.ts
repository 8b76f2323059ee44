import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { handleOf, startProxy, temporaryDirectory, textOf } from './support/world.ts'

const SERVER = fileURLToPath(new URL('../support/servers/paged.mjs', import.meta.url))

function paged(options: object = {}, more: object = {}) {
  return { p: { command: process.execPath, args: [SERVER, JSON.stringify(options)], ...more } }
}

/** The pages that the server was asked for since it started. */
async function askedOf(call: (name: string) => Promise<unknown>): Promise<{ name: string; place: number }[]> {
  return (await statsOf(call)).asked
}

async function statsOf(call: (name: string) => Promise<unknown>) {
  return JSON.parse(textOf((await call('p_stats')) as never)) as {
    asked: { name: string; place: number }[]
    abandoned: number
  }
}

const COUNT = { aggregate: 'count', where: ['state = open'] }
/** Of 1,214 records every third is open. */
const OPEN = '405'

describe('all pages of a collection', () => {
  const shapes: [string, number][] = [
    ['search_issues', 41],
    ['list_issues', 41],
    ['list_events', 41],
    ['query_nodes', 41],
    ['search_jira', 25],
    ['list_charges', 41],
    ['list_links', 41],
  ]
  test.each(shapes)('of %s are one document with one handle, and counts are right', async (name, pages) => {
    const { call } = await startProxy({ servers: paged() })
    const reply = await call('proxy_filter', { tool: `p_${name}`, all: true, ...COUNT })
    const said = textOf(reply)
    expect(said).toMatch(new RegExp(`COMPLETE: 1,214 records from ${pages} pages`))
    expect(said).toContain(OPEN)
    const asked = await askedOf(call)
    expect(asked).toHaveLength(pages)
    const handle = /cache_id ([0-9a-z]{12}) keeps/.exec(said)?.[1]
    const last = await call('proxy_filter', {
      cache_id: handle,
      where: ['number = 1214'],
      fields: ['number', 'title'],
    })
    expect(textOf(last)).toContain('Issue 1214')
  })

  test('in words are one text', async () => {
    const { call } = await startProxy({ servers: paged() })
    const reply = await call('proxy_search', {
      tool: 'p_list_words',
      all: true,
      pattern: '\\(open\\)$',
      max_results: 1,
    })
    expect(textOf(reply)).toMatch(/COMPLETE: from 41 pages/)
    expect(textOf(reply)).toMatch(new RegExp(`of ${OPEN}`))
  })

  test('are followed for a tool of which the operator says so', async () => {
    const servers = paged({}, { results: { 'search_*': { all: true } } })
    const { call } = await startProxy({ servers })
    const reply = await call('p_search_issues', { query: 'x' })
    expect(textOf(reply).split('\n')[0]).toMatch(/1,214 records.*COMPLETE: 1,214 records from 41 pages/)
    expect(textOf(await call('proxy_filter', { cache_id: handleOf(reply), ...COUNT }))).toContain(OPEN)
  })

  test('are had from a partial result by its handle, which is a resource where no server has any', async () => {
    const { call, client } = await startProxy({ servers: paged() })
    const first = await call('p_search_issues', { perPage: 100 })
    expect(await client.listResources()).toMatchObject({ resources: [] })
    const { contents } = await client.readResource({ uri: `rlm://${handleOf(first)}` })
    expect(JSON.parse((contents[0] as { text: string }).text).items).toHaveLength(100)
    const [line = ''] = textOf(first).split('\n')
    expect(line).toMatch(
      /PARTIAL: 100 of 1,214\. All: proxy_filter \{"cache_id":"[0-9a-z]{12}","all":true\}$/,
    )
    const count = await call('proxy_filter', { cache_id: handleOf(first), ...COUNT })
    expect(textOf(count)).toMatch(/is PARTIAL: 100 of 1,214/)
    const all = await call('proxy_filter', { cache_id: handleOf(first), all: true, ...COUNT })
    expect(textOf(all)).toMatch(/COMPLETE: 1,214 records from 13 pages/)
    expect(textOf(all)).toContain(OPEN)
  })
})

test('all pages are asked for by the one tool of the dispatch exposure as well', async () => {
  const { call } = await startProxy({ servers: paged(), settings: { mcpproxy: true } })
  const question = { action: 'filter', tool: 'search_issues', connection: 'p', all: true, ...COUNT }
  const said = textOf(await call('proxy-dispatch', question))
  expect(said).toMatch(/COMPLETE: 1,214 records from 41 pages/)
  expect(said).toContain(OPEN)
})

describe('arguments from elsewhere', () => {
  test('of a file that stands for all of them are sent with each page, as they stand there', async () => {
    const directory = temporaryDirectory()
    const argumentsFile = join(directory, 'question.json')
    writeFileSync(argumentsFile, JSON.stringify({ query: '{"$from":"a word"}', perPage: 100 }))
    const { call } = await startProxy({
      servers: paged({}, { results: { 'search_*': { all: true } } }),
      settings: { mcpproxy: true, spill: { allowDirs: [directory] } },
    })
    const ask = async (params: object): Promise<string> => textOf(await call('proxy-dispatch', { ...params }))
    const said = await ask({ action: 'call', tool: 'search_issues', argumentsFile })
    expect(said).toContain('COMPLETE: 1,214 records from 13 pages')
    const { asked } = JSON.parse(await ask({ action: 'call', tool: 'stats', connection: 'p' }))
    expect(asked).toHaveLength(13)
    for (const page of asked) expect(page).toMatchObject({ query: '{"$from":"a word"}', perPage: 100 })
    // A part of it alone cannot be followed later: what the file says then is not known.
    writeFileSync(argumentsFile, JSON.stringify({ page_size: 100 }))
    const part = await ask({ action: 'call', tool: 'list_links', argumentsFile })
    expect(part).toContain('PARTIAL')
    expect(part).not.toContain('\\"all\\":true')
    const cache_id = /cache_id ([0-9a-z]{12})/.exec(part)?.[1]
    expect(await ask({ action: 'filter', cache_id, all: true, aggregate: 'count' })).toContain(
      'came from a file, so its call cannot be made again',
    )
  })

  test('of a file that stands for one of them are put in for each page', async () => {
    const directory = temporaryDirectory()
    const $file = join(directory, 'words.txt')
    writeFileSync($file, 'crash on start')
    const { call } = await startProxy({ servers: paged(), settings: { spill: { allowDirs: [directory] } } })
    const question = { tool: 'p_search_issues', all: true, aggregate: 'count' }
    const said = textOf(
      await call('proxy_filter', { ...question, arguments: { query: { $file }, perPage: 100 } }),
    )
    expect(said).toContain('COMPLETE: 1,214 records from 13 pages')
    const asked = await askedOf(call)
    expect(asked).toHaveLength(13)
    for (const page of asked) expect(page).toMatchObject({ query: 'crash on start', perPage: 100 })
  })
})

describe('what goes wrong on the way', () => {
  test('a page that fails leaves a document that says which is missing', async () => {
    const { call } = await startProxy({ servers: paged({ failAt: 17 }) })
    const reply = await call('proxy_filter', { tool: 'p_search_issues', all: true, aggregate: 'count' })
    expect(textOf(reply)).toMatch(
      /PARTIAL: 1,184 of 1,214 records from 40 pages; page 17 is missing: 503: page 17 could not be read/,
    )
    expect(textOf(reply)).toContain('1,184')
    const handle = /cache_id ([0-9a-z]{12}) keeps/.exec(textOf(reply))?.[1]
    const later = await call('proxy_filter', { cache_id: handle, aggregate: 'count' })
    expect(textOf(later)).toContain('page 17 is missing')
  })

  test('with cursors it ends at the page that fails', async () => {
    const { call } = await startProxy({ servers: paged({ failAt: 17 }) })
    const reply = await call('proxy_filter', { tool: 'p_list_events', all: true, aggregate: 'count' })
    expect(textOf(reply)).toMatch(/PARTIAL: 480 records from 16 pages; page 17 is missing/)
    expect(await askedOf(call)).toHaveLength(17)
  })

  test.each([
    ['search_issues', '1,184 of 1,214 records from 40 pages', [1, 17]],
    ['list_events', '480 records from 16 pages', [1, ...Array.from({ length: 25 }, (_, at) => at + 17)]],
  ])(
    'the same call of %s asks only for the first page and the missing ones',
    async (name, before, missing) => {
      const { call } = await startProxy({ servers: paged({ failAt: 17, failsOnce: true }) })
      const question = { tool: `p_${name}`, all: true, ...COUNT }
      const stopped = textOf(await call('proxy_filter', question))
      expect(stopped).toContain(`PARTIAL: ${before}; page 17 is missing: 503`)
      expect(stopped).toContain('the same call asks only for the first page and what is missing')
      const first = (await askedOf(call)).length
      const handle = /cache_id ([0-9a-z]{12}) keeps/.exec(stopped)?.[1]
      const whole = textOf(await call('proxy_filter', { cache_id: handle, all: true, ...COUNT }))
      expect(whole).toMatch(/COMPLETE: 1,214 records from 41 pages; \d+ pages came with the call before/)
      expect(whole).toContain(OPEN)
      expect((await askedOf(call)).slice(first).map(({ place }) => place)).toEqual(missing)
      // The next call asks for a whole collection again.
      await call('proxy_filter', question)
      expect(await askedOf(call)).toHaveLength(first + missing.length + 41)
    },
  )

  test('a quota holds, and ends what is asked for', async () => {
    const servers = paged({}, { quota: { rps: 0.001, burst: 10 } })
    const { call } = await startProxy({ servers })
    const reply = await call('proxy_filter', { tool: 'p_search_issues', all: true, aggregate: 'count' })
    expect(textOf(reply)).toMatch(/PARTIAL: 300 of 1,214 records from 10 pages/)
    expect(textOf(reply)).toContain('as many calls as it is allowed')
  })

  test('pages without end, cursors that go round and parameters that do nothing are stopped', async () => {
    const { call } = await startProxy({ servers: paged(), settings: { collect: { maxPages: 25 } } })
    const endless = await call('proxy_filter', { tool: 'p_endless', all: true, aggregate: 'count' })
    expect(textOf(endless)).toMatch(/PARTIAL: 125 records from 25 pages; 25 pages are the most/)
    const looping = await call('proxy_filter', { tool: 'p_looping', all: true, aggregate: 'count' })
    expect(textOf(looping)).toMatch(/PARTIAL: 60 records from 2 pages; the server goes round/)
    const deaf = await call('proxy_filter', { tool: 'p_deaf', all: true, aggregate: 'count' })
    expect(textOf(deaf)).toMatch(/PARTIAL: 30 of 1,214 records from 1 page; page \d is page 1 again/)
    const asked = await askedOf(call)
    expect(asked.filter(({ name }) => name === 'endless')).toHaveLength(25)
    expect(asked.filter(({ name }) => name === 'looping')).toHaveLength(3)
    expect(asked.filter(({ name }) => name === 'deaf').length).toBeLessThan(10)
  })

  test('a tool without a parameter for it is not called again, nor one that may change something', async () => {
    const { call } = await startProxy({ servers: paged({}, { results: { pop_issues: { all: true } } }) })
    const closed = await call('proxy_filter', { tool: 'p_closed', all: true, aggregate: 'count' })
    expect(textOf(closed)).toMatch(/PARTIAL: 30 of 1,214; no parameter of the tool asks for the rest/)
    const refused = await call('proxy_filter', { tool: 'p_pop_issues', all: true, aggregate: 'count' })
    expect(textOf(refused)).toContain('does not declare that it only reads')
    expect(await askedOf(call)).toMatchObject([{ name: 'closed' }])
    const own = await call('p_pop_issues')
    expect(textOf(own)).toContain('the tool does not declare that it only reads')
    expect((await askedOf(call)).filter(({ name }) => name === 'pop_issues')).toHaveLength(1)
  })

  test('records that come again are told', async () => {
    const { call } = await startProxy({ servers: paged() })
    const reply = await call('proxy_filter', { tool: 'p_shifting', all: true, aggregate: 'count' })
    expect(textOf(reply)).toMatch(
      /61 records from 2 pages; 1 came twice \(same number\) and are in it once; 1 came again with another content/,
    )
  })

  test('cancelling ends the pages under way, and no further one is asked for', async () => {
    const { client, call } = await startProxy({ servers: paged({ delay: 300 }) })
    const cancel = new AbortController()
    const seen: number[] = []
    const under = client.callTool(
      { name: 'proxy_filter', arguments: { tool: 'p_search_issues', all: true, aggregate: 'count' } },
      {
        signal: cancel.signal,
        timeout: 170_000,
        onprogress: ({ progress, total }) => {
          seen.push(progress)
          expect(total).toBe(41)
          if (progress === 5) cancel.abort()
        },
      },
    )
    await expect(under).rejects.toThrow()
    const before = await statsOf(call)
    await new Promise((resolve) => setTimeout(resolve, 900))
    expect(await statsOf(call)).toEqual(before)
    // The first page, eight that came, and eight under way, which the server was told to stop.
    expect(before.asked.length).toBeLessThanOrEqual(17)
    expect(before.abandoned).toBeGreaterThan(0)
    // Progress grows with each page (MCP, basic/utilities/progress).
    expect(seen).toEqual(seen.map((_, at) => at + 1))
  })
})
