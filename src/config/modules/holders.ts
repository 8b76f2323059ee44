/** What entries of the list of modules may hold that nobody else should read. */
import { isObject } from '../../protocol/json.ts'
import type { ModuleConfig } from './entry.ts'

interface Holder {
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
}

/** Variables, headers, addresses, and options that are texts: their names tell which of them are secrets. */
export function holdersOf(modules: readonly ModuleConfig[]): Holder[] {
  return modules.flatMap((module): Holder[] => {
    if (module.kind === 'external') return 'path' in module.reach ? [] : [module.reach]
    const { headers } = module.options
    return [{ env: textsOf(module.options), headers: isObject(headers) ? textsOf(headers) : {} }]
  })
}

function textsOf(object: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
