/**
 * What a modern client carries from one round of a call to the next (MCP 2026-07-28, multi round-trip requests, "requestState"). It
 * comes back from outside, so it is signed: nobody can make one up, change one, use another's, or use one for another call.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a state belongs to; it is valid with exactly this. */
export interface StateOwner {
  /** The client it was given to. */
  client: string
  /** The call it was given for: method and target. */
  subject: string
}

export interface StateSigner {
  /** `until`: whole milliseconds, by the clock of the signer, after which it is no longer valid. */
  sign(id: string, until: number, owner: StateOwner): string
  /** The id that was signed; undefined for anything that is not a valid state of this owner. */
  verify(state: string, owner: StateOwner): string | undefined
}

/** Longer than any state of ours. */
const MAX_LENGTH = 512

/** The key lives as long as the process: what a state refers to does not outlive it either. */
export function createStateSigner(now: () => number, key: Buffer = randomBytes(32)): StateSigner {
  const mac = (id: string, until: number, { client, subject }: StateOwner): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, until, client, subject]))
      .digest()

  return {
    sign: (id, until, owner) =>
      [id, until.toString(36), mac(id, until, owner).toString('base64url')].join('.'),
    verify(state, owner) {
      if (state.length > MAX_LENGTH) return undefined
      const [id, time, signature, ...rest] = state.split('.')
      if (id === undefined || time === undefined || signature === undefined || rest.length > 0)
        return undefined
      const until = Number.parseInt(time, 36)
      const given = Buffer.from(signature, 'base64url')
      const expected = mac(id, until, owner)
      const genuine = given.length === expected.length && timingSafeEqual(given, expected)
      return genuine && until > now() && until.toString(36) === time ? id : undefined
    },
  }
}
