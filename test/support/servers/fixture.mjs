/**
 * The base of the fixture servers: an MCP server of the legacy era, without an SDK, so that it can misbehave.
 * `connect(send, options)` yields a function that takes one message of the client.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TOOLS = [
  'echo',
  'env',
  'pid',
  'sleep',
  'big',
  'never',
  'progress',
  'ask',
  'log',
  'grow',
  'calls',
  'empty-answer',
  'refuse',
  'note',
]

const tool = (name, annotations) => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
  'x-unknown': { kept: true },
})

const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

/** Waits until `count` servers have come to the folder: they are asked at the same time or never answer. */
async function meet({ folder, count }) {
  writeFileSync(join(folder, String(process.pid)), '')
  while (readdirSync(folder).length < count) await wait(5)
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * @param send takes a message for the client; `raw` takes text as it is (stdio only)
 * @param options.pages lists tools in so many pages; `loop`: with a cursor that repeats
 * @param options.capabilities what it declares
 * @param options.annotations of tools, by name
 * @param options.grownWhen has a tool `grown` when this file is there at the start
 * @param options.restless says that its tools changed after every list of them
 * @param options.meet lists only when so many servers are asked at the same time
 */
export function connect({ send, raw }, options = {}) {
  const {
    pages = 1,
    capabilities = { tools: { listChanged: true }, logging: {} },
    version,
    name = 'fixture',
  } = options
  const received = []
  const waiting = new Map()
  const cancelled = new Set()
  const tools = (options.tools ?? TOOLS).map((each) => tool(each, options.annotations?.[each]))
  if (options.grownWhen && existsSync(options.grownWhen)) tools.push(tool('grown'))
  let nextId = 1

  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = `s${nextId++}`
      waiting.set(id, resolve)
      send({ jsonrpc: '2.0', id, method, params })
    })

  const list = (cursor) => {
    const page = cursor === undefined ? 0 : Number(cursor)
    const size = Math.ceil(tools.length / (pages === 'loop' ? 1 : pages))
    const items = tools.slice(page * size, (page + 1) * size)
    if (pages === 'loop') return { tools: items, nextCursor: '0' }
    return page + 1 < pages ? { tools: items, nextCursor: String(page + 1) } : { tools: items }
  }

  const call = async (id, { name, arguments: args = {}, _meta = {} }) => {
    switch (name) {
      case 'echo':
        return text(args)
      case 'env':
        return text(process.env)
      case 'pid':
        return text(String(process.pid))
      case 'sleep':
        await wait(args.ms)
        return text('awake')
      case 'big':
        return text('x'.repeat(args.bytes))
      case 'never':
        return new Promise(() => {})
      case 'progress':
        for (let progress = 1; progress <= args.steps; progress++) {
          await wait(args.ms)
          send({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: _meta.progressToken, progress, total: args.steps },
          })
        }
        return text('done')
      case 'ask':
        return text(await ask(args.method, args.params))
      case 'log':
        send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: args.data } })
        return text('logged')
      case 'note':
        send({ jsonrpc: '2.0', method: args.method, params: args.params })
        return text('noted')
      case 'grow':
        tools.push(tool(args.name))
        send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
        return text('grown')
      case 'calls':
        return text({ received, cancelled: [...cancelled] })
      case 'empty-answer':
        return null
      case 'refuse':
        throw { code: -32042, message: 'not today', data: { reason: 'closed' } }
      default:
        return options.call
          ? await options.call(id, name, args, { send, raw })
          : { ...text('no such tool'), isError: true }
    }
  }

  const answer = async ({ id, method, params = {} }) => {
    switch (method) {
      case 'initialize':
        await wait(options.slowStart ?? 0)
        return {
          protocolVersion: version ?? params.protocolVersion,
          capabilities,
          serverInfo: { name, version: '1' },
          instructions: 'a fixture',
        }
      case 'ping':
      case 'logging/setLevel':
        return {}
      case 'tools/list':
        await wait(options.slowList ?? 0)
        if (options.meet) await meet(options.meet)
        if (options.restless)
          setTimeout(() => send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }), 1)
        return list(params.cursor)
      case 'tools/call':
        return call(id, params)
      default:
        throw { code: -32601, message: `no ${method}` }
    }
  }

  return async (message) => {
    received.push(message)
    if (message.method === 'notifications/cancelled') cancelled.add(message.params.requestId)
    if (message.id === undefined) return
    if (message.method === undefined) {
      waiting.get(message.id)?.(message.result ?? { error: message.error })
      return
    }
    try {
      const result = await answer(message)
      if (result !== undefined) send({ jsonrpc: '2.0', id: message.id, result })
    } catch (error) {
      send({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: error.code ?? -32603, message: error.message, data: error.data },
      })
    }
  }
}
