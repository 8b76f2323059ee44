import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bestPassages, type Found } from '../../../src/text/words/bm25.ts'
import { runs } from '../../support/runs.ts'

interface Passage {
  score: number
  held: boolean
  goesOn: boolean
}

function best(passages: readonly Passage[], most: number): Found {
  const goOn = passages.flatMap(({ goesOn }, index) => (goesOn && index > 0 ? index : []))
  const values = Float64Array.from(passages, ({ score, held }) => (held ? score : 0))
  const held = Uint8Array.from(passages, (passage) => (passage.held ? 1 : 0))
  return bestPassages({ values, held }, Uint32Array.from(goOn), most)
}

/** All sorted, then the first of each thing. */
function sorted(passages: readonly Passage[], most: number): Found {
  let thing = 0
  const all = passages.map(({ score, held, goesOn }, index) => {
    if (!goesOn) thing++
    return { index, score, held, thing }
  })
  const found = all.filter(({ held }) => held).sort((a, b) => b.score - a.score || a.index - b.index)
  const firsts = found.filter((one, nth) => found.findIndex((other) => other.thing === one.thing) === nth)
  return { best: firsts.slice(0, most).map(({ index, score }) => ({ index, score })), count: firsts.length }
}

test('the best are the same as sorting all of them gives', () => {
  const passage = fc.record({
    score: fc.constantFrom(0, 0.5, 1, 1.5, 2, 7),
    held: fc.boolean(),
    goesOn: fc.boolean(),
  })
  const most = fc.constantFrom(1, 2, 5, Infinity)
  fc.assert(
    fc.property(fc.array(passage, { maxLength: 60 }), most, (passages, limit) => {
      expect(best(passages, limit)).toEqual(sorted(passages, limit))
    }),
    { numRuns: runs(300) },
  )
})

test('scores that rise to the last are kept as well as any', () => {
  const rising = Array.from({ length: 100 }, (_, score) => ({ score, held: true, goesOn: false }))
  expect(best(rising, 3).best.map(({ index }) => index)).toEqual([99, 98, 97])
})
