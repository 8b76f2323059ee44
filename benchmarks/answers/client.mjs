/** The least of an MCP client over standard input and output: starts the server, pairs requests with answers. */
import { spawn } from 'node:child_process'

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ tools: object[], instructions: string, result: (name: string, args: object) => Promise<object>, call: (name: string, args: object) => Promise<{ text: string, isError: boolean }>, read: (uri: string) => Promise<object>, close: () => Promise<void> }>}
 */
export async function connect(command, args, { cwd, env } = {}) {
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting = new Map()
  let last = 0
  let pieces = []
  let complaints = ''
  let ended
  child.stderr.on('data', (data) => {
    complaints = (complaints + data).slice(-4000)
  })
  const gone = new Promise((resolve) => {
    child.once('exit', (code) => {
      ended = new Error(`the server ended with ${code}: ${complaints}`)
      for (const { reject } of waiting.values()) reject(ended)
      waiting.clear()
      resolve()
    })
  })
  child.stdin.on('error', () => {})
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (data) => {
    let from = 0
    for (let end = data.indexOf('\n'); end >= 0; end = data.indexOf('\n', from)) {
      pieces.push(data.slice(from, end))
      receive(JSON.parse(pieces.join('')))
      pieces = []
      from = end + 1
    }
    if (from < data.length) pieces.push(data.slice(from))
  })

  function receive(message) {
    const waits = waiting.get(message.id)
    waiting.delete(message.id)
    waits?.resolve(message)
  }
  function send(message) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  async function request(method, params) {
    if (ended) throw ended
    last += 1
    const id = last
    const message = await new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
    })
    if (message.error) throw new Error(`${method}: ${message.error.message}`)
    return message.result
  }

  const { instructions = '' } = await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'benchmark', version: '1.0.0' },
  })
  send({ method: 'notifications/initialized' })
  const { tools } = await request('tools/list', {})
  return {
    tools,
    instructions,
    /** The result as it came. */
    result: (name, callArguments) => request('tools/call', { name, arguments: callArguments }),
    async call(name, callArguments) {
      const result = await request('tools/call', { name, arguments: callArguments })
      const text = result.content.map((block) => block.text ?? '').join('\n')
      return { text, isError: result.isError === true }
    },
    /** `resources/read`. */
    read: (uri) => request('resources/read', { uri }),
    async close() {
      child.stdin.end()
      const late = setTimeout(() => child.kill('SIGKILL'), 3000)
      await gone
      clearTimeout(late)
    },
  }
}
