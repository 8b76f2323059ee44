import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fieldNames, readFields, type SearchedTool } from '../../../src/discovery/fields.ts'
import { indexReading, WEIGHTS } from '../../../src/discovery/lexical.ts'
import { type Reading, readTools } from '../../../src/discovery/postings.ts'
import { stemOf, wordsOf } from '../../../src/discovery/words.ts'
import { runs } from '../../support/runs.ts'

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
const tools = fc.array(tool, { maxLength: 10 })

/** What is counted of each tool, with its words as they are spelled. */
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
  return list.map((each) => {
    const counted = new Map([['(all)', 0]])
    const add = (word: string, weight: number) => {
      for (const key of [word, '(all)']) counted.set(key, (counted.get(key) ?? 0) + weight)
    }
    readFields(each, (field, said) => {
      for (const word of wordsOf(said)) add(word, WEIGHTS[field])
    })
    return Object.fromEntries(counted)
  })
}

describe('reading of tools', () => {
  test('counts each word by the weight of where it stands, in any pieces', () => {
    fc.assert(
      fc.property(tools, fc.integer({ min: 1, max: 4 }), (list, piece) => {
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
      fc.property(tools, tools, fc.nat(12), phrase, (list, more, done, question) => {
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

  test('what was read with other weights is of no use', () => {
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
