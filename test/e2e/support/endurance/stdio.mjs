/**
 * A server on standard input and output that is broken when it is asked to be. `argv[2]`: a file that names, while it is there, what
 * goes wrong at the handshake.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { call, TOOLS, text, wait } from './tools.mjs'

const gate = process.argv[2]
const raw = (line, done) => process.stdout.write(line, done)
const send = (message) => raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const waiting = new Map()
let nextId = 1

const ask = ({ method, params }) =>
  new Promise((resolve) => {
    const id = `s${nextId++}`
    waiting.set(id, resolve)
    send({ id, method, params })
  })

const end = () => process.kill(process.pid, 'SIGKILL')

/** Carries out the fault for a request. It returns undefined: no answer goes out. */
async function fault(kind, id, progress) {
  switch (kind) {
    case 'killed mid-call':
      end()
      break
    case 'killed mid-stream':
      progress({ progress: 1, total: 3 })
      progress({ progress: 2, total: 3 })
      await wait(5)
      end()
      break
    case 'half a message':
      raw(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"con`, end)
      break
    case 'wrong JSON':
      raw(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{oops}}\n`)
      break
    case 'hangs mid-stream':
      progress({ progress: 1, total: 3 })
      break
  }
}

async function answer({ id, method, params = {} }) {
  const progressToken = params._meta?.progressToken
  const progress = (step) => {
    if (progressToken === undefined) return
    send({ method: 'notifications/progress', params: { ...step, progressToken } })
  }
  switch (method) {
    case 'initialize':
      if (gate && existsSync(gate)) return fault(readFileSync(gate, 'utf8'), id, progress)
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'endurance', version: '1' },
      }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: TOOLS }
    case 'tools/call':
      if (params.name === 'fault') return fault(params.arguments.kind, id, progress)
      return call(params, { progress, ask })
    default:
      throw { code: -32601, message: `no ${method}` }
  }
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const message = JSON.parse(line)
    if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? text('refused'))
    if (message.id === undefined) return
    try {
      const result = await answer(message)
      if (result !== undefined) send({ id: message.id, result })
    } catch (error) {
      send({ id: message.id, error })
    }
  })
  .on('close', () => process.exit(0))
