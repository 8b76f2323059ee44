import { describe, expect, test } from 'vitest'
import type { Handler, ListSource } from '../../../src/protocol/exchange.ts'
import { createLists, onceForEach } from '../../../src/protocol/lists.ts'
import { client, exchange } from '../../support/upstream.ts'

/** A layer over a list that can change, with the counts that the gateway keeps. */
function world() {
  const state = { names: ['read'], changes: 0, servers: {} as object, asked: 0 }
  const source: ListSource = { changes: () => state.changes, current: async () => state.servers }
  const next: Handler = async ({ basis }) => {
    state.asked++
    if (basis) basis.servers = state.servers
    return { tools: state.names.map((name) => ({ name })) }
  }
  /** The handler that answers now; a test may put another one there. */
  const server = { next }
  const inside = createLists((asked) => server.next(asked), source)
  const on = client()
  const call = exchange(on, { method: 'tools/call', params: { name: 'read' } })
  const list = exchange(on, { method: 'tools/list', params: {} })
  const names = async (): Promise<unknown[]> =>
    (await inside.current('tools', call)).items.map(({ name }) => name)
  return { state, inside, server, next, on, call, list, names }
}

describe('the current list', () => {
  test('is remembered while servers list the same and nothing was announced', async () => {
    const { state, inside, list, names } = world()
    await inside.ask(list)
    expect(await names()).toEqual(['read'])
    expect(await names()).toEqual(['read'])
    expect(state.asked).toBe(1)
  })

  test('is asked for again when servers list something else, announced or not', async () => {
    const { state, names } = world()
    await names()
    state.names = ['write']
    state.servers = {}
    expect(await names()).toEqual(['write'])
    expect(state.asked).toBe(2)
  })

  test('is asked for again when a module or the settings announced another one', async () => {
    const { state, names } = world()
    await names()
    state.names = ['renamed']
    state.changes++
    expect(await names()).toEqual(['renamed'])
    expect(await names()).toEqual(['renamed'])
    expect(state.asked).toBe(2)
  })

  test('is asked for each time where nothing tells whether it is still true', async () => {
    const { state, call, next } = world()
    const inside = createLists(next)
    await inside.current('tools', call)
    await inside.current('tools', call)
    expect(state.asked).toBe(2)
  })

  test('is asked for each time where a layer inside answers from a memory of its own', async () => {
    const { inside, server, call } = world()
    let asked = 0
    server.next = async () => {
      asked++
      return { tools: [] }
    }
    await inside.current('tools', call)
    await inside.current('tools', call)
    expect(asked).toBe(2)
  })
})

test('a list that was asked for before a change does not replace one that was asked for after it', async () => {
  const { state, inside, server, next, list, on, names } = world()
  let answer = (): void => {}
  server.next = (asked) =>
    new Promise((resolve) => {
      answer = () => resolve(next(asked))
    })
  const late = inside.ask(list)
  server.next = next
  state.changes++
  await inside.ask(list)
  const kept = inside.last('tools', on)
  state.names = ['old']
  answer()
  await late
  expect(inside.last('tools', on)).toBe(kept)
  expect(await names()).toEqual(['read'])
})

test('a name that is not in the last list is looked up in a new one', async () => {
  const { state, inside, call } = world()
  expect(await inside.find('tools', 'read', call)).toEqual({ name: 'read' })
  expect(await inside.find('tools', 'read', call)).toEqual({ name: 'read' })
  expect(state.asked).toBe(1)
  state.names = ['read', 'write']
  expect(await inside.find('tools', 'write', call)).toEqual({ name: 'write' })
  expect(state.asked).toBe(2)
})

test('what is worked out of a list is worked out once for it', async () => {
  const { inside, list } = world()
  let made = 0
  const count = onceForEach(({ items }) => {
    made++
    return items.length
  })
  const listed = await inside.ask(list)
  expect([count(listed), count(listed), made]).toEqual([1, 1, 1])
  count(await inside.ask(list))
  expect(made).toBe(2)
})
