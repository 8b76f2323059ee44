/** Results in files: which agent has which, and what of them may be read. */

import { realpath } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Agent } from '../protocol/exchange.ts'
import { createAllowed, type Root, readConfined } from './confined.ts'
import { isSame, type SpillDirectory, type Written } from './directory.ts'

export interface Spills {
  /** Writes what a kept result holds into a file of this agent and gives its path. Rejects when the disk refuses. */
  write(agent: Agent, handle: string, content: Uint8Array, extension: string): Promise<string>
  /** The bytes of a file of this agent, or of a directory that everybody may read. Throws `Refused`. */
  read(agent: Agent, path: string): Promise<Uint8Array<SharedArrayBuffer>>
  /** True for the path of a file that any agent was given: no server needs to be asked for it. */
  holds(path: string): boolean
  /** True for a text that names a place in the directory of these files. */
  owns(text: string): boolean
  close(): Promise<void>
}

export interface SpillsOptions {
  directory: SpillDirectory
  /** Directories that every agent may read from, absolute. */
  allowDirs: readonly string[]
  /** Directories that stay closed unless one inside of them is allowed: the proxy's own. */
  ownDirs?: readonly string[]
  /** The most bytes of a file that is read. */
  maxBytes: number
  /** The most bytes of all files; the one that was used longest ago is removed first. Default: 4 GiB. */
  maxTotalBytes?: number
  /** False: all agents are one owner. Default: each has its own. */
  isolation?: boolean
  /** The disk refused a file. Its caller is told as well. */
  onError?: (error: unknown) => void
}

/** Files that are kept at a time. */
const mostFiles = 1000
const mostBytes = 4 * 1024 ** 3

/** The owner of everything when agents are not isolated. */
const EVERYONE = '*'

interface Owned extends Written {
  agents: Set<string>
}

export function createSpills(options: SpillsOptions): Spills {
  const {
    directory,
    allowDirs,
    ownDirs = [],
    maxBytes,
    maxTotalBytes = mostBytes,
    isolation = true,
    onError,
  } = options
  const files = new LRUCache<string, Owned>({
    max: mostFiles,
    maxSize: maxTotalBytes,
    dispose: (_, path, reason) => {
      if (reason === 'evict') void directory.remove(basename(path)).catch(() => {})
    },
  })
  const ownerOf = ({ id }: Agent): string => (isolation ? id : EVERYONE)
  const writing = new Map<string, Promise<Owned>>()
  const allowed = createAllowed(allowDirs, ownDirs)

  async function writeAnew(name: string, content: Uint8Array): Promise<Owned> {
    const written = { ...(await directory.write(name, content)), agents: new Set<string>() }
    files.set(written.path, written, { size: Math.min(Math.max(content.byteLength, 1), maxTotalBytes) })
    return written
  }

  async function fileOf(name: string, content: Uint8Array): Promise<Owned> {
    // A handle is its content: what was written for it once is the same again.
    const before = files.get(join(directory.path, name))
    if (before && (await directory.has(before))) return before
    const underWay = writing.get(name) ?? writeAnew(name, content).finally(() => writing.delete(name))
    writing.set(name, underWay)
    return underWay
  }

  async function allowedRoots(): Promise<Root[]> {
    const spilled = dirname(await realpath(directory.path).catch(() => directory.path))
    const roots = await allowed()
    return roots.map(({ place, without = [] }) => ({ place, without: [spilled, ...without] }))
  }

  return {
    async write(agent, handle, content, extension) {
      try {
        const file = await fileOf(`result-${handle}.${extension}`, content)
        file.agents.add(ownerOf(agent))
        return file.path
      } catch (error) {
        onError?.(error)
        throw error
      }
    },
    async read(agent, path) {
      const own = files.get(path)
      if (own?.agents.has(ownerOf(agent)) !== true) return readConfined(path, await allowedRoots(), maxBytes)
      return readConfined(path, [{ place: own.real }], maxBytes, (stat) => isSame(own, stat))
    },
    holds: (path) => files.has(path) || files.has(normalize(path)),
    owns: (text) => text.includes(directory.path),
    async close() {
      files.clear()
      await directory.close()
    },
  }
}
