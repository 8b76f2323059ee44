import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type UriLists, UriMap } from '../../../src/proxy/resources.ts'
import { runs } from '../../support/runs.ts'

interface Offer {
  uris?: readonly string[]
  templates?: readonly string[]
  /** Of tools. */
  views?: readonly string[]
}

/** The lists of servers, in this order. */
function listsOf(offers: Record<string, Offer>): UriLists {
  return new Map(
    Object.entries(offers).map(([server, { uris = [], templates = [], views = [] }]) => [
      server,
      {
        resources: uris.map((uri): JsonObject => ({ uri })),
        resourceTemplates: templates.map((uriTemplate): JsonObject => ({ uriTemplate })),
        tools: views.map((resourceUri): JsonObject => ({ name: 't', _meta: { ui: { resourceUri } } })),
      },
    ]),
  )
}

const mapOf = (offers: Record<string, Offer>, past?: UriMap): UriMap => new UriMap(listsOf(offers), past)

describe('URIs', () => {
  test('nothing moves while no two servers list the same', () => {
    const map = mapOf({
      a: { uris: ['note://1'], templates: ['a://{x}'] },
      b: { uris: ['note://2'], templates: ['b://{x}'] },
    })
    expect([map.moved('a'), map.moved('b')]).toEqual([false, false])
    expect(map.inward('note://1')).toBeUndefined()
    expect([map.owner('note://1'), map.owner('note://2'), map.owner('note://3')]).toEqual([
      'a',
      'b',
      undefined,
    ])
    expect(map.owner('b://{x}')).toBe('b')
  })

  test.each([
    ['note://1', 'note+b-2://1'],
    ['file:///a b', 'file+b-2:///a b'],
    ['https://example.com/x?y#z', 'https+b-2://example.com/x?y#z'],
    ['urn:isbn:1', 'urn+b-2:isbn:1'],
    ['ui://app/main.html', 'ui://b-2/app/main.html'],
    ['read me', 'mcp+b-2:read me'],
    ['', 'mcp+b-2:'],
  ])('of two servers with %s the later has %s', (uri, moved) => {
    const map = mapOf({ a: { uris: [uri] }, 'B 2': { uris: [uri, 'note://other'] }, c: {} })
    expect(map.outward('a', uri)).toBe(uri)
    expect(map.owner(uri)).toBe('a')
    expect(map.outward('B 2', uri)).toBe(moved)
    expect(map.inward(moved)).toEqual({ server: 'B 2', uri })
    expect(map.outward('B 2', 'note://other')).toBe('note://other')
    expect(map.moved('a')).toBe(false)
  })

  test('templates of one pattern move, and what they match moves along', () => {
    const map = mapOf({
      a: { templates: ['note://{id}'] },
      b: { uris: ['note://7', 'note://7/text'], templates: ['note://{name}', 'note://{name}/text'] },
    })
    expect(map.outwardTemplate('b', 'note://{name}')).toBe('note+b://{name}')
    expect(map.outwardTemplate('b', 'note://{name}/text')).toBe('note://{name}/text')
    expect(map.outward('b', 'note://7')).toBe('note+b://7')
    expect(map.outward('b', 'note://unlisted')).toBe('note+b://unlisted')
    expect(map.outward('b', 'note://7/text')).toBe('note://7/text')
    expect(map.inward('note+b://{name}')).toEqual({ server: 'b', uri: 'note://{name}' })
    expect(map.owner('note://7')).toBeUndefined()
    expect(map.byTemplate('note://7')).toEqual(['a'])
    expect(map.byTemplate('note://7/text')).toEqual(['b'])
  })

  test('a template without a scheme moves as well', () => {
    const map = mapOf({ a: { templates: ['{+uri}'] }, b: { templates: ['{+uri}'] } })
    expect(map.outwardTemplate('b', '{+uri}')).toBe('mcp+b:{+uri}')
    expect(map.outward('b', 'x://y')).toBe('mcp+b:x://y')
    expect(map.inward('mcp+b:x://y')).toEqual({ server: 'b', uri: 'x://y' })
  })

  test('of several matching templates, the server of the most exact one is asked first', () => {
    const map = mapOf({
      a: { templates: ['{+all}'] },
      b: { templates: ['db://{table}/rows', 'db://x/{row}'] },
      c: { templates: ['db://{table}'] },
    })
    expect(map.byTemplate('db://x/rows')).toEqual(['b', 'a'])
    expect(map.byTemplate('db://x')).toEqual(['c', 'a'])
  })

  test('views that tools name collide like listed resources', () => {
    const view = 'ui://time/app.html'
    const map = mapOf({ a: { views: [view] }, b: { views: [view] }, c: { uris: [view] } })
    expect(map.outward('b', view)).toBe('ui://b/time/app.html')
    expect(map.outward('c', view)).toBe('ui://c/time/app.html')
    expect(map.owner(view)).toBe('a')
  })

  test('no moved URI is one that a server has already', () => {
    const map = mapOf({
      a: { uris: ['note://1', 'note+b://1'] },
      b: { uris: ['note://1'] },
      'b!': { uris: ['note://1'] },
    })
    const moved = map.outward('b', 'note://1')
    expect(moved).toMatch(/^note\+b-[0-9a-f]{6}:\/\/1$/)
    expect(map.inward(moved)).toEqual({ server: 'b', uri: 'note://1' })
    expect(map.inward(map.outward('b!', 'note://1'))).toEqual({ server: 'b!', uri: 'note://1' })
    expect(map.owner('note+b://1')).toBe('a')
  })

  test('a URI stays with its server, and a prefixed one keeps its prefix', () => {
    const uri = 'note://1'
    const first = mapOf({ a: {}, b: { uris: [uri] } })
    const second = mapOf({ a: { uris: [uri] }, b: { uris: [uri] } }, first)
    expect(second.owner(uri)).toBe('b')
    expect(second.outward('a', uri)).toBe('note+a://1')
    const third = mapOf({ a: { uris: [uri] }, b: {} }, second)
    expect(third.outward('a', uri)).toBe('note+a://1')
    const fourth = mapOf({ a: {}, b: {} }, third)
    expect(fourth.inward('note+a://1')).toEqual({ server: 'a', uri })
    const patterns = mapOf(
      { a: { templates: ['x://{a}'] }, b: { templates: ['x://{b}'] } },
      mapOf({ b: { templates: ['x://{b}'] } }),
    )
    expect(patterns.outwardTemplate('b', 'x://{b}')).toBe('x://{b}')
    expect(patterns.outwardTemplate('a', 'x://{a}')).toBe('x+a://{a}')
  })

  test('a server that lists a URI like a prefixed one gets another prefix', () => {
    const two = { a: { uris: ['note://1'] }, b: { uris: ['note://1'] } }
    const map = mapOf({ ...two, c: { uris: ['note+b://1'], templates: ['note+b://{x}'] } }, mapOf(two))
    expect(map.inward('note+b://1')).toEqual({ server: 'b', uri: 'note://1' })
    expect(map.outward('c', 'note+b://1')).toBe('note+b+c://1')
    expect(map.inward('note+b+c://1')).toEqual({ server: 'c', uri: 'note+b://1' })
    expect(map.outwardTemplate('c', 'note+b://{x}')).toBe('note+b+c://{x}')
  })

  const uri = fc.oneof(
    fc.constantFrom(
      'note://1',
      'note://2',
      'note+b://1',
      'ui://x/y',
      'ui://b/x/y',
      'mcp+b:x',
      'x',
      '__proto__',
      '',
    ),
    fc.webUrl(),
    fc.string({ maxLength: 6 }),
  )
  const template = fc.constantFrom(
    'note://{a}',
    'note://{b}',
    '{+c}',
    'note+b://{d}',
    'ui://{e}/y',
    'mcp+b:{+f}',
  )
  const offer = fc.record({
    uris: fc.uniqueArray(uri, { maxLength: 6 }),
    templates: fc.uniqueArray(template, { maxLength: 3 }),
  })
  const servers = fc.record({ a: offer, b: offer, B: offer, 'b c': offer }, { requiredKeys: [] })

  test('every listed URI and template has one name of its own, and the name leads back', () => {
    fc.assert(
      fc.property(fc.array(servers, { minLength: 1, maxLength: 3 }), (generations) => {
        let map: UriMap | undefined
        for (const offers of generations) {
          map = mapOf(offers, map)
          const names = new Map<string, string>()
          for (const [server, { uris, templates }] of Object.entries(offers)) {
            for (const uri of uris) {
              const name = map.outward(server, uri)
              const item = JSON.stringify([server, uri])
              expect(names.get(name) ?? item).toBe(item)
              names.set(name, item)
              if (name === uri) expect([map.owner(uri), map.inward(uri)]).toEqual([server, undefined])
              else expect(map.inward(name)).toEqual({ server, uri })
            }
            for (const text of templates) {
              const name = map.outwardTemplate(server, text)
              if (name === text) expect(map.inward(text)).toBeUndefined()
              else expect(map.inward(name)).toEqual({ server, uri: text })
            }
          }
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test('a URI keeps its meaning while its item is listed', () => {
    fc.assert(
      fc.property(servers, servers, (before, after) => {
        // Items that were listed are listed still, beside those of servers that may have come in between.
        const both = (server: 'a', kind: 'uris' | 'templates'): string[] => [
          ...new Set([...(after[server]?.[kind] ?? []), ...(before[server]?.[kind] ?? [])]),
        ]
        const names = ['b c', 'B', 'b', 'a'].filter((server) => server in before || server in after) as 'a'[]
        const merged = names.map((server) => [
          server,
          { uris: both(server, 'uris'), templates: both(server, 'templates') },
        ])
        const first = mapOf(before)
        const second = mapOf(Object.fromEntries(merged), first)
        for (const [server, { uris, templates }] of Object.entries(before)) {
          for (const uri of uris) expect(second.outward(server, uri)).toBe(first.outward(server, uri))
          for (const text of templates)
            expect(second.outwardTemplate(server, text)).toBe(first.outwardTemplate(server, text))
        }
      }),
      { numRuns: runs(100) },
    )
  })
})
