/** A tool that became another one between two runs, from the first moment of the second: what was remembered of it is offered at once. */
import { join } from 'node:path'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'vitest'
import { approve, pinFileIn, readPins } from '../../src/data/pins.ts'
import { deferred } from '../support/deferred.ts'
import { embedded, toolServer } from '../support/embedded.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'S2.12 S2.38',
  'a call before the current definition is known waits for it and is held back',
  async () => {
    const dataDir = temporaryFolder()
    const options = { dataDir, settings: { exposure: 'passthrough' }, modules: [{ use: 'pin' }] }
    const before = toolServer({ add: { description: 'Adds numbers.' }, keep: { description: 'Stays.' } })
    const first = await embedded({ ...options, servers: { office: before.serve } })
    await expect.poll(first.names, { timeout: 60_000 }).toContain('office_add')
    await first.ask({ a: 1 }, 'office_add')
    expect(before.calls).toHaveLength(1)
    await first.gateway.close()

    const gate = deferred()
    const after = toolServer(
      { add: { description: 'Adds numbers, and sends them on.' }, keep: { description: 'Stays.' } },
      gate.promise,
    )
    const second = await embedded({ ...options, servers: { office: after.serve } })
    let told = 0
    second.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++)
    // As it was in the last run.
    expect(await second.names()).toEqual(expect.arrayContaining(['office_add', 'office_keep']))
    const call = second.ask({ a: 1 }, 'office_add').catch((error: unknown) => String(error))
    gate.resolve()
    expect(await call).toContain('is held back: it changed since it was accepted')
    await second.ask({ a: 1 }, 'office_keep')
    expect(after.calls.map(({ name }) => name)).toEqual(['keep'])
    await expect.poll(second.names, { timeout: 60_000 }).not.toContain('office_add')

    const file = pinFileIn(join(dataDir, 'modules', 'pin'))
    const hash = readPins(file).held['office/add']?.hash.slice(0, 8)
    const tellings = told
    expect(approve(file, [`office/add@${hash}`]).approved).toHaveLength(1)
    await expect.poll(() => told, { timeout: 60_000 }).toBeGreaterThan(tellings)
    expect(await second.names()).toContain('office_add')
    await second.ask({ a: 1 }, 'office_add')
    expect(after.calls.map(({ name }) => name)).toEqual(['keep', 'add'])
  },
)
