/** A server of the SDK with the tools that the documentation of the dispatch tool has for examples, over standard input and output. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import * as z from 'zod'

const server = new McpServer({ name: 'time', version: '1.0.0' })
const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })

server.registerTool(
  'get_current_time',
  {
    description: 'The time now.',
    inputSchema: { timezone: z.string().optional() },
    annotations: { readOnlyHint: true },
  },
  () => text({ time: '2026-02-18T10:00:00Z' }),
)
server.registerTool(
  'dataTransform',
  {
    description: 'Counts the entries of a list.',
    inputSchema: { entries: z.array(z.looseObject({ name: z.string() })) },
    annotations: { readOnlyHint: true },
  },
  ({ entries }) => text({ count: entries.length, last: entries.at(-1)?.name }),
)
await server.connect(new StdioServerTransport())
