/** The savings of replicas, added up. */
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import { createLedger } from '../../../src/observe/savings.ts'
import { totalsOf } from '../../../src/observe/savings-report.ts'
import { shareSavings } from '../../../src/observe/shared-savings.ts'
import { sharedMaps } from '../../support/shared-map.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 24, 12)

function world() {
  const maps = sharedMaps()
  const clock = { now: NOON }
  function replica() {
    const ledger = createLedger({ countTokens: async (texts) => texts.map(() => 1), now: () => clock.now })
    const shared = shareSavings({
      map: maps.replica()('savings'),
      ledger,
      logger: silentLogger,
      everyMs: 10,
    })
    onTestFinished(() => shared.close())
    const call = (tool: string) =>
      ledger.record({
        agent: 'a',
        tool,
        kind: 'call',
        originalTokens: 100,
        deliveredTokens: 10,
        originalCharacters: 400,
        deliveredCharacters: 40,
      })
    return { ...shared, call }
  }
  return { maps, clock, replica }
}

test('each replica reads what the others saved, day by day, also of runs that ended', async () => {
  const { clock, replica } = world()
  const [here, there] = [replica(), replica()]
  here.call('read')
  here.call('read')
  await expect.poll(() => there.others()).toHaveLength(1)
  clock.now += DAY_MS
  here.call('find')
  await here.close()
  const days = await there.others()
  expect(days?.map(({ day }) => day)).toEqual(['2026-11-24', '2026-11-25'])
  expect(totalsOf(days?.flatMap(({ tools }) => tools) ?? [])).toMatchObject({ calls: 3, savedTokens: 270 })
  // A run adds its own, which are newer than what it wrote.
  expect(totalsOf((await here.others())?.flatMap(({ tools }) => tools) ?? []).calls).toBe(0)
})

test('nothing is counted twice, and what a replica saved while the store was away is added later', async () => {
  const { maps, replica } = world()
  const [here, there] = [replica(), replica()]
  here.call('read')
  await expect.poll(() => there.others()).toHaveLength(1)
  maps.away(true)
  here.call('read')
  expect(await there.others()).toBeUndefined()
  maps.away(false)
  const calls = async () => totalsOf((await there.others())?.flatMap(({ tools }) => tools) ?? []).calls
  await expect.poll(calls).toBe(2)
  await here.close()
  expect(await calls()).toBe(2)
})

test('the oldest of more than 400 days leave, and what cannot be read counts as nothing', async () => {
  const { maps, replica } = world()
  const map = maps.replica()('savings')
  const name = (nth: number): string => new Date(NOON - nth * DAY_MS).toISOString().slice(0, 10)
  for (let nth = 1; nth <= 400; nth++) await map.set(name(nth), nth === 1 ? '{"run":[{"tool":7}]}' : '{}')
  const here = replica()
  here.call('read')
  await here.close()
  const days = (await replica().others())?.map(({ day }) => day)
  expect(days).toHaveLength(400)
  expect([days?.[0], days?.at(-1)]).toEqual([name(399), name(0)])
})
