import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compilePattern, isPattern, type Pattern } from '../../../src/text/pattern.ts'
import { runs } from '../../support/runs.ts'

function pattern(source: string, options = {}): Pattern {
  const compiled = compilePattern(source, options)
  if (!isPattern(compiled)) throw new Error(compiled.error)
  return compiled
}

const lines = ['INFO start db', 'ERROR db down', 'ERROR disk full', 'debug ERROR db', '']
const matching = (source: string, options = {}): number[] =>
  lines.flatMap((line, at) => (pattern(source, options).test(line) ? [at] : []))

test('lookaheads for what a line holds or lacks are linear', () => {
  expect(matching('(?=.*ERROR)(?=.*db)')).toEqual([1, 3])
  expect(matching('^(?=.*db)(?=.*error).*$', { caseInsensitive: true })).toEqual([1, 3])
  expect(matching('^(?!.*debug).*ERROR')).toEqual([1, 2])
  expect(matching('^(?!.*(?:debug|disk))(?=.*ERROR)')).toEqual([1])
  for (const source of ['(?=.*ERROR)(?=.*db)', '^(?!.*debug).*ERROR'])
    expect(pattern(source).engine).toBe('linear')
})

test('other lookaheads are left to the engine that has them', () => {
  for (const source of ['(?=.*a)b|c', 'x(?=.*a)', '(?!.*a)b', '(?=.*(a)\\1)', '^(?!.*a)b|c']) {
    expect(pattern(source).engine, source).toBe('backtracking')
  }
})

test('finds the lines that V8 finds, alone and within a text', () => {
  const word = fc.constantFrom('a', 'b', 'ab', '[ab]c', 'c|b', '(?:a|c)b', '\\)', '.', 'c$', '^a')
  const part = fc.tuple(fc.constantFrom('=', '!'), word).map(([sign, inner]) => `(?${sign}.*(?:${inner}))`)
  const source = fc
    .tuple(
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '.*', '.*$', '.*b', 'a.*', '(?:a|b)+'),
    )
    .map(([parts, rest]) => `^${parts.join('')}${rest}`)
  const text = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', ')'), maxLength: 6 }), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(source, text, (written, all) => {
      const compiled = pattern(written)
      const regex = new RegExp(written, 'm')
      const expected = all.flatMap((line, at) => (regex.test(line) ? [at] : []))
      expect(all.flatMap((line, at) => (compiled.test(line) ? [at] : []))).toEqual(expected)
      const whole = all.join('\n')
      const found = [...compiled.matches(whole)].map(
        ({ start }) => whole.slice(0, start).split('\n').length - 1,
      )
      expect([...new Set(found)]).toEqual(all.length === 0 && regex.test('') ? [0] : expected)
    }),
    { numRuns: runs(500) },
  )
})
