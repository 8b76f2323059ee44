/**
 * A server with the tools of a file, over standard input and output. `argv[2]`: a JSON file `{ tools, silent }`, which may
 * change at any time: a change of the tools is told, and while `silent` is true nothing is answered. A call tells what was called;
 * `lists` in the answer is how often its list was asked for.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const file = process.argv[2]
let text = ''
let state = { tools: [] }
let lists = 0
const held = []
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

function look() {
  const now = readFileSync(file, 'utf8')
  // Half of a file is no JSON: the next look sees the whole.
  if (now === text || !now.endsWith('\n')) return false
  const before = JSON.stringify(state.tools)
  text = now
  state = JSON.parse(now)
  if (!state.silent) for (const message of held.splice(0)) answer(message)
  return JSON.stringify(state.tools) !== before
}

function answer({ id, method, params }) {
  if (id === undefined) return
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'catalogue', version: '1' },
      },
    })
  else if (method === 'tools/list') {
    lists++
    send({ id, result: { tools: state.tools } })
  } else if (method === 'tools/call') {
    const known = state.tools.some(({ name }) => name === params.name)
    if (known)
      send({ id, result: { content: [{ type: 'text', text: JSON.stringify({ ran: params.name, lists }) }] } })
    else send({ id, error: { code: -32602, message: `Unknown tool: ${params.name}` } })
  } else send({ id, result: {} })
}

look()
setInterval(() => {
  // Ten times, as some servers do: one for each tool that they register.
  if (look()) for (let n = 0; n < 10; n++) send({ method: 'notifications/tools/list_changed' })
}, 20).unref()
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (state.silent) held.push(message)
  else answer(message)
})
