/** A test's own world: a directory, a configuration, a proxy as a child process, clients of the SDK; all gone at its end. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
export const MAIN = join(ROOT, 'dist/main.js')
const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))

/** For requests of clients of the SDK, which else wait a minute. */
export const PATIENT = { timeout: 170_000 }

/** A result as tests read it. */
export interface ToolResult {
  content: { type: string; text?: string; [key: string]: unknown }[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Record<string, unknown>
}

/** Takes what is done at the end: of the test, or of all tests of a file. */
export type Until = (end: () => void | Promise<void>) => void

export interface ProxyOptions {
  servers: Record<string, object>
  settings?: Record<string, unknown>
  /** The list of modules. */
  modules?: object[]
  args?: string[]
  env?: Record<string, string>
  client?: ClientOptions
  directory?: string
  /** Takes what ends it. Default: it ends with the test. */
  until?: Until
  /** No file that it writes may be longer than so many blocks: 0 is a full disk. */
  fileLimit?: number
}

export interface RunningProxy {
  client: Client
  transport: StdioClientTransport
  directory: string
  /** Calls a tool and gives its result. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>
  /** The text of all text blocks of that result. */
  text(name: string, args?: Record<string, unknown>): Promise<string>
  stderr(): string
  close(): Promise<void>
}

/** The fixture server as an entry of `mcpServers`. */
export function fixture(name: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [FIXTURE, name] }
}

/** A directory of the test's own, removed at its end. */
export function temporaryDirectory(until: Until = onTestFinished): string {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-test-'))
  until(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

/** A busy machine takes its time to start a server and to answer; a list comes within the minute that clients of the SDK wait. */
export const PATIENCE = {
  connect: { timeoutMs: 170_000, listWaitMs: 50_000, callTimeoutMs: 170_000 },
  queryTimeoutMs: 150_000,
}

/** Writes the configuration of a proxy, patient but for what the settings say, and gives its path. */
export function writeConfig(
  directory: string,
  { servers, settings = {}, modules = [] }: Pick<ProxyOptions, 'servers' | 'settings' | 'modules'>,
): string {
  const file = join(directory, 'mcp.json')
  const connect = { ...PATIENCE.connect, ...(settings.connect as object | undefined) }
  const proxySettings = { ...PATIENCE, dataDir: join(directory, 'data'), ...settings, connect }
  writeFileSync(file, JSON.stringify({ mcpServers: servers, proxySettings, modules }))
  return file
}

/** Starts the built proxy over standard input and output and connects a client of the SDK. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const directory = options.directory ?? temporaryDirectory()
  const file = writeConfig(directory, options)
  const transport = new StdioClientTransport({
    ...limited(options.fileLimit, [process.execPath, MAIN, '--config', file, ...(options.args ?? [])]),
    env: { ...(process.env as Record<string, string>), ...options.env },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const client = new Client({ name: 'test', version: '1.0.0' }, options.client)
  await client.connect(transport, PATIENT)
  const close = async (): Promise<void> => client.close()
  onTestFinished(close)
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
    (await client.callTool({ name, arguments: args }, PATIENT)) as ToolResult
  return {
    client,
    transport,
    directory,
    call,
    text: async (name, args) => textOf(await call(name, args)),
    stderr: () => stderr,
    close,
  }
}

function limited(blocks: number | undefined, line: string[]): { command: string; args: string[] } {
  const [command = '', ...args] = line
  if (blocks === undefined) return { command, args }
  return { command: 'sh', args: ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, ...line] }
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => block.text ?? '').join('\n')
}

/** The handle in a shaped reply. */
export function handleOf(result: ToolResult): string {
  const handle = result._meta?.['mcp-rlm-proxy/cache-id']
  if (typeof handle !== 'string') throw new Error(`no handle in ${JSON.stringify(result).slice(0, 500)}`)
  return handle
}

/** Whether a disk store under a directory has all of a kept result: its metadata is written after its content. */
export function isOnDisk(directory: string, handle: string): boolean {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  return paths.some((path) => basename(path) === `${handle}.json`)
}
