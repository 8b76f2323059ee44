import { createRequire } from 'node:module'

let loaded: typeof import('re2js') | undefined

/** The engine of regular expressions in linear time. A require, so that the first pattern loads its 260 KB, and not every start. */
export function re2(): typeof import('re2js').RE2JS {
  loaded ??= createRequire(import.meta.url)('re2js') as typeof import('re2js')
  return loaded.RE2JS
}
