/**
 * A server on standard input and output that gives files of the directory in its first argument. It gives them as a resource, a picture,
 * sound, a text of base64, or a field of data. Each is a resource of its own as well. `echo` gives its arguments back, shortened; `give`
 * a blob of so many bytes.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const directory = process.argv[2] ?? '.'
const TYPES = {
  png: 'image/png',
  wav: 'audio/wav',
  pdf: 'application/pdf',
  txt: 'text/plain',
  json: 'application/json',
}
const typeOf = (name) => TYPES[name.split('.').pop()] ?? 'application/octet-stream'
const isText = (name) => /\.(?:txt|json)$/.test(name)

function contentsOf(name) {
  const bytes = readFileSync(join(directory, name))
  const held = isText(name) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }
  return { uri: `file:///${name}`, mimeType: typeOf(name), ...held }
}

function read({ name, as = 'resource', say }) {
  const data = readFileSync(join(directory, name)).toString('base64')
  const blocks = {
    resource: () => ({ type: 'resource', resource: contentsOf(name) }),
    image: () => ({ type: 'image', data, mimeType: typeOf(name) }),
    audio: () => ({ type: 'audio', data, mimeType: typeOf(name) }),
    text: () => ({ type: 'text', text: data }),
    field: () => ({ type: 'text', text: JSON.stringify({ name, encoding: 'base64', content: data }) }),
  }
  return { content: [...(say ? [{ type: 'text', text: say }] : []), blocks[as]()] }
}

const short = (value) =>
  typeof value === 'string' && value.length > 100
    ? {
        length: value.length,
        sha256: createHash('sha256').update(value).digest('hex'),
        begins: value.slice(0, 40),
      }
    : value
const echo = (args) => ({
  content: [
    {
      type: 'text',
      text: JSON.stringify(
        Object.fromEntries(Object.entries(args).map(([key, value]) => [key, short(value)])),
      ),
    },
  ],
})

const tool = (name, properties, readOnlyHint) => ({
  name,
  inputSchema: { type: 'object', properties },
  annotations: { readOnlyHint },
})
const text = { type: 'string' }

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'files', version: '1' },
  }),
  'tools/list': () => ({
    tools: [
      tool('read', { name: text, as: text, say: text }, true),
      tool('echo', { content: text, more: text }, false),
      tool('give', { bytes: { type: 'integer' } }, true),
    ],
  }),
  'tools/call': ({ name, arguments: args = {} }) => (name === 'echo' ? echo(args) : read(args)),
  'resources/list': () => ({
    resources: readdirSync(directory).map((name) => ({
      uri: `file:///${name}`,
      name,
      mimeType: typeOf(name),
    })),
  }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => {
    if (!/^file:\/\/\/[\w.-]+$/.test(uri)) throw new Error('Resource not found')
    return { contents: [contentsOf(uri.slice('file:///'.length))] }
  },
  ping: () => ({}),
}

/** A blob that is longer than any string may be. */
async function give(id, { bytes }) {
  const write = (piece) => new Promise((resolve) => process.stdout.write(piece, resolve))
  await write(
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"`,
  )
  const piece = 'JVBE'.repeat(64 * 1024)
  for (let left = (bytes * 4) / 3; left > 0; left -= piece.length) await write(piece)
  await write('"}}]}}\n')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'tools/call' && params.name === 'give') return void give(id, params.arguments)
  const answer = (body) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
  try {
    const run = ANSWERS[method]
    answer(run ? { result: run(params ?? {}) } : { error: { code: -32601, message: 'Method not found' } })
  } catch (error) {
    answer({ error: { code: -32002, message: error.message } })
  }
})
