/** Calls, programs and requests of the pages as they are printed, before servers of this process. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { type Embedded, embedded, type ReadResult, toolServer } from '../support/embedded.ts'
import { temporaryFolder } from '../support/upstream.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const read = (page: string): string => readFileSync(join(docs, page), 'utf8')

/** The handle of the pages. */
const PRINTED = 'ksc482dhw169'
const READS = { annotations: { readOnlyHint: true } }

const rows = Array.from({ length: 900 }, (_, id) => ({
  ...{ id, number: id, state: id % 3 ? 'open' : 'closed', title: `refund of order ${id}` },
  ...{ user: `u${id % 7}`, price: 2, total: id, text: 'The bill is wrong.' },
}))
const wanted = (...required: string[]): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(required.map((name) => [name, {}])),
  required,
})

const servers = {
  github: toolServer({
    list_issues: {
      ...READS,
      inputSchema: {
        type: 'object',
        properties: { repo: { type: 'string' }, state: { type: 'string' }, page: { type: 'integer' } },
      },
      run: ({ page = 1 }) =>
        JSON.stringify({ total: 900, page, items: rows.slice(300 * (Number(page) - 1), 300 * Number(page)) }),
    },
    create_issue: {
      description: 'Open an issue.',
      inputSchema: wanted('owner', 'repo', 'title'),
      run: () => 'created',
    },
  }).serve,
  filesystem: toolServer({ write_file: { inputSchema: wanted('path', 'content'), run: () => 'written' } })
    .serve,
  slack: toolServer({ post_message: { inputSchema: wanted('channel', 'text'), run: () => 'sent' } }).serve,
  sql: toolServer({
    execute_sql: {
      ...READS,
      description: 'Gives rows of a table.',
      inputSchema: wanted('sql'),
      run: ({ sql }) => JSON.stringify(rows.slice(0, Number(/LIMIT (\d+)/.exec(String(sql))?.[1] ?? 900))),
    },
  }).serve,
}

/** Calls that a page prints: `name { … }`, and perhaps a remark behind. */
function callsOf(page: string): { name: string; args: string }[] {
  const blocks = [...read(page).matchAll(/^```jsonc\n(.*?)^```/gms)].map(([, code = '']) => code)
  const lines = blocks.flatMap((code) => [...code.matchAll(/^([a-z][\w-]+) +(\{.*\})(?: +\/\/.*)?$/gm)])
  return lines.map(([, name = '', args = '']) => ({ name, args }))
}

/** Makes the calls of a page in turn. The printed handle and file stand for those of the call before. */
async function followPage(page: string, { ask }: Embedded, before?: ReadResult): Promise<string[]> {
  let told = before?.content[0]?.text ?? ''
  const answers = []
  for (const { name, args } of callsOf(page)) {
    const handle = /cache_id\W+([0-9a-z]{12})/.exec(told)?.[1] ?? PRINTED
    const file = /(\/\S+\/result-\w+\.json)/.exec(told)?.[1] ?? ''
    const written = args.replace(/"\/…\/[^"]*"/, () => JSON.stringify(file)).replaceAll(PRINTED, handle)
    const answer = await ask(JSON.parse(written) as JsonObject, name)
    expect(answer.isError, `${written}: ${answer.content[0]?.text}`).toBeFalsy()
    const text = answer.content.map((block) => block.text).join('\n')
    answers.push(text)
    if (/cache_id\W+[0-9a-z]{12}/.test(text)) told = text
  }
  return answers
}

test('calls of the page on results ask a whole collection, and hand values on', async () => {
  const world = await embedded({ servers, settings: { exposure: 'passthrough' } })
  const first = await world.ask({ repo: 'r' }, 'github_list_issues')
  const answers = await followPage('results.md', world, first)
  expect(answers).toEqual([
    expect.stringContaining('600'),
    expect.stringContaining('900'),
    expect.stringContaining('written'),
    expect.stringContaining('sent'),
  ])
})

test('the same call again is answered as the page on results prints it', async () => {
  const { ask } = await embedded({ servers, settings: { exposure: 'passthrough' } })
  await ask({ sql: 'SELECT 1' }, 'sql_execute_sql')
  const again = await ask({ sql: 'SELECT 1' }, 'sql_execute_sql')
  const [, printed = ''] = /^```\n(cache_id .*?)\n```/ms.exec(read('results.md')) ?? []
  /** Without what is of one result: its handle, its tool, its records and their type. */
  const form = (text = ''): string =>
    text
      .replaceAll(/\b[0-9a-z]{12}\b/g, 'HANDLE')
      .replace(/of \w+ \(json: [\d,]+ records in \S+, [\d,]+ tokens\)/, 'of TOOL (KIND)')
      .replace(/^type: .*$/m, 'type: TYPE')
  expect(form(again.content[0]?.text)).toBe(form(printed))
})

test('calls of the page on calling tools find a tool, call it, and ask its result in three ways', async () => {
  const answers = await followPage('calling-tools.md', await embedded({ servers }))
  expect(answers).toEqual([
    expect.stringContaining('execute_sql'),
    expect.stringContaining('result-'),
    expect.stringContaining('refund'),
    expect.stringContaining('399'),
    expect.stringContaining('written'),
  ])
})

test('calls of the page on finding tools find a tool, call it and describe it', async () => {
  const world = await embedded({ servers, settings: { exposure: 'retrieve' } })
  const answers = await followPage('finding-tools.md', world)
  expect(answers).toEqual([
    expect.stringContaining('github_create_issue'),
    expect.stringContaining('created'),
    expect.stringContaining('owner'),
  ])
})

test('programs of the page on programs compute, and ask the model of the client', async () => {
  const settings = { exposure: 'passthrough', code: { ask: { by: 'client' } } }
  const { client, ask } = await embedded({ servers, settings, capabilities: { sampling: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    ...{ model: 'scripted', role: 'assistant' },
    content: { type: 'text', text: '"bill"' },
  }))
  const kept = await ask({ sql: 'SELECT * FROM orders LIMIT 100' }, 'sql_execute_sql')
  const [, cache_id = ''] = /cache_id (\w+)/.exec(kept.content[0]?.text ?? '') ?? []
  const [sum = '', kinds = ''] = [...read('code.md').matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code)
  const answers = [
    await ask({ code: sum, cache_id }, 'proxy_code'),
    await ask({ code: kinds, cache_id }, 'proxy_code'),
  ]
  expect(answers.map(({ content }) => content[0]?.text)).toEqual([
    expect.stringContaining('=> 132'),
    expect.stringContaining('bill'),
  ])
})

test('requests of the page on scripts find a tool, call it, and read a part of its result', async () => {
  const dataDir = temporaryFolder()
  await embedded({ servers, dataDir, settings: { bridge: { enabled: true } } })
  const fileIn = (name: string): string => readFileSync(join(dataDir, name), 'utf8').trim()
  const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(read('scripts.md')) ?? []
  const [files = '', ...requests] = block.trim().split('\n')
  const names = [...files.matchAll(/~\/\.mcpproxy\/([\w-]+)/g)].map(([, name = '']) => name)
  expect(names).toEqual(['bridge-url', 'bridge-token'])
  const headers = { Authorization: `Bearer ${fileIn('bridge-token')}`, 'Content-Type': 'application/json' }
  let handle = ''
  const answers = []
  for (const line of requests) {
    const [, option = '', value = '', path = ''] =
      / (--json|--data-urlencode) '(.*)' \$B(\/\S+)/.exec(line) ?? []
    const url = new URL(fileIn('bridge-url') + path.replace('<cache_id>', handle))
    const [key = '', query = ''] = value.split(/=(.*)/s)
    if (option !== '--json') url.searchParams.set(key, query)
    const response = await fetch(url, {
      headers,
      ...(option === '--json' && { method: 'POST', body: value }),
    })
    expect(response.status, line).toBe(200)
    const text = await response.text()
    handle = /"cache_id":\s*"(\w+)"/.exec(text)?.[1] ?? handle
    answers.push(text)
  }
  expect(answers).toEqual([
    expect.stringContaining('list_issues'),
    expect.stringContaining('cache_id'),
    expect.stringContaining('refund of order'),
  ])
})
