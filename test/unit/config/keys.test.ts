import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearest } from '../../../src/config/keys.ts'

const known = ['maxResponseSize', 'port', 'host', 'transport']

describe('nearest', () => {
  test.each([
    ['maxResponsSize', 'maxResponseSize'],
    ['max-response-sise', 'maxResponseSize'],
    ['prot', 'port'],
    ['prt', 'port'],
    ['pot', 'port'],
    ['transprot', 'transport'],
    ['entirelyDifferent', undefined],
    ['', undefined],
  ])('%s → %s', (name, expected) => {
    expect(nearest(name, known)).toBe(expected)
  })

  test('a known name is nearest to itself', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), (name) => {
        expect(nearest(name, known)).toBe(name)
      }),
    )
  })
})
