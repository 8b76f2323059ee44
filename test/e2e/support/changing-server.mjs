/**
 * A server with the tools that its client set last, over standard input and output. `argv[2]`: names of its tools at first, with
 * a comma between. `HOLD`: a file without which it answers no list. Every tool says its name, but for `set_tools`, which sets them
 * (`names`) and says so to the client before it answers, and `hang_up`, which never answers.
 */
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const hold = process.env.HOLD
let tools = (process.argv[2] ?? '').split(',')
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const definition = (name) => ({
  name,
  description: `Does the work of ${name.replaceAll('_', ' ')}.`,
  inputSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } },
})

async function answer({ method, params = {} }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'changing', version: '1.0.0' },
      }
    case 'tools/list':
      while (hold !== undefined && !existsSync(hold)) await new Promise((resolve) => setTimeout(resolve, 20))
      return { tools: [...tools, 'set_tools'].map(definition) }
    case 'tools/call': {
      const { name, arguments: args } = params
      if (name === 'hang_up') return undefined
      if (name === 'set_tools') {
        tools = args.names
        send({ method: 'notifications/tools/list_changed' })
      } else if (!tools.includes(name)) throw { code: -32602, message: `Unknown tool: ${name}` }
      return { content: [{ type: 'text', text: `${name} of ${process.pid}` }] }
    }
    default:
      throw { code: -32601, message: `Method not found: ${method}` }
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line)
  if (message.id === undefined) return
  try {
    const result = await answer(message)
    if (result !== undefined) send({ id: message.id, result })
  } catch (error) {
    send({ id: message.id, error: 'code' in error ? error : { code: -32603, message: String(error) } })
  }
})
