/** An MCP server over stdio that gives results of the kinds in `payloads.mjs`: `{kind, bytes, number}`. Each is made once, and its number put in. */
import { createInterface } from 'node:readline'
import { payloadOf } from './payloads.mjs'

const made = new Map()

function textOf({ kind, bytes, number }) {
  const name = `${kind} ${bytes}`
  if (!made.has(name)) made.set(name, payloadOf(kind, bytes))
  return made.get(name)(number)
}

const TOOL = {
  name: 'get',
  description: 'Returns a result.',
  inputSchema: {
    type: 'object',
    properties: { kind: { type: 'string' }, bytes: { type: 'integer' }, number: { type: 'integer' } },
  },
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'payloads', version: '1' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: textOf(args) }] }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params) ?? {}
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
})
