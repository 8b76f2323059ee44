/** Questions of programs to a model: a service on loopback, a client with sampling, and a client of the modern era. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../../../src/config/load-program.ts'
import { createGateway } from '../../../../src/gateway.ts'
import { plain } from '../../../../src/protocol/content.ts'
import { MODERN_META } from '../../../../src/protocol/eras.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Transport } from '../../../../src/protocol/message.ts'
import { Peer } from '../../../../src/protocol/peer.ts'
import { type CodeWorld, codeWorld } from '../../../support/code-world.ts'
import { deferred } from '../../../support/deferred.ts'
import { toolServer } from '../../../support/embedded.ts'
import { temporaryFolder } from '../../../support/upstream.ts'

interface Question {
  readonly key: string | undefined
  readonly body: JsonObject & { messages: { role: string; content: string }[] }
  /** The text behind `Data:`. */
  readonly data: string
}

interface Said {
  status?: number
  text?: string
  usage?: JsonObject
}

/** A service as OpenAI has it, that says what the script says. */
async function service(script: (question: Question, times: number) => Said | Promise<Said>) {
  const questions: Question[] = []
  const state = { under: 0, most: 0, left: 0 }
  const server = createServer(async (request, response) => {
    state.most = Math.max(state.most, ++state.under)
    response.on('close', () => {
      state.under--
      if (!response.writableFinished) state.left++
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Question['body']
    const data = body.messages.at(-1)?.content.split('\n\nData:\n')[1] ?? ''
    const question = { key: request.headers.authorization, body, data }
    questions.push(question)
    const { status = 200, text = '', usage } = await script(question, questions.length)
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(status === 429 && { 'retry-after': '0' }),
      })
      .end(
        JSON.stringify({
          choices: [{ message: { role: 'assistant', content: text } }],
          ...(usage && { usage }),
        }),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { questions, state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

/** Says of a record whether its id is even. */
const parity = ({ data }: Pick<Question, 'data'>): Said => ({
  text: JSON.stringify((JSON.parse(data) as { id: number }).id % 2 === 0 ? 'even' : 'odd'),
})

const asking = (url: string, ask: JsonObject = {}, code: JsonObject = {}): Promise<CodeWorld> =>
  codeWorld({ code: { ...code, ask: { by: 'service', url, model: 'm', apiKey: 'secret-key', ...ask } } })

const CLASSIFY = `const rows = await d.rows({ fields: ['id'] })
const labels = await askEach(rows, 'Is the id even?', { schema: { enum: ['even', 'odd'] } })
return [labels.length, labels.filter((one) => one === 'even').length, labels.every((one, at) => one === (rows[at].id % 2 ? 'odd' : 'even'))]`

test('300 rows are classified by a service, some at once, and once', async () => {
  const several = deferred<void>()
  const { questions, state, url } = await service(async (question, times) => {
    if (times > 1) several.resolve()
    // The first one waits for another.
    await several.promise
    return parity(question)
  })
  const world = await asking(url, { callsAtOnce: 4 })
  const cache_id = await world.records(300)
  const answer = await world.run(CLASSIFY, { cache_id })
  expect(answer).toMatch(/^\[300,150,true\]\n\nask: 300 questions to a model, [\d,]+ tokens\.$/)
  expect(questions).toHaveLength(300)
  expect(state.most).toBeGreaterThan(1)
  expect(state.most).toBeLessThanOrEqual(4)
  expect(questions[0]).toMatchObject({
    key: 'Bearer secret-key',
    body: { model: 'm', max_tokens: 1000, temperature: 0, messages: [{ role: 'system' }, { role: 'user' }] },
  })
  expect(await world.run(CLASSIFY, { cache_id })).toBe('[300,150,true]')
  expect(questions).toHaveLength(300)
})

test('several rows make one question, and those of a list of the wrong length are asked one by one', async () => {
  const labels = (data: string): string[] =>
    (JSON.parse(data) as { id: number }[]).map(({ id }) => (id % 2 === 0 ? 'even' : 'odd'))
  const { questions, url } = await service(({ data }) => {
    if (!data.startsWith('[')) return parity({ data })
    const all = labels(data)
    return { text: JSON.stringify(data.includes('"id":25}') ? all.slice(1) : all) }
  })
  const world = await asking(url)
  const cache_id = await world.records(300)
  const batched = CLASSIFY.replace(
    "{ schema: { enum: ['even', 'odd'] } }",
    "{ schema: ['even', 'odd'], batch: 20 }",
  )
  expect(await world.run(batched, { cache_id })).toMatch(/^\[300,150,true\]/)
  // 15 lists, one of them twice, and its 20 rows.
  expect(questions).toHaveLength(36)
})

test.each<[string, string, unknown]>([
  ['text without a schema', 'An answer.', 'An answer.'],
  ['JSON in a fence', '```json\n{"label":"a"}\n```', { label: 'a' }],
  ['JSON with words around it', 'Sure: {"label":"a"} as asked', { label: 'a' }],
])('%s is the answer', async (what, text, expected) => {
  const { url } = await service(() => ({ text }))
  const world = await asking(url)
  const schema = what.startsWith('text')
    ? ''
    : ', { schema: { type: "object", properties: { label: { enum: ["a"] } }, required: ["label"] } }'
  expect(await world.run(`return [await ask("q", { a: 1 }${schema})]`)).toMatch(
    new RegExp(`^${JSON.stringify([expected]).replaceAll(/[[\]{}.]/g, '\\$&')}`),
  )
})

test('an answer that is not valid is asked for again with what was wrong, and then refused', async () => {
  const { questions, url } = await service((_, times) => ({ text: times === 2 ? '7' : '"seven"' }))
  const world = await asking(url)
  expect(
    await world.run('return await ask("How many?", undefined, { schema: { type: "integer" } })'),
  ).toMatch(/^7\n/)
  expect(questions[1]?.body.messages[1]?.content).toMatch(
    /^How many\?\n\nAn earlier answer was not valid: answer must be integer/,
  )
  expect(
    await world.run('return await ask("How much?", undefined, { schema: { type: "integer" } })'),
  ).toMatch(/answer is not what schema asks for: answer must be integer.*It was: "seven"/)
  expect(questions).toHaveLength(4)
})

test.each<[string, string, RegExp]>([
  ['no keyword', '{ pattern: "(a+)+$" }', /schema is not understood: Unrecognized key: "pattern"/],
  ['no type', '{ type: "strin" }', /schema is not understood at type/],
  ['a reference', '{ items: { $ref: "#" } }', /schema is not understood at items/],
  [
    'nested too deep',
    'JSON.parse(\'{"items":\'.repeat(1500) + "{}" + "}".repeat(1500))',
    /schema is not understood|too big|deep/i,
  ],
])('a schema with %s is refused before anybody is asked', async (_, schema, expected) => {
  const { questions, url } = await service(() => ({ text: '1' }))
  const world = await asking(url)
  expect(await world.run(`return await ask("q", 1, { schema: ${schema} })`)).toMatch(expected)
  expect(questions).toEqual([])
})

test('number, length and tokens are limited, each with what to do', async () => {
  const { questions, url } = await service(({ data }) => ({
    text: `of ${data}`,
    usage: { total_tokens: 400 },
  }))
  const few = await asking(url, { maxCalls: 3, maxLength: 1000 })
  expect(await few.run('return await askEach([1, 2, 3, 4], "q")')).toMatch(
    /askEach, row 3: A program may ask 3 questions/,
  )
  expect(questions).toHaveLength(3)
  // Answered questions are remembered, and do not count.
  expect(await few.run('return (await askEach([1, 2, 3, 4], "q")).length')).toMatch(
    /^4\n\nask: 1 question to a model, 400 tokens\.$/,
  )
  expect(await few.run('return await ask("q", "x".repeat(1000))')).toMatch(
    /may have 1,000 characters, and has 1,001/,
  )

  const poor = await asking(url, { maxTokens: 1300, answerTokens: 500, callsAtOnce: 1 })
  questions.length = 0
  expect(await poor.run('for (let i = 0; i < 9; i++) await ask("another " + i)')).toMatch(
    /may spend 1,300 tokens/,
  )
  expect(questions).toHaveLength(2)

  const day = await asking(url, { tokensPerDay: 1300, answerTokens: 500 })
  questions.length = 0
  for (const name of ['a', 'b']) expect(await day.run(`return await ask("${name}")`)).toMatch(/^of/)
  expect(await day.run('return await ask("c")')).toMatch(/1,300 tokens a day with ask/)
  expect(questions).toHaveLength(2)
})

test('a service that is busy is asked again, and the error of one that refuses does not hold its key', async () => {
  const { questions, url } = await service((_, times) => (times === 1 ? { status: 429 } : { text: 'yes' }))
  const world = await asking(url)
  expect(await world.run('return await ask("q")')).toMatch(/^yes/)
  expect(questions).toHaveLength(2)
  const closed = await service(() => ({ status: 401 }))
  const refused = await (await asking(closed.url)).run('return await ask("q")')
  expect(refused).toContain('The question was not answered: the model of code.ask answered 401')
  expect(refused).not.toContain('secret-key')
})

test('what a program asks ends with it', async () => {
  const held = deferred<Said>()
  const asked = deferred<void>()
  const { state, questions, url } = await service(() => {
    asked.resolve()
    return held.promise
  })
  const world = await asking(url)
  const controller = new AbortController()
  const call = world.client.callTool(
    {
      name: 'proxy_code',
      arguments: { code: 'return await askEach(Array.from({ length: 50 }, (_, i) => i), "q")' },
    },
    undefined,
    { signal: controller.signal },
  )
  await asked.promise
  controller.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(() => state.under).toBe(0)
  expect(state.left).toBe(questions.length)
  expect(questions.length).toBeLessThanOrEqual(8)
  held.resolve({ text: 'late' })
  expect(await world.run('return 1')).toBe('1')
})

test('the ledger counts them', async () => {
  const { url } = await service(() => ({ text: 'yes', usage: { total_tokens: 123 } }))
  const world = await asking(url)
  await world.run('return await ask("q")')
  const { tools } = await world.gateway.savings()
  expect(tools).toContainEqual(
    expect.objectContaining({ tool: 'proxy_code ask', kind: 'proxy-tool', calls: 1, deliveredTokens: 123 }),
  )
})

test('it is off unless it is set, and told of where it is on', async () => {
  const off = await codeWorld()
  expect(await off.run('return await ask("q")')).toMatch(/ask is off: no model answers/)
  const description = async (world: CodeWorld): Promise<string> =>
    (await world.client.listTools()).tools.find(({ name }) => name === 'proxy_code')?.description ?? ''
  expect(await description(off)).not.toContain('askEach')
  const { url } = await service(() => ({ text: '' }))
  const on = await description(await asking(url))
  expect(on).toContain('askEach(rows, prompt, {schema})')
  expect(encode(on).length).toBeLessThanOrEqual(250)
})

test('a client with sampling classifies 300 rows with its own model', async () => {
  const world = await codeWorld({ code: { ask: { by: 'client' } }, capabilities: { sampling: {} } })
  const several = deferred<void>()
  let under = 0
  let most = 0
  const limits = new Set<number>()
  world.client.setRequestHandler(CreateMessageRequestSchema, async ({ params: { messages, maxTokens } }) => {
    most = Math.max(most, ++under)
    if (most === 8) several.resolve()
    limits.add(maxTokens)
    // The first ones wait for the eighth.
    await several.promise
    under--
    const content = messages[0]?.content as { type: 'text'; text: string }
    const data = content.text.split('\n\nData:\n')[1] ?? ''
    return { role: 'assistant', model: 'mine', content: { type: 'text', text: parity({ data }).text ?? '' } }
  })
  const cache_id = await world.records(300)
  expect(await world.run(CLASSIFY, { cache_id })).toMatch(/^\[300,150,true\]\n\nask: 300 questions/)
  expect(most).toBe(8)
  expect(limits).toEqual(new Set([1000]))
})

test('the clock of a program stands still while a person decides and while the model of its client thinks', async () => {
  const world = await codeWorld({
    code: { timeoutMs: 12_000, calls: 'all', ask: { by: 'client' } },
    capabilities: { sampling: {}, elicitation: {} },
  })
  const longer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 12_500))
  world.client.setRequestHandler(CreateMessageRequestSchema, async () => {
    await longer()
    return { role: 'assistant', model: 'mine', content: { type: 'text', text: 'at last' } }
  })
  world.client.setRequestHandler(ElicitRequestSchema, async () => {
    await longer()
    return { action: 'accept' }
  })
  expect(await world.run('return (await Promise.all([ask("q"), tools.call("s_drop")])).join(" ")')).toMatch(
    /^at last dropped/,
  )
})

test.each(['passthrough', 'dispatch'])(
  'a client of the modern era is asked in rounds: %s',
  async (exposure) => {
    const server = toolServer({ drop: { run: () => 'dropped' } })
    const input = new PassThrough()
    const output = new PassThrough()
    const code = { enabled: true, calls: 'all', ask: { by: 'client' } }
    const proxySettings = { dataDir: temporaryFolder(), exposure, code }
    const gateway = await createGateway(parseConfig({ mcpServers: {}, proxySettings }), {
      servers: { s: server.serve },
      input,
      output,
    })
    onTestFinished(() => gateway.close())
    await gateway.start()
    const peer = new Peer(new StdioServerTransport(output, input) as unknown as Transport, {
      onRequest: async () => ({}),
      onNotification() {},
    })
    await peer.start()
    const _meta = {
      [MODERN_META.protocolVersion]: '2026-07-28',
      [MODERN_META.clientInfo]: { name: 'c', version: '1' },
      [MODERN_META.clientCapabilities]: { elicitation: { form: {} }, sampling: {} },
    }
    const asked: string[] = []
    const answer = ({ method, params }: JsonObject): JsonObject => {
      asked.push(String(method))
      if (method === 'elicitation/create') return { action: 'accept', content: {} }
      const [{ content }] = (params as JsonObject).messages as [{ content: { text: string } }]
      const data = content.text.split('\n\nData:\n')[1] ?? ''
      return { role: 'assistant', model: 'm', content: { type: 'text', text: parity({ data }).text ?? '' } }
    }
    const program = `const labels = await askEach(Array.from({ length: 20 }, (_, id) => ({ id })), 'Even?', { schema: ['even', 'odd'] })
return [labels.filter((one) => one === 'even').length, await tools.call('s_drop')]`
    const args = exposure === 'dispatch' ? { action: 'code', code: program } : { code: program }
    const name = exposure === 'dispatch' ? 'proxy-dispatch' : 'proxy_code'
    let more: JsonObject = {}
    let rounds = 0
    for (;;) {
      const call = { method: 'tools/call', params: { name, arguments: args, _meta, ...more } }
      const result = plain(await peer.request(call))
      if (result.resultType !== 'input_required') {
        expect(JSON.stringify(result.content)).toContain('[10,\\"dropped\\"]')
        break
      }
      rounds++
      const questions = Object.entries(result.inputRequests as JsonObject)
      more = {
        inputResponses: Object.fromEntries(questions.map(([key, one]) => [key, answer(one as JsonObject)])),
        requestState: result.requestState ?? null,
      }
    }
    expect(rounds).toBeGreaterThan(1)
    expect(asked.filter((method) => method === 'sampling/createMessage')).toHaveLength(20)
    expect(asked.at(-1)).toBe('elicitation/create')
    expect(server.calls).toHaveLength(1)
  },
)

test('a client without sampling is not asked', async () => {
  const world = await codeWorld({ code: { ask: { by: 'client' } } })
  expect(await world.run('return await ask("q")')).toContain('This client does not offer sampling')
})

test('a client that never answers is waited for so long and no longer', async () => {
  const world = await codeWorld({
    code: { timeoutMs: 60_000, personMs: 300, ask: { by: 'client' } },
    capabilities: { sampling: {} },
  })
  world.client.setRequestHandler(CreateMessageRequestSchema, () => new Promise(() => {}))
  expect(await world.run('return await ask("q")')).toContain('No person answered in 0.3 s')
})
