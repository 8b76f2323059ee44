import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type NamingOptions, nameAll } from '../../../src/pipeline/names.ts'
import { verifies } from '../../support/verifies.ts'

const DEFAULTS: NamingOptions = {
  prefix: 'always',
  separator: '_',
  maxLength: 60,
  charset: 'default',
  rename: {},
}

describe('names', () => {
  verifies('S3.2 S1.13', 'routes by map: server a_b tool c and server a tool b_c are both reachable', () => {
    const names = nameAll(
      [
        { server: 'a_b', names: ['c'] },
        { server: 'a', names: ['b_c'] },
      ],
      DEFAULTS,
    )
    const [first, second] = names.all
    expect(first).toEqual({ exposed: 'a_b_c', server: 'a_b', original: 'c' })
    expect(second).toMatchObject({ server: 'a', original: 'b_c' })
    expect(second?.exposed).toMatch(/^a_b_c_[0-9a-f]{6}$/)
    for (const named of names.all) expect(names.resolve(named.exposed)).toEqual(named)
  })

  test('unambiguous original names are accepted, ambiguous ones are not', () => {
    const names = nameAll(
      [
        { server: 'x', names: ['search', 'read'] },
        { server: 'y', names: ['search'] },
      ],
      DEFAULTS,
    )
    expect(names.resolve('read')).toMatchObject({ server: 'x' })
    expect(names.resolve('search')).toBeUndefined()
  })

  verifies('S2.15', 'prefix never keeps the identifiers; a contested one stays unique', () => {
    const options: NamingOptions = { ...DEFAULTS, prefix: 'never' }
    const lists = [
      { server: 'x', names: ['search', 'read'] },
      { server: 'y', names: ['search'] },
    ]
    expect(nameAll(lists, options).all.map(({ exposed }) => exposed)).toEqual(['search', 'read', 'y_search'])
    const onConflict = nameAll(lists, { ...DEFAULTS, prefix: 'onConflict' })
    expect(onConflict.all.map(({ exposed }) => exposed)).toEqual(['x_search', 'read', 'y_search'])
  })

  verifies('S2.16 S2.24', 'identifiers can be renamed, and the new name routes to the old one', () => {
    const names = nameAll([{ server: 'x', names: ['search'] }], {
      ...DEFAULTS,
      rename: { 'x/search': 'find' },
    })
    expect(names.resolve('find')).toEqual({
      exposed: 'find',
      server: 'x',
      original: 'search',
    })
    expect(names.exposed('x', 'search')).toBe('find')
  })

  test('no server takes the name of a tool of the proxy', () => {
    const names = nameAll([{ server: 'x', names: ['proxy_filter'] }], { ...DEFAULTS, prefix: 'never' }, [
      'proxy_filter',
    ])
    expect(names.all[0]?.exposed).toBe('x_proxy_filter')
  })

  const list = fc.record({
    server: fc.oneof(fc.string(), fc.constantFrom('a', 'a_b', '__proto__', 'constructor')),
    names: fc.array(fc.oneof(fc.string(), fc.constantFrom('b_c', 'c', '__proto__', 'toString')), {
      maxLength: 8,
    }),
  })

  verifies('S1.36', 'every name is unique, legal, short, reversible and the same again', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(list, {
          maxLength: 6,
          selector: ({ server }) => server,
        }),
        fc.integer({ min: 10, max: 40 }),
        fc.constantFrom('always', 'onConflict', 'never' as const),
        fc.constantFrom('default', 'gemini' as const),
        (lists, maxLength, prefix, charset) => {
          const options = { ...DEFAULTS, maxLength, prefix, charset }
          const names = nameAll(lists, options, ['proxy_filter'])
          const exposed = names.all.map((named) => named.exposed)
          expect(new Set(exposed).size).toBe(exposed.length)
          const legal = charset === 'gemini' ? /^[a-z_][a-z0-9_]*$/ : /^[A-Za-z0-9_-]+$/
          for (const named of names.all) {
            expect(named.exposed.length).toBeLessThanOrEqual(maxLength)
            expect(named.exposed).toMatch(legal)
            expect(names.resolve(named.exposed)).toEqual(named)
            expect(names.exposed(named.server, named.original)).toBe(named.exposed)
          }
          const items = lists.reduce((sum, { names }) => sum + new Set(names).size, 0)
          expect(exposed.length).toBe(items)
          expect(nameAll(lists, options, ['proxy_filter']).all).toEqual(names.all)
        },
      ),
    )
  })
})
