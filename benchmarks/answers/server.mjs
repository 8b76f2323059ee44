/**
 * An MCP server over standard input and output that gives the payloads of a folder by name, each as one text block.
 * Usage: node benchmarks/answers/server.mjs DIR   (files named by `fileOf`)
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The one tool. A name no payload has is an error of the tool, as servers of files do it. */
export const GET = {
  name: 'get',
  description: 'Returns a stored result by its name, as the service gave it.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'Name of the result.' } },
    required: ['name'],
  },
}

/** The file a payload lies in: one name, whatever the payload is called. */
export function fileOf(name) {
  return `${encodeURIComponent(name).replaceAll('.', '%2E')}.payload`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2] ?? '.')

function serve(folder) {
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (data) => {
    const lines = (rest + data).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') answer(JSON.parse(line), folder)
  })
  process.stdin.on('end', () => process.exit(0))
}

function answer({ id, method, params }, folder) {
  if (id === undefined) return
  const result = resultOf(method, params, folder)
  const body = result ? { result } : { error: { code: -32601, message: `no method ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
}

function resultOf(method, params, folder) {
  if (method === 'initialize') {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'payloads', version: '1.0.0' },
    }
  }
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools: [GET] }
  if (method === 'tools/call') return get(String(params.arguments?.name), folder)
  return undefined
}

function get(name, folder) {
  try {
    return { content: [{ type: 'text', text: readFileSync(join(folder, fileOf(name)), 'utf8') }] }
  } catch {
    return { isError: true, content: [{ type: 'text', text: `No result is called ${name}.` }] }
  }
}
