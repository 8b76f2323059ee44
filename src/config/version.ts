import { readFileSync } from 'node:fs'

/** The version of this package, as its package.json says. */
export function packageVersion(): string {
  // The same two steps up from src/config and from dist/config.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return known ? String(manifest.version) : '0.0.0'
}
