import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coversScopes, unionOfScopes } from '../../../../src/upstream/oauth/authorizer.ts'
import { parseChallenge } from '../../../../src/upstream/oauth/discovery.ts'

describe('a challenge', () => {
  test.each<[string, object]>([
    ['Bearer', {}],
    ['Bearer realm="x"', {}],
    ['Bearer scope="a b", error="insufficient_scope"', { scope: 'a b', error: 'insufficient_scope' }],
    ['bearer ERROR=invalid_token', { error: 'invalid_token' }],
    ['Basic realm="scope=\\"no\\"", Bearer scope="yes"', { scope: 'yes' }],
    ['Bearer scope="yes", Basic realm="x", scope="no"', { scope: 'yes' }],
    ['DPoP scope="no"', {}],
    ['Negotiate abc==, Bearer scope=yes', { scope: 'yes' }],
    ['Bearer my_scope="no", scope = "yes"', { scope: 'yes' }],
    ['Bearer scope="first", scope="second"', { scope: 'first' }],
    ['Bearer error="a \\"quoted\\" word"', { error: 'a "quoted" word' }],
    ['Bearer scope=""', {}],
    ['Bearer resource_metadata="javascript:alert(1)"', {}],
    ['Bearer resource_metadata="/relative"', {}],
    ['Bearer scope="never ends', {}],
  ])('%s', (header, wanted) => {
    expect(parseChallenge(header)).toEqual(wanted)
  })

  test('names the metadata of the resource', () => {
    const url = 'https://mcp.example/.well-known/oauth-protected-resource?a=b,c'
    expect(parseChallenge(`Bearer resource_metadata="${url}"`).resourceMetadata?.href).toBe(url)
  })

  test('is absent where there is none, and where it is far too long', () => {
    expect(parseChallenge(undefined)).toEqual({})
    expect(parseChallenge(`Bearer scope="${'x'.repeat(10_000)}"`)).toEqual({})
  })

  test('survives whatever is put around it and between', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const scopes = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
    const gap = fc.constantFrom(', ', ',', ' , ,')
    fc.assert(
      fc.property(scopes, word, gap, (scope, realm, between) => {
        const header = `Basic realm="${realm}"${between}Bearer realm="${realm}"${between}scope="${scope}"${between}x=y`
        expect(parseChallenge(header)).toEqual({ scope })
      }),
    )
  })

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'Bearer scope="\\,= \t\0é'), maxLength: 60 }),
        (header) => {
          expect(typeof parseChallenge(header)).toBe('object')
        },
      ),
    )
  })
})

describe('scopes', () => {
  const scope = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 5 })
    .map((words) => words.join(' '))

  test('a union covers its parts, once each', () => {
    fc.assert(
      fc.property(scope, scope, (one, two) => {
        const union = unionOfScopes(one, two)
        expect(coversScopes(union, one) && coversScopes(union, two)).toBe(true)
        const words = union?.split(' ') ?? []
        expect(new Set(words).size).toBe(words.length)
      }),
    )
  })

  test('nothing is no scope, and is covered by everything', () => {
    expect(unionOfScopes(undefined, '', '  ')).toBeUndefined()
    expect(coversScopes(undefined, undefined)).toBe(true)
    expect(coversScopes('a b', 'c')).toBe(false)
  })
})
