/** Makes, lists and removes the bearer tokens with which clients connect over HTTP. */

import { otherProfiles, profilesOf } from '../config/profiles.ts'
import {
  changeTokens,
  createToken,
  isTokenName,
  mayExist,
  nextWithoutTokens,
  readTokens,
  type TokenEntry,
  tokenFile,
} from '../data/tokens.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Host, Invocation } from './host.ts'
import { settle } from './settle.ts'

/**
 * Prints a new token, alone, to standard output: it is shown this once. `expires`: `90d`, `12h` or a date; undefined: never.
 * With `--profile` it opens that profile alone.
 * `now` is in milliseconds since 1970.
 */
export async function addToken(
  host: Host,
  invocation: Invocation,
  name: string,
  expires: string | undefined,
  now: number = Date.now(),
): Promise<number> {
  if (!isTokenName(name)) {
    throw new ProxyError(
      'CONFIG_INVALID',
      'A token has a name of one line and up to 64 characters.',
      'Write for example: mcp-rlm-proxy token add laptop',
    )
  }
  const { path, profiles: there } = await placeOf(host, invocation)
  const { profile } = invocation.flags
  if (profile !== undefined && !there.includes(profile)) {
    const next = otherProfiles(profile, there)
    throw new ProxyError('CONFIG_INVALID', `There is no profile ${profile.slice(0, 100)}.`, next)
  }
  const first = !mayExist(path)
  const { token, entry } = createToken(name, {
    now,
    expires: expires === undefined ? undefined : expiry(expires, now),
    profiles: profile === undefined ? undefined : [profile],
  })
  changeTokens(path, (entries) => {
    if (entries.some((other) => other.name === name)) {
      throw new ProxyError(
        'CONFIG_INVALID',
        `There is a token ${name} already.`,
        `Choose another name, or remove it first: mcp-rlm-proxy token remove ${JSON.stringify(name)}`,
      )
    }
    return [...entries, entry]
  })
  host.stdout.write(`${token}\n`)
  const limit = profile === undefined ? '' : `, for the profile ${profile} alone`
  const until = `${entry.expires === undefined ? '' : ` until ${entry.expires}`}${limit}`
  host.stderr.write(
    `Token ${entry.id} for ${name}${until}. It is shown this once; ${path} holds its hash alone.\n` +
      `Clients send it with every request: Authorization: Bearer <token>\n`,
  )
  if (first)
    host.stderr.write(
      `It is the first: restart a proxy that runs. Every HTTP gateway that uses ${path} asks for tokens from its next start on.\n` +
        'For one gateway alone, name another file in auth.tokens.\n',
    )
  return 0
}

export async function listTokens(
  host: Host,
  invocation: Invocation,
  json: boolean,
  now: number = Date.now(),
): Promise<number> {
  const { path } = await placeOf(host, invocation)
  const entries = mayExist(path) ? readTokens(path) : []
  if (json) {
    const rows = entries.map(({ hash: _, ...entry }) => ({ ...entry, expired: isExpired(entry, now) }))
    host.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  } else if (entries.length === 0) {
    host.stdout.write(`There are no tokens in ${path}. Make one with: mcp-rlm-proxy token add <name>\n`)
  } else {
    const width = Math.max(...entries.map(({ name }) => name.length))
    for (const entry of entries)
      host.stdout.write(`${entry.id}  ${entry.name.padEnd(width)}  ${lifeOf(entry, now)}\n`)
  }
  return 0
}

/** `which`: a name or an id. */
export async function removeToken(host: Host, invocation: Invocation, which: string): Promise<number> {
  const { path, named } = await placeOf(host, invocation)
  const unknown = new ProxyError(
    'CONFIG_INVALID',
    `There is no token ${which} in ${path}.`,
    'See them with: mcp-rlm-proxy token list',
  )
  if (!mayExist(path)) throw unknown
  let left = 0
  changeTokens(path, (entries) => {
    const kept = entries.filter(({ id, name }) => id !== which && name !== which)
    if (kept.length === entries.length) throw unknown
    left = kept.length
    return kept
  })
  host.stdout.write(`Removed ${which}. A proxy that runs refuses it within a second.\n`)
  if (left === 0)
    host.stderr.write(
      `No token is left in ${path}: every HTTP gateway that uses it refuses every client (401), now and after a restart.\n` +
        `${nextWithoutTokens(path, named)}\n`,
    )
  return 0
}

async function placeOf(
  host: Host,
  invocation: Invocation,
): Promise<{ path: string; named: boolean; profiles: string[] }> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  return {
    ...tokenFile(config.settings, host.cwd, host.home),
    profiles: profilesOf(config.modules).map(({ name }) => name),
  }
}

function isExpired({ expires }: Pick<TokenEntry, 'expires'>, now: number): boolean {
  return expires !== undefined && Date.parse(expires) <= now
}

function lifeOf(entry: TokenEntry, now: number): string {
  const limit = entry.profiles === undefined ? '' : `for ${entry.profiles.join(', ') || 'no profile'}, `
  const made = `${limit}made ${entry.created.slice(0, 10)}`
  if (entry.expires === undefined) return `${made}, does not expire`
  return `${made}, ${isExpired(entry, now) ? 'EXPIRED' : 'expires'} ${entry.expires.slice(0, 10)}`
}

const HOUR = 3_600_000
const UNITS: Readonly<Record<string, number>> = {
  h: HOUR,
  d: 24 * HOUR,
  w: 7 * 24 * HOUR,
  y: 365 * 24 * HOUR,
}

/** From `90d` or a date to milliseconds since 1970. */
function expiry(text: string, now: number): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([hdwy])$/.exec(text.trim()) ?? []
  const length = Number(count) * (UNITS[unit] ?? 0)
  const at = length > 0 ? now + length : /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  // The last moment that a date can say.
  if (at > now && at <= 8.64e15) return at
  throw new ProxyError(
    'CONFIG_INVALID',
    `--expires is ${JSON.stringify(text)}, which is no time to come.`,
    'Write hours, days, weeks or years (12h, 90d, 8w, 1y) or a date (2030-01-31).',
  )
}
