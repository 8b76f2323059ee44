/** A short part of the catalogue in `test/hostile/`. */
import { test } from 'vitest'
import { clientAttacks, serverAttacks } from '../support/hostile.ts'

test.each([
  ['y', 'start'],
  ['notifications', 'ready'],
  ['questions', 'call'],
  ['dense-notification', 'http'],
  ['endless-pages', 'ready'],
] as const)('a server that attacks with %s (%s) holds up nobody else', serverAttacks)

test.each(['many-keys', 'handshake-flood'])(
  'a client that attacks with %s holds up nobody else',
  clientAttacks,
)
