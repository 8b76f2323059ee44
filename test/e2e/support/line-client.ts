/** A client without an SDK: one JSON-RPC message a line, so that a test sees everything the proxy writes, and how it ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { MAIN, type ProxyOptions, type ToolResult, temporaryDirectory, writeConfig } from './world.ts'

export interface Ended {
  code: number | null
  signal: string | null
  /** Milliseconds since it was asked to end. */
  after: number
}

export interface LineClient {
  readonly child: ChildProcess
  readonly pid: number
  readonly directory: string
  /** Every line of standard output that is not a JSON-RPC message. */
  readonly strays: readonly string[]
  /** Methods of the notifications that came, in their order. */
  readonly notifications: readonly string[]
  /** Resolves to the result, rejects with the JSON-RPC error as an Error. */
  request(method: string, params?: object): Promise<Record<string, unknown>>
  call(name: string, args?: object): Promise<ToolResult>
  /** Initialize, and the notification that it is done. */
  open(): Promise<Record<string, unknown>>
  stderr(): string
  /** Writes to the proxy's input as it is. */
  write(text: string): void
  /** Messages that answer no request of this client: errors with an id of null, for one. */
  readonly unasked: readonly Record<string, unknown>[]
  /** Ends its input, or sends a signal, and waits until it is gone. */
  end(signal?: NodeJS.Signals): Promise<Ended>
}

interface Waiting {
  resolve(result: Record<string, unknown>): void
  reject(error: Error): void
}

/** Starts the built proxy. Nothing is sent before `open`. */
export function startLineClient(options: ProxyOptions): LineClient {
  const { until = onTestFinished, directory = temporaryDirectory(until) } = options
  const file = writeConfig(directory, options)
  const child = spawn(process.execPath, [MAIN, '--config', file, ...(options.args ?? [])], {
    env: { ...process.env, ...options.env },
    stdio: 'pipe',
  })
  until(() => void child.kill('SIGKILL'))
  const exited = new Promise<Omit<Ended, 'after'>>((resolve) => {
    // Not at its exit: what it said last may not be read yet.
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const waiting = new Map<unknown, Waiting>()
  const strays: string[] = []
  const notifications: string[] = []
  const unasked: Record<string, unknown>[] = []
  let stderr = ''
  let nextId = 1
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parsed(line)
    if (message === undefined) strays.push(line)
    else if (typeof message.method === 'string') notifications.push(message.method)
    else if (!settle(waiting, message)) unasked.push(message)
  })
  void exited.then(({ code }) => {
    for (const { reject } of waiting.values()) reject(new Error(`the proxy ended with ${code}: ${stderr}`))
  })
  const write = (message: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

  const request = (method: string, params: object = {}): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      waiting.set(nextId, { resolve, reject })
      write({ id: nextId++, method, params })
    })

  return {
    child,
    pid: child.pid ?? 0,
    directory,
    strays,
    notifications,
    request,
    call: async (name, args = {}) =>
      (await request('tools/call', { name, arguments: args })) as unknown as ToolResult,
    async open() {
      const clientInfo = { name: 'test', version: '1.0.0' }
      const result = await request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo,
      })
      write({ method: 'notifications/initialized' })
      return result
    },
    stderr: () => stderr,
    unasked,
    write: (text) => void child.stdin.write(text),
    async end(signal) {
      const begun = performance.now()
      if (signal === undefined) child.stdin.end()
      else child.kill(signal)
      return { ...(await exited), after: performance.now() - begun }
    },
  }
}

/** Names of the tools that are listed. */
export async function toolNames(client: LineClient): Promise<string[]> {
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] }
  return tools.map(({ name }) => name)
}

/** False when no request waits for it. */
function settle(waiting: Map<unknown, Waiting>, message: Record<string, unknown>): boolean {
  const one = waiting.get(message.id)
  waiting.delete(message.id)
  if (message.error === undefined) one?.resolve(message.result as Record<string, unknown>)
  else {
    const error = message.error as { code: number; message: string }
    one?.reject(Object.assign(new Error(error.message), { code: error.code }))
  }
  return one !== undefined
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line)
    return value?.jsonrpc === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}
