/** The proxy is killed while it answers: what it answered before is there at the next start, and nothing wrong is. */
import { expect, test } from 'vitest'
import {
  fixture,
  handleOf,
  isOnDisk,
  type RunningProxy,
  startProxy,
  temporaryDirectory,
  textOf,
} from './support/world.ts'

const servers = { f: fixture('f') }
const KILLS = 3
const AT_ONCE = 4

/** By handle, how many records the result had. */
type Answered = Map<string, number>

async function keep({ call }: RunningProxy, count: number, into: Answered): Promise<void> {
  into.set(handleOf(await call('f_records', { count, pad: 60 })), count)
}

/** Asks for new results on and on, until the proxy is gone. */
async function goOn(proxy: RunningProxy, first: number, into: Answered): Promise<void> {
  for (let count = first; ; count += AT_ONCE)
    try {
      await keep(proxy, count, into)
    } catch {
      return
    }
}

test(`nothing that was answered is lost when the proxy is killed ${KILLS} times while it answers`, async () => {
  const directory = temporaryDirectory()
  const written: Answered = new Map()
  for (let kill = 0; kill < KILLS; kill++) {
    const proxy = await startProxy({ directory, servers })
    const late: Answered = new Map()
    const before = new Map<string, number>()
    await Promise.all([1, 2, 3].map((nth) => keep(proxy, 300 + 10 * kill + nth, before)))
    // On disk without anybody asking for it.
    await expect.poll(() => [...before.keys()].filter((handle) => !isOnDisk(directory, handle))).toEqual([])
    for (const [handle, count] of before) written.set(handle, count)
    const going = Array.from({ length: AT_ONCE }, (_, nth) => goOn(proxy, 1000 + 100 * kill + nth, late))
    await expect.poll(() => late.size).toBeGreaterThan(AT_ONCE)
    process.kill(proxy.transport.pid ?? 0, 'SIGKILL')
    await Promise.all(going)
    const next = await startProxy({ directory, servers })
    const counted = (handle: string) => next.call('proxy_filter', { cache_id: handle, aggregate: 'count' })
    for (const [handle, count] of written) expect(textOf(await counted(handle))).toContain(`"count":${count}`)
    // Of what was answered in the last second either all is there or nothing.
    for (const [handle, count] of late) {
      const answer = textOf(await counted(handle))
      if (!answer.startsWith(`No kept result has cache_id "${handle}"`))
        expect(answer).toContain(`"count":${count}`)
    }
    await next.close()
  }
})
