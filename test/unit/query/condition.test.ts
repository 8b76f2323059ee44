import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askedBy } from '../../../src/query/conditions/comparison.ts'
import { parseCondition } from '../../../src/query/language/parser.ts'
import type { Condition } from '../../../src/query/language/tree.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { bucket, parseDate } from '../../../src/text/values/dates.ts'
import { looseNumber, plainNumber, quantity } from '../../../src/text/values/quantities.ts'
import { runs } from '../../support/runs.ts'

/** A condition in short: `field operator values`, negation as `!`, groups in brackets. */
function short(condition: Condition): string {
  if (condition.kind === 'not') return `!${short(condition.part)}`
  if (condition.kind === 'within') return `${condition.quantifier} ${condition.field}: ${condition.condition}`
  if (condition.kind !== 'comparison') return `[${condition.parts.map(short).join(` ${condition.kind} `)}]`
  const { field, negated, operator, operands } = askedBy(condition)
  return `${field} ${negated ? '!' : ''}${operator} ${operands.map(({ text }) => text).join('|')}`.trim()
}

describe('the first operator decides', () => {
  test.each([
    ['state = open | n > 5', '[state = open or n > 5]'],
    ['title ~ open | shut', 'title ~ open | shut'],
    ['state = open', 'state = open'],
    ['state == "in progress"', 'state = in progress'],
    ["state='open'", 'state = open'],
    ['price>=5', 'price >= 5'],
    ['a != b', 'a != b'.replace('!=', '!=')],
    ['a <> b', 'a != b'],
    ['title ~ a = b > c', 'title ~ a = b > c'],
    ['title !~ x', 'title !~ x'],
    ['title =~ /x/', 'title ~ /x/'],
    ['labels has bug', 'labels has bug'],
    ['labels does not have bug', 'labels !has bug'],
    ['name contains has x', 'name contains has x'],
    ['name not contains x', 'name !contains x'],
    ['state in (open, "in progress")', 'state in open|in progress'],
    ['state NOT IN [a, b]', 'state !in a|b'],
    ['state in a, b', 'state in a|b'],
    ['login starts with dep', 'login starts with dep'],
    ['login endswith [bot]', 'login ends with [bot]'],
    ['due is null', 'due is null'],
    ['due IS NOT NULL', 'due !is null'],
    ['due = null', 'due is null'],
    ['due != null', 'due !is null'],
    ['due is empty', 'due is empty'],
    ['due exists', 'due exists'],
    ['due does not exist', 'due !exists'],
    ['state is not open', 'state != open'],
    ['price between 5 and 10', 'price between 5|10'],
    ['price between 5, 10', 'price between 5|10'],
    ['has_issues = true', 'has_issues = true'],
    ['is_in = 1', 'is_in = 1'],
    ['items[?@.x > 1].y < 3', 'items[?@.x > 1].y < 3'],
    ['["a = b"] = c', '["a = b"] = c'],
    ["title = don't panic", "title = don't panic"],
    ['name like %crash%', 'name like %crash%'],
  ])('%s', (text, read) => {
    expect(short(parseCondition(text))).toBe(read)
  })
})

describe('several conditions in one text', () => {
  test.each([
    ['a = 1 AND b > 2', '[a = 1 and b > 2]'],
    ['a = 1 and b = 2 and c has x', '[a = 1 and b = 2 and c has x]'],
    ['a = 1 && b = 2', '[a = 1 and b = 2]'],
    ['a = 1 or b = 2 and c = 3', '[a = 1 or [b = 2 and c = 3]]'],
    ['(a = 1 or b = 2) and c = 3', '[[a = 1 or b = 2] and c = 3]'],
    ['((a = 1))', 'a = 1'],
    ['not (a = 1 or b = 2)', '![a = 1 or b = 2]'],
    ['NOT a = 1', 'a != 1'],
    ['title = cats and dogs', 'title = cats and dogs'],
    ['title = this or that', 'title = this or that'],
    ['title = "a and b = c" and d = 1', '[title = a and b = c and d = 1]'],
    ['x between 1 and 2 and y = 3', '[x between 1|2 and y = 3]'],
    ['title ~ (crash|hang) and comments > 5', '[title ~ (crash|hang) and comments > 5]'],
    ['title ~ \\( and x = 1', '[title ~ \\( and x = 1]'],
    ['s in (a, b) or t = c', '[s in a|b or t = c]'],
  ])('%s', (text, read) => {
    expect(short(parseCondition(text))).toBe(read)
  })
})

describe('conditions of other languages', () => {
  test.each([
    ["WHERE a = 'x' AND b > 5", '[a = x and b > 5]'],
    ['SELECT * FROM t WHERE a = 1;', 'a = 1'],
    ['.[] | select(.a == 1)', '.a = 1'],
    ['$[?(@.a == 1 && @.b > 2)]', '[@.a = 1 and @.b > 2]'],
    ['x => x.a > 5', 'a > 5'],
    ['lambda r: r["a"] > 5', 'a > 5'],
    ['lambda r: r.get("a") > 5', 'a > 5'],
    ["lambda r: r['b'].get('a') == 'x'", "b['a'] = x"],
    ["lambda r: r.get('b', {}).get('a', '') == 'x'", "coalesce(b['a'], '') = x"],
    ['contains(title, "x")', 'title contains x'],
    ['title.startsWith("x")', 'title starts with x'],
    ['a.lower().includes("x")', 'a has x'],
    ['isnull(a)', 'a is null'],
    ['any(labels, name = "bug")', 'any labels: name = "bug"'],
    ['a > 5 and < 9', '[a > 5 and a < 9]'],
    ['a exists false', 'a !exists'],
    ['a is greater than 5', 'a > 5'],
    ['a at least 5', 'a >= 5'],
    ['state: open', 'state = open'],
    ["a = 'it''s'", "a = it's"],
    ["made > new Date('2024-05-01')", 'made > 2024-05-01'],
  ])('%s', (text, read) => {
    expect(short(parseCondition(text))).toBe(read)
  })
})

describe('what is no condition is refused with one that is', () => {
  test.each([
    ['', 'no operator'],
    ['= 5', 'no operator'],
    ['state =', 'is empty'],
    ['price between 5', 'between 5 and 10'],
    ['state in ()', 'state in (open, closed)'],
    [`${'('.repeat(100)}a = 1${')'.repeat(100)}`, 'nested too deeply'],
  ])('%s', (text, hint) => {
    expect(() => parseCondition(text)).toThrow(Refusal)
    expect(() => parseCondition(text)).toThrow(hint)
  })

  test('whatever the text', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '=',
      '!',
      '>',
      '~',
      ' and ',
      ' or ',
      ' not ',
      '(',
      ')',
      '"',
      "'",
      '[',
      ']',
      ' in ',
      ' between ',
      ' has ',
      '1',
      ',',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        try {
          expect(parseCondition(pieces.join(''))).toHaveProperty('kind')
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal)
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('dates', () => {
  const day = 86_400_000
  test.each([
    ['2024', '2024-01-01T00:00:00.000Z', 366 * day],
    ['2024-02', '2024-02-01T00:00:00.000Z', 29 * day],
    ['2024-12-31', '2024-12-31T00:00:00.000Z', day],
    ['2024-05-01T10:30', '2024-05-01T10:30:00.000Z', 60_000],
    ['2024-05-01 10:30:05', '2024-05-01T10:30:05.000Z', 1_000],
    ['2024-05-01T10:30:05.250Z', '2024-05-01T10:30:05.250Z', 1],
    ['2024-05-01T10:30:05+02:00', '2024-05-01T08:30:05.000Z', 1_000],
    ['17/May/2015:10:05:03 +0200', '2015-05-17T08:05:03.000Z', 1_000],
  ])('%s', (text, from, length) => {
    const span = parseDate(text)
    expect(new Date(span?.from ?? 0).toISOString()).toBe(from)
    expect((span?.to ?? 0) - (span?.from ?? 0)).toBe(length)
  })

  test.each(['', 'May', '20245', '2024-13', '2024-00-01', '1.2.3', '12.5', '2024-05-01x', '9'.repeat(50)])(
    'not %s',
    (text) => {
      expect(parseDate(text)).toBeUndefined()
    },
  )

  test('agree with the clock of the language', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date('1000-01-01'), max: new Date('9999-12-31') }),
        (date) => {
          const text = date.toISOString()
          const span = parseDate(text)
          expect(span?.from).toBe(date.getTime())
          expect(bucket(span ?? { from: 0, to: 0 }, 'month')).toBe(text.slice(0, 7))
          const whole = parseDate(text.slice(0, 10))
          expect(whole && date.getTime() >= whole.from && date.getTime() < whole.to).toBe(true)
        },
      ),
    )
  })
})

test('numbers and sizes in strings', () => {
  expect(['12.5', '-3', '1e3', ' 7 ', '.5'].map(plainNumber)).toEqual([12.5, -3, 1000, 7, 0.5])
  expect(['', 'x', '1,000', '0x10', 'Infinity', '1 2'].map(plainNumber)).toEqual(Array(6).fill(undefined))
  expect(['$1,234.50', '12%', '1,000', '5'].map(looseNumber)).toEqual([1234.5, 12, 1000, 5])
  expect(['10MB', '2GiB', '2Gi', '1k', '1.5 kB', '12 bytes', '5B'].map(quantity)).toEqual([
    1e7,
    2 ** 31,
    2 ** 31,
    1000,
    1500,
    12,
    5,
  ])
  expect(['10', 'MB', '10 apples', 'k'].map(quantity)).toEqual(Array(4).fill(undefined))
})
