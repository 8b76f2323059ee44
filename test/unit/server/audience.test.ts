import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Client } from '../../../src/protocol/exchange.ts'
import { type AnnouncedList, createAudience } from '../../../src/server/audience.ts'
import { hearsOf } from '../../../src/server/backend.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function client(id: string): { client: Client; told: string[] } {
  const told: string[] = []
  return {
    client: { id, notify: ({ method }: { method: string }) => told.push(method) } as unknown as Client,
    told,
  }
}

const all = (): boolean => true

test('changes of a moment are one announcement for each list and client', () => {
  const audience = createAudience()
  const one = client('one')
  const two = client('two')
  for (const { client } of [one, two]) audience.add(client, all)
  audience.announce('tools', ({ id }) => id === 'one')
  vi.advanceTimersByTime(40)
  audience.announce('tools', all)
  audience.announce('prompts', ({ id }) => id === 'two')
  vi.advanceTimersByTime(10)
  expect(one.told).toEqual(['notifications/tools/list_changed'])
  expect(two.told).toEqual(['notifications/tools/list_changed'])
  vi.advanceTimersByTime(100)
  expect(one.told).toHaveLength(1)
  expect(two.told).toEqual(['notifications/tools/list_changed', 'notifications/prompts/list_changed'])
})

test('tells a client of changes to lists that it received, until it leaves', () => {
  const audience = createAudience()
  const some = client('some')
  const gone = client('gone')
  const capabilities = { tools: { listChanged: true }, prompts: {}, resources: { listChanged: false } }
  audience.add(some.client, hearsOf(capabilities))
  audience.add(gone.client, all)
  for (const list of ['tools', 'prompts', 'resources'] as const) audience.announce(list, all)
  audience.remove(gone.client)
  vi.runAllTimers()
  expect(some.told).toEqual(['notifications/tools/list_changed'])
  expect(gone.told).toEqual([])
})

test('tells caches of a change at once', () => {
  const audience = createAudience()
  const heard: AnnouncedList[] = []
  audience.listen((list) => heard.push(list))
  audience.announce('resources', all)
  expect(heard).toEqual(['resources'])
  expect(vi.getTimerCount()).toBe(0)
})

test('leaves no timer after close', () => {
  const audience = createAudience()
  const { client: member, told } = client('one')
  audience.add(member, all)
  audience.announce('tools', all)
  audience.close()
  vi.runAllTimers()
  expect(told).toEqual([])
})
