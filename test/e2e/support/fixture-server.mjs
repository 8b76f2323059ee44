/**
 * A server that does what a test asks of it, over standard input and output. It is plain JSON-RPC without an SDK, so it can also break
 * every rule. `argv[2]`: its name, which marks its answers.
 */
import { createInterface } from 'node:readline'

const name = process.argv[2] ?? 'fixture'
/** Servers of one namespace have resources of the same URIs. */
const namespace = process.env.FIXTURE_NAMESPACE ?? name
const calls = { initialize: 0, 'tools/list': 0, 'tools/call': 0 }
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const waiting = new Map()
let nextId = 1
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(nextId, resolve)
    send({ id: nextId++, method, params })
  })

const object = { type: 'object' }
const tools = {
  give: {
    description: 'Answers with the result it is given.',
    inputSchema: { ...object, properties: { result: object }, required: ['result'] },
  },
  text: {
    description: 'A text of so many characters.',
    inputSchema: { ...object, properties: { size: { type: 'number' } }, additionalProperties: false },
  },
  records: {
    description: 'A JSON array of records.',
    inputSchema: { ...object, properties: { count: { type: 'number' }, pad: { type: 'number' } } },
  },
  typed: {
    description: 'Records with an output schema.',
    inputSchema: object,
    outputSchema: {
      type: 'object',
      properties: {
        rows: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'number' }, name: { type: 'string' } },
            required: ['id', 'name'],
          },
        },
      },
      required: ['rows'],
    },
  },
  strict: {
    description: 'An output schema that nothing shorter fits.',
    inputSchema: object,
    outputSchema: {
      type: 'object',
      properties: { rows: { type: 'array', minItems: 5000, items: { type: 'number' } } },
      required: ['rows'],
    },
  },
  slow: {
    description:
      'Answers after so many milliseconds, with progress; when held, not before `calls` is called.',
    inputSchema: { ...object, properties: { ms: { type: 'number' }, held: { type: 'boolean' } } },
  },
  calls: { description: 'How often it was asked what.', inputSchema: object },
  sample: { description: 'Asks the client for a message.', inputSchema: object },
  die: { description: 'Ends at once.', inputSchema: object },
  garbage: { description: 'Prints lines that are no JSON, then answers.', inputSchema: object },
  half: { description: 'Prints half a message and ends.', inputSchema: object },
  never: { description: 'Never answers.', inputSchema: object },
  big: {
    description: 'One text of so many bytes.',
    inputSchema: { ...object, properties: { bytes: { type: 'number' } } },
  },
  environment: { description: 'Its environment, arguments, directory and pid.', inputSchema: object },
  refuse: { description: 'A JSON-RPC error.', inputSchema: object },
}

const text = (value, more) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
  ...more,
})
const records = (count, pad = 20) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `name ${id}`,
    state: id % 3 === 0 ? 'open' : 'closed',
    price: (id % 100) + 0.5,
    tags: [`t${id % 7}`, 'all'],
    owner: { login: `user${id % 11}`, server: name },
    note: 'x'.repeat(pad),
  }))

async function call({ name: tool, arguments: args = {}, _meta }, id) {
  switch (tool) {
    case 'give':
      return args.result
    case 'text':
      return text('a'.repeat(args.size))
    case 'records':
      return text(records(args.count, args.pad))
    case 'typed': {
      const structuredContent = { rows: records(2000).map(({ id, name }) => ({ id, name })) }
      return text(structuredContent, { structuredContent })
    }
    case 'strict': {
      const structuredContent = { rows: Array.from({ length: 6000 }, (_, n) => n) }
      return text(structuredContent, { structuredContent })
    }
    case 'slow': {
      // From the beginning: `calls` may come as soon as the last step is told.
      const released = args.held ? new Promise((resolve) => held.add(resolve)) : undefined
      for (let step = 1; step <= 4; step++) {
        if (_meta?.progressToken !== undefined) {
          const params = { progressToken: _meta.progressToken, progress: step, total: 4, message: name }
          send({ method: 'notifications/progress', params })
        }
        // Clients drop progress that comes together with the result: who counts the steps has it held.
        await sleep(args.ms / 4)
        if (cancelled.delete(id)) return undefined
      }
      await released
      return text(`slept ${args.ms}`)
    }
    case 'calls':
      for (const release of held) release()
      held.clear()
      return text({ ...calls, name })
    case 'sample':
      return text(
        await ask('sampling/createMessage', {
          messages: [{ role: 'user', content: { type: 'text', text: name } }],
          maxTokens: 5,
        }),
      )
    case 'die':
      process.exit(3)
      break
    case 'garbage':
      process.stdout.write('Listening on port 3000\n{"half": \n\u0000\u0001\n[1,2\n')
      return text('after garbage')
    case 'half':
      process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"te', () => process.exit(0))
      return undefined
    case 'never':
      return undefined
    case 'big': {
      const line = 'The quick brown fox jumps over the lazy dog. '
      return text(line.repeat(Math.ceil(args.bytes / line.length)).slice(0, args.bytes))
    }
    case 'environment':
      return text({ env: process.env, args: process.argv.slice(2), cwd: process.cwd(), pid: process.pid })
    case 'refuse':
      throw { code: -32050, message: 'refused', data: { why: 'because', nested: [1, 2] } }
    default:
      throw { code: -32602, message: `Unknown tool: ${tool}` }
  }
}

const cancelled = new Set()
/** Lets the calls go on that are held. */
const held = new Set()

async function answer({ method, params = {}, id }) {
  if (method in calls) calls[method]++
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: {
          tools: { listChanged: true },
          prompts: {},
          resources: { subscribe: true },
          logging: {},
        },
        serverInfo: { name, version: '1.0.0', title: `The ${name} server` },
        instructions: `Instructions of ${name}.`,
      }
    case 'tools/list': {
      const all = Object.entries(tools).map(([tool, rest]) => ({
        name: tool,
        ...rest,
        annotations: { readOnlyHint: true },
        _meta: { marker: name },
        vendorField: { kept: true },
      }))
      // Three pages, to see that all are fetched.
      const page = Number(params.cursor ?? 0)
      const size = Math.ceil(all.length / 3)
      return {
        tools: all.slice(page * size, (page + 1) * size),
        ...(page < 2 && { nextCursor: String(page + 1) }),
      }
    }
    case 'tools/call':
      return call(params, id)
    case 'prompts/list':
      return { prompts: [{ name: 'greet', description: 'A greeting.', arguments: [{ name: 'who' }] }] }
    case 'prompts/get':
      return {
        messages: [
          { role: 'user', content: { type: 'text', text: `${name} greets ${params.arguments?.who}` } },
        ],
      }
    case 'resources/list':
      return { resources: [{ uri: `fixture://${namespace}/one`, name: 'one' }] }
    case 'resources/templates/list':
      return { resourceTemplates: [{ uriTemplate: `fixture://${namespace}/items/{id}`, name: 'items' }] }
    case 'resources/read':
      return { contents: [{ uri: params.uri, text: `${name} has ${params.uri}` }] }
    case 'resources/subscribe':
      setImmediate(() => send({ method: 'notifications/resources/updated', params: { uri: params.uri } }))
      return {}
    case 'resources/unsubscribe':
      return {}
    case 'logging/setLevel':
      setImmediate(() =>
        send({
          method: 'notifications/message',
          params: { level: params.level, logger: name, data: 'level set' },
        }),
      )
      return {}
    default:
      throw { code: -32601, message: `Method not found: ${method}` }
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line)
  if (message.method === undefined) return waiting.get(message.id)?.(message.result ?? message.error)
  if (message.id === undefined) {
    if (message.method === 'notifications/cancelled') {
      cancelled.add(message.params.requestId)
      process.stderr.write(`cancelled ${message.params.requestId}\n`)
    }
    return undefined
  }
  try {
    const result = await answer(message)
    if (result !== undefined) send({ id: message.id, result })
  } catch (error) {
    send({ id: message.id, error: 'code' in error ? error : { code: -32603, message: String(error) } })
  }
})
