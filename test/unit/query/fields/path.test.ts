import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { formatPath, isDefinite, parsePath } from '../../../../src/query/fields/path.ts'
import { readValues, walk } from '../../../../src/query/fields/walk.ts'
import { Refusal } from '../../../../src/query/refusal.ts'
import { newWork } from '../../../../src/query/work.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

function reach(from: JsonValue, path: string): JsonValue[] {
  const values: JsonValue[] = []
  walk(from, parsePath(path), (value) => values.push(value))
  return values
}

const data: JsonValue = {
  items: [
    { name: 'a', x: 1, tags: ['p', 'q'], sub: { 'a b': 1, 'c.d': 2, 'e-f': 3 } },
    { name: 'b', x: 2, tags: [], sub: {} },
    { name: 'c', x: 3, tags: ['r'] },
  ],
  map: { one: { size: 1 }, two: { size: 2 } },
  'dotted.key': { inner: 5 },
  text: '{"inside":{"json":[7,8]}}',
}

describe('paths as models write them', () => {
  const cases: [string, JsonValue[]][] = [
    ['$.map.one.size', [1]],
    ['map.one.size', [1]],
    ['.map.one.size', [1]],
    ['$["map"]["one"]', [{ size: 1 }]],
    ["$['map'].two.size", [2]],
    ['items.name', ['a', 'b', 'c']],
    ['items[].name', ['a', 'b', 'c']],
    ['$.items[*].name', ['a', 'b', 'c']],
    ['{.items[*].name}', ['a', 'b', 'c']],
    ['{$.items[?(@.name=="b")].name}', ['b']],
    ['items.*.name', ['a', 'b', 'c']],
    ['items[0:2].name', ['a', 'b']],
    ['items[-1].name', ['c']],
    ['items[0].name', ['a']],
    ['items.0.name', ['a']],
    ['items[0,2].name', ['a', 'c']],
    ['items[::-1].name', ['c', 'b', 'a']],
    ['items[-2:].name', ['b', 'c']],
    ['items[::2].name', ['a', 'c']],
    ["items[0]['name','x']", ['a', 1]],
    ['items[*].tags[*]', ['p', 'q', 'r']],
    ['items.tags[0]', ['p', 'r']],
    ['map.*.size', [1, 2]],
    ['map[*].size', [1, 2]],
    ['$..size', [1, 2]],
    ['..name', ['a', 'b', 'c']],
    ['$..tags[*]', ['p', 'q', 'r']],
    ['items[0].sub["a b"]', [1]],
    ['items[0].sub.a b', [1]],
    ['items[0].sub["c.d"]', [2]],
    ['items[0].sub.c.d', [2]],
    ['items[0].sub.e-f', [3]],
    ['dotted.key.inner', [5]],
    ['items[?@.x==2].name', ['b']],
    ['items[?(@.x==2)].name', ['b']],
    ['items[?(@.x>1 && @.name != "b")].name', ['c']],
    ["items[?@.name=='a' || @.x===3].x", [1, 3]],
    ['items[?@.tags[0]=="r"].name', ['c']],
    ['items[?@.tags.length > 1].name', ['a']],
    ['items[?!@.sub].name', ['c']],
    ['items[?@.x * 2 - 1 >= $.map.two.size + 3].name', ['c']],
    ['items[?x == 1 and not (name == "b")].name', ['a']],
    ['map[?@.size > 1]', [{ size: 2 }]],
    ['text.inside.json[1]', [8]],
    ['$', [data]],
    ['@', [data]],
  ]
  test.each(cases)('%s', (path, reached) => {
    expect(reach(data, path)).toEqual(reached)
  })

  test('own properties only', () => {
    const trap: JsonValue = JSON.parse('{"__proto__": 1, "a": [{"constructor": 2}]}')
    expect(reach(trap, '__proto__')).toEqual([1])
    expect(reach(trap, 'a.constructor')).toEqual([2])
    for (const path of ['constructor', 'toString', 'a.length', 'a[0].__proto__', '$..hasOwnProperty']) {
      expect(reach(trap, path)).toEqual([])
    }
    expect(reach(trap, '[?@.constructor]')).toEqual([])
  })
})

test.each([
  ['a[?@.x = 1].n', [1]],
  ['a[?length(@.tags) > 1].n', [2]],
  ['a[?@.tags.length > 1].n', [2]],
  ['a[?@.name =~ /^y/].n', [2]],
  ['a[?name == `yes`].n', [2]],
  ['a[?x == `1`].n', [1]],
  ['a[?name == yes].n', [2]],
  ['a[?contains(tags, "b")].n', [2]],
  ['a[?@.tags[*] == "b"].n', [2]],
  ["a[?starts_with(name, 'n')].n", [1]],
  ['a[name=yes].n', [2]],
  ['a[?@.Name == "yes"].n', [2]],
  ['a[?@.parts.id != 7].n', [1]],
  ['a[?any(parts, id = 7)].n', [2]],
  ['a[?@.first-name == "Al"].n', [2]],
  ['$..[?@.id == 7].id', [7]],
])('conditions of other languages in brackets: %s', (path, found) => {
  const a = [
    { n: 1, x: 1, name: 'no', tags: ['a'], parts: [] },
    { n: 2, x: 2, name: 'yes', tags: ['a', 'b'], parts: [{ id: 7 }], 'first-name': 'Al' },
  ]
  const reached: JsonValue[] = []
  walk({ a }, parsePath(path), (value) => reached.push(value))
  expect(reached).toEqual(found)
})

describe('what a path may not do', () => {
  test.each([
    ['x'.repeat(1_001), '1000 characters'],
    ['$..a..b..c', 'at most 2'],
    ['$.a.^', 'not supported'],
    ['a...b', 'three dots'],
    ['a[0', 'not closed'],
    ['a["b', 'not closed'],
    ['a[(@.length-1)]', '[-1]'],
    ['a.', 'ends with a dot'],
    ['a[?@.x', 'not closed'],
    ['a[?@.f()]', 'calls a function'],
    ['a[?@.x == ]', 'ends too early'],
    ['a[?@.x `y`]', 'does not go on'],
    ['a[?@.x; drop()]', 'cannot read'],
    [`a[?${'('.repeat(100)}@${')'.repeat(100)}]`, 'nested too deeply'],
    [`a[?${'!'.repeat(100)}@]`, 'nested too deeply'],
  ])('%s', (path, hint) => {
    expect(() => parsePath(path)).toThrow(Refusal)
    expect(() => parsePath(path)).toThrow(hint)
  })

  test('looking is bounded by work, so that explosions end', () => {
    const wide = Array.from({ length: 300 }, () => Array.from({ length: 30 }, () => ({ a: [1, 2, 3] })))
    expect(() => walk(wide, parsePath('$..*..*'), () => {}, newWork(20_000))).toThrow(/too many values/)
    expect(() => walk(wide, parsePath('$..[?@.b || @.c]'), () => {}, newWork(20_000))).toThrow(
      /too many values/,
    )
  })
})

verifies('S3.19', 'any path text either parses or is refused with a remedy', () => {
  const piece = fc.constantFrom(
    '$',
    '.',
    '..',
    '[',
    ']',
    '*',
    '?',
    '@',
    '"',
    "'",
    'a',
    'b c',
    '0',
    '-1',
    ':',
    ',',
    '(',
    ')',
    '==',
    '\\',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const source = pieces.join('')
      try {
        reach(data, source)
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
        expect((error as Refusal).message.length).toBeGreaterThan(20)
      }
    }),
    { numRuns: runs(500) },
  )
})

test('every value is reached by its own path, whatever its keys', () => {
  const tree = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant<JsonValue>(1),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 5, unit: 'binary' }), tie('value'), {
        maxKeys: 3,
      }) as fc.Arbitrary<JsonValue>,
    ),
  })).value
  fc.assert(
    fc.property(tree, (root) => {
      for (const { path, value } of places(root, '$')) {
        expect(reach(root, path)).toEqual([value])
        const into: JsonValue[] = []
        readValues(root, parsePath(path), into, newWork())
        expect(into).toEqual([value])
        expect(isDefinite(parsePath(path))).toBe(true)
        expect(reach(root, formatPath(parsePath(path)) || '$')).toEqual([value])
      }
    }),
  )
})

function places(value: JsonValue, path: string): { path: string; value: JsonValue }[] {
  const inner =
    typeof value !== 'object' || value === null
      ? []
      : Array.isArray(value)
        ? value.flatMap((element, index) => places(element, `${path}[${index}]`))
        : Object.entries(value).flatMap(([key, held]) => places(held, `${path}[${JSON.stringify(key)}]`))
  return [{ path, value }, ...inner]
}
