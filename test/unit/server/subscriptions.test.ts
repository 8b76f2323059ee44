import { afterEach, describe, expect, test, vi } from 'vitest'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import {
  accepts,
  createWatches,
  honour,
  isEmpty,
  readFilter,
  writeFilter,
} from '../../../src/server/subscriptions.ts'
import { deferred } from '../../support/deferred.ts'
import { ALL, type Asked, type Asking, OURS, type World, world } from './support.ts'

const ID = 'io.modelcontextprotocol/subscriptionId'
const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///a'],
}

afterEach(() => void vi.useRealTimers())

const listen = ({ ask }: World, notifications: JsonObject, asked: Asked = {}): Asking =>
  ask('subscriptions/listen', { notifications }, asked)

/** Listens, and waits for the acknowledgement. */
async function listening(
  its: World,
  notifications: JsonObject = EVERYTHING,
  asked: Asked = {},
): Promise<Asking> {
  const asking = listen(its, notifications, asked)
  await expect.poll(() => asking.told.length).toBe(1)
  return asking
}

const methods = ({ told }: Asking): string[] => told.map(({ method }) => method)
const everybody = (): boolean => true

describe('listening', () => {
  test('starts with the accepted filter, and every message carries the request id', async () => {
    const its = world()
    const asking = await listening(its, EVERYTHING, { id: 'listen:0' })
    expect(asking.told[0]).toEqual({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: EVERYTHING, _meta: { [ID]: 'listen:0' } },
    })
    its.audience.announce('tools', everybody)
    const params = { uri: 'file:///a', _meta: { theirs: 1 } }
    its.audience.notify({ method: 'notifications/resources/updated', params }, { client: its.opened[0] })
    await expect.poll(() => asking.told.length).toBe(3)
    expect(asking.told[1]?.params).toEqual({ uri: 'file:///a', _meta: { theirs: 1, [ID]: 'listen:0' } })
    expect(asking.told[2]).toEqual({
      method: 'notifications/tools/list_changed',
      params: { _meta: { [ID]: 'listen:0' } },
    })
  })

  test('brings nothing that was not asked for', async () => {
    const its = world()
    const asking = await listening(its, { promptsListChanged: true })
    its.audience.announce('tools', everybody)
    its.audience.notify({ method: 'notifications/message', params: { level: 'error', data: 'x' } })
    its.audience.notify({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } })
    its.audience.announce('prompts', everybody)
    await expect.poll(() => asking.told.length).toBe(2)
    expect(methods(asking)[1]).toBe('notifications/prompts/list_changed')
  })

  test('notifies only the client with the changed list', async () => {
    const its = world()
    const one = await listening(its, EVERYTHING, { meta: clientInfo('one') })
    const two = await listening(its, EVERYTHING, { meta: clientInfo('two') })
    its.audience.announce('tools', ({ info }) => info.name === 'two')
    await expect.poll(() => two.told.length).toBe(2)
    expect(one.told).toHaveLength(1)
  })

  test('sends no tools notification when the list of the client is the same', async () => {
    const its = world(undefined, undefined, ({ info }) => info.name !== 'one')
    const one = await listening(its, EVERYTHING, { meta: clientInfo('one') })
    const two = await listening(its, EVERYTHING, { meta: clientInfo('two') })
    its.audience.announce('tools', everybody)
    await expect.poll(() => methods(two)[1]).toBe('notifications/tools/list_changed')
    its.audience.announce('prompts', everybody)
    await expect.poll(() => one.told.length).toBe(2)
    expect(methods(one)[1]).toBe('notifications/prompts/list_changed')
  })

  test('ends when the proxy closes, with a result', async () => {
    const its = world()
    const asking = await listening(its, EVERYTHING, { id: 7 })
    await its.service.close()
    expect(await asking.result).toEqual({
      resultType: 'complete',
      _meta: { [ID]: 7, 'io.modelcontextprotocol/serverInfo': OURS },
    })
    expect(its.closed).toEqual(its.opened)
    await expect(its.ask('tools/list').result).rejects.toMatchObject({ code: -32000 })
  })

  test('ends at once when nothing is honoured', async () => {
    const its = world(undefined, { tools: {} })
    const asking = listen(its, EVERYTHING)
    expect(await asking.result).toMatchObject({ resultType: 'complete', _meta: { [ID]: 1 } })
    expect(asking.told).toEqual([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: {}, _meta: { [ID]: 1 } },
      },
    ])
    expect(its.exchanges).toEqual([])
  })

  test('ends when the client leaves, and nothing more is sent', async () => {
    const its = world()
    const gone = await listening(its)
    const other = await listening(its)
    gone.leave()
    await expect(gone.result).rejects.toMatchObject({ code: -32800 })
    its.audience.announce('tools', everybody)
    await expect.poll(() => other.told.length).toBe(2)
    expect(gone.told).toHaveLength(1)
  })

  test('with an invalid filter is refused', async () => {
    const its = world()
    await expect(its.ask('subscriptions/listen').result).rejects.toMatchObject({ code: -32602 })
  })
})

describe('resources that are listened to', () => {
  const subscribed = ({ exchanges }: World): string[] =>
    exchanges.map(({ method, params }) => `${method} ${String(params.uri)}`)

  test('are watched by servers while anybody listens', async () => {
    const its = world()
    const one = await listening(its)
    const two = await listening(its)
    expect(subscribed(its)).toEqual(['resources/subscribe file:///a'])
    expect(its.exchanges[0]?.client).toBe(its.opened[0])
    one.leave()
    await expect(one.result).rejects.toThrow()
    two.leave()
    await expect.poll(() => subscribed(its)[1]).toBe('resources/unsubscribe file:///a')
    expect(its.exchanges).toHaveLength(2)
  })

  test('are acknowledged when servers have subscribed; earlier changes follow', async () => {
    const watching = deferred()
    const its = world(async () => {
      await watching.promise
      return {}
    })
    const asking = listen(its, EVERYTHING)
    await expect.poll(() => its.exchanges.length).toBe(1)
    for (const uri of ['file:///a', 'file:///a', 'file:///a/x', 'file:///other'])
      its.audience.notify({ method: 'notifications/resources/updated', params: { uri } })
    expect(asking.told).toEqual([])
    watching.resolve()
    await expect.poll(() => asking.told.length).toBe(3)
    expect(asking.told.map(({ params }) => params?.uri)).toEqual([undefined, 'file:///a', 'file:///a/x'])
  })

  test('that no server takes end nothing', async () => {
    const its = world(() => Promise.reject(new RpcError(-32002, 'Resource not found')))
    const asking = await listening(its)
    expect(asking.told[0]?.params?.notifications).toEqual(EVERYTHING)
    asking.leave()
    await expect(asking.result).rejects.toMatchObject({ code: -32800 })
    expect(subscribed(its)).toEqual(['resources/subscribe file:///a'])
  })

  test('wait for a server that hangs, but not for ever', async () => {
    vi.useFakeTimers()
    const its = world(() => new Promise(() => {}))
    const asking = listen(its, EVERYTHING)
    await vi.advanceTimersByTimeAsync(4999)
    expect(asking.told).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(methods(asking)).toEqual(['notifications/subscriptions/acknowledged'])
    vi.useRealTimers()
  })
})

describe('subscriptions', () => {
  const some = { toolsListChanged: true }

  test('of one agent are so many and no more', async () => {
    const its = world()
    for (let n = 0; n < 64; n++) await listening(its, some, { meta: clientInfo(`${n % 3}`) })
    const tooMany = { code: -32603, message: expect.stringContaining('limits.clientSubscriptions') }
    await expect(listen(its, some).result).rejects.toMatchObject(tooMany)
    await listening(its, some, { agent: { id: 'other', kind: 'principal' } })
  })

  test('of one address without a token are so many and no more', async () => {
    const its = world()
    const anonymous = { id: 'anonymous', kind: 'anonymous' } as const
    for (let n = 0; n < 64; n++) listen(its, some, { agent: anonymous, address: '192.0.2.1' })
    const tooMany = { code: -32603, message: expect.stringContaining('limits.clientSubscriptions') }
    await expect(listen(its, some, { agent: anonymous, address: '192.0.2.1' }).result).rejects.toMatchObject(
      tooMany,
    )
    await listening(its, some, { agent: anonymous, address: '192.0.2.2' })
  })

  test('of all are so many and no more, and a place that is left is free', async () => {
    const its = world()
    const anonymous = { agent: { id: 'anonymous', kind: 'anonymous' } } as const
    const open = Array.from({ length: 1024 }, (_, n) =>
      listen(its, some, { ...anonymous, address: `192.0.2.${n % 16}` }),
    )
    await expect(listen(its, some, anonymous).result).rejects.toMatchObject({ code: -32603 })
    open[0]?.leave()
    await expect(open[0]?.result).rejects.toMatchObject({ code: -32800 })
    await listening(its, some, anonymous)
  })
})

function clientInfo(name: string): JsonObject {
  return { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } }
}

const filterOf = (notifications: JsonObject) => readFilter({ notifications })
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } })

describe('a filter', () => {
  test('is written as it was read, each resource once', () => {
    const asked = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
    const filter = filterOf({ ...asked, resourceSubscriptions: ['a:b', 'c:d', 'a:b'] })
    expect(writeFilter(honour(filter, ALL))).toEqual({ ...asked, resourceSubscriptions: ['a:b', 'c:d'] })
  })

  test.each([
    {},
    { notifications: [] },
    { notifications: { toolsListChanged: 'yes' } },
    { notifications: { resourceSubscriptions: 'a:b' } },
    { notifications: { resourceSubscriptions: [1] } },
  ] as JsonObject[])('%j is none', (params) => {
    expect(() => readFilter(params)).toThrow(expect.objectContaining({ code: -32602 }))
  })

  test('is honoured as far as the capabilities go', () => {
    const filter = filterOf({
      toolsListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['a:b'],
    })
    const some = { tools: { listChanged: true }, prompts: {}, resources: { listChanged: true } }
    expect(writeFilter(honour(filter, some))).toEqual({ toolsListChanged: true })
    expect(isEmpty(honour(filter, {}))).toBe(true)
  })

  test('is about so many resources and no more', () => {
    const uris = Array.from({ length: 2000 }, (_, index) => `a:${index}`)
    expect(honour(filterOf({ resourceSubscriptions: uris }), ALL).uris.size).toBe(1024)
  })

  test('matches the requested resources and their parts, and no others', () => {
    const filter = filterOf({ promptsListChanged: true, resourceSubscriptions: ['file:///a', 'file:///b/'] })
    const taken = ['file:///a', 'file:///a/x', 'file:///b/', 'file:///b/x/y']
    for (const uri of taken) expect(accepts(filter, updated(uri)), uri).toBe(true)
    for (const uri of ['file:///ab', 'file:///', 'file:///c'])
      expect(accepts(filter, updated(uri)), uri).toBe(false)
    expect(accepts(filter, { method: 'notifications/prompts/list_changed' })).toBe(true)
    for (const method of [
      'notifications/tools/list_changed',
      'notifications/message',
      'notifications/resources/updated',
      'notifications/constructor/list_changed',
    ])
      expect(accepts(filter, { method }), method).toBe(false)
  })
})

function recorded(answers: boolean[] = []) {
  const asked: string[] = []
  const watches = createWatches(async (method, uri) => {
    asked.push(`${method} ${uri}`)
    return answers.shift() ?? true
  })
  return { watches, asked }
}

test('the first subscribes, the last to go unsubscribes', async () => {
  const { watches, asked } = recorded()
  await watches.add('a')
  await watches.add('a')
  await watches.add('b')
  watches.remove('a')
  await watches.add('c')
  expect(asked).toEqual(['resources/subscribe a', 'resources/subscribe b', 'resources/subscribe c'])
  watches.remove('a')
  await expect.poll(() => asked.at(-1)).toBe('resources/unsubscribe a')
  await watches.add('a')
  expect(asked.filter((line) => line === 'resources/subscribe a')).toHaveLength(2)
})

test('subscribing and unsubscribing during server calls ends in the last requested state', async () => {
  const asked: string[] = []
  const first = deferred()
  const watches = createWatches(async (method) => {
    asked.push(method)
    if (asked.length === 1) await first.promise
    return true
  })
  void watches.add('a')
  watches.remove('a')
  const last = watches.add('a')
  first.resolve()
  await last
  expect(asked).toEqual(['resources/subscribe'])
})

test('a refusal is asked again of the next, and nothing is taken back that was not given', async () => {
  const { watches, asked } = recorded([false, true])
  await watches.add('a')
  watches.remove('a')
  await watches.add('a')
  expect(asked).toEqual(['resources/subscribe a', 'resources/subscribe a'])
})
