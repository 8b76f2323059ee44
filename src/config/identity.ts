import { createHash } from 'node:crypto'
import type { Config } from './schema.ts'

/**
 * What tells a proxy from others when proxies stand behind one another: a name for its servers. A proxy that finds its own name
 * on the way is its own server, in the same process or in one it started.
 */
export function identityOf({ servers }: Pick<Config, 'servers'>): string {
  return createHash('sha256').update(JSON.stringify(servers)).digest('hex').slice(0, 32)
}
