import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { hashOf } from '../../../src/engine/content.ts'
import type { Query, Source } from '../../../src/engine/contract.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import { bytesOf, jsonResult, orders } from './world.ts'

const none = new Uint8Array()
const turn = () => new Promise((resolve) => setImmediate(resolve))

function sourceOf(content: Uint8Array): Source {
  return { handle: 'a1b2c3d4e5f6', hash: hashOf(content), content, tool: 'shop_orders' }
}

describe('the documents a worker has open', () => {
  test('an answer is closed with what it was made of, and so are the answers about it', () => {
    const views = createViews()
    const kept = fromValue([1, 2, 3])
    views.keep('source', kept, 10)
    views.keep('other', kept, 10)
    const answers = [
      views.keepAnswer('answer', kept, 10, ['source']),
      views.keepAnswer('of answer', kept, 10, ['answer', 'other']),
    ]
    expect(answers).toEqual(['answer', 'of answer'].map((hash) => views.open({ hash, content: none })))
    views.forget('source')
    for (const [at, hash] of ['answer', 'of answer'].entries())
      expect(views.open({ hash, content: none })).not.toBe(answers[at])
    expect(views.open({ hash: 'other', content: none }).document).toBe(kept)
  })

  test('what is evicted takes its answers with it; the same answer again takes nothing', () => {
    const views = createViews(100)
    const kept = fromValue([1, 2, 3])
    views.keep('source', kept, 50)
    views.keepAnswer('answer', kept, 10, ['source', 'answer'])
    const second = views.keepAnswer('of answer', kept, 10, ['answer'])
    views.keepAnswer('answer', kept, 10, ['source'])
    expect(views.open({ hash: 'of answer', content: none })).toBe(second)
    views.keep('large', kept, 70)
    expect(views.open({ hash: 'of answer', content: none })).not.toBe(second)
  })

  test('of what is open the last ones stay when nothing is asked for a while', () => {
    const views = createViews()
    const kept = fromValue([1, 2, 3])
    for (const name of ['first', 'second', 'third']) views.keep(name, kept, 9_000_000)
    views.keep('small', kept, 1000)
    views.rest()
    const isOpen = (hash: string) => views.open({ hash, content: none }).document === kept
    expect(['small', 'third', 'second', 'first'].map(isOpen)).toEqual([true, true, false, false])
  })

  test('what was kept under a name is found by its hash', () => {
    const views = createViews()
    const kept = fromValue([1, 2, 3])
    views.keep('arrived 1', kept, 10)
    views.named('arrived 1', 'hash')
    views.named('arrived 2', 'other')
    expect(views.open({ hash: 'hash', content: none }).document).toBe(kept)
    expect(views.open({ hash: 'arrived 1', content: none }).document).not.toBe(kept)
  })

  test('questions after a search are answered as before it', async () => {
    const records = orders(300).map((order, at) => ({
      ...order,
      note: `a note of some length about order ${at}, ${'which is kept '.repeat(at % 9)}in one text`,
    }))
    const source = sourceOf(bytesOf(jsonResult(records)))
    const questions: Query[] = [
      { kind: 'filter', params: { where: ['note ~ kept which'], sort: 'note', limit: 20 }, budget: 4000 },
      { kind: 'filter', params: { group_by: ['note'], aggregate: ['count'] }, budget: 900 },
      { kind: 'search', params: { pattern: 'order 2\\d7,' }, budget: 4000 },
      { kind: 'search', params: { pattern: 'lenght', mode: 'fuzzy' }, budget: 900 },
      { kind: 'search', params: { pattern: 'kept order 17', mode: 'bm25' }, budget: 4000 },
      { kind: 'explore', params: {}, budget: 4000 },
    ]
    const fresh = questions.map((asked) => query(createViews(), [source], asked))
    const views = createViews()
    for (let round = 0; round < 2; round++) {
      expect(questions.map((asked) => query(views, [source], asked))).toEqual(fresh)
      await turn()
    }
  })
})
