import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import winkBm25 from 'wink-bm25-text-search'
import {
  commonParameters,
  type Field,
  fieldNames,
  readFields,
  type SearchedTool,
} from '../../../src/discovery/fields.ts'
import { indexReading, WEIGHTS } from '../../../src/discovery/lexical.ts'
import {
  createCounter,
  createLexicon,
  createStems,
  indexWords,
  type Postings,
  type Reading,
  readTools,
  type Weights,
} from '../../../src/discovery/postings.ts'
import { stemOf, wordsOf } from '../../../src/text/words/words.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

/** The words of a tool by field. */
type Words = Record<Field, string[]>

const words = fc.array(fc.constantFrom('file', 'read', 'list', 'issue', 'page', 'constructor', 'prototype'), {
  maxLength: 12,
})
const tools = fc.array(fc.record({ name: words, server: words, description: words, parameters: words }), {
  minLength: 3,
  maxLength: 12,
})
const weights: Weights = { name: 4, server: 1, description: 1, parameters: 0.5 }

/** An index of these words, and what it has of a word. */
function indexOf(corpus: readonly Words[], fields: readonly Field[] = fieldNames) {
  const lexicon = createLexicon()
  const counter = createCounter(corpus.length)
  for (const tool of corpus) {
    for (const field of fields) counter.add(lexicon.read(tool[field].join(' ')), weights[field])
    counter.next()
  }
  const index = indexWords(counter.counts())
  const postings = (...words: string[]): Postings | undefined =>
    index.postings(words.map((word) => lexicon.words.indexOf(word)))
  const vocabulary = lexicon.words.filter((_, number) => index.has(number))
  return { postings, vocabulary, worth: index.worth }
}

/** Scores of one word by wink, rounded to four places as it does. */
function byWink(corpus: readonly Words[]): (word: string) => Map<number, number> {
  const engine = winkBm25()
  engine.defineConfig({ fldWeights: { ...weights } })
  engine.definePrepTasks([
    (given: string | readonly string[]) => (typeof given === 'string' ? [given] : given),
  ])
  for (const [place, tool] of corpus.entries()) engine.addDoc({ ...tool }, place)
  engine.consolidate(9)
  return (word) => new Map(engine.search(word, corpus.length).map(([place, score]) => [Number(place), score]))
}

describe('an index of words', () => {
  verifies('S1.4', 'ranks as wink-bm25-text-search does, word by word', () => {
    fc.assert(
      fc.property(tools, (corpus) => {
        const index = indexOf(corpus)
        const wink = byWink(corpus)
        const all = new Set(corpus.flatMap((tool) => fieldNames.flatMap((field) => tool[field])))
        expect(new Set(index.vocabulary)).toEqual(all)
        for (const word of all) {
          const postings = index.postings(word)
          const expected = wink(word)
          expect([...(postings?.places ?? [])]).toEqual([...expected.keys()].sort((a, b) => a - b))
          postings?.places.forEach((place, at) => {
            const score = (postings.strengths[at] ?? 0) * index.worth(expected.size) * 2.2
            expect(score).toBeCloseTo(expected.get(place) ?? Number.NaN, 6)
          })
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('several words count as if they had been one', () => {
    const forms = ['file', 'read', 'list']
    fc.assert(
      fc.property(tools, (corpus) => {
        const one = corpus.map((tool) =>
          Object.fromEntries(
            fieldNames.map((field) => [
              field,
              tool[field].map((word) => (forms.includes(word) ? 'file' : word)),
            ]),
          ),
        ) as Words[]
        expect(indexOf(corpus).postings(...forms, 'absent')).toEqual(indexOf(one).postings('file'))
      }),
      { numRuns: runs(200) },
    )
  })

  test('a strength is above 0 and below 1; rarer words are worth more', () => {
    fc.assert(
      fc.property(tools, (corpus) => {
        const index = indexOf(corpus)
        for (const word of index.vocabulary)
          for (const strength of index.postings(word)?.strengths ?? []) {
            expect(strength).toBeGreaterThan(0)
            expect(strength).toBeLessThan(1)
          }
        for (let having = 0; having < corpus.length; having++)
          expect(index.worth(having)).toBeGreaterThan(index.worth(having + 1))
      }),
      { numRuns: runs(100) },
    )
  })

  test('a word that no tool has, one that came to the lexicon later, and no tools at all', () => {
    const one: Words = { name: ['ox'], server: ['cow'], description: ['hen'], parameters: ['dog'] }
    const index = indexOf([one], ['name', 'server', 'description'])
    expect(index.vocabulary).toEqual(['ox', 'cow', 'hen'])
    expect(index.postings('dog')).toBeUndefined()
    expect(index.postings('toString')).toBeUndefined()
    expect(indexOf([]).postings('ox')).toBeUndefined()
    const { has, postings } = indexWords(createCounter(0).counts())
    expect([0, 1, 2].map(has)).toEqual([false, false, false])
    expect(postings([1])).toBeUndefined()
    expect(postings([])).toBeUndefined()
  })

  test('many words and many tools: arrays that grow', () => {
    const corpus = Array.from({ length: 200 }, (_, place) => ({
      name: Array.from({ length: 100 }, (_, at) => `word${place * 50 + at}`),
      server: [],
      description: ['common'],
      parameters: [],
    }))
    const index = indexOf(corpus)
    expect(index.vocabulary).toHaveLength(200 * 50 + 50 + 1)
    expect([...(index.postings('word75')?.places ?? [])]).toEqual([0, 1])
    expect(index.postings('common')?.places).toHaveLength(200)
  })
})

/** Reads texts with one lexicon, and gives their words. */
function reader() {
  const lexicon = createLexicon()
  return (text: string) => lexicon.read(text).map((number) => lexicon.words[number] ?? '')
}

describe('a lexicon', () => {
  test('reads what the words of a text are, in any script, again and again', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.stringMatching(/^[ -~\n]{0,100}$/),
        fc
          .array(
            fc.constantFrom(
              'listPullRequests',
              'files',
              'the',
              'búsqueda',
              '删除',
              'HTTP_PORT',
              '…',
              'x'.repeat(50),
              'readÜber',
            ),
          )
          .map((words) => words.join(' ')),
      ),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(texts, (all) => {
        const read = reader()
        for (const text of [...all, ...all]) {
          const words = wordsOf(text)
          // Words that a hyphen joins (`e-mail`) come after them as one.
          const length = text.includes('-') ? words.length : undefined
          expect(read(text).map(stemOf).slice(0, length)).toEqual(words)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test('numbers words from 0, each once, without empty words', () => {
    const lexicon = createLexicon()
    const read = (text: string) => [...lexicon.read(text)]
    expect(read('file and page: file')).toEqual([0, 1, 0])
    expect(['Page', 'the', '', 'constructor', '__proto__ getPage'].map(read)).toEqual([
      [1],
      [],
      [],
      [2],
      [3, 4, 1],
    ])
    expect(lexicon.words).toEqual(['file', 'page', 'constructor', 'proto', 'get'])
  })

  test('very long words are cut', () => {
    const read = reader()
    const long = 'x'.repeat(5_000)
    for (let round = 0; round < 2; round++)
      expect(read(`${long} ${long}`)).toEqual(Array(2).fill('x'.repeat(40)))
  })
})

const phrase = fc
  .array(
    fc.constantFrom('read', 'files', 'listIssues', 'of', 'page', 'búsqueda', 'constructor', '__proto__'),
    {
      maxLength: 6,
    },
  )
  .map((words) => words.join(' '))
const tool: fc.Arbitrary<SearchedTool> = fc.record({
  name: fc.constant('x'),
  server: fc.constantFrom('a', 'files'),
  definition: fc.record({
    name: fc.oneof(phrase, fc.constant('readpage')),
    title: phrase,
    description: phrase,
    inputSchema: fc.record({
      properties: fc.dictionary(
        phrase,
        fc.record({ description: phrase, enum: fc.array(phrase, { maxLength: 2 }) }),
        { maxKeys: 3 },
      ),
    }),
  }),
})
const toolLists = fc.array(tool, { maxLength: 10 })

/** The counted words of each tool, as they are spelled. */
function countsOf(reading: Reading): Record<string, number>[] {
  const { ends, words, counts, lengths } = reading.read()
  return reading.tools.map((_, place) => {
    const counted: [string, number][] = [['(all)', lengths[place] ?? 0]]
    for (let at = ends[place - 1] ?? 0; at < (ends[place] ?? 0); at++)
      counted.push([stemOf(reading.lexicon.words[words[at] ?? 0] ?? ''), counts[at] ?? 0])
    return summed(counted)
  })
}

/** Forms of one word together. */
function summed(counted: readonly (readonly [string, number])[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [word, count] of counted) sums.set(word, (sums.get(word) ?? 0) + count)
  return Object.fromEntries(sums)
}

/** The same by the plainest means. */
function expected(list: readonly SearchedTool[]): Record<string, number>[] {
  const common = commonParameters(list)
  return list.map((each) => {
    const counted = new Map([['(all)', 0]])
    const add = (word: string, weight: number) => {
      for (const key of [word, '(all)']) counted.set(key, (counted.get(key) ?? 0) + weight)
    }
    readFields(
      each,
      (field, said) => {
        for (const word of wordsOf(said)) add(word, WEIGHTS[field])
      },
      common.get(each.server),
    )
    return Object.fromEntries(counted)
  })
}

describe('reading of tools', () => {
  test('counts each word by the weight of where it stands, in any pieces', () => {
    fc.assert(
      fc.property(toolLists, fc.integer({ min: 1, max: 4 }), (list, piece) => {
        const reading = readTools(list, WEIGHTS)
        for (let read = 0; read < list.length; read += piece)
          expect(reading.read(piece).tools).toBe(Math.min(list.length, read + piece))
        expect(countsOf(reading)).toEqual(expected(list))
      }),
      { numRuns: runs(200) },
    )
  })

  test('after a list that had some of the tools it is as if there had been none', () => {
    fc.assert(
      fc.property(toolLists, toolLists, fc.nat(12), phrase, (list, more, done, question) => {
        const before = readTools(list, WEIGHTS)
        before.read(done)
        const next = [
          ...more,
          ...list.slice(1).reverse(),
          ...list.slice(0, 1).map((each) => ({ ...each, server: 'b' })),
        ]
        const after = readTools(next, WEIGHTS, before)
        expect(countsOf(after)).toEqual(expected(next))
        expect(indexReading(after).search(question, 5)).toEqual(
          indexReading(readTools(next, WEIGHTS)).search(question, 5),
        )
      }),
      { numRuns: runs(200) },
    )
  })

  test('postings that were made with other weights are not used', () => {
    const list: SearchedTool[] = [{ name: 'x', server: 's', definition: { name: 'read_page' } }]
    const before = readTools(list, { ...WEIGHTS, name: 9 })
    before.read()
    expect(countsOf(readTools(list, WEIGHTS, before))).toEqual(expected(list))
  })

  test('tools that were read are not read again', () => {
    let asked = 0
    const definition = { name: 'read_page', description: 'Reads.' }
    const watched = new Proxy(definition, {
      get(target, key, receiver) {
        asked++
        return Reflect.get(target, key, receiver)
      },
    })
    const before = readTools([{ name: 'x', server: 's', definition: watched }], WEIGHTS)
    before.read()
    expect(asked).toBeGreaterThan(0)
    asked = 0
    readTools([{ name: 'x', server: 's', definition: watched }], WEIGHTS, before).read()
    expect(asked).toBe(0)
  })

  test('fields come in one order', () => {
    const seen: string[] = []
    readFields(
      {
        name: 'x',
        server: 's',
        definition: { name: 'n', description: 'd', inputSchema: { properties: { p: {} } } },
      },
      (field) => seen.push(field),
    )
    expect(seen).toEqual(fieldNames)
  })
})

/** Words with the endings that the stemmer knows, irregular ones, and what is no word of English. */
const endings =
  's es ed ing ly edly ingly eed ies ied sses ational ization isation ise ised fulness ousness iveness tional ability lessly ently ' +
  'ation alism ality ously ivity fully ency ancy ably izer ator ology alize icate ical ness ful ement ance ence able ible ment ant ent ' +
  'ism ate ous ive ize ion al er ic ity y our ours ogue e l'
const word = fc.oneof(
  fc
    .tuple(fc.stringMatching(/^[a-z]{2,6}$/), fc.constantFrom('', ...endings.split(' ')))
    .map(([a, b]) => a + b)
    .filter((word) => !/^[aeiou]ings?$/.test(word)),
  fc.constantFrom(
    'wrote',
    'bought',
    'people',
    'indices',
    'dying',
    'skies',
    'went',
    'was',
    'a',
    'I',
    'xy',
    '删',
    'über',
    's3',
  ),
)

describe('stems', () => {
  test('every word is found by its stem, and no other one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 40 }), (words) => {
        const stems = createStems(words)
        for (const each of words) {
          const stem = stemOf(each)
          const expected = words.flatMap((other, number) => (stemOf(other) === stem ? [number] : []))
          expect(stems.having(stem), each).toEqual(expected)
          expect([...stems.beginning(stem.slice(0, 1))]).toContainEqual([words.indexOf(each), stem])
        }
        expect(stems.having('nothingofthis')).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  test('words that come later are found, too', () => {
    const words = ['file']
    const stems = createStems(words)
    expect(stems.having('file')).toEqual([0])
    expect(stems.prepare(5)).toBe(false)
    words.push('files', 'filing', 'page')
    expect(stems.having('file')).toEqual([0, 1, 2])
    expect([...stems.beginning('p')]).toEqual([[3, 'page']])
    expect([stems.prepare(2), stems.prepare(2), stems.prepare(2)]).toEqual([true, false, false])
  })
})
