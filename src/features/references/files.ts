/** Files that a model names by their paths, so that it need not copy them: those in the client's roots and in directories of the operator. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { absolutePath } from '../../config/find.ts'
import type { Config } from '../../config/schema.ts'
import { plain } from '../../protocol/content.ts'
import type { Client, Exchange } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { createAllowed, readConfined, withoutOwn } from '../../spill/confined.ts'

export interface ReferencedFiles {
  /** False: there is no directory for this client. */
  mayRead(exchange: Exchange): boolean
  /** Throws `Refused`. */
  read(path: string, exchange: Exchange, maxBytes: number): Promise<Uint8Array>
}

export function createFiles({
  spill,
  dataDir,
}: Pick<Config['settings'], 'spill' | 'dataDir'>): ReferencedFiles {
  const place = (path: string): string => absolutePath(path, process.cwd(), homedir())
  // Tokens and what others keep lie there.
  const ownDirs = [place(dataDir), place(spill.dir ?? join(dataDir, 'spill'))]
  const allowed = createAllowed(spill.allowDirs.map(place), ownDirs)
  return {
    mayRead: ({ client }) => spill.allowDirs.length > 0 || hasRoots(client),
    async read(path, exchange, maxBytes) {
      const roots = hasRoots(exchange.client) ? await withoutOwn(await rootsOf(exchange), ownDirs) : []
      return readConfined(path, [...(await allowed()), ...roots], maxBytes)
    },
  }
}

/** Roots of a client on another machine are directories there. */
function hasRoots({ agent, capabilities, era }: Client): boolean {
  return agent.kind === 'local' && era === 'legacy' && isObject(own(capabilities, 'roots'))
}

const MOST_ROOTS = 100

/** Their paths. A client that does not tell has none. */
async function rootsOf({ client, signal }: Exchange): Promise<string[]> {
  const answer = await client.ask({ method: 'roots/list' }, signal).then(plain, (): JsonObject => {
    if (signal.aborted) throw signal.reason
    return {}
  })
  const roots = Array.isArray(answer.roots) ? answer.roots.slice(0, MOST_ROOTS) : []
  return roots.flatMap((root) => {
    const uri = isObject(root) ? own(root, 'uri') : undefined
    try {
      return typeof uri === 'string' ? [fileURLToPath(uri)] : []
    } catch {
      return []
    }
  })
}
