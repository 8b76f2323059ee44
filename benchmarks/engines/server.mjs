/** A server over standard input and output with one tool: a document of a kind and size. */
import { createInterface } from 'node:readline'
import * as data from './data.mjs'

const made = new Map()
const inputSchema = { type: 'object', properties: { kind: { type: 'string' }, bytes: { type: 'integer' } } }

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = (result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  if (method === 'initialize')
    answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'documents', version: '1.0.0' },
    })
  else if (method === 'tools/list') answer({ tools: [{ name: 'document', inputSchema }] })
  else if (method === 'tools/call') answer(document(params.arguments))
  else answer({})
})

function document({ kind, bytes }) {
  const key = `${kind} ${bytes}`
  if (!made.has(key)) made.set(key, kind === 'json' ? data.records(bytes) : data.log(bytes))
  return { content: [{ type: 'text', text: made.get(key) }] }
}
