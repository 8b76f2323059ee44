import { readFileSync } from 'node:fs'

/** The version of this package, as its package.json says. */
export const VERSION: string = readVersion()

function readVersion(): string {
  // The same two steps up from src/config and from dist/config.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const found =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  return String(found)
}
