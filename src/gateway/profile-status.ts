/** What those who choose a profile get of it. */
import type { Profile } from '../config/profiles.ts'
import { LEGACY_VERSIONS } from '../protocol/eras.ts'
import type { Client, Handler } from '../protocol/exchange.ts'
import { isObject } from '../protocol/json.ts'
import { plain } from '../protocol/result.ts'
import { PROXY_TOOL_NAMES } from '../tools/index.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

export interface ProfileStatus extends Profile {
  /** The servers that it is about. */
  readonly servers: readonly string[]
  /** How many tools of theirs belong to it. */
  readonly tools: number
}

/** Asks the servers, one profile after the other. `list`: all layers but those that hide tools. */
export async function profileStatuses(
  profiles: readonly Profile[],
  list: Handler,
  upstreams: Pick<Upstreams, 'serversFor' | 'release'>,
): Promise<ProfileStatus[]> {
  const statuses: ProfileStatus[] = []
  for (const profile of profiles) {
    const client = visitorOf(profile)
    try {
      const { signal } = new AbortController()
      const { agent } = client
      const result = plain(
        await list({
          method: 'tools/list',
          params: {},
          client,
          agent,
          signal,
          notify() {},
          failing: 'throws',
        }),
      )
      const tools = Array.isArray(result.tools) ? result.tools.filter(isObject) : []
      statuses.push({
        ...profile,
        servers: upstreams.serversFor(client),
        tools: tools.filter(({ name }) => !PROXY_TOOL_NAMES.has(String(name))).length,
      })
    } finally {
      await upstreams.release(client)
    }
  }
  return statuses
}

/** A client that only looks. */
function visitorOf({ name }: Profile): Client {
  return {
    id: `profile:${name}`,
    agent: { id: 'profiles', kind: 'local' },
    era: 'legacy',
    profile: name,
    info: {},
    capabilities: {},
    protocolVersion: LEGACY_VERSIONS[0],
    notify() {},
    ask: () => Promise.reject(new Error('nobody is there to be asked')),
  }
}
