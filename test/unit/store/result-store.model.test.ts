import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore, type ResultStore } from '../../../src/store/result-store.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { verifies } from '../../support/verifies.ts'

const AGENTS = ['ann', 'ben', 'cid', 'dot']
const LIMITS = { maxEntriesPerAgent: 3, maxBytesPerAgent: 500, maxAgents: 3 }

const step = fc.oneof(
  fc.record({
    do: fc.constant('keep' as const),
    agent: fc.constantFrom(...AGENTS),
    what: fc.nat(8),
  }),
  fc.record({
    do: fc.constant('get' as const),
    agent: fc.constantFrom(...AGENTS),
    of: fc.nat(30),
  }),
  fc.record({
    do: fc.constant('remove' as const),
    agent: fc.constantFrom(...AGENTS),
    of: fc.nat(30),
  }),
  fc.record({ do: fc.constant('wait' as const), time: fc.nat(200_000) }),
  fc.record({ do: fc.constant('sweep' as const) }),
  fc.record({
    do: fc.constant('forget' as const),
    agent: fc.constantFrom(...AGENTS),
  }),
)

interface Kept {
  agent: string
  handle: string
  text: string
}

/** The state of the model: everything ever kept, and what must still be there when a disk catches all that leaves. */
interface Model {
  all: Kept[]
  alive: Set<string>
}

function textOf(what: number): string {
  return `result ${what} `.padEnd(10 + what * 90, '.')
}

async function take(
  resultStore: ResultStore,
  model: Model,
  move: typeof step extends fc.Arbitrary<infer S> ? S : never,
) {
  if (move.do === 'keep') {
    const text = textOf(move.what)
    const content = new TextEncoder().encode(text)
    const hash = createHash('sha256').update(content).digest('hex')
    const agent = { id: move.agent }
    const entry = await resultStore.keep(agent, {
      content,
      hash,
      origin: { tool: 't', arguments: {} },
    })
    expect(resultStore.list(agent).some(({ handle }) => handle === entry.handle)).toBe(true)
    model.all.push({ agent: move.agent, handle: entry.handle, text })
    model.alive.add(entry.handle)
  } else if (move.do === 'get' || move.do === 'remove') {
    const kept = model.all[move.of % Math.max(1, model.all.length)]
    if (kept === undefined) return
    const mine = kept.agent === move.agent
    if (move.do === 'remove') {
      const removed = await resultStore.remove({ id: move.agent }, kept.handle)
      if (!mine) expect(removed).toBe(false)
      if (mine) model.alive.delete(kept.handle)
    } else {
      const entry = await resultStore.get({ id: move.agent }, kept.handle)
      if (entry !== undefined) {
        expect(mine).toBe(true)
        expect(Buffer.from(entry.content).toString()).toBe(kept.text)
      }
    }
  } else if (move.do === 'forget') {
    await resultStore.forgetAgent({ id: move.agent })
    for (const kept of model.all) if (kept.agent === move.agent) model.alive.delete(kept.handle)
  } else if (move.do === 'sweep') {
    await resultStore.sweep()
  }
}

function withinLimits(resultStore: ResultStore): void {
  const owners = new Set(resultStore.list().map(({ owner }) => owner))
  expect(owners.size).toBeLessThanOrEqual(LIMITS.maxAgents)
  for (const id of owners) {
    const { entries, bytes } = resultStore.stats({ id })
    expect(entries).toBeLessThanOrEqual(LIMITS.maxEntriesPerAgent)
    expect(entries === 1 || bytes <= LIMITS.maxBytesPerAgent).toBe(true)
    expect(bytes).toBe(resultStore.list({ id }).reduce((sum, { size }) => sum + size, 0))
  }
}

for (const withDisk of [false, true]) {
  verifies(
    'S3.32 S3.33',
    `limits and owners hold whatever happens ${withDisk ? 'with' : 'without'} a disk`,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (moves) => {
          const clock = { time: 0 }
          const errors: unknown[] = []
          const resultStore = createResultStore({
            ...RESULT_STORE_DEFAULTS,
            ...LIMITS,
            memory: createMemoryStore(),
            ...(withDisk && { backing: createMemoryStore() }),
            now: () => clock.time,
            onDrop: () => {},
            onError: (error) => errors.push(error),
          })
          const model: Model = { all: [], alive: new Set() }
          try {
            for (const move of moves) {
              if (move.do === 'wait') clock.time += move.time
              else await take(resultStore, model, move)
              withinLimits(resultStore)
            }
            if (withDisk) {
              for (const { agent, handle } of model.all) {
                expect((await resultStore.get({ id: agent }, handle)) !== undefined).toBe(
                  model.alive.has(handle),
                )
              }
            }
            expect(errors).toEqual([])
          } finally {
            await resultStore.close()
          }
        }),
      )
    },
  )
}
