/**
 * The least that a module in a process of its own can be: it says what it wants, and has nothing to change.
 * Usage: node interceptor.mjs mutation | validation request | response | both
 */
import { createInterface } from 'node:readline'

const [type, wanted] = process.argv.slice(2)
const phases = wanted === 'both' ? ['request', 'response'] : [wanted]
const verdict = type === 'mutation' ? { modified: false } : { valid: true }
const interceptors = [
  { name: 'idle', type, hooks: phases.map((phase) => ({ events: ['tools/call'], phase })) },
]

function answer(method, params) {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { extensions: { 'io.modelcontextprotocol/interceptors': {} } },
      serverInfo: { name: 'idle', version: '1' },
    }
  if (method === 'interceptors/list') return { interceptors }
  if (method === 'interceptor/invoke') return { interceptor: 'idle', type, phase: params.phase, ...verdict }
  return {}
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: answer(method, params) })}\n`)
})
