/** Which profile the address of a request names. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { otherProfiles, type Profile } from '../../config/profiles.ts'
import type { Principal, Visitor } from '../backend.ts'
import { refuse } from './request.ts'

/** Where MCP is served, and what may be chosen there. */
export interface ProfilePath {
  /** `/mcp`: profiles are below it. */
  readonly path: string
  /** Those there are now. */
  profiles(): readonly Profile[]
}

/**
 * The client and the profile it chose; undefined when the request was refused, with 404 where nothing is served. The path counts as it was
 * sent: a proxy in front that decides by paths must not read another one than we do.
 */
export function visitorAt(
  { path, profiles }: ProfilePath,
  request: IncomingMessage,
  response: ServerResponse,
  principal: Principal | undefined,
): Visitor | undefined {
  const sent = pathOf(request)
  const open = profiles().filter((profile) => mayEnter(principal, profile))
  if (sent === path) {
    if (admits({ profiles }, principal, undefined)) return { principal, profile: undefined }
    refuse(response, 403, `This token is for single profiles. ${otherProfiles('', namesOf(open))}`)
    return undefined
  }
  const name = sent.startsWith(`${path}/`) ? sent.slice(path.length + 1) : undefined
  if (name !== undefined && open.some((profile) => profile.name === name)) return { principal, profile: name }
  refuse(
    response,
    404,
    name === undefined || open.length === 0 ? `MCP is served at ${path}` : unknown(name, open),
  )
  return undefined
}

/** Whether this client may use this profile, or none. */
export function admits(
  { profiles }: Pick<ProfilePath, 'profiles'>,
  principal: Principal | undefined,
  profile: string | undefined,
): boolean {
  const open = profiles().filter((one) => mayEnter(principal, one))
  if (profile !== undefined) return open.some(({ name }) => name === profile)
  return principal?.profiles === undefined || open.some(({ isDefault }) => isDefault)
}

/** False for a profile that is no longer there. */
export function isThere({ profiles }: ProfilePath, name: string | undefined): boolean {
  return name === undefined || profiles().some((profile) => profile.name === name)
}

/** False for a token that is for other profiles alone. */
function mayEnter({ profiles }: Principal = NOBODY, { name }: Pick<Profile, 'name'>): boolean {
  return profiles === undefined || profiles.includes(name)
}

const NOBODY: Principal = { id: '' }

function unknown(name: string, open: readonly Profile[]): string {
  return `There is no profile ${JSON.stringify(name.slice(0, 64))}. ${otherProfiles(name, namesOf(open))}`
}

function namesOf(profiles: readonly Profile[]): string[] {
  return profiles.map(({ name }) => name)
}

/** Without the query, and without the origin that requests to a proxy have in front. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#].*$/s, '').replace(/^https?:\/\/[^/]*/i, '')
}
