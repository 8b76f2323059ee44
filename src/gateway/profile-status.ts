/** The tools that clients of a profile get, and all listed tools. It asks as a client that only looks. */
import type { Profile } from '../config/profiles.ts'
import { plain } from '../protocol/content.ts'
import { LEGACY_VERSIONS } from '../protocol/eras.ts'
import type { Client, Handler } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { PROXY_TOOL_NAMES } from '../proxy/own-tools.ts'
import type { Upstreams } from '../upstream/contract.ts'
import type { ProfileStatus } from './contract.ts'

type Visited = Pick<Upstreams, 'serversFor' | 'release'>

/** Asks the servers, one profile after the other. `list`: all layers except the ones that hide tools. */
export async function profileStatuses(
  profiles: readonly Profile[],
  list: Handler,
  upstreams: Visited,
): Promise<ProfileStatus[]> {
  const statuses: ProfileStatus[] = []
  for (const profile of profiles)
    statuses.push(
      await visit(profile.name, list, upstreams, (tools, client) => ({
        ...profile,
        servers: upstreams.serversFor(client),
        tools: ofServers(tools).length,
      })),
    )
  return statuses
}

/** The servers' tools for a client without a profile. `list`: all layers except the ones that hide tools. */
export function definitionsOfServers(list: Handler, upstreams: Visited): Promise<JsonObject[]> {
  return visit(undefined, list, upstreams, ofServers)
}

/** A tool of a server, and whether clients may use it. */
interface LookedAt {
  readonly name: string
  readonly server: string
  /** The name that its server gives it. */
  readonly original: string
  readonly definition: JsonObject
  readonly enabled: boolean
}

/** All tools of the servers as a client without a profile sees them, and the tools that may not be used. */
export function toolsOfServers(
  list: Handler,
  upstreams: Visited & Pick<Upstreams, 'list'>,
): Promise<LookedAt[]> {
  return visit(undefined, list, upstreams, async (listed, client) => {
    const shown = ofServers(listed).flatMap((definition): LookedAt[] => {
      const origin = originOf(definition)
      const { server = '', name: original = String(definition.name) } = origin ?? {}
      return [{ name: String(definition.name), server, original, definition, enabled: true }]
    })
    const known = new Set(shown.map(({ server, original }) => JSON.stringify([server, original])))
    const all = await upstreams.list('tools', client, new AbortController().signal, { hidden: true })
    const hidden = all.flatMap(({ server, items }) =>
      items.flatMap((definition): LookedAt[] => {
        const original = String(definition.name)
        if (known.has(JSON.stringify([server, original]))) return []
        return [{ name: original, server, original, definition, enabled: false }]
      }),
    )
    return [...shown, ...hidden]
  })
}

function ofServers(tools: readonly JsonObject[]): JsonObject[] {
  return tools.filter(({ name }) => !PROXY_TOOL_NAMES.has(String(name)))
}

/** Lists tools for a client without a profile and for one of each, and has something done while it is there. */
export async function visitAll(
  profiles: readonly Profile[],
  list: Handler,
  upstreams: Visited,
  meanwhile: (client: Client) => Promise<unknown>,
): Promise<void> {
  for (const name of [undefined, ...profiles.map((profile) => profile.name)])
    await visit(name, list, upstreams, (_, client) => meanwhile(client))
}

async function visit<T>(
  profile: string | undefined,
  list: Handler,
  upstreams: Visited,
  then: (tools: readonly JsonObject[], client: Client) => T | Promise<T>,
): Promise<T> {
  const client = visitorOf(profile)
  const { agent } = client
  const { signal } = new AbortController()
  try {
    const result = plain(
      await list({ method: 'tools/list', params: {}, client, agent, signal, notify() {}, failing: 'throws' }),
    )
    return await then(Array.isArray(result.tools) ? result.tools.filter(isObject) : [], client)
  } finally {
    await upstreams.release(client)
  }
}

/** A client that only looks. */
function visitorOf(profile: string | undefined): Client {
  return {
    id: `profile:${profile ?? ''}`,
    agent: { id: 'profiles', kind: 'local' },
    era: 'legacy',
    ...(profile !== undefined && { profile }),
    info: {},
    capabilities: {},
    protocolVersion: LEGACY_VERSIONS[0],
    notify() {},
    ask: () => Promise.reject(new Error('no person can be asked here')),
  }
}
