/**
 * The server that the official conformance suite of MCP expects: tools, resources and prompts by the names its scenarios
 * ask for. One definition serves both eras. Where a tool needs something of the client, it returns `input_required`. For a client of the
 * legacy era the SDK turns this into requests of the server.
 */
import { randomBytes } from 'node:crypto'
import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server'
import { addInputTools } from './input-tools.mjs'
import { addPrompts } from './prompts.mjs'
import { addResources } from './resources.mjs'
import { addTools, text } from './tools.mjs'

/** Seals what the fixture hands to clients between two rounds; one key, for the rounds reach different instances. */
const stateCodec = createRequestStateCodec({ key: randomBytes(32) })

const HINT = { ttlMs: 1000, cacheScope: 'public' }
const CACHED = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']

/**
 * @param era `legacy` (MCP ≤ 2025-11-25) or `modern` (2026-07-28)
 * @param lists what is switched on (`lists.mjs`)
 * @param lasting whether the instance outlives one request, and so has to tell its client of changes
 */
export function createFixture(era, lists, lasting) {
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
  addTools(server, lists)
  addInputTools(server, stateCodec)
  addResources(server, era)
  addPrompts(server)
  addSwitched(server, lists, lasting)
  return server
}

/** A tool and a prompt that are there while they are switched on. Switching one tells the client of the instance. */
function addSwitched(server, lists, lasting) {
  const switched = {
    tools: server.registerTool('test_switched_tool', { description: 'Comes and goes.' }, () => ({
      content: [text('Here.')],
    })),
    prompts: server.registerPrompt('test_switched_prompt', { description: 'Comes and goes.' }, () => ({
      messages: [{ role: 'user', content: text('Here.') }],
    })),
  }
  const ends = Object.entries(switched).map(([list, item]) => {
    const set = () => item.update({ enabled: lists.on[list] })
    set()
    return lasting ? lists.follow(list, set) : () => {}
  })
  const { onclose } = server.server
  server.server.onclose = () => {
    for (const end of ends) end()
    onclose?.()
  }
}
