import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import {
  callFunction,
  FUNCTIONS,
  functionNamed,
  type ScalarFunction,
} from '../../../../src/query/language/functions.ts'
import { Refusal } from '../../../../src/query/refusal.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

function call(name: string, ...args: JsonValue[]): JsonValue {
  const found = functionNamed(name)
  if (!found) throw new Error(`no ${name}`)
  return callFunction(found, args)
}

test.each<[string, JsonValue[], JsonValue]>([
  ['LOWER', ['ÄB'], 'äb'],
  ['lower', [['A', 'B']], ['a', 'b']],
  ['substr', ['abcdef', 1, 2], 'ab'],
  ['substring', ['abcdef', -2], 'ef'],
  ['substr', ['abcdef', 0, 2], 'ab'],
  ['split', ['a@b.c', '@', 2], 'b.c'],
  ['split_part', ['a-b-c', '-', -1], 'c'],
  ['split', ['a,b', ','], ['a', 'b']],
  ['replace', ['a-b-c', '-', '+'], 'a+b+c'],
  ['replace', ['a1b22', '/\\d+/', '#'], 'a#b#'],
  ['regexp_replace', ['John Smith', '(\\w+) (\\w+)', '$2 $1'], 'Smith John'],
  ['extract', ['fix #12 and #13', '#(\\d+)'], '12'],
  ['extract', ['fix #12', '#(\\d+)', 0], '#12'],
  ['regexp_extract', ['no', '#(\\d+)', 1], null],
  ['extract', ['year', '2024-05-06'], 2024],
  ['extract_all', ['@a @b', '@(\\w)'], ['a', 'b']],
  ['regexp_count', ['a b a', 'a'], 2],
  ['concat', ['a', 1, null, true], 'a1true'],
  ['concat_ws', ['-', 2024, 5], '2024-5'],
  ['starts_with', ['web-1', 'web'], true],
  ['position', ['a@b', '@'], 2],
  ['lpad', [7, 3, '0'], '007'],
  ['round', [1.005, 2], 1.01],
  ['round', [-2.5], -3],
  ['round', [1234.5, -2], 1200],
  ['round', [1e21, 2], 1e21],
  ['mod', [7, 0], null],
  ['sqrt', [-1], null],
  ['log', [Math.E], 1],
  ['log', [10, 1000], Math.log(1000) / Math.log(10)],
  ['bucket', [37.5, 10], 30],
  ['bucket', [0.7, 0.1], 0.7],
  ['bucket', [5, 0], null],
  ['width_bucket', [35, 0, 100, 10], 4],
  ['width_bucket', [100, 0, 100, 10], 11],
  ['date_diff', ['day', '2024-01-01', '2024-03-01'], 60],
  ['datediff', ['2024-03-01', '2024-01-01'], 60],
  ['date_diff', ['2024-03-01', '2024-01-01', 'hours'], 1440],
  ['date_diff', ['day', '2024-01-01T00:00:00Z', '2024-01-02T12:00:00Z'], 1.5],
  ['date_diff', ['second', '00:00:01.5', '00:01:00'], 58.5],
  ['date_diff', ['month', '2024-01-31', '2024-02-29'], 1],
  ['date_diff', ['year', '2020-02-29', '2024-02-29'], 4],
  ['age', ['2024-03-01', '2024-01-01'], 60],
  ['date_trunc', ['month', '2024-05-06T10:00:00Z'], '2024-05'],
  ['date_trunc', ['2024-05-06', 'quarter'], '2024-Q2'],
  ['date_part', ['dow', '2024-05-06'], 1],
  ['date_part', ['isodow', '2024-05-05'], 7],
  ['date_part', ['dow', '2024-05-05'], 0],
  ['date_part', ['doy', '2024-03-01'], 61],
  ['date_part', ['doy', '03-01'], null],
  ['date_part', ['hour', '2024-05-06T10:30:00+02:00'], 8],
  ['quarter', ['2024-05-06'], 2],
  ['week', ['2024-01-01'], 1],
  ['weekday', ['2024-05-06'], 'Monday'],
  ['date', ['2024-05-06T23:59:59Z'], '2024-05-06'],
  ['date_add', ['2024-01-31', 1, 'month'], '2024-02-29'],
  ['dateadd', ['day', 7, '2024-12-28'], '2025-01-04'],
  ['strftime', ['%Y/%m', '2024-05-06'], '2024/05'],
  ['to_char', ['2024-05-06T07:08:09Z', 'YYYY-MM-DD HH24:MI:SS'], '2024-05-06 07:08:09'],
  ['date_format', ['2024-05-06', 'Mon YYYY, Qq'], 'May 2024, 2q'],
  ['coalesce', [null, [], 'x'], 'x'],
  ['nullif', ['0', 0], null],
  ['if', [true, 'a', 'b'], 'a'],
  ['greatest', [2, '10', 9], '10'],
  ['least', ['b', 'a'], 'a'],
  ['to_number', ['$1,234.50'], 1234.5],
  ['to_text', [7], '7'],
  ['join', [['a', 'b'], '-'], 'a-b'],
  ['element', [['a', 'b'], -1], 'b'],
  ['list_sum', [[0.1, 0.2]], 0.3],
  ['list_avg', [[]], null],
  ['list_max', [[3, 10, 9]], 10],
  ['list_distinct', [['a', 'a', 'b']], ['a', 'b']],
  ['length', [['a', 'b']], 2],
  ['host', ['https://ann:pw@www.Example.org:8080/a?b=c'], 'www.example.org'],
  ['domain', ['example.org/a/b'], 'example.org'],
  ['domain', ['ann@mail.example.org'], 'mail.example.org'],
  ['net_host', ['//cdn.example.org'], 'cdn.example.org'],
  ['hostname', [['http://[::1]:80/', 'http://localhost']], ['[::1]', 'localhost']],
  ['host', ['no address'], null],
  ['host', ['word'], null],
  ['path', ['https://example.org/a/b?c=d#e'], '/a/b'],
  ['url_path', ['https://example.org'], '/'],
  ['url_path', ['/a/b?c'], '/a/b'],
  ['url_path', ['word'], null],
])('%s of %j is %j', (name, args, expected) => {
  expect(call(name, ...args)).toEqual(expected)
})

test('a unit that is none, a pattern that is none and a wrong number of arguments are refused with a call that works', () => {
  expect(() => call('date_diff', '2024-01-01', '2024-01-01', 'moons')).toThrow(/no unit of time.*date_diff\(/)
  expect(() => call('extract', 'a', '(')).toThrow(/regular expression.*extract\(/)
  expect(() => call('substr', 'a')).toThrow(/takes 2 to 3 arguments, not 1. Write like substr\(code, 1, 2\)/)
})

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '2024-05-06',
    '2024-05-06T10:00:00Z',
    '12.5',
    'day',
    'month',
    '%Y',
    '(a+)+$',
    '__proto__',
    '-',
  ),
)
const argument = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom<JsonValue>(null, true, 1e16, -0, 1e300),
  fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { maxLength: 3 }),
  fc.constant<JsonValue>({ a: 1 }),
)

describe('every function', () => {
  test.each(FUNCTIONS.map((one): [string, ScalarFunction] => [one.name, one]))(
    '%s is total, pure and small',
    (_, fn) => {
      fc.assert(
        fc.property(fc.array(argument, { minLength: fn.least, maxLength: Math.min(fn.most, 5) }), (args) => {
          deepFreeze(args)
          let value: JsonValue
          try {
            value = callFunction(fn, args as JsonValue[])
          } catch (error) {
            expect(error).toBeInstanceOf(Refusal)
            return
          }
          const json = JSON.stringify(value)
          expect(json.length).toBeLessThan(200_000)
          expect(Object.is(value, Number.NaN)).toBe(false)
          if (!['now', 'today', 'age'].includes(fn.name))
            expect(callFunction(fn, args as JsonValue[])).toEqual(value)
        }),
      )
    },
  )

  test.each(FUNCTIONS.map((one): [string, ScalarFunction] => [one.name, one]))(
    '%s of nothing is nothing, or a value it stands for',
    (_, fn) => {
      const nothing = Array.from({ length: fn.least }, () => null)
      if (['date_trunc', 'date_part', 'date_diff', 'date_add'].includes(fn.name)) return
      const value = callFunction(fn, nothing)
      expect([null, '', 0, 'null', ...(fn.name === 'now' || fn.name === 'today' ? [value] : [])]).toContain(
        value,
      )
    },
  )

  test('has a name, an example that calls it, and names that nothing else has', () => {
    const names = FUNCTIONS.map(({ name }) => name)
    expect(new Set(names.map((name) => name.replaceAll('_', ''))).size).toBe(names.length)
    const others = FUNCTIONS.flatMap(({ otherNames }) => otherNames)
    expect(others.filter((name) => others.indexOf(name) !== others.lastIndexOf(name))).toEqual([])
    expect(others.filter((name) => names.includes(name))).toEqual([])
    for (const { name, example } of FUNCTIONS) expect(example).toContain(`${name}(`)
  })
})

test('long texts and hostile patterns end soon', () => {
  const long = 'a'.repeat(1_000_000)
  expect(String(call('replace', long, 'a', 'bb')).length).toBeLessThanOrEqual(100_000)
  call('extract', `${long}!`, '(a+)+$')
  call('extract_all', long, '(a*)*b')
  // A pattern that goes back and forth over the whole text would not end before the time limit of the test.
})
