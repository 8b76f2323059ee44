import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SpanList, type Spans } from '../../../../src/text/spans.ts'
import {
  beginningsOf,
  indexed,
  queryTerms,
  type Ranking,
  rankPassages,
  scanned,
} from '../../../../src/text/words/bm25.ts'
import { stemOf } from '../../../../src/text/words/words.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

function passagesOf(texts: readonly string[]): { text: string; passages: Spans } {
  const list = new SpanList()
  let offset = 0
  for (const text of texts) {
    list.add(offset, offset + text.length)
    offset += text.length + 1
  }
  return { text: texts.join('\n'), passages: list.spans() }
}

const indexes = (ranking: Ranking, query: string): number[] =>
  ranking.search(query).best.map(({ index }) => index)

describe('relevance', () => {
  const { text, passages } = passagesOf([
    'the cache was full',
    'the request failed: cache timeout after a timeout',
    'all is well',
    'the user logged in',
  ])

  verifies('S3.22', 'ranks passages that hold rare words often above others, with scores', () => {
    const { best, count } = rankPassages({ text, passages }).search('cache timeout')
    expect(best.map(({ index }) => index)).toEqual([1, 0])
    expect(count).toBe(2)
    expect(best[0]?.score).toBeGreaterThan(best[1]?.score ?? 0)
  })

  test('never returns what holds no word of the query', () => {
    const none = { best: [], count: 0 }
    expect(rankPassages({ text, passages }).search('unheard of')).toEqual(none)
    expect(rankPassages({ text, passages }).search('')).toEqual(none)
    expect(rankPassages(passagesOf([])).search('a')).toEqual(none)
  })

  test('works with one and two passages', () => {
    const two = passagesOf(['alpha beta', 'beta gamma'])
    expect(indexes(rankPassages(two), 'alpha')).toEqual([0])
    const one = passagesOf(['alpha'])
    expect(indexes(rankPassages(one), 'ALPHA')).toEqual([0])
  })

  test('finds identifiers by their pieces', () => {
    const code = passagesOf(['calls getUserName()', 'nothing here', 'user_id = 3', 'end'])
    expect(indexes(rankPassages(code), 'user').sort()).toEqual([0, 2])
    expect(indexes(rankPassages(code), 'getUserName')[0]).toBe(0)
  })

  test('counts a repeated word of the query once', () => {
    const ranking = rankPassages({ text, passages })
    expect(ranking.search('cache cache cache')).toEqual(ranking.search('cache'))
    expect(queryTerms('Cache CACHE user_id')).toEqual(['cache', 'user_id', 'user', 'id'])
  })

  test('takes names that every object has as words', () => {
    const names = passagesOf(['__proto__ is set', 'the constructor', 'toString', 'none'])
    for (const ranking of [indexed(names), scanned(names)]) {
      expect(indexes(ranking, '__proto__')).toEqual([0])
      expect(indexes(ranking, 'constructor')).toEqual([1])
    }
  })

  verifies('S3.22', 'ranks large texts by scanning exactly as small ones by their index', () => {
    const word = fc.constantFrom(
      'cache',
      'Cache',
      'user',
      'getUser',
      'user_id',
      'HTTPError',
      'é',
      '東京',
      'a1',
      'the',
      '__proto__',
      'happy',
      'happily',
      'hoping',
      'hope',
      'wrote',
      'writing',
      'tries',
      'colours',
      'realised',
      'skies',
    )
    const passage = fc.array(word, { maxLength: 12 }).map((parts) => parts.join(' '))
    fc.assert(
      fc.property(
        fc.array(passage, { minLength: 3, maxLength: 40 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (texts, query) => {
          const corpus = passagesOf(texts)
          const question = query.join(' ')
          const [scan, index] = [scanned(corpus), indexed(corpus)]
          expect(scan.search(question)).toEqual(index.search(question))
          expect(scan.search(question, 3)).toEqual(index.search(question, 3))
        },
      ),
      { numRuns: runs(200) },
    )
  })
})

test('a word in any form begins as its stem says', () => {
  const endings =
    'at ten enter mal ful bill tic gum ed ing ion ment ness ization isation our ogue ence y ies us x ck able ical'
  const word = fc.oneof(
    fc.stringMatching(/^[a-z]{1,12}$/),
    fc
      .tuple(fc.stringMatching(/^[a-z]{0,6}$/), fc.constantFrom(...endings.split(' ')))
      .map((parts) => parts.join('')),
    fc.constantFrom(
      'wrote',
      'children',
      'dying',
      'ski',
      'skis',
      'idly',
      'gently',
      'ugly',
      'early',
      'only',
      'singly',
      'news',
    ),
  )
  fc.assert(
    fc.property(word, (each) => {
      // Of `aing` the rules leave less than it begins with: no word is so.
      fc.pre(!/^.{0,2}(?:ing|ed)(?:ly)?$/.test(each))
      expect(each).toMatch(new RegExp(`^(?:${beginningsOf([stemOf(each)])})`))
    }),
    { numRuns: runs(2_000) },
  )
})

test('words that passages share count as if each held them', () => {
  const word = fc.constantFrom('cache', 'user_id', 'getUser', 'é', 'a1')
  const phrase = fc.array(word, { maxLength: 5 }).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(
      fc.array(phrase, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(phrase, fc.nat(2)), { minLength: 1, maxLength: 20 }),
      phrase,
      (common, texts, question) => {
        const partOf = (at: number): number => at % common.length
        const shared = passagesOf(common)
        const apart = {
          ...passagesOf(texts.map(([text]) => text)),
          shared: {
            text: shared.text,
            parts: shared.passages,
            of: Uint32Array.from(texts, ([, at]) => partOf(at)),
          },
        }
        const together = passagesOf(texts.map(([text, at]) => `${common[partOf(at)]} ${text}`))
        for (const ranking of [scanned(apart), indexed(apart)])
          expect(ranking.search(question)).toEqual(scanned(together).search(question))
      },
    ),
  )
})

test('a word that all of very many passages hold is found, though it tells nothing', () => {
  const { text, passages } = passagesOf(Array.from({ length: 40_000 }, () => 'jumps over'))
  const found = scanned({ text, passages }).search('jumps')
  expect(found.count).toBe(40_000)
  expect(found.best).toHaveLength(40_000)
  expect(found.best[0]).toEqual({ index: 0, score: 0 })
})

test('queries one after the other find what each finds alone', () => {
  const word = fc.constantFrom('cache', 'user', 'getUser', 'user_id', 'é', '東京', 'a1')
  const phrase = fc.array(word, { maxLength: 6 }).map((parts) => parts.join(' '))
  const query = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(
      fc.array(phrase, { minLength: 1, maxLength: 15 }),
      fc.array(query, { minLength: 2, maxLength: 5 }),
      // A long text has room to remember, a short one has hardly any.
      fc.constantFrom(0, 20_000),
      (texts, queries, length) => {
        const corpus = passagesOf([...texts, 'x'.repeat(length)])
        const ranking = scanned(corpus)
        for (const question of queries)
          expect(ranking.search(question)).toEqual(scanned(corpus).search(question))
      },
    ),
    { numRuns: runs(100) },
  )
})

test('a word that a passage holds more than 255 times counts as often when it is asked for again', () => {
  const corpus = passagesOf(['alpha '.repeat(300), 'alpha '.repeat(44), 'beta'.repeat(20_000)])
  const ranking = scanned(corpus)
  const first = ranking.search('alpha')
  expect(ranking.search('alpha')).toEqual(first)
  expect(first).toEqual(indexed(corpus).search('alpha'))
})
