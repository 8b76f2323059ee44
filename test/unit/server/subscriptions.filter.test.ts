import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { accepts, honour, isEmpty, readFilter, writeFilter } from '../../../src/server/subscriptions.ts'
import { ALL } from '../downstream/modern/support.ts'

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

  test('takes what was asked for, parts of resources too, and nothing else', () => {
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
