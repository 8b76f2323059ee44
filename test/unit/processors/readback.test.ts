import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ReadbackParams, readback } from '../../../src/processors/readback.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

const limits = { maxChars: 16_000, maxMatches: 20 }
const text = Array.from({ length: 200 }, (_, n) => `line ${n + 1}${n % 10 === 0 ? ' Föö' : ''}`).join('\n')
const read = (params: ReadbackParams, more: Partial<typeof limits> = {}) =>
  readback(text, params, { ...limits, ...more })

verifies('S4.24 S4.25', 'head and tail give fifty lines, or as many as are asked for', () => {
  expect(read({ op: 'head' }).text.split('\n')).toHaveLength(50)
  expect(read({ op: 'head', lines: 2 })).toEqual({ text: 'line 1 Föö\nline 2' })
  expect(read({ op: 'tail' }).text.split('\n').at(1)).toBe('line 152')
  expect(read({ op: 'tail', lines: 2 })).toEqual({ text: 'line 199\nline 200' })
  expect(read({ op: 'tail', lines: 1000 }).text).toBe(text)
})

verifies('S4.26', 'slice counts from one, inclusive, and stays within the file', () => {
  expect(read({ op: 'slice', fromLine: 3, toLine: 4 })).toEqual({ text: 'line 3\nline 4' })
  expect(read({ op: 'slice', fromLine: -5, toLine: 1 })).toEqual({ text: 'line 1 Föö' })
  expect(read({ op: 'slice', fromLine: 199, toLine: 900 })).toEqual({ text: 'line 199\nline 200' })
  expect(read({ op: 'slice', fromLine: 9, toLine: 5 }).text).toContain('200')
  expect(read({ op: 'slice', fromLine: 500 }).text).toContain('200')
})

verifies(
  'S4.27',
  'grep is blind to case, numbers lines, marks gaps, and reads what is no pattern as text',
  () => {
    expect(read({ op: 'grep', pattern: 'LINE 1[12]( Föö)?$', context: 1 }).text).toBe(
      '2 lines match.\n10- line 10\n11: line 11 Föö\n12: line 12\n13- line 13',
    )
    const gaps = read({ op: 'grep', pattern: 'line (5|9)$' }).text
    expect(gaps).toBe('2 lines match.\n5: line 5\n---\n9: line 9')
    expect(readback('a(b\nc', { op: 'grep', pattern: 'a(b' }, limits).text).toContain('1: a(b')
    expect(read({ op: 'grep', pattern: 'nowhere' }).text).toContain('No line')
  },
)

verifies('S4.27 S4.52', 'grep ends at its matches and says how to go on', () => {
  const answer = read({ op: 'grep', pattern: 'line' })
  expect(answer.text.split('\n')[0]).toBe('200 lines match.')
  expect(answer.text.split('\n')).toHaveLength(21)
  expect(answer.next).toContain('fromLine 21')
})

verifies('S4.28 S4.22', 'read cuts at bytes, never in a character, and names where it goes on', () => {
  const whole = 'aüüb'
  expect(readback(whole, { op: 'read' }, limits)).toEqual({ text: whole })
  expect(readback(whole, { op: 'read', maxBytes: 0 }, limits)).toEqual({ text: whole })
  const cut = readback(whole, { op: 'read', maxBytes: 2 }, limits)
  expect(cut).toEqual({ text: 'a', next: expect.stringContaining('offset 1') })
  expect(readback(whole, { op: 'read', offset: 3 }, limits)).toEqual({ text: 'üb' })
})

verifies(
  'S4.52',
  'no answer is longer than the limit, and each that was cut says what to ask for next',
  () => {
    for (const params of [{ op: 'read' }, { op: 'head', lines: 200 }, { op: 'tail', lines: 200 }] as const) {
      const answer = read(params, { maxChars: 300 })
      expect(answer.text.length).toBeLessThanOrEqual(300)
      expect(answer.next).toBeTruthy()
    }
    const long = readback('x'.repeat(50_000), { op: 'head' }, limits)
    expect(long.text.length).toBe(16_000)
    expect(long.next).toContain('read with offset')
  },
)

test('pages of read give every text back, whatever it holds', () => {
  const unit = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('\n', 'ü', '😀', '\r\n'))
  const property = fc.property(
    // Files hold UTF-8: what is no text becomes what stands for it.
    fc.array(unit).map((parts) => Buffer.from(parts.join('')).toString()),
    fc.integer({ min: 4, max: 40 }),
    fc.integer({ min: 2, max: 30 }),
    (content, maxBytes, maxChars) => {
      let back = ''
      for (let offset = 0, round = 0; round <= content.length + 1; round++) {
        const answer = readback(content, { op: 'read', maxBytes, offset }, { maxChars, maxMatches: 20 })
        back += answer.text
        const next = /offset (\d+)/.exec(answer.next ?? '')?.[1]
        if (next === undefined) break
        expect(Number(next)).toBeGreaterThan(offset)
        offset = Number(next)
      }
      expect(back).toBe(content)
    },
  )
  fc.assert(property, { numRuns: runs(300) })
})

test('a pattern made to take for ever ends', () => {
  const hostile = 'a'.repeat(50_000)
  expect(() => readback(hostile, { op: 'grep', pattern: '(?=(a+)+$)b' }, limits)).not.toThrow(RangeError)
})
