/**
 * The proxy and its workers hold at most the memory that a configuration allows (`memoryMb`). They run in a group of processes to which
 * the system gives no more, and which it ends when they want more.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { memoryPlan } from '../../src/engine/memory.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { memoryGroup } from '../support/cgroup.mjs'
import { CLIENT, SERVER, start, startProxy, textOf } from '../support/hostile.ts'
import { HOSTILE_QUERIES } from '../support/hostile-queries.ts'
import { temporaryFolder } from '../support/upstream.ts'

const MB = 1024 * 1024
const AGENTS = 3

/** A list that makes a message of about so many bytes: quotes in a text are escaped there. */
const filled = (unit: string, bytes: number): string =>
  `[${`${unit},`.repeat(Math.floor((bytes - 20_000) / (JSON.stringify(unit).length - 1)))}${unit}]`

/** The units that fill memory most in so many bytes: very many values, very many objects, long texts. */
const UNITS: Readonly<Record<string, string>> = {
  digits: '1',
  'empty lists': '[]',
  records: '{"id":1,"k":1,"name":"a name","rows":[1,2]}',
  texts: `"${'ab '.repeat(2000)}"`,
}

const QUESTIONS: readonly [string, JsonObject][] = [
  ['proxy_search', { pattern: 'zzz', mode: 'bm25' }],
  ['proxy_search', { pattern: 'zzz', mode: 'fuzzy' }],
  ['proxy_search', { pattern: '.' }],
  ['proxy_filter', { sort: '-value' }],
  ['proxy_filter', { group_by: 'value', aggregate: 'count' }],
  ['proxy_filter', { path: '$..*' }],
  ['proxy_filter', { fields: ['*', "rpad(name, 100000, 'x') as t"], sort: '-t', limit: 100_000 }],
  ['proxy_explore', { max_depth: 1000 }],
]

const probe = memoryGroup(512, `probe-${process.pid}`)
probe?.remove()

test.skipIf(probe === undefined).each([512, 1024])(
  'in %i MB no large result, question or body ends the proxy or a process of it',
  async (memoryMb) => {
    const group = memoryGroup(memoryMb, `hostile-${process.pid}-${memoryMb}`)
    if (group === undefined) return expect.unreachable()
    onTestFinished(async () => {
      await expect.poll(() => group.pids()).toEqual([])
      group.remove()
    })
    const [command, args] = group.outside(process.execPath, [SERVER, 'none', 'ready'])
    const proxy = await startProxy({ good: { command, args } }, 'legacy', {
      settings: { memoryMb },
      wrap: group.command,
      node: [],
    })
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, group.anonymous())
    }, 20)
    onTestFinished(() => clearInterval(watch))
    const agents = await Promise.all(Array.from({ length: AGENTS }, () => proxy.connect()))
    const longest = memoryPlan(memoryMb).messageBytes
    const folder = temporaryFolder()
    // Bodies that never end fill the room for bodies.
    start(CLIENT, 'fat-halves', proxy.url)
    for (const [name, unit] of Object.entries(UNITS)) {
      const path = join(folder, 'result')
      const outcomes: string[] = []
      await Promise.all(
        agents.map(async ({ call }, at) => {
          writeFileSync(`${path}${at}`, filled(unit, longest - at * 1000))
          const file = { name: 'good_file', arguments: { path: `${path}${at}` } }
          const kept = textOf(await call('tools/call', file))
          const cache_id = /cache_id[^\w]+([\w-]{6,})/.exec(kept)?.[1]
          expect(cache_id, `${name}: ${kept.slice(0, 500)}`).toBeDefined()
          for (const [tool, question] of QUESTIONS) {
            const asked = { name: tool, arguments: { cache_id: cache_id ?? '', ...question } }
            outcomes.push(textOf(await call('tools/call', asked)).slice(0, 60))
          }
        }),
      )
      expect(outcomes).toHaveLength(AGENTS * QUESTIONS.length)
      expect(group.kills(), `${name}: processes that the system ended`).toBe(0)
    }
    const [me] = agents
    expect(textOf((await me?.call('tools/call', { name: 'good_attack', arguments: {} })) ?? {})).toBe('done')
    expect(group.kills()).toBe(0)
    expect(most).toBeLessThan(memoryMb * MB)
    process.stderr.write(`${memoryMb} MB: at most ${Math.round(most / MB)} MB were held\n`)
  },
  1_200_000,
)

test.skipIf(probe === undefined)(
  'in 512 MB every hostile question is answered or refused',
  async () => {
    const memoryMb = 512
    const group = memoryGroup(memoryMb, `hostile-${process.pid}-questions`)
    if (group === undefined) return expect.unreachable()
    onTestFinished(async () => {
      await expect.poll(() => group.pids()).toEqual([])
      group.remove()
    })
    const [command, args] = group.outside(process.execPath, [SERVER, 'none', 'ready'])
    const proxy = await startProxy({ good: { command, args } }, 'legacy', {
      settings: { memoryMb, queryTimeout: 10 },
      wrap: group.command,
      node: [],
    })
    const { call } = await proxy.connect()
    const folder = temporaryFolder()
    let asked = 0
    for (const [name, { result, kind, params }] of Object.entries(HOSTILE_QUERIES)) {
      const path = join(folder, 'result')
      const text = result()
      // The test above has the results that are longer than a message may be.
      if (JSON.stringify(text).length > memoryPlan(memoryMb).messageBytes - 1000) continue
      writeFileSync(path, text)
      const kept = textOf(await call('tools/call', { name: 'good_file', arguments: { path } }))
      const cache_id = /cache_id[^\w]+([\w-]{6,})/.exec(kept)?.[1]
      if (cache_id === undefined) continue
      const question = { name: `proxy_${kind}`, arguments: { ...params, cache_id } }
      const answer = textOf(await call('tools/call', question))
      expect(answer.length, name).toBeGreaterThan(0)
      expect(group.kills(), name).toBe(0)
      asked++
    }
    expect(asked).toBeGreaterThan(30)
  },
  1_200_000,
)
