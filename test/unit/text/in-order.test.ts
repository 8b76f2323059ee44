import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { compilePattern, isPattern } from '../../../src/text/pattern.ts'
import { runs } from '../../support/runs.ts'

function spans(source: string, text: string, caseInsensitive = false): [number, number][] {
  const compiled = compilePattern(source, { caseInsensitive })
  if (!isPattern(compiled)) throw new Error(compiled.error)
  const found = [...compiled.matches(text)].map(({ start, end }): [number, number] => [start, end])
  expect(compiled.test(text)).toBe(found.length > 0)
  const first = compiled.candidate(text, 0)
  const [match] = found
  if (match) {
    const newline = text.indexOf('\n', match[0])
    expect(first).toBeGreaterThanOrEqual(0)
    expect(first).toBeLessThanOrEqual(newline < 0 ? text.length : newline)
  }
  return found
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
  expect(spans(source, text)).toEqual(expected(source, text))
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
      expect(spans(source, whole, caseInsensitive)).toEqual(expected(source, whole, caseInsensitive))
    }),
    { numRuns: runs(1000) },
  )
})

test('a hundred thousand first parts without the second take no longer than the text', () => {
  const text = `${'ab '.repeat(100_000)}\n`.repeat(3)
  expect(spans('ab.*z', text)).toEqual([])
})
