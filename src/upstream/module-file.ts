/** A module file as a program. A thread would do for speed, but one that runs out of memory takes the whole proxy with it. */
import { fileURLToPath } from 'node:url'

/** Megabytes that its objects may take. */
const HEAP_MB = 256

/** What starts the file at `path`, absolute. */
export function moduleProgram(path: string): { command: string; args: readonly string[] } {
  return {
    command: process.execPath,
    args: [`--max-old-space-size=${HEAP_MB}`, fileURLToPath(compiledHost()), path],
  }
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for Node cannot load TypeScript. */
function compiledHost(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './module-host.js' : '../../dist/bundle/module-host.js', import.meta.url)
}
