/** The program of the process that checks arguments: one check for each message. */
import { runInThisContext } from 'node:vm'
import { faultsOf } from '../engine/schema-check.ts'
import type { JsonObject } from '../protocol/json.ts'

interface Job {
  args: JsonObject
  schema: JsonObject
  limitMs: number
}

process.on('message', ({ args, schema, limitMs }: Job) => {
  const check = Object.assign(globalThis, { check: () => faultsOf(args, schema) })
  try {
    // The proxy ends this process when the time is up. This timer ends the process where the proxy itself was killed.
    process.send?.(runInThisContext('check()', { timeout: limitMs * 2 }) as ReturnType<typeof check.check>)
  } catch {
    process.exit(1)
  }
})
process.on('disconnect', () => process.exit(0))
