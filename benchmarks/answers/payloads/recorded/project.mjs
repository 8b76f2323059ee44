/** Where the project lies, and what is installed in it: the real data that the servers serve. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/[/\\]$/, '')

/** The script of a server that is a dependency of the project. */
export function serverScript(name) {
  return join(ROOT, 'node_modules/@modelcontextprotocol', name, 'dist/index.js')
}

/**
 * The installed packages as package-lock.json has them, in its order.
 * @returns {{folder: string, name: string, entry: object}[]} `folder` from the root of the project; those of other platforms are left out
 */
export function installedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries(packages)
    .filter(([folder]) => folder !== '' && existsSync(join(ROOT, folder, 'package.json')))
    .map(([folder, entry]) => ({
      folder,
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      entry,
    }))
}
