/** The catalogue: what servers and clients may do to others, at each moment. */
import { test } from 'vitest'
import { clientAttacks, type Moment, serverAttacks } from '../support/hostile.ts'

const FLOODS = [
  'y',
  'blank',
  'long-garbage',
  'braces',
  'half-json',
  'binary',
  'no-jsonrpc',
  'notifications',
  'progress',
  'list-changed',
  'updated',
  'cancelled',
  'unknown-notification',
  'pings',
  'questions',
  'same-question',
  'unknown-request',
  'strange-answers',
  'strange-errors',
  'batches',
  'deep-notification',
  'dense-notification',
  'long-notification',
  'many-keys',
  'long-error',
  'long-method',
]
const OTHERS = [
  'endless-pages',
  'fat-pages',
  'fat-cursor',
  'many-tools',
  'dense-list',
  'never',
  'silent',
  'deaf',
  'drip-lines',
  'drip-bytes',
  'drip-halves',
]
const OVER_HTTP = [
  ...FLOODS.filter((attack) => attack !== 'blank' && attack !== 'binary'),
  'comments',
  'endless-pages',
  'fat-pages',
  'dense-list',
]
const CLIENTS = [
  'many-keys',
  'many-values',
  'deep',
  'fat-capabilities',
  'fat-info',
  'fat-modern',
  'handshake-flood',
  'modern-faces',
  'half-bodies',
  'fat-halves',
  'half-headers',
  'garbage',
  'not-json',
  'long-body',
  'big-batch',
  'foreign-session',
  'hang-up',
  'duplicate-keys',
  'wrong-types',
  'prototype-keys',
]

const SERVERS: [string, Moment][] = [
  ...FLOODS.flatMap((attack): [string, Moment][] => [
    [attack, 'start'],
    [attack, 'ready'],
    [attack, 'call'],
  ]),
  ...OTHERS.map((attack): [string, Moment] => [attack, 'ready']),
  ...OVER_HTTP.map((attack): [string, Moment] => [attack, 'http']),
]

test.each(SERVERS)('a server that attacks with %s (%s) holds up nobody else', serverAttacks)
test.each(CLIENTS)('a client that attacks with %s holds up nobody else', clientAttacks)
