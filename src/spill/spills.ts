/** Results in files: which agent has which, and what of them may be read. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Agent } from '../protocol/exchange.ts'
import { openConfined, REFUSED, Refused } from './confined.ts'
import type { SpillDirectory } from './directory.ts'

export interface Spills {
  /** Writes what a kept result holds into a file of this agent. Rejects when the disk refuses. */
  write(agent: Agent, handle: string, content: Uint8Array, extension: string): Promise<string>
  /** The bytes of a file of this agent, or of a directory that everybody may read. Throws `Refused`. */
  read(agent: Agent, path: string): Promise<Uint8Array<SharedArrayBuffer>>
  /** True for the path of a file that any agent was given: no server needs to be asked for it. */
  holds(path: string): boolean
  close(): Promise<void>
}

export interface SpillsOptions {
  directory: SpillDirectory
  /** Directories that every agent may read from, absolute. */
  allowDirs: readonly string[]
  /** The most bytes of a file that is read. */
  maxBytes: number
}

/** Files that are kept at a time; the one that was used longest ago is removed first. */
const mostFiles = 1000

export function createSpills({ directory, allowDirs, maxBytes }: SpillsOptions): Spills {
  const files = new LRUCache<string, { agent: string }>({
    max: mostFiles,
    dispose: (_, path, reason) => {
      if (reason === 'evict') void directory.remove(basename(path)).catch(() => {})
    },
  })

  return {
    async write(agent, handle, content, extension) {
      // Agents that share a handle are one owner; the name still says whose file it is, and nobody else's is overwritten.
      const owner = createHash('sha256').update(agent.id).digest('hex').slice(0, 6)
      const path = await directory.write(`result-${owner}-${handle}.${extension}`, content)
      files.set(path, { agent: agent.id })
      return path
    },
    async read(agent, path) {
      const isOwn = files.get(path)?.agent === agent.id
      const file = await openConfined(path, isOwn ? [directory.path] : allowDirs)
      try {
        const { size } = await file.stat()
        if (size > maxBytes)
          throw new Refused(`The file has ${size} bytes; ${maxBytes} are the most that are read.`)
        const content = new Uint8Array(new SharedArrayBuffer(size))
        for (let at = 0; at < size; ) {
          const { bytesRead } = await file.read(content, at, Math.min(1024 * 1024, size - at), at)
          if (bytesRead === 0) throw new Refused(REFUSED)
          at += bytesRead
        }
        return content
      } finally {
        await file.close()
      }
    },
    holds: (path) => files.has(path),
    async close() {
      files.clear()
      await directory.close()
    },
  }
}
