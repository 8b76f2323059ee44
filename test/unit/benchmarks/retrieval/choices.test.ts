import { describe, expect, test } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { graphOf, type LabelledSet, recall, resized, scoreOf, type Tool, VARIATIONS, vary } from './parts.ts'

const tool = (server: string, name: string, parameters: string[]): Tool => ({
  server,
  name,
  definition: {
    name,
    description: `Does ${name}. And more.`,
    inputSchema: { type: 'object', properties: Object.fromEntries(parameters.map((key) => [key, {}])) },
  },
})

const set: LabelledSet = {
  ids: ['a', 'b', 'c', 'd'],
  tools: [
    tool('shop', 'create_order', ['order_id', 'limit']),
    tool('bank', 'refund_order', ['order_id']),
    tool('shop', 'list_items', ['limit']),
    tool('news', 'read', ['limit']),
  ],
  questions: [{ query: 'delete the document', kind: 'all', half: 0, right: new Set(['a']) }],
}

describe('what the benchmark of the search compares', () => {
  verifies('S1.65', 'a graph of tools: who shares a rare parameter or a server is near', () => {
    const graph = graphOf(set.tools)
    expect(graph.neighbours(0)).toEqual([2, 1, 3])
    expect(graph.neighbours(1)).toEqual([0])
    expect(graph.extend([{ index: 1, score: 1 }], 2).map(({ index }) => index)).toEqual([1, 0])
    expect(graph.extend([], 2)).toEqual([])
  })

  test('variations change the style and keep what is asked of what', () => {
    const changed = vary(set, VARIATIONS['names in camelCase'])
    expect(changed.tools.map(({ name }) => name)).toEqual(['createOrder', 'refundOrder', 'listItems', 'read'])
    expect(changed.tools[0]?.definition.name).toBe('createOrder')
    expect(changed.questions).toEqual(set.questions)
    const asked = (name: string) => vary(set, VARIATIONS[name]).questions[0]?.query
    expect(asked('abbreviated questions')).toBe('del the doc')
    expect(asked('a slip in a word of each question')).toBe('delete the docmuent')
    expect(vary(set, VARIATIONS['descriptions of one sentence']).tools[3]?.definition.description).toBe(
      'Does read.',
    )
    expect(vary(set, VARIATIONS['as they are'])).toEqual(set)
  })

  test('a set of another size has each tool under one name', () => {
    expect(resized(set, 2).tools).toEqual(set.tools.slice(0, 2))
    const names = resized(set, 11).tools.map(({ server, name }) => `${server}_${name}`)
    expect(new Set(names).size).toBe(11)
  })

  test('scores', () => {
    const right = new Set(['a', 'b'])
    expect(recall({ right, found: ['c', 'a'] }, 1)).toBe(0)
    expect(recall({ right, found: ['c', 'a'] }, 2)).toBe(0.5)
    expect(
      scoreOf([
        { right, found: ['c', 'a'] },
        { right: new Set(), found: [] },
      ]),
    ).toMatchObject({ questions: 1, r1: 0, r5: 0.5, mrr: 0.5, unanswerable: 1, empty: 1 })
  })
})
