import { expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import { type Fetch, ListCache } from '../../../src/upstream/catalogue.ts'
import { Memory } from '../../../src/upstream/memory.ts'

const key = { server: 's', variant: 'g' }

test('what a server says of its list while the last of many fetches runs is not lost', async () => {
  const putOff: (() => void)[] = []
  const told: string[] = []
  const session = {}
  const cache = new ListCache({
    memory: new Memory(undefined, { s: {} }, silentLogger),
    changed: ({ server }, kind) => void told.push(`${server} ${kind}`),
    now: () => 0,
    later: (_, run) => {
      putOff.push(run)
      return () => {}
    },
    alive: (one) => one === session,
    lasting: () => false,
  })
  let fetches = 0
  let restless = true
  const fetch: Fetch = async () => {
    const items = [{ name: `version ${++fetches}` }]
    await Promise.resolve()
    if (restless) cache.invalidate(key, 'tools', fetch)
    return { items, session, announced: true }
  }

  const first = await cache.read(key, 'tools', fetch, false)
  expect(first.items).toEqual([{ name: `version ${fetches}` }])
  expect(putOff).toHaveLength(1)
  const before = fetches
  restless = false
  putOff[0]?.()
  await expect.poll(() => told).toEqual(['s tools'])
  expect(fetches).toBe(before + 1)
  expect(cache.peek(key, 'tools')).toEqual([{ name: `version ${fetches}` }])
  expect(putOff).toHaveLength(1)
})

test('a list is sure when the session at work has told it, and not when it is only remembered', async () => {
  const memory = new Memory(undefined, { s: {} }, silentLogger)
  memory.saveList('s', 'g', 'tools', [{ name: 'of the last run' }])
  let session = {}
  let alive = true
  const cache = new ListCache({
    memory,
    changed() {},
    now: () => 0,
    later: () => () => {},
    alive: (one) => alive && one === session,
    lasting: () => true,
  })
  let fetches = 0
  const fetch: Fetch = async () => ({ items: [{ name: `told ${++fetches}` }], session, announced: true })
  const sure = async (): Promise<unknown> => (await cache.surely(key, 'tools', fetch)).items[0]?.name
  expect(await sure()).toBe('told 1')
  expect(await sure()).toBe('told 1')
  // Its notice of a change counts at once, and so does a new session.
  cache.invalidate(key, 'tools', fetch)
  expect(await sure()).toBe('told 2')
  session = {}
  expect(await sure()).toBe('told 3')
  alive = false
  expect(await sure()).toBe('told 4')
  expect(fetches).toBe(4)
})

test.each([
  ['at once, each time, when fetching takes little of the time', 50, 10_000, { fetches: 12, fresh: 11 }],
  [
    'from memory, for the most part, when fetching would take all of the time',
    1000,
    100,
    { fetches: 4, fresh: 2 },
  ],
])(
  'a reader after each of eleven announcements has the new list %s',
  async (_, fetchMs, pauseMs, expected) => {
    let time = 0
    const timers: { at: number; run: () => void }[] = []
    const session = {}
    const cache = new ListCache({
      memory: new Memory(undefined, { s: {} }, silentLogger),
      changed() {},
      now: () => time,
      later: (ms, run) => {
        timers.push({ at: time + ms, run })
        return () => {}
      },
      alive: (one) => one === session,
      lasting: () => false,
    })
    let version = 0
    let fetches = 0
    const fetch: Fetch = async () => {
      fetches++
      time += fetchMs
      return { items: [{ name: `version ${version}` }], session, announced: true }
    }
    const read = async (): Promise<unknown> => (await cache.read(key, 'tools', fetch, false)).items[0]?.name
    expect(await read()).toBe('version 0')
    let fresh = 0
    while (version < 11) {
      version++
      time += pauseMs
      cache.invalidate(key, 'tools', fetch)
      if ((await read()) === `version ${version}`) fresh++
    }
    expect({ fetches, fresh }).toEqual(expected)
    // The last list is fetched all the same, when its time has come.
    for (const { at, run } of timers) {
      time = Math.max(time, at)
      run()
    }
    await expect.poll(read).toBe('version 11')
  },
)
