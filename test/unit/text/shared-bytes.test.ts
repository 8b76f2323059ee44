import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sharedBytes } from '../../../src/text/shared-bytes.ts'
import { runs } from '../../support/runs.ts'

test('the UTF-8 bytes of the text, no more, where threads share them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = sharedBytes(text)
      expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer)
      expect(Buffer.from(bytes)).toEqual(Buffer.from(text, 'utf8'))
    }),
    { numRuns: runs(100) },
  )
})
