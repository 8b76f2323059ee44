/**
 * The server that the official conformance suite of MCP expects: tools, resources and prompts by the names its scenarios
 * ask for. One definition serves both eras: where a tool needs something of the client it returns `input_required`, which
 * the SDK turns into requests of the server's own for a client of the legacy era.
 */
import { randomBytes } from 'node:crypto'
import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server'
import { addInputTools } from './input-tools.mjs'
import { addPrompts } from './prompts.mjs'
import { addResources } from './resources.mjs'
import { addTools } from './tools.mjs'

/** Seals what the fixture hands to clients between two rounds; one key, for the rounds reach different instances. */
const stateCodec = createRequestStateCodec({ key: randomBytes(32) })

const HINT = { ttlMs: 1000, cacheScope: 'public' }
const CACHED = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']

/**
 * @param era `legacy` (MCP ≤ 2025-11-25) or `modern` (2026-07-28)
 * @param announce `tools()` and `prompts()` tell clients that a list changed; default: the clients of this instance
 */
export function createFixture(era, announce) {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: 'Answers the scenarios of the MCP conformance suite.',
      cacheHints: Object.fromEntries(CACHED.map((method) => [method, HINT])),
      requestState: { verify: stateCodec.verify },
    },
  )
  const own = { tools: () => server.sendToolListChanged(), prompts: () => server.sendPromptListChanged() }
  addTools(server, announce ?? own)
  addInputTools(server, stateCodec)
  addResources(server, era)
  addPrompts(server)
  return server
}
