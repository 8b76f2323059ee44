import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromText, fromValue } from '../../../../src/documents/opening/derive.ts'
import type { SearchParams } from '../../../../src/processors/parameters.ts'
import { context } from '../../../../src/processors/search/context.ts'
import { verifies } from '../../../support/verifies.ts'
import { search } from '../search.ts'

const guide = '# Guide\nintro\n\n## Install\nRun npm. Then\ngo on. Done.\n\n## Use\ncall it\n'
const rows = (text: string, params: SearchParams) =>
  search(context, fromText(text), { mode: 'context', ...params }).rows

describe('context', () => {
  verifies('S3.24', 'shows the paragraph of a match', () => {
    expect(rows(guide, { pattern: 'npm' })).toEqual(['lines 4-6\n## Install\nRun npm. Then\ngo on. Done.'])
  })

  verifies('S3.24', 'shows the section of a match and the headings above it', () => {
    const [row] = rows(guide, { pattern: 'npm', context_type: 'section' })
    expect(row).toBe('lines 4-6 · Guide > Install\n## Install\nRun npm. Then\ngo on. Done.')
  })

  verifies('S3.24', 'shows the sentence of a match', () => {
    expect(rows(guide, { pattern: 'go', context_type: 'sentence' })).toEqual(['5: Then go on.'])
  })

  verifies('S3.24', 'shows the lines around a match', () => {
    expect(rows(guide, { pattern: 'npm', context_type: 'lines', context_lines: 1 })).toEqual([
      '4- ## Install\n5: Run npm. Then\n6- go on. Done.',
    ])
    expect(rows('a\nb\nc\nd\nX\n', { pattern: 'X', context_type: 'lines' })).toEqual([
      '2- b\n3- c\n4- d\n5: X',
    ])
  })

  verifies('S3.24', 'shows each passage once, and counts every match', () => {
    const found = search(context, fromText('x one\nx two\n\nx three\n'), { pattern: 'x', mode: 'context' })
    expect(found.rows).toEqual(['lines 1-2\nx one\nx two', 'line 4\nx three'])
    expect(found.metadata).toEqual({ total: 4, matched: 3 })
  })

  test('follows a match over several lines', () => {
    const log = 'a\nBEGIN one\nmiddle\nEND\n\nother\n\nBEGIN two\n\nlast END\n'
    expect(rows(log, { pattern: 'BEGIN.*END', multiline: true })).toEqual([
      'lines 1-4\na\nBEGIN one\nmiddle\nEND',
      'lines 8-10\nBEGIN two\n\nlast END',
    ])
    expect(rows(log, { pattern: 'one\\nmiddle', context_type: 'lines', context_lines: 0 })).toEqual([
      '2: BEGIN one\n3: middle',
    ])
  })

  test('shows a long passage around its matches', () => {
    const text = Array.from({ length: 1_000 }, (_, line) =>
      line === 500 ? 'needle' : 'some words here',
    ).join('\n')
    expect(rows(text, { pattern: 'needle' })).toEqual([
      expect.stringMatching(/^lines 496-506 of 1-1000\n(some words here\n){5}needle(\nsome words here){5}$/),
    ])
  })

  test('a section comes with its subsections and tables, up to the next heading of its level', () => {
    const text =
      '# Guide\n\n## Install\nRun it.\n\n### Options\n\n| name | means |\n|---|---|\n| -q | quiet |\n\n## Use\nStart.\n'
    const [row] = rows(text, { pattern: 'Run it', context_type: 'section' })
    expect(row).toContain('| -q | quiet |')
    expect(row).not.toContain('Start.')
    const long = `# Guide\n\n## Install\nRun it.\n\n### Options\n${'Many words. '.repeat(600)}\n\n## Use\nStart.\n`
    const [own] = rows(long, { pattern: 'Run it', context_type: 'section' })
    expect(own).toBe('lines 3-4 · Guide > Install\n## Install\nRun it.')
  })

  verifies('S3.24', 'works within the strings of data', () => {
    const pages = ['One. Two x.\n\nThree.', 'none', 'other', 'x'].map((body, id) => ({ id, body }))
    const found = (context_type: NonNullable<SearchParams['context_type']>) =>
      search(context, fromValue(pages), { pattern: 'x', mode: 'context', context_type }).rows[0]
    expect(found('sentence')).toEqual({ at: '$[0]', match: { body: 'Two x.' }, record: { id: 0 } })
    expect(found('paragraph')).toMatchObject({ match: { body: 'One. Two x.' } })
    expect(found('section')).toMatchObject({ match: { body: 'One. Two x.\n\nThree.' } })
  })

  verifies('S3.24', 'every match is in a passage, every passage is what the text holds', () => {
    const line = fc.constantFrom('x', 'a x. B', '', '# H', '  x', 'plain words. More', '--- log', 'x x')
    const type = fc.constantFrom('paragraph' as const, 'section' as const)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), type, (lines, context_type) => {
        const text = lines.join('\n')
        const shown = new Set<number>()
        for (const row of rows(text, { pattern: 'x', context_type })) {
          const [, first, last] = /^lines? (\d+)(?:-(\d+))?/.exec(String(row)) ?? []
          const [from, to] = [Number(first), Number(last ?? first)]
          expect(String(row).split('\n').slice(1)).toEqual(lines.slice(from - 1, to))
          for (let number = from; number <= to; number++) {
            expect(shown.has(number)).toBe(false)
            shown.add(number)
          }
        }
        lines.forEach((one, index) => {
          if (one.includes('x')) expect(shown.has(index + 1)).toBe(true)
        })
      }),
    )
  })
})
