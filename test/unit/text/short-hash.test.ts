import { expect, test } from 'vitest'
import { shortHash } from '../../../src/text/short-hash.ts'

test('six digits, the same in every run', () => {
  expect(shortHash('')).toBe('e3b0c4')
  expect(shortHash('server\ntool')).toMatch(/^[0-9a-f]{6}$/)
  expect(shortHash('server\ntool')).not.toBe(shortHash('server\ntools'))
})
