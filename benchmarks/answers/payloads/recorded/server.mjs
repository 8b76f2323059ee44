/** A real MCP server for the time of a recording, asked through the client of the SDK. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** npx may have to fetch the server. */
const START_LIMIT_MS = 240_000
const CALL_LIMIT_MS = 120_000

/**
 * Starts the server, hands `use` a function that calls a tool and gives the text its result holds, and ends the server.
 * @template T
 * @param {{command: string, args: string[], env?: Record<string, string>, cwd?: string}} server
 * @param {(call: (name: string, args: object) => Promise<string>) => Promise<T>} use
 * @returns {Promise<T>} what `use` returns. Throws when the server cannot be started or a tool fails.
 */
export async function withServer({ command, args, env = {}, cwd }, use) {
  const client = new Client({ name: 'benchmark', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...process.env, ...env },
    stderr: 'ignore',
    ...(cwd !== undefined && { cwd }),
  })
  try {
    await client.connect(transport, { timeout: START_LIMIT_MS })
    return await use(async (name, args) => {
      const result = await client.callTool({ name, arguments: args }, { timeout: CALL_LIMIT_MS })
      const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
      if (result.isError === true) throw new Error(`${name}: ${text.slice(0, 300)}`)
      return text
    })
  } finally {
    await client.close()
  }
}
