/**
 * The MCP server behind the proxy in `npm run clients`, over stdio. `node server.mjs [fillers]`: as many more tools.
 * Its records come from no random numbers, so that answers are known: 1,437 orders, of which 479 are late.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const TOWNS = ['Oslo', 'Turin', 'Cork', 'Ghent', 'Porto']
const order = (index) => ({
  id: `ORD-${10_000 + index}`,
  state: index % 3 === 0 ? 'late' : 'sent',
  town: TOWNS[index % TOWNS.length],
  amount: 20 + ((index * 37) % 900),
  customer: { name: `Customer ${index}`, mail: `customer${index}@example.org` },
})
const orders = Array.from({ length: 1437 }, (_, index) => order(index))
const record = {
  type: 'object',
  properties: { id: { type: 'string' }, state: { type: 'string' } },
  required: ['id', 'state'],
}
const listed = {
  type: 'object',
  properties: { orders: { type: 'array', items: record } },
  required: ['orders'],
}
const text = (words) => ({ content: [{ type: 'text', text: words }] })
/** As servers of the SDK answer: the text repeats what is structured. */
const both = (value) => ({ ...text(JSON.stringify(value)), structuredContent: value })
const reads = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

/** A text of so many characters, in lines with a number of their own. */
function lines(characters) {
  const line = (index) => `${`line ${String(index).padStart(6, '0')} `.padEnd(99, 'some words of a log ')}\n`
  return Array.from({ length: characters / 100 }, (_, index) => line(index)).join('')
}

const tools = {
  list_orders: { definition: { outputSchema: listed, annotations: reads }, call: () => both({ orders }) },
  get_order: { definition: { outputSchema: record, annotations: reads }, call: () => both(orders[42]) },
  list_late_orders: {
    definition: { outputSchema: listed, annotations: reads },
    call: () => both({ orders: orders.filter(({ state }) => state === 'late').slice(0, 12) }),
  },
  order_history: { definition: { annotations: reads }, call: () => text(lines(1500)) },
  describe_towns: {
    definition: { annotations: reads },
    call: () =>
      text(JSON.stringify(TOWNS.map((name, index) => ({ name, orders: 287 + (index < 2 ? 1 : 0) })))),
  },
  note_order: { definition: {}, call: () => text('RAN note_order') },
  count_orders: { definition: { annotations: reads }, call: () => text('RAN count_orders: 1437') },
  cancel_order: {
    definition: { annotations: { readOnlyHint: false, destructiveHint: true } },
    call: () => text('RAN cancel_order'),
  },
}
for (const kilo of [8, 12, 20, 30, 50, 100, 200])
  tools[`text_${kilo}k`] = { definition: { annotations: reads }, call: () => text(lines(kilo * 1000)) }
for (let index = 0; index < Number(process.argv[2] ?? 0); index++)
  tools[`archive_${index}`] = { definition: { annotations: reads }, call: () => text('RAN') }

const server = new Server({ name: 'orders', version: '1.0.0' }, { capabilities: { tools: {} } })
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries(tools).map(([name, { definition }]) => ({
    name,
    description: `${name.replaceAll('_', ' ')} of the shop.`,
    inputSchema: { type: 'object', properties: {} },
    ...definition,
  })),
}))
server.setRequestHandler(CallToolRequestSchema, ({ params }) => tools[params.name].call())
await server.connect(new StdioServerTransport())
