/**
 * A small server for files, inside of the proxy (seed S4: `useutils`): it reads in the directories it was given, and writes in
 * its root when it may. Off by default; kept results need it for nothing (`readresult`, `proxy_filter`).
 */
import * as z from 'zod'
import { errorResult, textBlock } from '../protocol/content.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { Peer } from '../protocol/peer.ts'
import type { Transport } from '../protocol/transport.ts'
import { REFUSED, Refused } from '../spill/confined.ts'
import { createFiles, type Files, type FilesOptions } from './files.ts'

export interface UtilsOptions extends FilesOptions {
  /** Whether files may be written, in `root`. */
  write: boolean
}

const querySchema = z.strictObject({
  operation: z.enum(['list', 'info', 'read']).optional(),
  path: z.string().min(1).max(4096).default('.'),
  recursive: z.boolean().default(false),
})

const modifySchema = z.strictObject({
  operation: z.enum(['write', 'append', 'delete']),
  path: z.string().min(1).max(4096),
  content: z.string().optional(),
})

const string = { type: 'string' }

const QUERY: JsonObject = {
  name: 'filesystemQuery',
  description:
    'List a directory, tell about a file, or read one as text. Paths are absolute or relative to the root.',
  inputSchema: {
    type: 'object',
    properties: {
      operation: {
        type: 'string',
        enum: ['list', 'info', 'read'],
        description: 'Default: list for a directory, read for a file',
      },
      path: { ...string, default: '.' },
      recursive: { type: 'boolean', description: 'list: with what is in its directories' },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
}

const MODIFY: JsonObject = {
  name: 'filesystemModify',
  description: 'Write a file anew, append to it, or delete it. Paths are relative to the root.',
  inputSchema: {
    type: 'object',
    properties: {
      operation: { type: 'string', enum: ['write', 'append', 'delete'] },
      path: string,
      content: { ...string, description: 'write, append: the text' },
    },
    required: ['operation', 'path'],
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
}

/** Answers on this connection from now on. */
export async function serveUtils(transport: Transport, options: UtilsOptions): Promise<void> {
  const files = createFiles(options)
  const canWrite = options.write && options.root !== undefined
  const peer = new Peer(transport, {
    async onRequest({ method, params }) {
      if (method === 'initialize') return initialized(params)
      if (method === 'ping') return {}
      if (method === 'tools/list') return { tools: canWrite ? [QUERY, MODIFY] : [QUERY] }
      if (method !== 'tools/call') throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`)
      const args = isObject(params?.arguments) ? params.arguments : {}
      if (params?.name === QUERY.name) return answer(querySchema, args, (given) => query(given, files))
      if (params?.name === MODIFY.name && canWrite)
        return answer(modifySchema, args, (given) => modify(given, files))
      throw new RpcError(RPC.invalidParams, `Unknown tool: ${String(params?.name).slice(0, 200)}`)
    },
    onNotification() {},
  })
  await peer.start()
}

function initialized(params: JsonObject | undefined): JsonObject {
  return {
    protocolVersion: params?.protocolVersion ?? '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'mcp-rlm-proxy-utils', version: '1.0.0' },
  }
}

async function answer<T>(
  schema: z.ZodType<T>,
  args: JsonObject,
  run: (given: T) => Promise<string>,
): Promise<JsonObject> {
  const read = schema.safeParse(args)
  if (!read.success) return errorResult(z.prettifyError(read.error))
  try {
    return { content: [textBlock(await run(read.data))] }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return errorResult(
      error.message === REFUSED ? 'No such file, or none that may be used here.' : error.message,
    )
  }
}

async function query(
  { operation, path, recursive }: z.output<typeof querySchema>,
  files: Files,
): Promise<string> {
  const info = operation === 'read' || operation === 'list' ? undefined : await files.info(path)
  if (operation === 'info') return JSON.stringify(info)
  if (operation === 'read' || info?.type === 'file') return files.read(path)
  const { entries, isWhole } = await files.list(path, recursive)
  return JSON.stringify({ entries, ...(!isWhole && { note: 'There are more: list a directory in it.' }) })
}

async function modify(
  { operation, path, content }: z.output<typeof modifySchema>,
  files: Files,
): Promise<string> {
  if (operation === 'delete') {
    await files.remove(path)
    return JSON.stringify({ path, deleted: true })
  }
  if (content === undefined) throw new Refused(`${operation} needs content.`)
  return JSON.stringify({ path, size: await files.write(path, content, operation === 'append') })
}
