/**
 * The main job on a real server and real files: a client of the MCP SDK talks to the proxy, the proxy to
 * `@modelcontextprotocol/server-filesystem`. Every reply is printed with what it costs against the raw result.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const server = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
const wrapped = [process.execPath, server, root]

// The results that the demo keeps are deleted at its end.
const data = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-demo-'))
process.env.MCPPROXY_DATA_DIR = data

const direct = await connect(wrapped)
const proxied = await connect([
  process.execPath,
  join(root, 'dist/main.js'),
  '--log-level',
  'error',
  '--',
  ...wrapped,
])

const { tools } = await proxied.listTools()
heading(`One connection, ${tools.length} tools`)
console.log(tools.map(({ name }) => name).join(', '))

const lock = { path: join(root, 'package-lock.json') }
heading('The same call without and with the proxy: read_text_file package-lock.json')
const raw = text(await direct.callTool({ name: 'read_text_file', arguments: lock }))
const rawTokens = tokens(raw)
console.log(
  `without: ${raw.length.toLocaleString('en')} characters, ${rawTokens.toLocaleString('en')} tokens of context, all or nothing\n`,
)
const preview = await show('filesystem_read_text_file', lock)
const handle = /[0-9a-z]{12}/.exec(preview)?.[0]

heading('Which licences, and how many packages of each?')
await show('proxy_filter', { cache_id: handle, path: '$.packages', group_by: 'license', aggregate: 'count' })

heading('Which packages are made for certain processors?')
await show('proxy_filter', {
  cache_id: handle,
  path: '$.packages',
  where: ['cpu exists'],
  fields: ['_key', 'cpu'],
  limit: 10,
})

heading('Where does "levenshtien" (a typo) occur?')
await show('proxy_search', { cache_id: handle, pattern: 'levenshtien', mode: 'fuzzy', max_results: 3 })

heading('What does one entry look like?')
await show('proxy_explore', { cache_id: handle, path: '$.packages["node_modules/zod"]' })

heading('A fresh call: the answer alone, the whole result kept')
await show('proxy_search', {
  tool: 'filesystem_directory_tree',
  arguments: { path: join(root, 'src') },
  pattern: 'result-store',
})

await Promise.all([direct.close(), proxied.close()])
rmSync(data, { recursive: true, force: true })

async function connect([command, ...args]) {
  const client = new Client({ name: 'demo', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' }))
  return client
}

async function show(name, args) {
  console.log(`> ${name} ${JSON.stringify(args)}`)
  const reply = text(await proxied.callTool({ name, arguments: args }))
  console.log(reply)
  const cost = tokens(reply)
  console.log(`\n[${cost.toLocaleString('en')} tokens; the raw result: ${rawTokens.toLocaleString('en')}]`)
  return reply
}

function heading(title) {
  console.log(`\n=== ${title}`)
}

function text(result) {
  return result.content.map((block) => block.text ?? '').join('\n')
}

/** Counted in pieces: the tokenizer is quadratic on long runs without a space. */
function tokens(value) {
  let sum = 0
  for (let start = 0; start < value.length; start += 4096)
    sum += countTokens(value.slice(start, start + 4096))
  return sum
}
