import { describe, expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const definitions = (text: string): JsonObject[] => recognise(text).json?.() as JsonObject[]

describe('the text of a definition', () => {
  const program = [
    'import a from "a"',
    '',
    'export class B {',
    '  run(x) {',
    '    return x',
    '  }',
    '}',
    '',
    'function c() {',
    '  return 1',
    '}',
    '',
  ]
  const run = 'run(x) {\n    return x\n  }'
  const whole = [`export class B {\n  ${run}\n}`, run, 'function c() {\n  return 1\n}']

  test('is all of it, with the definitions within it', () => {
    expect(definitions(program.join('\n')).map(({ text }) => text)).toEqual(whole)
    expect(definitions(program.join('\r\n')).map(({ text }) => text)).toEqual(
      whole.map((text) => text.replaceAll('\n', '\r\n')),
    )
  })

  test('is its first line where it is within more definitions than programs have', () => {
    const lines = Array.from({ length: 60 }, (_, depth) => `${' '.repeat(depth)}def f${depth}():`)
    const texts = definitions(lines.join('\n')).map(({ text }) => String(text))
    expect(texts.map((text) => text.split('\n').length)).toEqual(
      lines.map((_, depth) => (depth < 50 ? 60 - depth : 1)),
    )
  })

  test('has no numbers where a reader of files printed them before the lines', () => {
    const numbered = program.map((line, nth) => `${String(nth + 1).padStart(6)}\t${line}`).join('\n')
    expect(definitions(numbered).map(({ text }) => text)).toEqual(whole)
  })

  test('holds the body of a function in SQL, which stands at the margin', () => {
    const body = (name: string) =>
      `CREATE FUNCTION ${name}() RETURNS trigger\n    LANGUAGE plpgsql\n    AS $_$\nBEGIN\n  RETURN NEW;\nEND;\n$_$;`
    const schema = ['a', 'b', 'c'].map((name) => `--\n-- Name: ${name}\n--\n\n${body(name)}\n`)
    expect(definitions(`${schema.join('\n')}\nALTER TABLE x OWNER TO y;\n`)).toEqual([
      { line: 5, end: 11, kind: 'function', name: 'a', text: body('a') },
      { line: 17, end: 23, kind: 'function', name: 'b', text: body('b') },
      { line: 29, end: 35, kind: 'function', name: 'c', text: body('c') },
    ])
  })
})

test('a query is no function', () => {
  const query = 'SELECT count(*)\nFROM unnest(list)\nWHERE lower(name)\nGROUP BY date(day);\n'
  expect(recognise(query.repeat(5)).format).not.toBe('code')
})
