import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'

function dataOf(text: string): unknown {
  const document = fromRecognised(text)
  return document.format === 'toml' ? document.json() : undefined
}

test('tables, lists of tables and lists are data', () => {
  const text = `version = 4
[[package]]
name = "a"
version = "1.10"
dependencies = [
 "b",
 "c 0.2",
]
[[package]]
name = "b"
version = "0.1.0"
[metadata.built]
at = 2024-05-01T10:00:00Z
on = 2024-05-01
large = 9007199254740993
odd = inf
`
  expect(dataOf(text)).toEqual({
    version: 4,
    package: [
      { name: 'a', version: '1.10', dependencies: ['b', 'c 0.2'] },
      { name: 'b', version: '0.1.0' },
    ],
    metadata: {
      built: { at: '2024-05-01T10:00:00Z', on: '2024-05-01', large: '9007199254740993', odd: 'Infinity' },
    },
  })
})

test('a name that objects have is a name like any other', () => {
  const text = '[__proto__]\na = 1\nb = 2\nc = [3]\n[constructor]\nd = 4\n'
  expect(JSON.stringify(dataOf(text))).toBe('{"__proto__":{"a":1,"b":2,"c":[3]},"constructor":{"d":4}}')
  expect(({} as { a?: number }).a).toBeUndefined()
})

test('levels without end are no data', () => {
  const text = `a = 1\nb = 2\nc = 3\nd = 4\ne = ${'['.repeat(5_000)}${']'.repeat(5_000)}\n`
  expect(dataOf(text)).toBeUndefined()
})

test('what is written as TOML is read as it was', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/)
  const scalar = fc.oneof(fc.string(), fc.boolean(), fc.integer())
  const table = fc.dictionary(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
    minKeys: 2,
    noNullPrototype: true,
  })
  let read = 0
  fc.assert(
    fc.property(fc.array(table, { minLength: 3, maxLength: 6 }), (items) => {
      const given = { title: 'x', list: ['a'], items }
      const held = dataOf(stringify(given))
      if (held === undefined) return
      read += 1
      expect(held).toEqual(given)
    }),
  )
  expect(read).toBeGreaterThan(50)
})
