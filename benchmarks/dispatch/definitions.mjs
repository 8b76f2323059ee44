/** The text that a client reads before it asks anything: definitions of tools and instructions, in each exposure. */
import { definitionsOf } from '../../dist/features/dispatch/index.js'
import { PROXY_TOOL_NAMES } from '../../dist/proxy/own-tools.js'
import { definitionTokens } from '../answers/tokens.mjs'
import { clientOf } from '../retrieval/client.mjs'
import { installedServers, withFolder, withProxy } from './world.mjs'

const ofServers = (tools) => tools.filter(({ name }) => !PROXY_TOOL_NAMES.has(name))

const EXPOSURES = {
  passthrough: { exposure: 'passthrough' },
  retrieve: { exposure: 'retrieve' },
  dispatch: { exposure: 'dispatch' },
  split: { exposure: 'dispatch', dispatch: { variants: 'readWriteDestructive' } },
}

/** Through the real proxy: each exposure's definitions, and the instructions beside them. */
export async function realDefinitions(
  name,
  serversIn = installedServers,
  exposures = Object.keys(EXPOSURES),
) {
  return withFolder(async (folder) => {
    const servers = serversIn(folder)
    const row = { set: name, servers: Object.keys(servers).length }
    for (const exposure of exposures) {
      await withProxy({ folder, servers, settings: EXPOSURES[exposure] }, async ({ client }) => {
        const { tools } = await client.listTools({}, { timeout: 180_000 })
        row[exposure] = definitionTokens(tools)
        if (exposure === 'passthrough') {
          const theirs = ofServers(tools)
          row.tools = theirs.length
          row.servers = new Set(theirs.map((tool) => serverOf(tool.name, servers))).size
          row.direct = definitionTokens(theirs)
        }
      })
    }
    return row
  })
}

/** The first tools of the file server, as it lists them. */
export async function fileTools(count) {
  return withFolder(async (folder) => {
    const { filesystem } = installedServers(folder)
    return withProxy({ folder, servers: { filesystem }, settings: {} }, async ({ client }) => {
      const { tools } = await client.listTools()
      return ofServers(tools)
        .slice(0, count)
        .map((definition) => {
          const name = definition.name.replace('filesystem_', '')
          return { server: 'filesystem', name, definition: { ...definition, name } }
        })
    })
  })
}

function serverOf(name, servers) {
  return Object.keys(servers).find((server) => name.startsWith(`${server}_`)) ?? name
}

/** Of tools that are only listed: what the same parts of the proxy say of them. */
export async function listedDefinitions(name, tools) {
  const { shown, all } = await clientOf(tools).definitions()
  const definitions = tools.map(({ server, definition }) => ({
    ...definition,
    name: `${server}_${definition.name}`,
  }))
  return {
    set: name,
    servers: new Set(tools.map(({ server }) => server)).size,
    tools: tools.length,
    direct: definitionTokens(definitions),
    passthrough: all,
    retrieve: shown,
    dispatch: dispatchTokens(false),
    split: dispatchTokens(true),
  }
}

function dispatchTokens(splitCalls) {
  return definitionTokens(definitionsOf({ splitCalls, code: true }).map(({ definition }) => definition))
}
