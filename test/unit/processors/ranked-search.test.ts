import { describe, expect, test } from 'vitest'
import { fromRecognised, fromText, fromValue } from '../../../src/documents/opening/derive.ts'
import { bm25 } from '../../../src/processors/search/bm25.ts'
import { fuzzy } from '../../../src/processors/search/fuzzy.ts'
import { verifies } from '../../support/verifies.ts'
import { search } from './search.ts'

const prose = 'Cats sleep.\n\nDogs bark at night.\nLoudly.\n\nBirds sing.\n\nDogs eat.\n'

describe('bm25', () => {
  verifies('S3.22', 'ranks paragraphs, with score and lines', () => {
    const found = search(bm25, fromText(prose), { pattern: 'dogs bark', mode: 'bm25' })
    expect(found.rows).toEqual([
      expect.stringMatching(/^\[\d\.\d\d\] lines 3-4\nDogs bark at night\.\nLoudly\.$/),
      expect.stringMatching(/^\[0\.\d\d\] 8: Dogs eat\.$/),
    ])
    expect(found.metadata).toEqual({ total: 4, matched: 2 })
    expect(found.noun).toBe('passage')
  })

  verifies('S3.22', 'ranks records, with path, score and what holds the words', () => {
    const pets = [
      { id: 1, name: 'Rex', about: 'a dog that barks' },
      { id: 2, name: 'Tom', about: 'a cat' },
      { id: 3, name: 'Tweety', about: 'a bird' },
    ]
    const { rows } = search(bm25, fromValue({ pets }), { pattern: 'which dog barks', mode: 'bm25' })
    expect(rows).toEqual([
      {
        score: expect.any(Number),
        at: '$.pets[0]',
        match: { about: 'a dog that barks' },
        record: { id: 1, name: 'Rex' },
      },
    ])
  })

  test('ranks each value where nothing repeats', () => {
    const { rows } = search(bm25, fromValue({ z: 'other', a: { b: 'the answer' } }), {
      pattern: 'answer',
      mode: 'bm25',
    })
    expect(rows).toMatchObject([{ at: '$.a.b', value: 'the answer' }])
  })

  test('finds what only the names of fields say', () => {
    const settings = fromValue({ cache: { evictionPolicy: 'lru', size: 12 }, log: { level: 'warn' } })
    const found = search(bm25, settings, { pattern: 'eviction policy', mode: 'bm25' })
    expect(found.rows[0]).toMatchObject({ at: '$.cache.evictionPolicy', value: 'lru' })
  })

  test('ranks what stands beside the records too', () => {
    const pets = ['Rex', 'Tom', 'Ida'].map((name, id) => ({ id, name, about: 'sleeps' }))
    const document = fromValue({ pets, guide: { feeding: 'Tortoises eat dandelions in spring.' } })
    const found = search(bm25, document, { pattern: 'what do tortoises eat', mode: 'bm25' })
    expect(found.rows).toMatchObject([
      { at: '$.guide.feeding', value: 'Tortoises eat dandelions in spring.' },
    ])
    expect(found.metadata).toMatchObject({ total: 4, matched: 1, unit: 'passage' })
  })

  test('shows of a long value the place with most of the words, and of several values the telling ones', () => {
    const filler = 'Nothing to see here, the weather was fine. '.repeat(60)
    const items = ['a', 'b', 'c'].map((id) => ({ id, note: 'weather', body: `${filler}${id}` }))
    items.push({ id: 'd', note: 'weather', body: `${filler}An axolotl regrows its limbs.${filler}` })
    const found = search(bm25, fromValue({ items }), { pattern: 'axolotl limbs weather', mode: 'bm25' })
    expect(found.rows).toHaveLength(4)
    expect(found.rows[0]).toMatchObject({
      at: '$.items[3]',
      match: { body: expect.stringContaining('An axolotl regrows its limbs.') },
    })
    expect(JSON.stringify(found.rows[0]).length).toBeLessThan(700)
  })

  test('keeps a log record whole', () => {
    const log = Array.from({ length: 9 }, (_, nth) => `2026-01-01T00:00:0${nth}Z INFO step ${nth}`)
    log.splice(5, 0, '  at failing (x.js:1)')
    const { rows } = search(bm25, fromRecognised(log.join('\n')), { pattern: 'failing', mode: 'bm25' })
    expect(rows).toEqual([expect.stringMatching(/lines 5-6\n2026.*step 4\n {2}at failing/)])
  })

  test('says what is near when nothing is found', () => {
    const { rows, notes } = search(bm25, fromText(prose), { pattern: 'birdz', mode: 'bm25' })
    expect(rows).toEqual([])
    expect(notes).toContain('birds')
  })
})

describe('fuzzy', () => {
  verifies('S3.23', 'finds lines with a similar word, the most similar first', () => {
    const text = 'conection\nnothing\nconnections\nconnection\n'
    const found = search(fuzzy, fromText(text), { pattern: 'connection', mode: 'fuzzy' })
    expect(found.rows).toEqual(['[1.00] 4: connection', '[0.91] 3: connections', '[0.90] 1: conection'])
    expect(found.metadata).toEqual({ total: 4, matched: 3 })
    const strict = search(fuzzy, fromText(text), { pattern: 'connection', mode: 'fuzzy', threshold: 0.95 })
    expect(strict.rows).toHaveLength(1)
  })

  test('counts everything, however few are shown', () => {
    const found = search(fuzzy, fromText('word\n'.repeat(300)), {
      pattern: 'wrod',
      mode: 'fuzzy',
      threshold: 0.5,
      max_results: 1,
    })
    expect(found.metadata.matched).toBe(300)
  })

  test('never joins the words of two lines', () => {
    const { metadata } = search(fuzzy, fromText('data\nbase\n'), { pattern: 'data base', mode: 'fuzzy' })
    expect(metadata.matched).toBe(0)
  })

  verifies('S3.23', 'finds a typo in a word of a 10 MB text', () => {
    const text = `${'all is well on this line of the log\n'.repeat(290_000)}an exeption here\n`
    const found = search(fuzzy, fromText(text), { pattern: 'exception', mode: 'fuzzy' })
    expect(found.rows).toEqual(['[0.89] 290001: an exeption here'])
  })

  verifies('S3.23', 'finds records, with the similarity of the best value', () => {
    const users = ['Anderson', 'Andersen', 'Bell', 'Cole'].map((name, id) => ({ id, name }))
    const { rows } = search(fuzzy, fromValue(users), { pattern: 'andersn', mode: 'fuzzy' })
    expect(rows).toEqual([
      { similarity: 0.88, at: '$[0]', match: { name: 'Anderson' }, record: { id: 0 } },
      { similarity: 0.88, at: '$[1]', match: { name: 'Andersen' }, record: { id: 1 } },
    ])
  })
})
