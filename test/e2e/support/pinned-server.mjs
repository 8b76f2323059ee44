/** A server with two tools. Their descriptions are the lines of the file in `argv[2]`, read again for every list. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const inputSchema = { type: 'object' }

function answer({ method, params = {} }) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'pinned', version: '1.0.0' },
    }
  if (method === 'tools/call') return { content: [{ type: 'text', text: `${params.name} was called` }] }
  const [add, send] = readFileSync(process.argv[2], 'utf8').split('\n')
  return {
    tools: [
      { name: 'add', description: add, inputSchema },
      { name: 'send', description: send, inputSchema },
    ],
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) })}\n`)
})
