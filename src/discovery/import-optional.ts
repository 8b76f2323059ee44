/** Packages that are too heavy for everybody: loaded when they are asked for, and when they are missing, told how to get. */
import { ProxyError } from '../protocol/errors.ts'

export type ImportedModule = Record<string, unknown>
export type ImportOptional = (name: string, feature: string) => Promise<ImportedModule>

/** Rejects with a `ProxyError` that holds the install command; `feature` names what needs the package. */
export async function importOptional(name: string, feature: string): Promise<ImportedModule> {
  try {
    return (await import(name)) as ImportedModule
  } catch (cause) {
    // A package that is there and broken says something else, which must not be hidden.
    if (!isNotFound(cause, name)) throw cause
    throw new ProxyError(
      'PACKAGE_MISSING',
      `${feature} needs the package ${name}, which is not installed`,
      `Install it where mcp-rlm-proxy is installed: npm install ${name} (with -g for a global installation)`,
      { cause },
    )
  }
}

function isNotFound(error: unknown, name: string): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const missing = error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND'
  return missing && error.message.includes(`'${name}'`)
}
