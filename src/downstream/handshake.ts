/** `initialize` of the legacy era (MCP ≤ 2025-11-25, basic/lifecycle). */
import { LEGACY_VERSIONS } from '../protocol/eras.ts'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import type { AnnouncedList } from './audience.ts'

/** The client's version when we speak it, else our newest (basic/lifecycle, "Version Negotiation"). */
export function negotiateVersion(wanted: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === wanted) ?? LEGACY_VERSIONS[0]
}

/** What is offered while nothing is known of the servers yet: a list may then turn out empty, but nothing is missing. */
const EVERYTHING: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}

/** Capabilities whose lists change under the proxy whatever their server says: it may be restarted. */
const LISTS = new Set(['resources', 'prompts'])

/**
 * The capabilities of all servers in one: `tools` always (the proxy has its own), each other one when a server has it or is
 * still unknown. What one server can do is not taken back by another that cannot.
 */
export function joinCapabilities(servers: readonly (JsonObject | undefined)[]): JsonObject {
  if (servers.some((initialize) => initialize === undefined)) return EVERYTHING
  const joined: JsonObject = { tools: { listChanged: true } }
  for (const initialize of servers) {
    if (!isObject(initialize?.capabilities)) continue
    for (const [name, value] of Object.entries(initialize.capabilities)) {
      if (name === 'tools' || !isObject(value)) continue
      const before = own(joined, name)
      const both = { ...(isObject(before) ? before : {}) }
      for (const [part, able] of Object.entries(value)) if (able !== false) setOwn(both, part, able)
      setOwn(joined, name, LISTS.has(name) ? { ...both, listChanged: true } : both)
    }
  }
  return joined
}

/** Which changes of lists a client that was told these capabilities waits for. */
export function hearsOf(capabilities: JsonObject): (list: AnnouncedList) => boolean {
  return (list) => {
    const capability = own(capabilities, list)
    return isObject(capability) && own(capability, 'listChanged') === true
  }
}
