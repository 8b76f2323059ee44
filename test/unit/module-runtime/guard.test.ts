import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../../src/module-runtime/module.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { deferred } from '../../support/deferred.ts'
import { moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

/** Passes a message on when the test says so. */
function late(entry: JsonObject) {
  const gate = deferred()
  const attempts: Promise<string>[] = []
  const definition = defineModule({
    name: 'late',
    options: z.object({}),
    create: () => ({
      wrap: (next) => async (exchange) => {
        await gate.promise
        const passed = next(exchange)
        attempts.push(passed.then(() => 'passed', String))
        return passed
      },
    }),
  })
  const world = moduleWorld([{ use: 'late', timeoutMs: 1, ...entry }], { definitions: [definition] })
  return { world, attempts, go: () => gate.resolve() }
}

describe('a module that passes a message on when it is too late', () => {
  verifies('S2.39', 'and that fails closed: the server never hears of what was refused', async () => {
    const { world: made, attempts, go } = late({})
    const world = await made
    await expect(world.ask('tools/call')).rejects.toThrow('did not answer in time')
    go()
    await expect.poll(() => attempts.length).toBe(1)
    expect(await attempts[0]).toContain('too late')
    expect(world.sent).toEqual([])
  })

  verifies('S2.39', 'and that fails open: the server hears of it once', async () => {
    const { world: made, attempts, go } = late({ failOpen: true })
    const world = await made
    expect(await world.ask('tools/call')).toHaveProperty('content')
    go()
    await expect.poll(() => attempts.length).toBe(1)
    expect(await attempts[0]).toContain('too late')
    expect(world.sent).toHaveLength(1)
  })

  test('in audit mode holds nobody up', async () => {
    const { world: made, attempts, go } = late({ mode: 'audit' })
    const world = await made
    expect(await world.ask('tools/call')).toHaveProperty('content')
    await expect.poll(() => world.lines.map(({ message }) => message)).toEqual(['audit: the module failed'])
    go()
    await expect.poll(() => attempts.length).toBe(1)
    expect(await attempts[0]).toBe('passed')
    expect(world.sent).toHaveLength(1)
  })
})
