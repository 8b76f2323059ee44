/** The patterns that models write when they search text, and their meaning. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRecognised, fromText } from '../../../src/documents/opening/derive.ts'
import { bm25 } from '../../../src/processors/search/bm25.ts'
import { context } from '../../../src/processors/search/context.ts'
import { fuzzy } from '../../../src/processors/search/fuzzy.ts'
import { grep } from '../../../src/processors/search/grep.ts'
import { nearestDots } from '../../../src/processors/search/search.ts'
import { verifies } from '../../support/verifies.ts'
import { search as run } from './search.ts'

/** `grep` is the mode without a name. */
const search: typeof run = (step, document, params) =>
  run(step, document, step === grep ? params : { mode: step.name as 'bm25', ...params })

const code = fromText(
  [
    'const retry = foo(bar[7])',
    'use C++ and a.b[0]',
    '##[error]Process completed with exit code 1.',
    'open | closed | merged',
    'return fetch()',
    'fetchAll(1)',
    "error TS2345: 'foo' is possibly 'undefined'.",
    'begin',
    'middle end',
  ].join('\n'),
)

const linesOf = (pattern: string, more = {}) => {
  const { rows, notes } = search(grep, code, { pattern, ...more })
  return { lines: rows.map((row) => Number(/^\d+/.exec(String(row))?.[0])), notes }
}

describe('a pattern that finds nothing as written is read as what it can still mean', () => {
  test.each<[string, number[], string]>([
    ['foo(bar', [1], 'plain text'],
    ['foo(bar[7])', [1], 'plain text'],
    ['a.b[0]', [2], 'plain text'],
    ['C++', [2], ''],
    ['##[error]', [3], 'plain text'],
    ['/ts2345/i', [7], 'between the slashes'],
    ['/TS2345/', [7], 'between the slashes'],
    ['"possibly"', [7], 'without the quotes'],
    ['retry OR merged', [1, 4], 'any of its parts'],
    ['"exit code" OR "fetchAll"', [3, 6], 'any of its parts'],
    ['undefined AND TS2345', [7], 'all of its parts'],
    ['const*bar', [1], '`*` for anything'],
    ['begin\\nmiddle', [8], 'several lines'],
  ])('%s', (pattern, lines, note) => {
    const found = linesOf(pattern)
    expect(found.lines).toEqual(lines)
    expect(found.notes).toContain(note)
  })

  test.each<[string, number[]]>([
    ['(?i)CONST', [1]],
    ['TS(?!1)\\d+', [7]],
    ['fetch', [5, 6]],
    ['retry|merged', [1, 4]],
  ])('what finds something is left as it is: %s', (pattern, lines) => {
    const found = linesOf(pattern)
    expect(found.lines).toEqual(lines)
    expect(found.notes).toBe('')
  })

  test.each<[string, number[]]>([
    ['fetch()', [5]],
    ['| closed |', [4]],
  ])('empty groups and alternatives, which would match everything, are text: %s', (pattern, lines) => {
    const found = linesOf(pattern)
    expect(found.lines).toEqual(lines)
    expect(found.notes).toContain('plain text')
  })

  verifies('S3.21', 'what asks for less is told, and counts for nothing', () => {
    const found = search(grep, code, { pattern: 'possibly undefined' })
    expect(found.metadata.matched).toBe(0)
    expect(found.rows).toEqual([])
    expect(found.notes).toContain('in any order and case, 1 line would match:\n  7: error TS2345')
  })

  test('the same around matches', () => {
    const found = search(context, code, { pattern: 'foo(bar[7])', context_type: 'lines', context_lines: 1 })
    expect(found.rows).toEqual(['1: const retry = foo(bar[7])\n2- use C++ and a.b[0]'])
    expect(found.notes).toContain('plain text')
  })

  test('a pattern that matches is never read in another way', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', '.', '(', ')', '|', '*', '/', '"', ' ') }),
        (pattern) => {
          fc.pre(pattern.trim() !== '')
          const text = 'ab\na.b\n(a)\n"b" / a'
          let regex: RegExp
          try {
            regex = new RegExp(pattern, 'u')
          } catch {
            return
          }
          const matching = text.split('\n').flatMap((line, at) => (regex.test(line) ? [at + 1] : []))
          const isPlain = /^\s*\||\|\s*$|\|\||\(\)/.test(pattern)
          if (matching.length === 0 || isPlain) return
          const found = search(grep, fromText(text), { pattern })
          expect(found.rows.map((row) => Number.parseInt(String(row), 10))).toEqual(matching)
        },
      ),
    )
  })
})

test.each([
  ['a.*b', 'a.*?b'],
  ['a.+?b', 'a.+?b'],
  ['a\\.*b', 'a\\.*b'],
  ['[.*]+x', '[.*]+x'],
  ['a[\\s\\S]*b', 'a[\\s\\S]*?b'],
])('over several lines a repeated dot ends at what comes next: %s', (pattern, nearest) => {
  expect(nearestDots(pattern)).toBe(nearest)
})

test('over several lines each match is one', () => {
  const text = 'ERROR a\nat x\nok\nERROR b\nat y\nok'
  const found = search(grep, fromText(text), { pattern: 'ERROR.*at', multiline: true })
  expect(found.rows).toEqual(['1: ERROR a\n2: at x', '--\n4: ERROR b\n5: at y'])
})

const log = fromRecognised(
  [
    '2024-05-03 08:00:00,000 INFO [main] a.b.Start - up',
    '2024-05-03 08:00:01,000 ERROR [main] a.b.Pool - lost the pool',
    'java.sql.SQLException: request timed out',
    '\tat a.b.Pool.get(Pool.java:7)',
    'Error: nested',
    'Caused by: java.net.SocketTimeoutException: connect',
    '2024-05-03 08:00:02,000 INFO [main] a.b.Start - on',
  ].join('\n'),
)

describe('an entry of a log is kept whole', () => {
  test.each(['paragraph', 'section'] as const)('as the %s of a match in its trace', (context_type) => {
    const found = search(context, log, { pattern: 'SocketTimeout', context_type })
    expect(found.rows).toHaveLength(1)
    expect(found.rows[0]).toMatch(
      /^lines 2-6\n2024-05-03 08:00:01,000 ERROR[\s\S]*SocketTimeoutException: connect$/,
    )
  })

  test('when it is ranked', () => {
    const [row] = search(bm25, log, { pattern: 'which connect timed out' }).rows
    expect(row).toMatch(/^\[[\d.]+\] lines 2-6\n2024-05-03 08:00:01,000 ERROR/)
  })

  test('and counted once, whatever its lines begin with', () => {
    expect(log.records()?.values.map((entry) => (entry as { line: number }).line)).toEqual([1, 2, 7])
  })
})

describe('one huge line', () => {
  const huge = fromText(`${'alpha beta '.repeat(3_000)}NEEDLE-42 ${'gamma '.repeat(3_000)}NEEDLE-43`)

  test.each(['paragraph', 'section', 'lines'] as const)(
    'shows each place, not the beginning: %s',
    (context_type) => {
      const { rows } = search(context, huge, { pattern: 'NEEDLE-\\d+', context_type })
      expect(rows.join('\n')).toMatch(/^1:33001: …[\s\S]*NEEDLE-42[\s\S]*\n1:\d+: …[\s\S]*NEEDLE-43$/)
      expect(rows.join('\n').length).toBeLessThan(1_500)
    },
  )

  test('shows each place on a row of its own, with lines around as well', () => {
    const { rows } = search(grep, huge, { pattern: 'NEEDLE', context_lines: 2 })
    expect(rows).toHaveLength(2)
    expect(rows[1]).toContain('NEEDLE-43')
  })

  test('is found by a typo', () => {
    const { rows } = search(fuzzy, huge, { pattern: 'NEEDEL' })
    expect(rows[0]).toContain('NEEDLE-42')
  })
})

const guide = fromRecognised(
  [
    '# Handbook',
    '',
    'All of it.',
    '',
    '## Rate limits',
    '',
    'In short.',
    '',
    '### Configuration',
    '',
    'The bucket holds 120 permits; more get HTTP 429.',
    '',
    '### Troubleshooting',
    '',
    'Wait.',
    '',
    '## Backups',
    '',
    'Where they are and how they are made.',
  ].join('\n'),
)

describe('sections', () => {
  verifies(
    'S3.22',
    'a ranked passage says under which headings it stands, and common words find nothing',
    () => {
      const found = search(bm25, guide, { pattern: 'how many permits are there before 429?' })
      expect(found.rows).toHaveLength(1)
      expect(found.rows[0]).toMatch(
        /^\[[\d.]+\] lines 9-11 · Handbook > Rate limits > Configuration\n### Configuration\n\nThe bucket holds 120 permits/,
      )
    },
  )

  verifies('S3.22', 'headings say what a passage is about', () => {
    const [row] = search(bm25, guide, { pattern: 'rate limits troubleshooting' }).rows
    expect(row).toContain('Wait.')
  })

  test('the section of a heading has what is below it', () => {
    const [row] = search(context, guide, { pattern: '^## Rate limits', context_type: 'section' }).rows
    expect(row).toMatch(/^lines 5-15 · Handbook > Rate limits\n[\s\S]*Wait\.$/)
  })

  test('a section with this heading comes before sections that mention it; a long one is shown in parts, from its heading on', () => {
    const filler = Array.from({ length: 200 }, (_, at) => `Line ${at} of the section.`).join('\n')
    const text = fromText(`# Contents\n\n- see Flags\n\n# Flags\n\n${filler}\n\n# Else\n\nNothing.`)
    const { rows } = search(context, text, { pattern: 'Flags', context_type: 'section' })
    expect(rows[0]).toMatch(/^lines 5-\d+ of 5-206 · Flags\n# Flags\n\nLine 0 /)
    expect(String(rows[0]).split('\n').length).toBeGreaterThan(80)
    expect(rows[1]).toMatch(/^lines \d+-206 of 5-206 · Flags\nLine /)
    expect(rows[2]).toMatch(/^lines 1-3 · Contents/)
  })

  test('other endings of a word are found as well', () => {
    const text = fromText('Installation and usage.\n\nRedirecting output to a file.\n\nNothing else.')
    expect(search(bm25, text, { pattern: 'how to install' }).rows[0]).toContain('Installation')
    expect(search(bm25, text, { pattern: 'redirect stdout' }).rows[0]).toContain('Redirecting')
  })

  test('numbered headings and those of manuals lead to a passage as well', () => {
    const rfc = fromText(
      '1. Scope\n\n   Leases.\n\n1.1. Clock skew\n\n   A leader steps down.\n\n2. Notes\n\n   None.',
    )
    expect(search(context, rfc, { pattern: 'steps down', context_type: 'section' }).rows).toEqual([
      'lines 5-7 · 1. Scope > 1.1. Clock skew\n1.1. Clock skew\n\n   A leader steps down.',
    ])
    const manual = fromText(
      'NAME\n       ls - list\n\nOPTIONS\n       -a  do not ignore\n\nAUTHOR\n       R.S.',
    )
    expect(search(bm25, manual, { pattern: 'what does ignore do' }).rows[0]).toContain('OPTIONS')
  })
})

describe('pages', () => {
  const page = fromRecognised(
    '<!DOCTYPE html><html><head><title>Stats</title><style>td{}</style></head><body><nav><ul><li><a href="/a">Topic</a></ul></nav>' +
      '<h1>Population</h1><table class="wide"><tr><th>Region</th><th>People</th></tr><tr><td>North</td><td>1,234</td></tr></table>' +
      '<h2>Methods</h2><p>The census used <b>adaptive</b> sampling &amp; care.</p>' +
      '<form><input type="text" name="q"><button type=submit>Send it</button></form></body></html>',
  )

  test('are searched by their words', () => {
    expect(search(grep, page, { pattern: 'census used adaptive sampling & care' }).rows).toHaveLength(1)
    expect(search(grep, page, { pattern: 'North' }).rows[0]).toMatch(/^\d+: North \| 1,234$/)
    expect(search(grep, page, { pattern: 'button' }).rows[0]).toMatch(
      /^\d+: <input text name="q"> <button submit> Send it$/,
    )
  })

  test('are ranked and shown by their headings', () => {
    expect(search(bm25, page, { pattern: 'which sampling' }).rows[0]).toMatch(/ · Population > Methods\n/)
    expect(search(context, page, { pattern: 'census', context_type: 'section' }).rows[0]).toMatch(
      /Population > Methods\n## Methods\n\nThe census/,
    )
  })

  test('are searched by their source where only that matches, and this is said', () => {
    const found = search(grep, page, { pattern: 'class="wide"' })
    expect(found.rows).toHaveLength(1)
    expect(found.notes).toContain('HTML source')
  })
})

test('a node of a tree is shown with what is within it', () => {
  const tree = fromRecognised(
    [
      '- list [ref=e1]:',
      '  - listitem [ref=e2]:',
      '    - text: Item 7',
      '    - button "Remove" [ref=e3]',
      '  - listitem [ref=e4]:',
      '    - text: Item 8',
      '    - button "Remove" [ref=e5]',
    ].join('\n'),
  )
  expect(search(context, tree, { pattern: 'Item 7' }).rows).toEqual([
    'lines 2-4\n  - listitem [ref=e2]:\n    - text: Item 7\n    - button "Remove" [ref=e3]',
  ])
})

test('a hit in Markdown names the headings that lead to it, once for hits that follow each other', () => {
  const notes = fromRecognised(
    [
      '# Changes of the tool',
      '',
      '## 2.1.0',
      '',
      '### Fixed',
      '',
      '- The parser keeps blanks.',
      '- The parser is faster.',
      '',
      '## 2.0.0',
      '',
      'A new parser.',
      '',
    ].join('\n'),
  )
  const { rows } = search(grep, notes, { pattern: 'parser|Fixed' })
  expect(rows).toEqual([
    '5: ### Fixed',
    '7: - The parser keeps blanks.',
    '8: - The parser is faster.',
    '12: A new parser.  [in 2.0.0]',
  ])
  expect(search(grep, notes, { pattern: 'keeps' }).rows).toEqual([
    '7: - The parser keeps blanks.  [in 2.1.0 > Fixed]',
  ])
})
