/**
 * A server over stdio with ten tools: `node server.mjs NAME DELAYS`. DELAYS is a JSON file of milliseconds by name, read at the start,
 * for which the server answers nothing. It is a file, so that a server stays the same one when it becomes slow.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [name, delays] = process.argv.slice(2)
const delay = JSON.parse(readFileSync(delays, 'utf8'))[name] ?? 0
const tools = Array.from({ length: 10 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does the ${index}th thing that ${name} can do, with what it is given.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}))
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name, version: '1' },
  }),
  'tools/list': () => ({ tools }),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = answers[method]?.(params) ?? {}
  setTimeout(() => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`), delay)
})
