import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from './schema.ts'

/**
 * A mark that tells a proxy from others when proxies stand behind one another: a name for its servers. A proxy that finds its own name
 * on the way is its own server, in the same process or in one it started.
 */
export function identityOf({ servers }: Pick<Config, 'servers'>): string {
  return createHash('sha256').update(JSON.stringify(servers)).digest('hex').slice(0, 32)
}

/** The version of this package, as its package.json says. */
export function packageVersion(): string {
  // The same two steps up from src/config and from dist/config.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return known ? String(manifest.version) : '0.0.0'
}
