import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parts } from './parts.ts'

const { startModel, readScenario, scenarios } = await parts()

const HANDLE = 'ksc482dhw169'
const STEPS = [
  { tool: 'orders_list', fresh: true },
  { tool: 'proxy_filter', args: { cache_id: '$HANDLE' } },
]
const NAMES = ['mcp__proxy__orders_list', 'mcp__proxy__proxy_filter']
const REPLY = `cache_id ${HANDLE} keeps the whole result`

interface Call {
  id: string
  name: string
  args: unknown
}

/** A call in an answer: the members `[id, name, arguments]` of what stands at a path. Undefined: there is none. */
function callAt(
  body: unknown,
  path: (string | number)[],
  members: [string, string, string],
): Call | undefined {
  const get = (value: unknown, key: string | number): unknown =>
    (value as Record<string, unknown> | undefined)?.[key]
  const [id, name, args] = members.map((member) => member.split('.').reduce(get, path.reduce(get, body)))
  if (typeof name !== 'string') return undefined
  return { id: String(id), name, args: typeof args === 'string' ? JSON.parse(args) : args }
}

/** By API: where it is spoken, the request with its replies so far, and the call that an answer asks for. */
const APIS = {
  chat: {
    path: '/v1/chat/completions',
    request: (replies: [Call, string][]) => ({
      tools: NAMES.map((name) => ({ type: 'function', function: { name } })),
      messages: replies.map(([{ id }, content]) => ({ role: 'tool', tool_call_id: id, content })),
    }),
    call: (body: unknown) =>
      callAt(body, ['choices', 0, 'message', 'tool_calls', 0], ['id', 'function.name', 'function.arguments']),
  },
  responses: {
    path: '/v1/responses',
    request: (replies: [Call, string][]) => ({
      tools: [{ type: 'namespace', name: 'n', tools: NAMES.map((name) => ({ type: 'function', name })) }],
      input: replies.map(([{ id }, output]) => ({ type: 'function_call_output', call_id: id, output })),
    }),
    call: (body: unknown) => callAt(body, ['output', 0], ['call_id', 'name', 'arguments']),
  },
  anthropic: {
    path: '/v1/messages',
    request: (replies: [Call, string][]) => ({
      tools: NAMES.map((name) => ({ name, input_schema: {} })),
      messages: replies.map(([{ id }, text]) => ({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] }],
      })),
    }),
    call: (body: unknown) => callAt(body, ['content', 0], ['id', 'name', 'input']),
  },
  gemini: {
    path: '/v1beta/models/x:generateContent',
    request: (replies: [Call, string][]) => ({
      tools: [{ functionDeclarations: NAMES.map((name) => ({ name })) }],
      contents: replies.map(([{ name }, output]) => ({
        role: 'user',
        parts: [{ functionResponse: { name, response: { output } } }],
      })),
    }),
    call: (body: unknown) =>
      callAt(body, ['candidates', 0, 'content', 'parts', 0, 'functionCall'], ['id', 'name', 'args']),
  },
}

async function model(row = {}) {
  const started = await startModel(STEPS, row)
  onTestFinished(() => started.close())
  return started
}

const post = async (address: string, body: object): Promise<string> =>
  (await fetch(address, { method: 'POST', body: JSON.stringify(body) })).text()

describe.each(Object.entries(APIS))('the scripted model, as %s', (_, api) => {
  test('calls one tool after another by the names of the client, with the handle that it saw', async () => {
    const { address, notes } = await model()
    const ask = async (replies: [Call, string][]): Promise<Call | undefined> =>
      api.call(JSON.parse(await post(`${address}${api.path}`, api.request(replies))))
    const first = await ask([])
    expect(first).toMatchObject({ name: NAMES[0], args: {} })
    const second = await ask([[first as Call, REPLY]])
    expect(second).toMatchObject({ name: NAMES[1], args: { cache_id: HANDLE } })
    expect(
      await ask([
        [first as Call, REPLY],
        [second as Call, 'count: 479'],
      ]),
    ).toBeUndefined()
    expect(notes.results.map(({ step }: { step: number }) => step)).toEqual([0, 1])
    expect(notes.missing).toEqual([])
  })

  test('asks nothing with a handle that it did not see', async () => {
    const { address, notes } = await model()
    const first = api.call(JSON.parse(await post(`${address}${api.path}`, api.request([]))))
    await post(`${address}${api.path}`, api.request([[first as Call, '{"orders":[]}']]))
    expect(notes.missing).toEqual([{ step: 1, why: 'no handle' }])
  })
})

test('a tool that is not listed is searched first where the client can, and called by its tool', async () => {
  const { address } = await model({
    search: { tool: 'tool_search', prefix: 'mcp__proxy__', callBy: 'tool_call' },
  })
  const ask = async (replies: [Call, string][]): Promise<Call | undefined> => {
    const body = {
      ...APIS.chat.request(replies),
      tools: [{ type: 'function', function: { name: 'tool_search' } }],
    }
    return APIS.chat.call(JSON.parse(await post(`${address}/v1/chat/completions`, body)))
  }
  const search = await ask([])
  expect(search).toMatchObject({ name: 'tool_search', args: { query: 'select:mcp__proxy__orders_list' } })
  expect(await ask([[search as Call, 'found']])).toMatchObject({
    name: 'tool_call',
    args: { name: 'mcp__proxy__orders_list', arguments: {} },
  })
})

describe('reading', () => {
  const steps = scenarios.main.steps
  const notes = (large: string) => {
    const request = {
      body: { system: 'Say less. Ask again.' },
      tools: [{ name: 'proxy__proxy_filter', description: 'd' }],
    }
    const results = [{ step: 0, text: large, handle: large.includes(HANDLE) ? HANDLE : undefined }]
    return { first: request, last: request, known: new Map(), results, missing: [], found: [], waited: 0 }
  }
  const read = (large: string) =>
    readScenario('main', { steps }, notes(large), { instructions: 'Say less. Ask again.', handleTimes: 1 })

  test('tells a preview that comes twice, also inside JSON, and one without a handle', () => {
    expect(read(`1,437 records ${HANDLE}`)).toMatchObject({ handle: true, previews: 1, total: true })
    expect(read(`1,437 records ${HANDLE} {\\"text\\":\\"${HANDLE}\\"}`)).toMatchObject({ previews: 2 })
    expect(read('{"orders":[]}')).toMatchObject({ handle: false, previews: 0, total: false, answered: 0 })
  })

  test('finds the instructions where they stand, and the tools by name', () => {
    expect(read('')).toMatchObject({ instructions: 'whole', listed: 'no' })
  })
})

test('what is recorded names no path and no address', () => {
  const recorded = readFileSync(
    new URL('../../../../benchmarks/results/clients.json', import.meta.url),
    'utf8',
  )
  expect(recorded).not.toMatch(/https?:|\/(?:tmp|home|work|root|Users)\b/)
})
