import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leadOf } from '../../../src/discovery/signature.ts'

test('the first sentence of the first line', () => {
  expect(leadOf('Reads a file. Use it with care.', 100)).toBe('Reads a file.')
  expect(leadOf('  Reads v1.2 files\n\nof a folder.', 100)).toBe('Reads v1.2 files')
  expect(leadOf('Reads a file\nNeeds a path', 100)).toBe('Reads a file')
  expect(leadOf('', 100)).toBe('')
})

test('a sentence that goes on in the next line is whole', () => {
  expect(leadOf('Reads the files\n    of a folder\r\n(all of them).\n    Args: none', 100)).toBe(
    'Reads the files of a folder (all of them).',
  )
})

test('abbreviations end no sentence', () => {
  expect(leadOf('Finds files (e.g. *.ts) by name. More.', 100)).toBe('Finds files (e.g. *.ts) by name.')
  expect(leadOf('Reads JSON, CSV, etc. from disk. More.', 100)).toBe('Reads JSON, CSV, etc. from disk.')
  expect(leadOf('Reads JSON, CSV, etc. More.', 100)).toBe('Reads JSON, CSV, etc.')
})

test('headings say nothing, unless there is nothing else', () => {
  expect(leadOf('## Overview\n\nCreates pages.\n', 100)).toBe('Creates pages.')
  expect(leadOf('<use_case>\nRuns a query.\n</use_case>', 100)).toBe('Runs a query.')
  expect(leadOf('# Pages', 100)).toBe('# Pages')
})

test('what a first line announces is told with it', () => {
  const description = 'Does one of these:\n\n- get: The track. Now.\n- skip: The next one.\n\nNot this.'
  expect(leadOf(description, 100)).toBe('Does one of these: - get: The track. Now. - skip: The next one.')
  expect(leadOf(description, 30)).toBe('Does one of these: - get:…')
})

test('without what controls a terminal or stands for nothing', () => {
  expect(leadOf('Reads\u0000 a\t\t file\u001b[2J\u2028now. Not this.', 100)).toBe('Reads a file [2J now.')
})

test('too long: cut between words', () => {
  expect(leadOf('Reads one or several files of a folder', 20)).toBe('Reads one or…')
  expect(leadOf('x'.repeat(50), 20)).toBe(`${'x'.repeat(19)}…`)
})

test('never longer than asked for, and one line', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 2, max: 40 }),
      (text, longest) => {
        const lead = leadOf(text, longest)
        expect(lead.length).toBeLessThanOrEqual(longest)
        expect(lead).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(lead).not.toMatch(/[\uD800-\uDBFF]…/)
      },
    ),
  )
})
