import { join } from 'node:path'

/** The folder of what a module keeps, in the data directory. */
export function moduleFolder(name: string): string {
  return join('modules', name.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_'))
}
