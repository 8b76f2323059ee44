import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJsonc } from '../../../src/config/jsonc.ts'
import { soundKeys } from '../../support/keys.ts'

describe('readJsonc', () => {
  test('reads every JSON value as JSON.parse does', () => {
    fc.assert(
      fc.property(soundKeys(fc.json()), (json) => {
        const { value, problems } = readJsonc(json, 'f')
        expect(problems).toEqual([])
        expect(value).toEqual(JSON.parse(json))
      }),
    )
  })

  test('allows comments, trailing commas and a byte order mark', () => {
    expect(readJsonc('\uFEFF{ // a\n "x": [1, /* b */ 2,], }', 'f').value).toEqual({ x: [1, 2] })
  })

  test('gives line and column of a value, or of its parent', () => {
    const { locate } = readJsonc('{\n  "a": {\n    "b": [1,\n 2]\n  }\n}', 'f')
    expect(locate(['a', 'b', 1])).toBe('f:4:2')
    expect(locate(['a', 'b', 9])).toBe('f:3:10')
    expect(locate(['a', 'missing'])).toBe('f:2:8')
    expect(locate(['missing'])).toBe('f')
  })

  test('finds keys given twice, at any depth', () => {
    const { problems } = readJsonc('{"a": [{"x": 1,\n"x": 2}], "a": 3}', 'f')
    expect(problems.map(({ place, path }) => [place, path])).toEqual([
      ['f:2:1', 'a[0].x'],
      ['f:2:11', 'a'],
    ])
  })

  test('keeps __proto__ as data', () => {
    const { value } = readJsonc('{"__proto__": {"evil": true}}', 'f')
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect((value as { evil?: boolean }).evil).toBeUndefined()
  })

  test('reads anything without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (source) => {
        const { value, problems } = readJsonc(source, 'f')
        expect(value !== undefined || problems.length > 0).toBe(true)
      }),
    )
  })
})
