/** Which policies asked: they are fixed before a run, and a run says which they were. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Goes up with every change of what an agent does. */
const VERSION = 5

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** `4 (3f2a91c07b5e)`: the version, and the beginning of the SHA-256 of all files that decide what the agents ask and answer. */
export function policies(folder = FOLDER) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()
  const hash = createHash('sha256')
  for (const name of files) hash.update(`${name}\n${readFileSync(join(folder, name), 'utf8')}\n`)
  return `${VERSION} (${hash.digest('hex').slice(0, 12)})`
}
