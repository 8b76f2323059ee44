/**
 * A small server for files, inside of the proxy (`useutils`): it reads in the directories it was given, and writes in
 * its root when it may. Off by default; kept results do not need it (`readresult`, `proxy_filter`).
 */

import { constants, lstat, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { absolutePath } from '../../config/find.ts'
import type { Config } from '../../config/schema.ts'
import { errorResult, textBlock } from '../../protocol/content.ts'
import { annotationsOf } from '../../protocol/effects.ts'
import { RPC, RpcError } from '../../protocol/errors.ts'
import { isObject, type JsonObject } from '../../protocol/json.ts'
import type { Transport } from '../../protocol/message.ts'
import { Peer } from '../../protocol/peer.ts'
import {
  type ConfinedDirectory,
  openConfined,
  openDirectoryConfined,
  REFUSED,
  Refused,
  withoutOwn,
} from '../../spill/confined.ts'
import type { Serve } from '../../upstream/in-process.ts'

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
  annotations: annotationsOf('read', 'closed'),
}

const MODIFY: JsonObject = {
  name: 'filesystemModify',
  description: 'Write a whole file, append to it, or delete it. Paths are relative to the root.',
  inputSchema: {
    type: 'object',
    properties: {
      operation: { type: 'string', enum: ['write', 'append', 'delete'] },
      path: string,
      content: { ...string, description: 'write, append: the text' },
    },
    required: ['operation', 'path'],
  },
  annotations: annotationsOf('destructive', 'closed'),
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

// Looking at files and writing them, in some directories and nowhere else.

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants

interface FilesOptions {
  /** Where relative paths begin, and the only place that is written to. */
  root: string | undefined
  /** Other directories that may be read. */
  readable: readonly string[]
  /** Directories of the proxy itself: what it keeps of others lies there. */
  own: readonly string[]
}

interface FileEntry {
  /** Path below the directory that was listed. */
  name: string
  type: 'file' | 'directory' | 'other'
  /** Bytes; of files alone. */
  size?: number
  modified?: string
}

/** Paths are absolute, or relative to `root`. Everything rejects with `Refused` for what is elsewhere or not there. */
interface Files {
  /** Entries in the order of their names; `isWhole` is false when there are more. Links are named and not followed. */
  list(path: string, recursive: boolean): Promise<{ entries: FileEntry[]; isWhole: boolean }>
  info(path: string): Promise<FileEntry>
  /** The text of a file. */
  read(path: string): Promise<string>
  /** Writes a whole file, or (`append`) goes on where it ends; gives its size in bytes. */
  write(path: string, content: string, append: boolean): Promise<number>
  remove(path: string): Promise<void>
}

const MAX_ENTRIES = 10_000
const MAX_BYTES = 64 * 1024 * 1024

function createFiles({ root, readable, own }: FilesOptions): Files {
  const written = root === undefined ? [] : [root]
  const read = [...written, ...readable]
  const full = (path: string): string => resolve(written[0] ?? read[0] ?? '/', path)

  /** Works in the directory of a path, with the name of what the path means there. */
  async function beside<T>(
    path: string,
    roots: readonly string[],
    work: (directory: ConfinedDirectory, name: string) => Promise<T>,
  ): Promise<T> {
    const place = full(path)
    const directory = await openDirectoryConfined(dirname(place), await withoutOwn(roots, own))
    try {
      return await work(directory, basename(place))
    } catch (error) {
      throw error instanceof Refused ? error : refusal(error)
    } finally {
      await directory.close()
    }
  }

  return {
    async list(path, recursive) {
      const entries: FileEntry[] = []
      const waiting = ['']
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
        const roots = await withoutOwn(read, own)
        const directory = await openDirectoryConfined(join(full(path), at), roots).catch((error: unknown) => {
          // A folder below may be gone, or the proxy's own.
          if (at === '') throw error
        })
        if (!directory) continue
        try {
          for (const name of (await readdir(directory.path)).sort()) {
            if (entries.length === MAX_ENTRIES) return { entries, isWhole: false }
            const entry = await entryOf(directory.at(name), join(at, name)).catch(() => undefined)
            if (entry === undefined) continue
            entries.push(entry)
            if (recursive && entry.type === 'directory') waiting.push(entry.name)
          }
        } finally {
          await directory.close()
        }
      }
      return { entries, isWhole: true }
    },
    info: async (path) =>
      read.includes(full(path))
        ? { name: basename(full(path)), type: 'directory' }
        : beside(path, read, async (directory, name) => entryOf(directory.at(name), name)),
    async read(path) {
      const file = await openConfined(full(path), await withoutOwn(read, own))
      try {
        const { size } = await file.stat()
        if (size > MAX_BYTES)
          throw new Refused(`The file has ${size} bytes; ${MAX_BYTES} are the most that are read.`)
        const bytes = await file.readFile()
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      } catch (error) {
        if (error instanceof TypeError) throw new Refused('The file is not text in UTF-8.')
        throw error
      } finally {
        await file.close()
      }
    },
    write: (path, content, append) =>
      beside(path, written, async (directory, name) => {
        const flags = O_WRONLY | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) | (append ? O_APPEND : 0)
        const file = await open(directory.at(name), flags, 0o644)
        try {
          const stat = await file.stat()
          // A second name may be the first of a file elsewhere.
          if (!stat.isFile() || stat.nlink !== 1) throw new Refused(REFUSED)
          if (!append) await file.truncate(0)
          await file.writeFile(content)
          return (await file.stat()).size
        } finally {
          await file.close()
        }
      }),
    remove: (path) =>
      beside(path, written, async (directory, name) => {
        if (!(await lstat(directory.at(name))).isFile()) throw new Refused(REFUSED)
        await unlink(directory.at(name))
      }),
  }
}

async function entryOf(place: string, name: string): Promise<FileEntry> {
  const stat = await lstat(place)
  const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other'
  return { name, type, ...(type === 'file' && { size: stat.size }), modified: stat.mtime.toISOString() }
}

/** The code of an error of the disk may be told; what it says of other places may not. */
function refusal(error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || code === 'EROFS'
    ? new Refused(`Nothing was written: ${code}.`)
    : new Refused(REFUSED)
}

/** The server that the settings ask for. */
export function utilsOf({ utils, spill, dataDir }: Config['settings']): Serve {
  const absolute = (path: string): string => absolutePath(path, process.cwd(), homedir())
  const readable = spill.allowDirs.map(absolute)
  const own = [absolute(dataDir), ...(spill.dir === undefined ? [] : [absolute(spill.dir)])]
  /** No directory was configured: this one holds only files that were put there on purpose. */
  const fallback = async (): Promise<string | undefined> => {
    if (readable.length > 0) return undefined
    const root = join(absolute(dataDir), 'utils')
    await mkdir(root, { recursive: true, mode: 0o700 })
    return root
  }
  return async (transport) => {
    const root = utils.root === undefined ? await fallback() : absolute(utils.root)
    await serveUtils(transport, { root, readable, own, write: utils.write })
  }
}
