import { describe, expect, test } from 'vitest'
import { indexTools, WEIGHTS } from '../../../src/discovery/lexical.ts'
import { wordVectors } from '../../../src/discovery/word-vectors.ts'

const tool = (name: string, description: string) => ({ server: 's', name, definition: { name, description } })

const tools = [
  tool('list_invoices', 'Lists the invoices of a customer.'),
  tool('resize_image', 'Changes the size of a picture.'),
  tool('restart_server', 'Stops a machine and starts it again.'),
  tool('water_plants', 'Opens a valve in the garden.'),
]

describe('nearness of meaning', () => {
  const words = indexTools(tools)
  const both = indexTools(tools, WEIGHTS, { vectors: wordVectors() })
  const first = (question: string) => tools[both.search(question, 1)[0]?.index ?? -1]?.name

  test('finds by what is meant, where words alone find another tool or none', () => {
    for (const [question, name] of [
      ['payments of a customer', 'list_invoices'],
      ['photograph', 'resize_image'],
      ['reboot my computer', 'restart_server'],
      ['open the photo with fewer pixels', 'resize_image'],
    ] as const)
      expect(first(question), question).toBe(name)
    expect(words.search('photograph', 1)).toEqual([])
    expect(words.search('open the photo with fewer pixels', 1)).toEqual([])
  })

  test('of several things asked for one after the other each finds its tool', () => {
    const first = both.search('Please water the flowers of my grandmother this evening', 4)
    const question =
      'My sister sends me a photograph from the holidays. Then water the flowers of my grandmother.'
    const found = both.search(question, 4).map(({ index }) => tools[index]?.name)
    expect(tools[first[0]?.index ?? -1]?.name).toBe('water_plants')
    expect(found.slice(0, 2).sort()).toEqual(['resize_image', 'water_plants'])
  })

  test('a question that shares little with any tool, in words and in meaning, finds none', () => {
    const zoo = indexTools(tools, WEIGHTS, { vectors: wordVectors() })
    expect(zoo.search('flibber wuzzock prandle', 4)).toEqual([])
    expect(zoo.search('kayak zebra', 4)).toEqual([])
  })

  test('is the same however much was prepared before', () => {
    const prepared = indexTools(tools, WEIGHTS, { vectors: wordVectors() })
    let steps = 1
    while (prepared.prepare(5)) steps++
    expect(steps).toBeGreaterThan(1)
    expect(prepared.prepare(5)).toBe(false)
    expect(prepared.search('picture', 4)).toEqual(both.search('picture', 4))
  })

  test('takes what a model says of the tools in the place of the table, where no tool has a word of the question', () => {
    const found = both.search('photograph', 4, Float32Array.from([0, 0, 0, 0.99]))
    expect(tools[found[0]?.index ?? -1]?.name).toBe('water_plants')
  })

  test('counts beside what a model says where tools have words of the question', () => {
    const shop = [tool('sell_fruit', 'Sells a fruit.'), tool('sell_tyre', 'Sells a tyre.')]
    const index = indexTools(shop, WEIGHTS, { vectors: wordVectors() })
    const undecided = Float32Array.of(0.5, 0.5)
    const first = (question: string) => shop[index.search(question, 1, undecided)[0]?.index ?? -1]?.name
    expect(first('sell a wheel')).toBe('sell_tyre')
    expect(first('sell a melon')).toBe('sell_fruit')
  })

  test('a question in words of which no piece is known goes by the words alone', () => {
    expect(both.search('請求書', 4)).toEqual([])
    expect(both.search('restart 請求書', 4)[0]?.index).toBe(2)
  })
})
