/** Any text is read as a question, or refused with what to write instead: no reader of the language throws anything else. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatPath, type Path, parsePath } from '../../../src/query/fields/path.ts'
import { unwrapped } from '../../../src/query/language/dialects/index.ts'
import { isStatement, readSelect } from '../../../src/query/language/dialects/sql.ts'
import { parseComputed, parseCondition, parseNamed, parseStrict } from '../../../src/query/language/parser.ts'
import { scan, splitAt } from '../../../src/query/language/scanner.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { readingRuns } from '../../support/runs.ts'

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  condition: parseCondition,
  computed: parseComputed,
  named: parseNamed,
  strict: parseStrict,
  path: parsePath,
  dialects: unwrapped,
  statement: (text) => isStatement(text) && readSelect(text),
  'statement without its first word': (text) => readSelect(`select ${text}`),
  tokens: (text) => scan(text),
  parts: (text) => splitAt(text, [',', ';']),
}

/** The texts that earlier runs found. */
const FOUND: readonly string[] = ['.@..a', '']

const WORDS =
  'a b.c name user.login labels[].name items[*] count sum avg min max median p90 distinct lower length concat coalesce case when then else end and or not in between like is null exists contains starts with has all any none over partition by order rows group having select from where limit offset join on as desc asc nulls first last top cast trunc interval true false undefined None x => lambda return for if def'.split(
    ' ',
  )
const SIGNS = [
  ...'()[]{}.,:;=<>!~+-*/%&|?@$#"\'`\\^_ \t\n',
  '==',
  '!=',
  '>=',
  '<=',
  '<>',
  '=~',
  '!~',
  '&&',
  '||',
  '->',
  '->>',
  '=>',
  '::',
  '..',
  '[*]',
  '[?',
  '[?(@',
  '$.',
  '@.',
  '--',
  '/*',
  '*/',
  '//',
  '__gte',
  '\\u{1}',
  '\u0000',
  '\ud800',
  '\udc00',
  'é',
  '\u{1f600}',
  '\u00a0',
  '\u2028',
]
const VALUES = [
  '1',
  '-0',
  '1e999',
  '0x1f',
  '1_000',
  '12.5',
  '45%',
  '10MB',
  '1.5s',
  '$5',
  '2024',
  '2024-05',
  '2024-05-06T10:00:00Z',
  '"a b"',
  "'it''s'",
  '`a`',
  '[1,2]',
  '{"a":1}',
  '{"$gt":5}',
  '/a+/i',
  '__proto__',
  'constructor',
  'toString',
]
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 4, arbitrary: fc.constantFrom(...SIGNS) },
  { weight: 2, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: 'binary' }) },
)
const written = fc
  .tuple(fc.array(piece, { maxLength: 24 }), fc.constantFrom('', ' ', ' '))
  .map(([pieces, between]) => pieces.join(between))

function readsOrRefuses(text: string): void {
  for (const [reader, read] of Object.entries(READERS)) {
    try {
      read(text)
    } catch (refused) {
      if (!(refused instanceof Refusal)) expect.unreachable(`${reader}: ${refused}`)
      if (refused.message === '') expect.unreachable(`${reader} does not say why`)
    }
  }
}

test('any text is read or refused', () => {
  fc.assert(fc.property(written, readsOrRefuses), { numRuns: readingRuns })
})

test.each(FOUND)('%j is read or refused', readsOrRefuses)

function pathOf(text: string): Path | undefined {
  try {
    return parsePath(text)
  } catch {
    return undefined
  }
}

/** A condition in a path is a function. */
const isPlain = (path: Path): boolean =>
  path.every(({ selectors }) => selectors.every(({ kind }) => kind !== 'filter' && kind !== 'computed'))
/** The dots of keys are told by how it was written. */
const steps = (path: Path | undefined): unknown => path?.map(({ selectors, deep }) => ({ selectors, deep }))

test('a path that is written again is the same path', () => {
  const part = fc.oneof(
    piece,
    fc.constantFrom(
      '.a',
      "['a b']",
      '["a"]',
      '[0]',
      '[-1]',
      '[1:2]',
      '[::2]',
      '[*]',
      '.*',
      '..a',
      '..',
      "['a','b']",
      '[0,1]',
      '.é',
      '.0',
      '["\\n"]',
      '[""]',
    ),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = pathOf(parts.join(''))
      if (path === undefined || !isPlain(path)) return
      const again = formatPath(path)
      expect(steps(pathOf(again)), again).toEqual(steps(path))
      expect(formatPath(pathOf(again) ?? [])).toBe(again)
    }),
    { numRuns: readingRuns },
  )
})
