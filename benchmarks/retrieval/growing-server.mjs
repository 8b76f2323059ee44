/** A server of so many tools (the argument) that gets one more with each call of `grow`, and says so (`list_changed`). */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'growing', version: '1.0.0' })
const done = async () => ({ content: [{ type: 'text', text: 'done' }] })

server.registerTool(
  'grow',
  { description: 'Adds a tool for a word', inputSchema: { word: z.string() } },
  async ({ word }) => {
    server.registerTool(`polish_${word}`, { description: `Polishes the ${word} until it shines` }, done)
    return done()
  },
)
for (let place = 1; place < Number(process.argv[2]); place++)
  server.registerTool(
    `archive_${place}`,
    { description: `Moves records of shelf ${place} to the archive`, inputSchema: { id: z.string() } },
    done,
  )
await server.connect(new StdioServerTransport())
