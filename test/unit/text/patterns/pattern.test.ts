import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { indexLines } from '../../../../src/text/lines.ts'
import {
  boundedPattern,
  compilePattern,
  isPattern,
  type Pattern,
  PatternError,
  requiredTexts,
} from '../../../../src/text/patterns/pattern.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

function compile(source: string, options = {}): Pattern {
  const compiled = compilePattern(source, options)
  if (!isPattern(compiled)) throw new Error(compiled.error)
  return compiled
}

const spans = (source: string, text: string, options = {}): [number, number][] =>
  [...compile(source, options).matches(text)].map(({ start, end }) => [start, end])

describe('compilePattern', () => {
  test('finds matches from left to right, without overlap', () => {
    expect(spans('foo', 'a foo b foo')).toEqual([
      [2, 5],
      [8, 11],
    ])
    expect(spans('o+', 'foo boo')).toEqual([
      [1, 3],
      [5, 7],
    ])
  })

  test('finds texts that follow one another in a line where a regular expression finds them', () => {
    const texts = fc.array(fc.stringMatching(/^[ab]{1,2}$/), { minLength: 2, maxLength: 3 })
    const lines = fc.stringMatching(/^[ab\n]{0,14}$/)
    fc.assert(
      fc.property(texts, fc.constantFrom('.*', '.*?'), lines, (parts, between, text) => {
        const source = parts.join(between)
        const expected = [...text.matchAll(new RegExp(source, 'g'))].map(({ 0: found, index }) => [
          index,
          index + found.length,
        ])
        expect([...compile(source).matches(text)].map(({ start, end }) => [start, end])).toEqual(expected)
      }),
    )
  })

  test('finds empty matches once a character, never inside a surrogate pair', () => {
    const everywhere = [
      [0, 0],
      [1, 1],
      [3, 3],
    ]
    expect(spans('', 'a😀')).toEqual(everywhere)
    expect(spans('x*', 'a😀')).toEqual(everywhere)
    expect(spans('(?=)', 'a😀')).toEqual(everywhere)
  })

  test('starts where it is told to', () => {
    for (const source of ['foo', 'fo+', 'foo(?=)']) {
      expect([...compile(source).matches('foo foo', 1)]).toEqual([{ start: 4, end: 7 }])
      expect([...compile(source).matches('foo', 9)]).toEqual([])
    }
  })

  test('ignores case when asked to', () => {
    expect(compile('état').test('ÉTAT')).toBe(false)
    for (const source of ['état', 'éta+t', 'état(?!s)']) {
      expect(compile(source, { caseInsensitive: true }).test('ÉTAT')).toBe(true)
    }
  })

  test('anchors at lines; a dot matches line breaks with multiline alone', () => {
    expect(spans('^b$', 'a\nb\nc')).toEqual([[2, 3]])
    expect(compile('a.c').test('a\nc')).toBe(false)
    expect(spans('a.c', 'a\nc', { multiline: true })).toEqual([[0, 3]])
  })

  test('knows lookaround and backreferences', () => {
    expect(compile('foo(?=bar)').engine).toBe('linear')
    expect(compile('foo(?=bar*)').engine).toBe('backtracking')
    expect(spans('a(?!b)|(?<!a)b', 'ab a b\nb')).toEqual([
      [3, 4],
      [5, 6],
      [7, 8],
    ])
    expect(spans('foo(?=bar)', 'foo foobar')).toEqual([[4, 7]])
    expect(spans('(\\w)\\1', 'hello')).toEqual([[2, 4]])
    expect(spans('(?<=\\$)\\d+', '12 $34')).toEqual([[4, 6]])
  })

  test('reads the spellings of other engines', () => {
    expect(spans('(?P<y>\\d{4})-(?P=y)', '2024-2024')).toEqual([[0, 9]])
    expect(spans('\\u00e9', 'é')).toEqual([[0, 1]])
    expect(spans('a\\h+b', 'a \tb')).toEqual([[0, 4]])
    expect(spans('b\\Z', 'b\nb')).toEqual([[2, 3]])
    expect(spans('(?i)FOO(?!d)', 'foo')).toEqual([[0, 3]])
    expect(spans('a\\-b(?!x)', 'a-b')).toEqual([[0, 3]])
  })

  test('takes what is no regular expression as plain text, and says so', () => {
    const pattern = compile('call(x')
    expect(pattern.note).toContain('plain text')
    expect([...pattern.matches('a call(x)')]).toEqual([{ start: 2, end: 8 }])
    expect(compile('fine').note).toBeUndefined()
  })

  test('refuses patterns that are too long', () => {
    expect(compilePattern('a'.repeat(1_000))).toHaveProperty('test')
    expect(compilePattern('a'.repeat(1_001))).toEqual({ error: expect.stringContaining('1001 characters') })
  })

  verifies('S3.21', 'never hangs: nested repetition is linear, backtracking is stopped', () => {
    const hostile = `${'a'.repeat(100_000)}b`
    expect(compile('(a+)+$').test(hostile)).toBe(false)
    expect(() => compile('(?=a)(a+)+$').test(hostile)).toThrow(PatternError)
    const pattern = compile('(?=a)(a+)+$')
    expect(() => pattern.run(() => pattern.test(hostile))).toThrow(/takes too long/)
  })

  test('passes on what the work within a time limit returns and throws', () => {
    for (const source of ['a', 'a+', '(?=a)a']) {
      const pattern = compile(source)
      expect(pattern.run(() => pattern.test('a'))).toBe(true)
      expect(() =>
        pattern.run(() => {
          throw new RangeError('mine')
        }),
      ).toThrow(RangeError)
    }
  })
})

const atom = fc.constantFrom(
  'a',
  'b',
  'A',
  '.',
  '\\d',
  '\\.',
  '[ab]',
  '[^a]',
  '[a-z\\d]',
  '\\s',
  'é',
  '\\b',
  '😀',
  ' ',
)
const quantifier = fc.constantFrom('', '', '', '?', '{2}', '{0,2}', '??')
const sequence = fc.array(
  fc.tuple(atom, quantifier).map((parts) => parts.join('')),
  { maxLength: 5 },
)
const plainSource = fc
  .tuple(sequence, sequence, fc.constantFrom('', '|'), fc.constantFrom('', '^'), fc.constantFrom('', '$'))
  .map(([first, second, or, from, to]) => `${from}${first.join('')}${or}(${second.join('')})?${to}`)
const anySource = fc
  .tuple(plainSource, fc.constantFrom('', '.*', 'a+', '(b|c)*', '[^b]+', '\\w+b'), plainSource)
  .map(([before, loop, after]) => before + loop + after)
const shortText = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', 'A', '1', '.', ' ', 'é', '😀', '\n', '\r\n'),
  maxLength: 30,
})

function reference(source: string, caseInsensitive: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, RE2JS.MULTILINE | (caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0))
  } catch {
    return undefined
  }
}

describe('fast ways', () => {
  test('any pattern matches what the linear engine matches', () => {
    const anyOf = fc.oneof(plainSource, anySource)
    fc.assert(
      fc.property(anyOf, shortText, fc.boolean(), (source, text, caseInsensitive) => {
        const slow = reference(source, caseInsensitive)
        fc.pre(slow !== undefined)
        const matcher = slow?.matcher(text)
        const expected: [number, number][] = []
        while (matcher?.find()) expected.push([matcher.start(), matcher.end()])
        expect(spans(source, text, { caseInsensitive })).toEqual(expected)
      }),
      { numRuns: runs(500) },
    )
  })

  test('unbounded repetition is never bounded, nor is what multiplies', () => {
    for (const source of ['a+', '.*', '(a|b)*', 'a{3,}', '(a?){99}', '((a?b?){9}){9}', 'a{1,999}']) {
      expect(boundedPattern(source, false)).toBeUndefined()
    }
    expect(boundedPattern('error|warning: \\d{3}', true)).toBeDefined()
  })

  test('every match holds one of the required texts', () => {
    expect(requiredTexts('user=\\d+')).toEqual([['user=']])
    expect(requiredTexts('a|b')).toEqual([['a', 'b']])
    expect(requiredTexts('(?:warn|error)+ .*x')).toEqual([['warn', 'error'], [' '], ['x']])
    expect(requiredTexts('ERROR.*timeout')).toEqual([['timeout'], ['ERROR']])
    expect(requiredTexts('a|\\d')).toEqual([])
    expect(requiredTexts('(?<=took )\\d+ms')).toEqual([['ms']])
    fc.assert(
      fc.property(anySource, shortText, (source, text) => {
        const sets = requiredTexts(source)
        fc.pre(sets.length > 0)
        const matcher = reference(source, false)?.matcher(text)
        while (matcher?.find())
          expect(sets.every((texts) => texts.some((held) => matcher.group()?.includes(held)))).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })

  test('candidates leave out no line that matches', () => {
    fc.assert(
      fc.property(anySource, shortText, fc.boolean(), (source, text, caseInsensitive) => {
        const pattern = compile(source, { caseInsensitive })
        const lines = indexLines(text)
        const found: number[] = []
        for (let line = 0; line < lines.count; line++) {
          const place = pattern.candidate(text, lines.start(line))
          if (place < 0) break
          line = Math.max(line, lines.lineAt(place))
          if (pattern.test(lines.at(line))) found.push(line)
        }
        const all = Array.from({ length: lines.count }, (_, line) => line)
        expect(found).toEqual(all.filter((line) => pattern.test(lines.at(line))))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('parts in order', () => {
  function found(source: string, text: string, caseInsensitive = false): [number, number][] {
    const compiled = compilePattern(source, { caseInsensitive })
    if (!isPattern(compiled)) throw new Error(compiled.error)
    const matches = [...compiled.matches(text)].map(({ start, end }): [number, number] => [start, end])
    expect(compiled.test(text)).toBe(matches.length > 0)
    const first = compiled.candidate(text, 0)
    const [match] = matches
    if (match) {
      const newline = text.indexOf('\n', match[0])
      expect(first).toBeGreaterThanOrEqual(0)
      expect(first).toBeLessThanOrEqual(newline < 0 ? text.length : newline)
    }
    return matches
  }

  function expected(source: string, text: string, caseInsensitive = false): [number, number][] {
    const matcher = RE2JS.compile(
      source,
      RE2JS.MULTILINE | (caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0),
    ).matcher(text)
    const found: [number, number][] = []
    while (matcher.find()) found.push([matcher.start(), matcher.end()])
    return found
  }

  test.each([
    ['ab.*cd', 'xx ab cd ab cd\nab\ncd ab..cd'],
    ['ab.*?cd', 'xx ab cd ab cd\nab\ncd ab..cd'],
    ['a.*b.*c', 'a b c b\na c b\nabc aabbcc'],
    ['.*foo', 'x foo foo y\nno\nfoo'],
    ['foo.*', 'x foo foo y\nno\nfoo'],
    ['^a.*b$', 'a b\nxa b\na b c\nab'],
    ['a\\.b.*[xyz]', 'a.b 1 x y 2\naxb z'],
    ['aa.*aa', 'aaaaa\naaa'],
  ])('%s finds what a linear engine finds', (source, text) => {
    expect(found(source, text)).toEqual(expected(source, text))
  })

  test('agrees with a linear engine on any text', () => {
    const part = fc.constantFrom(
      'a',
      'ab',
      'b',
      '',
      '^a',
      'b$',
      '.',
      '[ab]',
      '\\d',
      'aa',
      'é',
      '😀',
      'a{2}',
      '\\.',
    )
    const pattern = fc
      .tuple(fc.array(part, { minLength: 2, maxLength: 4 }), fc.constantFrom('.*', '.*?'))
      .map(([parts, gap]) => parts.join(gap))
    const text = fc.array(fc.constantFrom('a', 'b', 'A', '\n', ' ', '1', '.', 'é', '😀', '\r\n'), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(pattern, text, fc.boolean(), (source, characters, caseInsensitive) => {
        const whole = characters.join('')
        expect(found(source, whole, caseInsensitive)).toEqual(expected(source, whole, caseInsensitive))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('a hundred thousand first parts without the second take no longer than the text', () => {
    const text = `${'ab '.repeat(100_000)}\n`.repeat(3)
    expect(found('ab.*z', text)).toEqual([])
  })
})

describe('lookaheads for what a line holds', () => {
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
})
