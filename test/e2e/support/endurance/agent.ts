/** Clients of both eras over HTTP, as one thing: without an SDK, so that they can vanish, and of the SDK. */
import { randomUUID } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { PATIENT, type ToolResult } from '../world.ts'

export type Era = 'legacy' | 'modern'

export interface CallOptions {
  signal?: AbortSignal
  /** Params of a progress notification. */
  onprogress?: (params: Message) => void
  /** Told before a question is answered; of clients without an SDK. */
  answering?: () => void
}

export interface Agent {
  /** Begins every marker of its calls, and is what it answers to questions. */
  readonly name: string
  readonly era: Era
  /** Markers in the questions that it was asked. */
  readonly asked: readonly string[]
  /** Resolves to the result; rejects with the JSON-RPC error, or when cancelled. */
  call(tool: string, args: object, options?: CallOptions): Promise<ToolResult>
  /** Says goodbye, where its era has one. */
  close(): Promise<void>
}

interface Message {
  id?: unknown
  method?: string
  params?: Message
  result?: ToolResult & {
    resultType?: string
    inputRequests?: Record<string, Message>
    requestState?: string
  }
  error?: { code: number; message: string }
  [key: string]: unknown
}

const VERSION = { legacy: '2025-11-25', modern: '2026-07-28' } as const
const CAPABILITIES = { sampling: {}, elicitation: {} }
const QUESTIONS = ['sampling/createMessage', 'elicitation/create'] as const
const META = 'io.modelcontextprotocol/'

/** The answer of a client: its name, in the form that the question wants. */
function answerTo(method: string, name: string): object {
  return method === 'elicitation/create'
    ? { action: 'accept', content: { who: name } }
    : { role: 'assistant', content: { type: 'text', text: name }, model: 'test' }
}

/** The marker in a question. */
function markerIn(params: Message = {}): string {
  const [first] = (params.messages as { content: { text: string } }[] | undefined) ?? []
  return first?.content.text ?? String(params.message)
}

export interface AgentOptions {
  name?: string
  /** The name in its `clientInfo`, when it differs from `name`. */
  info?: string
  /** False: it cannot be asked anything. */
  answers?: boolean
}

/** A client on plain `fetch`. Connected before it is handed out. */
export async function rawAgent(url: URL, era: Era, options: AgentOptions = {}): Promise<Agent> {
  const { name = `${era}-${randomUUID().slice(0, 8)}`, info = name, answers = true } = options
  const capabilities = answers ? CAPABILITIES : {}
  const asked: string[] = []
  const clientInfo = { name: info, version: '1.0.0' }
  let session: string | undefined
  let nextId = 1

  async function post(message: Message, signal?: AbortSignal): Promise<Response> {
    const { method = '', params } = message
    const modern = {
      'mcp-method': method,
      ...(method === 'tools/call' && { 'mcp-name': String(params?.name) }),
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION[era],
        ...(era === 'modern' && modern),
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      ...(signal && { signal }),
    })
    session ??= response.headers.get('mcp-session-id') ?? undefined
    return response
  }

  function answer(method: string, params?: Message): object {
    asked.push(markerIn(params))
    return answerTo(method, name)
  }

  async function request(
    method: string,
    params: Message,
    { signal, onprogress, answering }: CallOptions = {},
  ): Promise<NonNullable<Message['result']>> {
    const id = nextId++
    const meta: Message = {
      ...(onprogress && { progressToken: `${name}:${id}` }),
      ...(era === 'modern' && {
        [`${META}protocolVersion`]: VERSION.modern,
        [`${META}clientInfo`]: clientInfo,
        [`${META}clientCapabilities`]: capabilities,
      }),
    }
    const response = await post({ id, method, params: { ...params, _meta: meta } }, signal)
    for await (const message of messagesOf(response)) {
      if (message.method === 'notifications/progress') {
        const { progressToken } = message.params ?? {}
        if (progressToken !== meta.progressToken)
          throw new Error(`progress of another call: ${String(progressToken)} at ${name}`)
        onprogress?.(message.params ?? {})
      } else if (message.method !== undefined && message.id !== undefined) {
        answering?.()
        await post({ id: message.id, result: answer(message.method, message.params) as never })
      } else if (message.id === id) {
        await response.body?.cancel().catch(() => {})
        if (message.error) throw Object.assign(new Error(message.error.message), message.error)
        return message.result as NonNullable<Message['result']>
      } else if (message.method === undefined)
        throw new Error(`an answer to ${String(message.id)} at ${name}`)
    }
    throw new Error(`HTTP ${response.status}: the stream ended without an answer`)
  }

  async function call(tool: string, args: object, options: CallOptions = {}): Promise<ToolResult> {
    const id = nextId
    const leave = (): void => {
      if (era === 'modern') return
      void post({ method: 'notifications/cancelled', params: { requestId: id } }).then((response) =>
        response.body?.cancel(),
      )
    }
    options.signal?.addEventListener('abort', leave, { once: true })
    const params: Message = { name: tool, arguments: args }
    let result = await request('tools/call', params, options)
    while (result.resultType === 'input_required') {
      const responses = Object.entries(result.inputRequests ?? {}).map(([key, { method = '', params }]) => [
        key,
        answer(method, params),
      ])
      options.answering?.()
      const state = result.requestState
      const next = { ...params, requestState: state, inputResponses: Object.fromEntries(responses) }
      result = await request('tools/call', next, options)
    }
    return result
  }

  if (era === 'legacy') {
    const hello = { protocolVersion: VERSION.legacy, capabilities, clientInfo }
    await request('initialize', hello)
    await (await post({ method: 'notifications/initialized' })).body?.cancel()
  }
  return {
    name,
    era,
    asked,
    call,
    async close() {
      if (session === undefined) return
      const headers = { 'mcp-session-id': session }
      await (await fetch(url, { method: 'DELETE', headers })).body?.cancel()
    },
  }
}

/** A client of the SDK 2.x. */
export async function sdkAgent(url: URL, era: Era, options: AgentOptions = {}): Promise<Agent> {
  const { name = `${era}-sdk-${randomUUID().slice(0, 8)}`, answers = true } = options
  const asked: string[] = []
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: answers ? CAPABILITIES : {},
      ...(era === 'modern' && { versionNegotiation: { mode: { pin: VERSION.modern } } }),
    },
  )
  for (const method of answers ? QUESTIONS : []) {
    client.setRequestHandler(method, (({ params }: Message) => {
      asked.push(markerIn(params))
      return answerTo(method, name)
    }) as never)
  }
  const transport = new StreamableHTTPClientTransport(url)
  await client.connect(transport, PATIENT)
  return {
    name,
    era,
    asked,
    call: async (tool, args, options) =>
      (await client.callTool({ name: tool, arguments: { ...args } }, {
        ...PATIENT,
        ...options,
      } as never)) as ToolResult,
    async close() {
      if (era === 'legacy') await transport.terminateSession()
      await client.close()
    },
  }
}

/** The messages of a response, one body or a stream of events. */
async function* messagesOf(response: Response): AsyncGenerator<Message> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text !== '') yield JSON.parse(text) as Message
    return
  }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      const text = data.join('\n').trim()
      if (text !== '') yield JSON.parse(text) as Message
    }
  }
}
