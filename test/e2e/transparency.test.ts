import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { fixture, ROOT, startProxy } from './support/world.ts'

const EVERYTHING = {
  command: process.execPath,
  args: [`${ROOT}node_modules/@modelcontextprotocol/server-everything/dist/index.js`, 'stdio'],
}
/** Results as they came, past the SDK's own reading of them. */
const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as never
const capabilities = { capabilities: { sampling: {}, elicitation: {}, roots: { listChanged: true } } }

async function direct(
  server: { command: string; args: string[] },
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options)
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }))
  onTestFinished(() => client.close())
  return client
}

/** Lists, calls, gets and reads; every answer or error as it came. */
async function transcript(
  client: Client,
  requests: { method: string; params?: object }[],
): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const request of requests) {
    try {
      answers.push(await client.request(request as never, anything))
    } catch (error) {
      const { code, message, data } = error as { code?: number; message: string; data?: unknown }
      answers.push({ code, message, data })
    }
  }
  return answers
}

const own = /^proxy_(filter|search|explore|code)$/
function withoutOwnTools(answer: unknown): unknown {
  const { tools, ...rest } = answer as { tools?: { name: string }[] }
  return tools ? { ...rest, tools: tools.filter(({ name }) => !own.test(name)) } : answer
}

/** Output schemas are not listed, and structured content that its text repeats is not sent beside that. */
function saidOnce(answer: unknown): unknown {
  const { tools, structuredContent, ...rest } = answer as {
    tools?: { outputSchema?: unknown }[]
    structuredContent?: unknown
    content?: { text: string }[]
  }
  if (tools) return { ...rest, tools: tools.map(({ outputSchema: _, ...tool }) => tool) }
  if (structuredContent === undefined) return answer
  expect(JSON.parse(rest.content?.[0]?.text ?? '')).toEqual(structuredContent)
  return rest
}

verifies(
  'S2.3 S2.14 S2.1',
  'one client, one server: the transcript equals that of a direct connection',
  async () => {
    const client = await direct(EVERYTHING, capabilities)
    const proxy = await startProxy({
      servers: { e: EVERYTHING },
      settings: { naming: { prefix: 'never' } },
      client: capabilities,
    })
    await client.listTools()
    const requests = [
      { method: 'tools/list' },
      { method: 'prompts/list' },
      { method: 'resources/list' },
      { method: 'resources/templates/list' },
      { method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } },
      { method: 'tools/call', params: { name: 'echo', arguments: {} } },
      { method: 'tools/call', params: { name: 'get-sum', arguments: { a: 2, b: 3 } } },
      { method: 'tools/call', params: { name: 'get-tiny-image', arguments: {} } },
      {
        method: 'tools/call',
        params: { name: 'get-structured-content', arguments: { location: 'New York' } },
      },
      {
        method: 'tools/call',
        params: { name: 'get-annotated-message', arguments: { messageType: 'error', includeImage: true } },
      },
      { method: 'tools/call', params: { name: 'get-resource-links', arguments: { count: 3 } } },
      { method: 'prompts/get', params: { name: 'simple-prompt' } },
      { method: 'prompts/get', params: { name: 'no-such-prompt' } },
      { method: 'resources/read', params: { uri: 'demo://resource/static/document/architecture.md' } },
      { method: 'resources/read', params: { uri: 'demo://nothing' } },
      {
        method: 'completion/complete',
        params: {
          ref: { type: 'ref/prompt', name: 'completable-prompt' },
          argument: { name: 'department', value: 'E' },
        },
      },
      { method: 'logging/setLevel', params: { level: 'debug' } },
    ]
    const expected = await transcript(client, requests)
    const got = await transcript(proxy.client, requests)
    expect(got.map(withoutOwnTools)).toEqual(expected.map(saidOnce))
  },
)

verifies(
  'S3.3',
  'tools arrive as the server lists them, unknown fields included, but for the name',
  async () => {
    const server = fixture('f')
    const expected = (await transcript(await direct(server), [
      { method: 'tools/list' },
      { method: 'tools/list', params: { cursor: '1' } },
      { method: 'tools/list', params: { cursor: '2' } },
    ])) as {
      tools: { name: string; outputSchema?: unknown }[]
    }[]
    const { client } = await startProxy({ servers: { a_b: server } })
    const [list] = (await transcript(client, [{ method: 'tools/list' }])) as [{ tools: { name: string }[] }]
    const all = expected.flatMap(({ tools }) => tools).map((tool) => ({ ...tool, name: `a_b_${tool.name}` }))
    const comparable = (tools: { name: string; outputSchema?: unknown }[]): unknown[] =>
      tools.map(({ outputSchema: _, ...tool }) => tool)
    expect(comparable(list.tools.filter(({ name }) => !own.test(name)))).toEqual(comparable(all))
  },
)

verifies('S2.7 S2.8', 'requests, answers, errors and notifications pass in both directions', async () => {
  const proxy = await startProxy({
    servers: { f: fixture('f') },
    client: { capabilities: { sampling: {} } },
    args: ['--log-level', 'debug'],
  })
  proxy.client.setRequestHandler('sampling/createMessage', async ({ params }) => ({
    role: 'assistant' as const,
    content: {
      type: 'text' as const,
      text: `sampled ${JSON.stringify(params.messages)}`,
    },
    model: 'm',
  }))
  expect(await proxy.text('f_sample')).toContain('sampled')

  await expect(proxy.call('f_refuse')).rejects.toMatchObject({
    code: -32050,
    data: { why: 'because', nested: [1, 2] },
  })

  const progress: unknown[] = []
  const steps = [1, 2, 3, 4].map((step) => ({ progress: step, total: 4, message: 'f' }))
  const counted = proxy.client.callTool(
    { name: 'f_slow', arguments: { ms: 40, held: true } },
    { onprogress: (p) => progress.push(p) },
  )
  await expect.poll(() => progress).toEqual(steps)
  await proxy.call('f_calls')
  await counted

  const notes: unknown[] = []
  proxy.client.setNotificationHandler('notifications/message', (note) => void notes.push(note.params))
  proxy.client.setNotificationHandler(
    'notifications/resources/updated',
    (note) => void notes.push(note.params),
  )
  await proxy.client.setLoggingLevel('warning')
  await expect.poll(() => notes).toEqual([{ level: 'warning', logger: 'f', data: 'level set' }])
  await proxy.client.subscribeResource({ uri: 'fixture://f/one' })
  await expect.poll(() => notes[1]).toEqual({ uri: 'fixture://f/one' })

  const stop = new AbortController()
  const slow = proxy.client.callTool(
    { name: 'f_slow', arguments: { ms: 40, held: true } },
    { signal: stop.signal, onprogress: () => stop.abort() },
  )
  await expect(slow).rejects.toThrow()
  await expect.poll(() => proxy.stderr()).toContain('cancelled')
})
