/** A tool as the catalogue knows it, and what tells its vector from all others. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../protocol/json.ts'

export interface KnownTool {
  readonly server: string
  /** The name its server gave it. */
  readonly name: string
  /** As the server lists it. */
  readonly definition: JsonObject
  /** SHA-256 of what a search sees; equal as long as the tool need not be looked at again. */
  readonly hash: string
  /** Where its vector lies; undefined while nothing is embedded. */
  readonly vectorId: number | undefined
}

/** Names a tool among all servers. Neither part can hold what would make two pairs alike. */
export function keyOf({ server, name }: Pick<KnownTool, 'server' | 'name'>): string {
  return JSON.stringify([server, name])
}

/**
 * The number of a vector, made of all that the vector depends on. So a number never means another text or model, even after a restart or
 * in a file of another process. 52 bits: exact as a double, and a collision in 10,000 tools has odds of 1 to 90 million.
 */
export function vectorIdOf(model: string, tool: Pick<KnownTool, 'server' | 'name' | 'hash'>): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([model, tool.server, tool.name, tool.hash]))
    .digest()
  return digest.readUIntBE(0, 6) * 16 + ((digest[6] ?? 0) >> 4)
}
