import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createSessionSeal, type SessionSeed } from '../../../src/server/sealed.ts'

const KEY = 'the key of all replicas'
const LIFE = 1000
const introduction = {
  protocolVersion: '2025-11-25',
  clientInfo: { name: 'c', version: '1' },
  capabilities: { sampling: {}, elicitation: { form: {} } },
}
const seed: SessionSeed = { name: 'a-name', begun: 5000, owner: 'anna', profile: 'notes', introduction }

function sealOf(keys: readonly string[] = [KEY], now = 5000) {
  return createSessionSeal({ keys, lifeMs: LIFE, now: () => now })
}

describe('a sealed session id', () => {
  test('says at each replica what its session is made of', () => {
    expect(sealOf().open(sealOf().seal(seed))).toEqual(seed)
  })

  test('is another one each time, and tells nothing without the key', () => {
    const ids = [sealOf().seal(seed), sealOf().seal(seed)]
    expect(ids[0]).not.toBe(ids[1])
    for (const id of ids) expect(Buffer.from(id, 'base64url').toString('latin1')).not.toContain('anna')
  })

  test('counts while its key is one of the list, whichever seals now', () => {
    const old = sealOf(['the key of last year']).seal(seed)
    expect(sealOf([KEY, 'the key of last year']).open(old)).toEqual(seed)
    expect(sealOf([KEY]).open(old)).toBeUndefined()
    expect(sealOf([KEY]).open(sealOf([KEY, 'the key of last year']).seal(seed))).toEqual(seed)
  })

  test('counts until it is too old', () => {
    const id = sealOf().seal(seed)
    expect(sealOf([KEY], 5000 + LIFE - 1).open(id)).toEqual(seed)
    expect(sealOf([KEY], 5000 + LIFE).open(id)).toBeUndefined()
  })

  test('is nothing once a single character is another', () => {
    const id = sealOf().seal(seed)
    for (let at = 0; at < id.length; at++) {
      const other = `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`
      expect(sealOf().open(other), `${at}`).toBeUndefined()
    }
    for (const other of [`${id}=`, `${id}A`, ` ${id}`, id.slice(0, -1), id.slice(3)])
      expect(sealOf().open(other)).toBeUndefined()
  })

  test('that somebody made up is nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3000 }), (text) => {
        expect(sealOf().open(text)).toBeUndefined()
        expect(sealOf().open(`s1.${Buffer.from(text).toString('base64url')}`)).toBeUndefined()
      }),
    )
  })

  test('is a header value of sane length, whatever a client says of itself', () => {
    const said = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue(), { maxKeys: 30 })
    fc.assert(
      fc.property(said, said, fc.integer({ min: 0, max: 60 }), (clientInfo, capabilities, times) => {
        const wordy = Array.from({ length: times }, (_, nth) => [`x${nth}`, Math.random()] as const)
        const params = {
          protocolVersion: '2025-11-25',
          clientInfo: { ...clientInfo, ...Object.fromEntries(wordy) } as JsonObject,
          capabilities: capabilities as JsonObject,
        }
        const id = sealOf().seal({ ...seed, introduction: params })
        expect(id).toMatch(/^[\x21-\x7e]{1,1024}$/)
        expect(sealOf().open(id)).toMatchObject({ name: 'a-name', owner: 'anna' })
      }),
    )
  })

  test('keeps what a wordy client can do, and its name', () => {
    const icons = Array.from({ length: 100 }, (_, nth) => ({
      src: `https://example.com/${nth}-${Math.random()}`,
    }))
    const clientInfo = { name: 'wordy', version: '2', icons }
    const id = sealOf().seal({ ...seed, introduction: { ...introduction, clientInfo } })
    expect(sealOf().open(id)?.introduction).toEqual({
      ...introduction,
      clientInfo: { name: 'wordy', version: '2' },
    })
  })
})
