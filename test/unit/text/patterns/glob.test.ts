import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitsGlob } from '../../../../src/text/patterns/glob.ts'
import { runs } from '../../../support/runs.ts'

test('whole names fit, and * stands for nothing as well', () => {
  expect(fitsGlob('read_file', 'read_file')).toBe(true)
  expect(fitsGlob('read_file', 'read_*')).toBe(true)
  expect(fitsGlob('read_', 'read_*')).toBe(true)
  expect(fitsGlob('read_file', '*')).toBe(true)
  expect(fitsGlob('read_file', 'read_fil?')).toBe(true)
  expect(fitsGlob('read_file', 'read')).toBe(false)
  expect(fitsGlob('read_file', 'READ_FILE')).toBe(false)
  expect(fitsGlob('read.file', 'read?file')).toBe(true)
  expect(fitsGlob('readXfile', 'read.file')).toBe(false)
  expect(fitsGlob('', '')).toBe(true)
  expect(fitsGlob('', '?')).toBe(false)
})

test('means what the same regular expression means', () => {
  const letters = (most: number, ...more: string[]) =>
    fc.array(fc.constantFrom('a', 'b', '.', ...more), { maxLength: most }).map((parts) => parts.join(''))
  const property = fc.property(letters(12), letters(8, '*', '?'), (name, pattern) => {
    const source = pattern.replaceAll('.', '\\.').replaceAll('?', '.').replaceAll(/\*+/g, '.*')
    expect(fitsGlob(name, pattern)).toBe(new RegExp(`^${source}$`).test(name))
  })
  fc.assert(property, { numRuns: runs(500) })
})
