/** A short part of the catalogue in `test/hostile/`. */
import { test } from 'vitest'
import { clientAttacks, ON_ANY_MACHINE, serverAttacks } from '../support/hostile.ts'

test.each([
  ['y', 'start', 'stdio'],
  ['questions', 'call', 'legacy'],
  ['dense-notification', 'http', 'modern'],
  ['endless-pages', 'ready', 'legacy'],
] as const)(
  'a server that attacks with %s (%s) harms no other server or client (%s)',
  (attack, moment, front) => serverAttacks(attack, moment, { front, bounds: ON_ANY_MACHINE }),
)

test.each(['many-keys', 'handshake-flood'])('a client that attacks with %s harms no other client', (attack) =>
  clientAttacks(attack, { bounds: ON_ANY_MACHINE }),
)
