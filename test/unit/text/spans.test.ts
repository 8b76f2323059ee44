import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SpanList, StartList, spanAfter } from '../../../src/text/spans.ts'

test('the first part that ends after a place is found from any part before it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 60 }), fc.nat(200), fc.nat(60), (gaps, offset, before) => {
      const list = new SpanList()
      let at = 0
      for (const gap of gaps) {
        list.add(at + gap, at + gap + 2)
        at += gap + 2
      }
      const spans = list.spans()
      const ends = gaps.map((_, index) => spans.end(index))
      const wanted = ends.findIndex((end) => end > offset)
      const expected = wanted < 0 ? ends.length : wanted
      expect(spanAfter(spans, offset)).toBe(expected)
      expect(spanAfter(spans, offset, Math.min(before, expected))).toBe(expected)
    }),
  )
})

test('parts that one character separates are told by their beginnings, short ones and long ones', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(9), fc.constantFrom(4_000, 65_535, 70_000)), { maxLength: 80 }),
      (lengths) => {
        const list = new StartList()
        let at = 0
        const expected = lengths.map((length) => {
          list.add(at)
          at += length + 1
          return [at - length - 1, at - 1]
        })
        const spans = list.spans(at)
        expect(
          Array.from({ length: spans.count }, (_, index) => [spans.start(index), spans.end(index)]),
        ).toEqual(expected)
      },
    ),
  )
})
