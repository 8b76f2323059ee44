import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leadOf } from '../../../src/discovery/lead.ts'

test('the first sentence of the first line', () => {
  expect(leadOf('Reads a file. Use it with care.', 100)).toBe('Reads a file.')
  expect(leadOf('  Reads v1.2 files\nof a folder.', 100)).toBe('Reads v1.2 files')
  expect(leadOf('', 100)).toBe('')
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
