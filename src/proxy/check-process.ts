/** What runs in the process that checks arguments: one check for each message. */
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
    // Whoever asked ends this process when the time is up. If he was killed himself, this ends what would go on for ever.
    process.send?.(runInThisContext('check()', { timeout: limitMs * 2 }) as ReturnType<typeof check.check>)
  } catch {
    process.exit(1)
  }
})
process.on('disconnect', () => process.exit(0))
