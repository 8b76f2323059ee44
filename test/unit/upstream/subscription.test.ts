import { describe, expect, test } from 'vitest'
import { RpcError } from '../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { LIMIT_DEFAULTS } from '../../../src/protocol/limits.ts'
import type { Request } from '../../../src/protocol/message.ts'
import type { RequestOptions } from '../../../src/protocol/peer.ts'
import type { Established } from '../../../src/upstream/handshake.ts'
import { Subscription, withoutSubscription } from '../../../src/upstream/subscription.ts'
import { client } from '../../support/upstream.ts'

interface Opened {
  filter: unknown
  id: number
  options: RequestOptions
  end(error?: Error): void
}

/** A subscription and the server it is opened at, by hand. */
function world(capabilities: JsonObject = { tools: { listChanged: true } }, limits = LIMIT_DEFAULTS) {
  const opened: Opened[] = []
  const alarms: (() => void)[] = []
  let interruptions = 0
  const subscription = new Subscription({
    envelope: {},
    limits,
    backoff: { initialMs: 1, maxMs: 1, factor: 1 },
    random: () => 0,
    later: (_ms, run) => {
      alarms.push(run)
      return () => void alarms.splice(alarms.indexOf(run), alarms.includes(run) ? 1 : 0)
    },
    interrupted: () => interruptions++,
  })
  const request = ({ params }: Request, options: RequestOptions): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const id = opened.length + 1
      options.onId?.(id)
      opened.push({
        filter: params?.notifications,
        id,
        options,
        end: (error) => (error ? reject(error) : resolve({})),
      })
    })
  const established = { peer: { request }, initialize: { capabilities } } as unknown as Established
  const acknowledge = (id: number): void =>
    subscription.acknowledged({ method: 'notifications/subscriptions/acknowledged' }, id)
  return { subscription, established, opened, alarms, acknowledge, interruptions: () => interruptions }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the subscription to a modern server', () => {
  test('asks for changes of the lists that the server announces, and for nothing else', () => {
    const { subscription, established, opened, acknowledge } = world()
    subscription.began(established)
    expect(opened.map(({ filter }) => filter)).toEqual([{ toolsListChanged: true }])
    expect(subscription.hears('tools')).toBe(false)
    acknowledge(1)
    expect(subscription.hears('tools')).toBe(true)
    expect(subscription.hears('prompts')).toBe(false)
  })

  test('a server that acknowledges nothing is not left with a stream for every change', async () => {
    const { subscription, established, opened, acknowledge } = world()
    subscription.began(established)
    acknowledge(1)
    for (let turns = 0; turns < 20; turns++) {
      void subscription.watch(client(), `r:${turns}`)
      await turn()
    }
    const live = opened.filter(({ options }) => !options.signal?.aborted).map(({ id }) => id)
    // The one that was acknowledged, because it is heard, and the newest.
    expect(live).toEqual([1, 18, 19, 20, 21])
  })

  test('is not opened when there is nothing to hear', () => {
    const { subscription, established, opened } = world({ tools: {} })
    subscription.began(established)
    expect(opened).toEqual([])
  })

  test('resources watched in one moment are one new subscription; the old one goes when the new one is there', async () => {
    const { subscription, established, opened, acknowledge } = world()
    const [ada, bob] = [client(), client()]
    subscription.began(established)
    acknowledge(1)
    const watching = [
      subscription.watch(ada, 'a:'),
      subscription.watch(bob, 'b:'),
      subscription.watch(bob, 'a:'),
    ]
    await turn()
    expect(opened.map(({ filter }) => filter).slice(1)).toEqual([
      { toolsListChanged: true, resourceSubscriptions: ['a:', 'b:'] },
    ])
    expect(opened[0]?.options.signal?.aborted).toBe(false)
    acknowledge(2)
    await Promise.all(watching)
    expect(opened[0]?.options.signal?.aborted).toBe(true)
    expect(subscription.watchersOf('a:')).toEqual([ada, bob])
    subscription.forget(bob)
    await turn()
    expect(opened[2]?.filter).toEqual({ toolsListChanged: true, resourceSubscriptions: ['a:'] })
    subscription.forget(ada)
    expect(subscription.watchersOf('a:')).toEqual([])
  })

  test('refuses one resource more than the limit allows, and names the limit', async () => {
    const limits = { ...LIMIT_DEFAULTS, serverWatchedResources: 1 }
    const { subscription } = world({ resources: { subscribe: true } }, limits)
    const [ada, bob] = [client(), client()]
    await subscription.watch(ada, 'a:')
    await subscription.watch(bob, 'a:')
    await expect(subscription.watch(bob, 'b:')).rejects.toThrow('limits.serverWatchedResources')
  })

  test('who waits for one that is never acknowledged goes on', async () => {
    const { subscription, established, alarms } = world()
    subscription.began(established)
    const watching = subscription.watch(client(), 'a:')
    for (const alarm of [...alarms]) alarm()
    await watching
  })

  test('comes back when it ends, and says that something may have been missed', async () => {
    const { subscription, established, opened, alarms, acknowledge, interruptions } = world()
    subscription.began(established)
    acknowledge(1)
    opened[0]?.end()
    await turn()
    expect(subscription.hears('tools')).toBe(false)
    for (const alarm of alarms.splice(0)) alarm()
    expect(opened).toHaveLength(2)
    expect(interruptions()).toBe(1)
  })

  test('is left alone by a server that has none', async () => {
    const { subscription, established, opened, alarms } = world()
    subscription.began(established)
    opened[0]?.end(new RpcError(-32601, 'Method not found'))
    await turn()
    expect(alarms).toEqual([])
  })
})

test('a notification loses its subscription and nothing else', () => {
  const meta = { 'io.modelcontextprotocol/subscriptionId': 1, mine: 2 }
  expect(withoutSubscription({ method: 'm', params: { uri: 'a:', _meta: meta } })).toEqual({
    method: 'm',
    params: { uri: 'a:', _meta: { mine: 2 } },
  })
  const { mine: _, ...bare } = meta
  expect(withoutSubscription({ method: 'm', params: { uri: 'a:', _meta: bare } })).toEqual({
    method: 'm',
    params: { uri: 'a:' },
  })
})
