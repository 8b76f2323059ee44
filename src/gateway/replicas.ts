/** What replicas of this proxy have in common beside kept results. */
import type { Config } from '../config/schema.ts'
import type { SessionSeal } from '../server/sealed.ts'

/** Undefined without a key. */
export async function openSeal(
  { sessions: { key, maxAgeSeconds } }: Config['settings'],
  now: () => number,
): Promise<SessionSeal | undefined> {
  if (key === undefined) return undefined
  const { createSessionSeal } = await import('../server/sealed.ts')
  return createSessionSeal({ keys: [key].flat(), lifeMs: maxAgeSeconds * 1000, now })
}
