/** The catalogue: what servers and clients may do to others, at different moments, for honest clients of every kind. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import {
  clientAttacks,
  type Front,
  type Moment,
  serverAttacks,
  stdioClientAttacks,
  summaryOfAttacks,
} from '../support/hostile.ts'

const namesIn = <T>(program: string): T =>
  JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(new URL(program, import.meta.url))], { encoding: 'utf8' }),
  )

type Kind = 'FLOODS' | 'LISTS' | 'CALLS' | 'HANDSHAKES' | 'DRIPS' | 'MANNERS' | 'OVER_HTTP'
const KINDS = namesIn<Record<Kind, string[]>>('./server.mjs')
const CLIENTS = namesIn<string[]>('./client.mjs')

/** A line of its own cannot be sent as an event of its own. */
const LINES_ONLY = ['blank', 'spaces', 'carriage-returns', 'binary']
const MOMENTS: Moment[] = ['start', 'ready', 'call']
const FRONTS: Front[] = ['stdio', 'legacy', 'modern']

/** All fronts have their turn, and not with the same moments each. */
const at = <T>(all: readonly T[], index: number): T => all[index % all.length] as T
const { FLOODS, LISTS, CALLS, HANDSHAKES, DRIPS, MANNERS, OVER_HTTP } = KINDS
const SERVERS: [string, Moment, Front][] = [
  ...FLOODS.map((attack, n): [string, Moment, Front] => [
    attack,
    at(MOMENTS, n),
    at(FRONTS, n + Math.floor(n / 3)),
  ]),
  ...[...LISTS, ...CALLS, ...HANDSHAKES, ...DRIPS, ...MANNERS].map((attack, n): [string, Moment, Front] => [
    attack,
    'ready',
    at(FRONTS, n),
  ]),
  ...[
    ...FLOODS.filter((attack) => !LINES_ONLY.includes(attack)),
    ...LISTS,
    ...CALLS.slice(2),
    ...OVER_HTTP,
  ].map((attack, n): [string, Moment, Front] => [attack, 'http', at(FRONTS, n)]),
]

const LINES: Record<string, () => string | Uint8Array> = {
  garbage: () => 'y\n'.repeat(5000),
  'empty lines': () => '\n'.repeat(20_000),
  'bytes that are no text': () => Buffer.concat([Buffer.alloc(50_000, 255), Buffer.from('\n')]),
  'what is no request': () => '{"jsonrpc":2,"id":{},"method":[]}\n'.repeat(500),
  'too many values': () =>
    `{"jsonrpc":"2.0","id":"x","method":"x","params":{"a":[${'[],'.repeat(1_000_000)}1]}}\n`,
  'too many levels': () => `{"jsonrpc":"2.0","id":"x","method":"x","params":{"a":${'['.repeat(1_000_000)}\n`,
  'a line that is too long': () => `${'x'.repeat(2_000_000)}\n`,
  'requests in numbers': () => '{"jsonrpc":"2.0","id":"x","method":"tools/list"}\n'.repeat(50),
  'a second handshake': () => '{"jsonrpc":"2.0","id":"x","method":"initialize","params":{}}\n',
  cancellations: () =>
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'.repeat(1000),
}

afterAll(() => {
  process.stderr.write(summaryOfAttacks())
})

test('there are at least 60 servers and 40 clients', () => {
  expect(new Set(Object.values(KINDS).flat()).size).toBeGreaterThanOrEqual(60)
  expect(CLIENTS.length).toBeGreaterThanOrEqual(40)
})

test.each(SERVERS)(
  'a server that attacks with %s (%s) harms no other server or client (%s)',
  (attack, moment, front) => serverAttacks(attack, moment, { front }),
)
test.each(CLIENTS.map((attack, n) => [attack, at(['legacy', 'modern'] as const, n)] as const))(
  'a client that attacks with %s harms no other client (%s)',
  (attack, front) => clientAttacks(attack, { front }),
)
test.each(Object.entries(LINES))('a client that writes %s between its calls has them answered', (_, lines) =>
  stdioClientAttacks(lines),
)
