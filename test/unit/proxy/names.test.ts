import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type NamingOptions, nameAll } from '../../../src/proxy/names.ts'
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
    for (const named of names.all) expect(names.given.get(named.exposed)).toEqual(named)
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
    expect(names.given.get('find')).toEqual({
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

  test('a name stays with its item; a later server gets another name', () => {
    const x = { server: 'x', names: ['search'] }
    const y = { server: 'y', names: ['search'] }
    for (const prefix of ['onConflict', 'never'] as const) {
      const options: NamingOptions = { ...DEFAULTS, prefix }
      const first = nameAll([y], options)
      const second = nameAll([x, y], options, [], first)
      expect(second.all.map(({ exposed }) => exposed)).toEqual(['x_search', 'search'])
      expect(second.given.get('search')).toMatchObject({ server: 'y' })
      // Gone for a while: the name still means the same, for clients that come meanwhile and when it is back.
      const third = nameAll([x, { server: 'z', names: ['search'] }], options, [], second)
      expect(third.all.map(({ exposed }) => exposed)).toEqual(['x_search', 'z_search'])
      expect(third.given.get('search')).toEqual({ exposed: 'search', server: 'y', original: 'search' })
      expect(third.exposed('y', 'search')).toBeUndefined()
      expect(nameAll([x, y], options, [], third).exposed('y', 'search')).toBe('search')
    }
  })

  test('old names are remembered up to a limit, and listed names are never forgotten', () => {
    let names = nameAll([{ server: 'x', names: ['stays'] }], DEFAULTS)
    for (let round = 0; round < 8; round++) {
      const made = Array.from({ length: 1000 }, (_, index) => `t${round}-${index}`)
      names = nameAll([{ server: 'x', names: ['stays', ...made] }], DEFAULTS, [], names)
    }
    expect(names.given.get('x_stays')).toBeDefined()
    expect(names.given.get('x_t7-0')).toBeDefined()
    expect(names.given.get('x_t6-0')).toBeDefined()
    expect(names.given.get('x_t0-0')).toBeUndefined()
    expect(names.given.size).toBe(6001)
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
            expect(names.given.get(named.exposed)).toEqual(named)
            expect(names.exposed(named.server, named.original)).toBe(named.exposed)
          }
          const items = lists.reduce((sum, { names }) => sum + new Set(names).size, 0)
          expect(exposed.length).toBe(items)
          expect(nameAll(lists, options, ['proxy_filter']).all).toEqual(names.all)
        },
      ),
    )
  })

  test('whatever comes and goes, a name means one item for as long as it is known', () => {
    const server = (name: string) =>
      fc.record({ server: fc.constant(name), names: fc.subarray(['a', 'b', 'x_a', 'y_a', 'a_']) })
    const lists = fc
      .tuple(server('x'), server('y'), server('z'))
      .chain((all) => fc.shuffledSubarray(all as { server: string; names: string[] }[]))
    fc.assert(
      fc.property(
        fc.array(lists, { minLength: 2, maxLength: 5 }),
        fc.constantFrom('always', 'onConflict', 'never' as const),
        (generations, prefix) => {
          let names = nameAll([], DEFAULTS)
          const meaning = new Map<string, string>()
          for (const generation of generations) {
            names = nameAll(generation, { ...DEFAULTS, prefix }, ['proxy_filter'], names)
            for (const { exposed, server, original } of names.all) {
              const item = `${server}/${original}`
              expect(meaning.get(exposed) ?? item).toBe(item)
              meaning.set(exposed, item)
            }
            for (const [exposed, item] of meaning) {
              const { server, original } = names.given.get(exposed) ?? {}
              expect(`${server}/${original}`).toBe(item)
            }
            expect(new Set(names.all.map(({ exposed }) => exposed)).size).toBe(names.all.length)
          }
        },
      ),
    )
  })
})
