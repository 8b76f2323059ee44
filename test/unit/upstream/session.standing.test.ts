import { expect, test } from 'vitest'
import { Standing } from '../../../src/upstream/session.ts'

const subscribe = (uri: string) => ({ method: 'resources/subscribe', params: { uri } })
const level = (name: string) => ({ method: 'logging/setLevel', params: { level: name } })

test('keeps the last log level and the subscriptions that were not ended', () => {
  const standing = new Standing()
  for (const request of [level('info'), subscribe('a'), subscribe('b'), subscribe('a'), level('debug')])
    standing.note(request)
  standing.note({ method: 'resources/unsubscribe', params: { uri: 'b' } })
  standing.note({ method: 'tools/call', params: { uri: 'c' } })
  expect(standing.requests).toEqual([level('debug'), subscribe('a')])
})

test('does not grow without end', () => {
  const standing = new Standing()
  for (let i = 0; i < 5000; i++) standing.note(subscribe(`file:///${i}`))
  expect(standing.requests).toHaveLength(1000)
  expect(standing.requests.at(-1)).toEqual(subscribe('file:///4999'))
})
