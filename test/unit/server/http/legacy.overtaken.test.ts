import { describe, expect, test } from 'vitest'
import { Overtaken } from '../../../../src/server/http/legacy.ts'
import { allOf, messageOf, served } from '../../downstream/http/support.ts'

const cancels = (requestId: string | number) => ({
  jsonrpc: '2.0' as const,
  method: 'notifications/cancelled',
  params: { requestId, reason: 'enough' },
})

describe('a cancellation that arrived before its request', () => {
  test('ends the call it means, and no other', async () => {
    const reasons: unknown[] = []
    const { post, open } = await served({
      handler: ({ params, signal }) =>
        new Promise((resolve) => {
          if (params?.name !== 'slow') return resolve({ done: true })
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason)
            resolve({})
          })
        }),
    })
    const session = await open()
    expect((await post(cancels(7), session)).status).toBe(202)
    const other = await post({ id: 8, method: 'tools/call', params: { name: 'quick' } }, session)
    expect(((await other.json()) as { result: unknown }).result).toEqual({ done: true })
    const response = await post({ id: 7, method: 'tools/call', params: { name: 'slow' } }, session)
    const text = await response.text()
    expect(reasons).toEqual(['enough'])
    expect(text).toContain('-32800')
  })

  test('says nothing of a request whose answer was on its way', async () => {
    const { post, open } = await served({ handler: async () => ({ done: true }) })
    const session = await open()
    const call = { id: 3, method: 'tools/call', params: { name: 'x' } }
    await (await post(call, session)).text()
    await post(cancels(3), session)
    const again = await post(call, session)
    const [message] = again.headers.get('content-type')?.startsWith('application/json')
      ? [await again.json()]
      : (await allOf(again)).map(messageOf)
    expect(message).toEqual({ jsonrpc: '2.0', id: 3, result: { done: true } })
  })

  test('is kept for some seconds, once, and not without bound', () => {
    let now = 0
    const overtaken = new Overtaken(() => now)
    overtaken.keep('a', cancels('a'))
    overtaken.keep('b', cancels('b'))
    expect(overtaken.claim('a')).toEqual(cancels('a'))
    expect(overtaken.claim('a')).toBeUndefined()
    now = 10_001
    expect(overtaken.claim('b')).toBeUndefined()
    for (let id = 0; id < 300; id++) overtaken.keep(id, cancels(id))
    expect(overtaken.claim(0)).toBeUndefined()
    expect(overtaken.claim(299)).toEqual(cancels(299))
  })

  test('of an answered request is known by its id, and those are not kept without bound', () => {
    const overtaken = new Overtaken(() => 0)
    for (let id = 0; id < 300; id++) overtaken.answered(id)
    for (const id of [0, 299]) overtaken.keep(id, cancels(id))
    expect(overtaken.claim(299)).toBeUndefined()
    expect(overtaken.claim(0)).toEqual(cancels(0))
  })
})
