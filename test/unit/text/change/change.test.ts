import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileChange } from '../../../../src/text/change/change.ts'
import { Tally, type TextRule } from '../../../../src/text/change/change-rules.ts'
import { verifies } from '../../../support/verifies.ts'

const rule = (pattern: string, put: string, ignoreCase = false): TextRule => ({
  kind: 'pattern',
  name: 'r',
  pattern,
  with: put,
  ignoreCase,
})
const changed = (text: string, ...rules: TextRule[]): string => compileChange(rules)(text, new Tally())

describe('rules of text', () => {
  verifies('S2.25', 'what stands in place of a match may hold parts of it', () => {
    expect(changed('ab cd', rule('(\\w)(\\w)', '$2$1'))).toBe('ba dc')
    expect(changed('ab', rule('b', '<$&>'))).toBe('a<b>')
    expect(changed('ab', rule('(?P<first>a)(?P<next>b)', '$<next>-$<first>'))).toBe('b-a')
    expect(changed('5', rule('\\d', '$$$&.00'))).toBe('$5.00')
    expect(changed('a', rule('a|(b)', '[$1]'))).toBe('[]')
    // Ten groups there are not: the first, and a zero. No second one either, and no such name.
    expect(changed('a', rule('(a)', '$10 $2 $<x> $ $x'))).toBe('a0 $2 $<x> $ $x')
    expect(changed('a\nb', rule('^b$', 'c'))).toBe('a\nc')
    expect(changed('Straße STRASSE', rule('strasse', 'x', true))).toBe('Straße x')
    expect(changed('aab', rule('x*', '-'))).toBe('aab')
  })

  test('with V8 and with re2js the same is found', () => {
    const text = 'one 1, two 22; Three\n333 .. ünter 4'
    for (const [plain, grouped] of [
      ['\\d', '(\\d)'],
      ['t[a-z]', '(t)[a-z]'],
      ['^\\d\\d', '(^)\\d\\d'],
      ['\\bt', '\\b(t)'],
      ['.n', '(.)n'],
    ] as const)
      for (const ignoreCase of [false, true])
        expect(changed(text, rule(plain, '<$&>', ignoreCase))).toBe(
          // A group is asked for, so that V8 is not.
          changed(text, rule(grouped, '<$&>$9', ignoreCase)).replaceAll('$9', ''),
        )
  })

  verifies(
    'S2.25',
    'of a text that is JSON only the string values change, and the rest stays byte for byte',
    () => {
      const json =
        '{ "id": 12345678901234567890, "id5":[1.50, 5e2,"a 5"],  "say": "he said \\"5\\"\\n5", "5": null }'
      expect(changed(json, rule('5', 'five'))).toBe(
        '{ "id": 12345678901234567890, "id5":[1.50, 5e2,"a five"],  "say": "he said \\"five\\"\\nfive", "5": null }',
      )
      expect(JSON.parse(changed(json, rule('"', "'")))).toMatchObject({ say: "he said '5'\n5" })
      expect(JSON.parse(changed('["a"]', rule('a', 'say "x"\\')))).toEqual(['say "x"\\'])
      // One object on each line, and JSON inside of a string.
      expect(changed('{"n":1,"s":"1"}\n{"n":1,"s":"x"}\n', rule('1', '2'))).toBe(
        '{"n":1,"s":"2"}\n{"n":1,"s":"x"}\n',
      )
      const nested = JSON.stringify({ text: JSON.stringify({ n: 1, s: '1' }) })
      expect(JSON.parse(JSON.parse(changed(nested, rule('1', '2'))).text)).toEqual({ n: 1, s: '2' })
      // A value that only begins like JSON is text.
      expect(changed('[1] see note 1', rule('1', '2'))).toBe('[2] see note 2')
      // A text around it does not make the numbers in it text.
      const before: TextRule = { kind: 'before', name: 'b', text: 'Note: ' }
      expect(changed('{"n":1,"s":"1"}', before, rule('1', '2'))).toBe('Note: {"n":1,"s":"2"}')
    },
  )

  test('whatever JSON it is, it is read as the same data with its strings changed', () => {
    const swap = (value: unknown): unknown =>
      typeof value === 'string'
        ? value.replaceAll('a', '"')
        : Array.isArray(value)
          ? value.map(swap)
          : typeof value === 'object' && value !== null
            ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, swap(one)]))
            : value
    // A string that is JSON itself is changed inside, which `swap` does not do.
    const leaf = fc.oneof(
      fc.string().filter((text) => !/^\s*[[{]/.test(text)),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('tree')), fc.dictionary(fc.string(), tie('tree'))),
    }))
    fc.assert(
      fc.property(fc.array(tree), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const json = JSON.stringify(value, undefined, indent)
        expect(JSON.parse(changed(json, rule('a', '"')))).toEqual(swap(JSON.parse(json)))
      }),
    )
  })

  test('a text is found as it is written', () => {
    const text = (ignoreCase: boolean): TextRule => ({
      kind: 'text',
      name: 't',
      text: 'a.b',
      with: '$1$$',
      ignoreCase,
    })
    expect(changed('a.b axb A.B', text(false))).toBe('$1$$ axb A.B')
    expect(changed('a.b axb A.B', text(true))).toBe('$1$$ axb $1$$')
  })

  verifies('S2.39', 'a rule that multiplies what it finds fails before it fills the memory', () => {
    const grows = [1, 2, 3].map(() => rule('(a)', '$1'.repeat(200)))
    expect(() => changed('a', ...grows)).toThrow(/many times as long/)
    const text: TextRule = { kind: 'text', name: 't', text: 'a', with: 'a'.repeat(1000), ignoreCase: false }
    expect(() => changed('a'.repeat(60_000), text)).toThrow(RangeError)
    // The texts of a message together; one that is large may grow by as much as it is.
    const put = compileChange([{ kind: 'before', name: 'b', text: 'x'.repeat(600_000) }])
    const counts = new Tally()
    expect(put('', counts)).toHaveLength(600_000)
    expect(() => put('', counts)).toThrow(RangeError)
    const large = new Tally(600_000)
    expect([put('', large), put('', large)].join('')).toHaveLength(1_200_000)
  })

  test('a pattern that backtracks for ever elsewhere takes no time', () => {
    expect(changed(`${'a'.repeat(20_000)}!`, rule('(a+)+$', 'x'))).toHaveLength(20_001)
  })
})
