/** A user who is signed in at one replica is signed in at each. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createCaller } from '../../../support/oauth/caller.ts'
import { createClock } from '../../../support/oauth/clock.ts'
import { type Protected, startProtected } from '../../../support/oauth/protected-server.ts'
import { sharedMaps } from '../../../support/shared-map.ts'

const HOUR = 3_600_000

async function replicas() {
  const server = await startProtected()
  const maps = sharedMaps()
  const clock = createClock()
  /** With a data directory of its own. */
  const replica = (options = {}) =>
    createCaller(server, { clock, shared: maps.replica()('sign-ins'), ...options })
  return { server, maps, clock, here: replica(), there: replica(), replica }
}

function grants(server: Protected): (string | undefined)[] {
  return server.authorization.at('/token').map(({ params }) => params.grant_type)
}

describe('an account that replicas share', () => {
  test('a person signs in once, at any replica, also where the other one asked already', async () => {
    const { server, here, there, replica } = await replicas()
    expect(await here.call()).toBe(200)
    expect(await there.call()).toBe(200)
    expect(there.links).toEqual([])
    expect(grants(server)).toEqual(['authorization_code'])
    await here.authorizer.signOut()
    // The person does not follow the address of this one.
    const waiting = replica({ person: () => {} })
    const call = waiting.call()
    await expect.poll(() => waiting.links).toHaveLength(1)
    expect(await here.call()).toBe(200)
    expect(await call).toBe(200)
    expect(server.authorization.faults).toEqual([])
  })

  test('of replicas that need a new token at the same time one gets it, and no refresh token is used twice', async () => {
    const { server, clock, here, there } = await replicas()
    await here.call()
    await there.call()
    for (let round = 0; round < 3; round++) {
      clock.advance(HOUR - 1_000)
      expect(await Promise.all([here.call(), there.call(), here.call(), there.call()])).toEqual(
        Array(4).fill(200),
      )
    }
    expect(grants(server)).toEqual(['authorization_code', ...Array(3).fill('refresh_token')])
    expect(server.authorization.faults).toEqual([])
    expect([...here.links, ...there.links]).toHaveLength(1)
  })

  test('a user who signs out at one replica is signed out at each, and a copy on a disk does not come back', async () => {
    const { server, here, there, replica } = await replicas()
    await here.call()
    await there.call()
    const folder = join(there.dataDir, 'oauth')
    expect(readdirSync(folder)).toHaveLength(1)
    expect(await here.authorizer.signOut()).toBe('revoked')
    await expect.poll(() => there.authorizer.header()).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
    const next = replica({ dataDir: there.dataDir, interactive: false })
    await expect(next.call()).rejects.toThrow('needs you to sign in')
    expect(grants(server)).toHaveLength(1)
  })

  test('while the store is away each replica goes on with its copy, and shares what is newer once it is back', async () => {
    const { server, maps, clock, here, there } = await replicas()
    await here.call()
    await there.call()
    maps.away(true)
    clock.advance(HOUR - 1_000)
    expect(await here.call()).toBe(200)
    expect(here.logged()).toContain('a sign-in is not shared with other replicas for now')
    await expect(there.authorizer.signOut()).rejects.toThrow('Signed out here alone')
    maps.away(false)
    await expect.poll(() => there.authorizer.header()).toBe(await here.authorizer.header())
    expect(await there.call()).toBe(200)
    expect(grants(server)).toEqual(['authorization_code', 'refresh_token'])
    expect(server.authorization.faults).toEqual([])
  })

  test('a sign-in from before there was a store is shared, and one that is damaged there is as none', async () => {
    const { maps, here, replica } = await replicas()
    const alone = replica({ shared: undefined })
    await alone.call()
    expect(await replica({ dataDir: alone.dataDir }).call()).toBe(200)
    expect(await here.call()).toBe(200)
    expect([...alone.links, ...here.links]).toHaveLength(1)
    const [texts = new Map()] = maps.texts.values()
    const [[key]] = [...texts] as [[string, string]]
    texts.set(key, '{"version":1,"realm":7}')
    expect(await replica({ dataDir: here.dataDir }).call()).toBe(200)
  })
})
