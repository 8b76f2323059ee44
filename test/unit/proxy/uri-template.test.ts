import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MOST_STEPS, parseTemplate } from '../../../src/proxy/uri-template.ts'
import { runs } from '../../support/runs.ts'

/** Section 3.2 of RFC 6570: templates and what they expand to. */
const EXPANSIONS: [template: string, expansion: string][] = [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['map?{x,y}', 'map?1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['{var:3}', 'val'],
  ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
  ['{+base}index', 'http://example.com/home/index'],
  ['{+path}/here', '/foo/bar/here'],
  ['up{+path}{var}/here', 'up/foo/barvalue/here'],
  ['{+keys*}', 'semi=;,dot=.,comma=,'],
  ['{#path:6}here', '#/foo/bhere'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['foo{#empty}', 'foo#'],
  ['foo{#undef}', 'foo'],
  ['X{.x,y}', 'X.1024.768'],
  ['www{.dom*}', 'www.example.com'],
  ['X{.empty_keys}', 'X'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?list*}', '?list=red&list=green&list=blue'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
]

describe('URI templates', () => {
  test.each(EXPANSIONS)('%s expands to %s', (template, expansion) => {
    expect(parseTemplate(template).matches(expansion)).toBe(true)
  })

  test.each([
    ['note://{id}', 'note://a/b'],
    ['note://{id}', 'notes://a'],
    ['note://{id}/text', 'note://a'],
    ['note://{id}/text', 'note://a/text/more'],
    ['file:///{+path}.md', 'file:///a/b.txt'],
    ['db://t{?q}', 'db://t/q'],
    ['db://t{?q}', 'db://table'],
    ['x{/a}', 'x?a'],
    ['plain', 'plainer'],
  ])('%s does not expand to %s', (template, uri) => {
    expect(parseTemplate(template).matches(uri)).toBe(false)
  })

  test('a hand-written URI matches like its encoded form', () => {
    const template = parseTemplate('note://größe/{id}')
    for (const uri of ['note://größe/my note', 'note://gr%C3%B6%c3%9fe/my%20note'])
      expect(template.matches(uri)).toBe(true)
  })

  test('text that is no valid expression is literal', () => {
    expect(parseTemplate('a{').matches('a{')).toBe(true)
    expect(parseTemplate('a{}b').matches('a{}b')).toBe(true)
    expect(parseTemplate('a{=x}').matches('a{=x}')).toBe(true)
    expect(parseTemplate('a{=x}').matches('ab')).toBe(false)
  })

  test('templates that differ in the names of variables alone have one pattern', () => {
    const pattern = (template: string): string => parseTemplate(template).pattern
    expect(pattern('note://{id}')).toBe(pattern('note://{name}'))
    expect(pattern('x{/a*,b:3}')).toBe(pattern('x{/c1*,d:3}'))
    for (const other of ['note://{+id}', 'note://{id}/', 'note://{id,b}', 'note://{id*}', 'note:/{id}'])
      expect(pattern('note://{id}')).not.toBe(pattern(other))
    expect(pattern('x{?a}')).not.toBe(pattern('x{?b}'))
  })

  test('many expressions in a row cost no more than their number', () => {
    const template = parseTemplate(`${'{a}'.repeat(300)}!`)
    expect(template.matches('x'.repeat(4000))).toBe(false)
    expect(template.matches(`${'x'.repeat(4000)}!`)).toBe(true)
  })

  test('compares a very long URI by its beginning', () => {
    const template = parseTemplate('note://{id}')
    expect(template.matches(`note://${'x'.repeat(3_000_000)}/y`)).toBe(true)
    expect(template.matches(`nope://${'x'.repeat(3_000_000)}`)).toBe(false)
    expect(parseTemplate('y'.repeat(5000)).matches(`${'y'.repeat(5000)}z`)).toBe(false)
  })

  test('thousands of templates share the steps that may be taken', () => {
    const left = { steps: MOST_STEPS }
    const uri = `a:${'x'.repeat(4000)}`
    const template = parseTemplate(`a:${'{+b}'.repeat(200)}!`)
    const matched = Array.from({ length: 10_000 }, () => template.matches(uri, left))
    expect(matched[0]).toBe(false)
    expect(matched.at(-1)).toBe(true)
    expect(left.steps).toBeGreaterThanOrEqual(0)
  })

  const operators = ['', '+', '#', '.', '/', ';', '?', '&'] as const
  const value = fc.string({ unit: 'grapheme', maxLength: 6 })
  const part = fc.oneof(
    fc.record({ literal: fc.stringMatching(/^[a-z0-9:/._-]{1,4}$/) }),
    fc.record({
      operator: fc.constantFrom(...operators),
      values: fc.array(fc.option(value), { minLength: 1, maxLength: 3 }),
    }),
  )

  test('every expansion matches', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        const template = parts
          .map((one) =>
            'literal' in one
              ? one.literal
              : `{${one.operator}${one.values.map((_, index) => `v${index}`).join(',')}}`,
          )
          .join('')
        const uri = parts
          .map((one) => ('literal' in one ? one.literal : expand(one.operator, one.values)))
          .join('')
        expect(parseTemplate(template).matches(uri)).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (template, uri) => {
        expect(typeof parseTemplate(template).matches(uri)).toBe('boolean')
        expect(parseTemplate(uri.replaceAll('{', '')).matches(uri.replaceAll('{', ''))).toBe(true)
      }),
    )
  })
})

/** RFC 6570, appendix A, for strings: the table of operators and what each does with its values. */
function expand(operator: string, values: readonly (string | null)[]): string {
  const [first, separator, named, empty, reserved] = {
    '': ['', ',', false, '', false],
    '+': ['', ',', false, '', true],
    '#': ['#', ',', false, '', true],
    '.': ['.', '.', false, '', false],
    '/': ['/', '/', false, '', false],
    ';': [';', ';', true, '', false],
    '?': ['?', '&', true, '=', false],
    '&': ['&', '&', true, '=', false],
  }[operator] as [string, string, boolean, string, boolean]
  const encode = (text: string): string => {
    const encoded = encodeURIComponent(text).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    )
    return reserved ? encoded.replace(/%(?:2[1346789ABCF]|3[ABDF]|40|5[BD])/g, decodeURIComponent) : encoded
  }
  const defined = values.flatMap((text, index) => (text === null ? [] : [{ text, name: `v${index}` }]))
  if (defined.length === 0) return ''
  const parts = defined.map(({ text, name }) => {
    if (!named) return encode(text)
    return name + (text === '' ? empty : `=${encode(text)}`)
  })
  return first + parts.join(separator)
}
