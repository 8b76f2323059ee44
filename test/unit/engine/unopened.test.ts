import { expect, test } from 'vitest'
import { hashInSlices, hashOf } from '../../../src/engine/content.ts'
import { digest } from '../../../src/engine/digest.ts'
import { query } from '../../../src/engine/query.ts'
import { rehearse } from '../../../src/engine/rehearsal.ts'
import { createViews } from '../../../src/engine/views.ts'
import { bytesOf, jsonResult, LIMITS, orders, textResult } from './world.ts'

const asked = { kind: 'filter', params: { aggregate: 'count' }, budget: 2000 } as const

test('a long list is previewed without being opened, and opened by the first question', () => {
  const views = createViews()
  const content = bytesOf(textResult(JSON.stringify(orders(5000))))
  const { tokens, unopened, shaped } = digest(views, { content, tool: 'shop_orders' }, LIMITS)
  expect(unopened).toBe(true)
  const hash = hashOf(content)
  views.counted(hash, tokens + 1)
  expect(shaped?.text.join('')).toContain('5,000 records in $')
  const answer = query(views, [{ handle: 'a1b2c3d4e5f6', hash, content, tool: 'shop_orders' }], asked)
  expect(answer.text.join('')).toContain('5000')
  // Tokens that were counted are not counted again.
  expect(answer.originalTokens).toBe(tokens + 1)
})

test('what is opened to be previewed stays open', () => {
  const views = createViews()
  const content = bytesOf(jsonResult(orders(300)))
  const { hash, unopened } = digest(views, { content, tool: 'shop_orders' }, LIMITS)
  expect(unopened).toBeUndefined()
  expect(views.open({ hash, content })).toBe(views.open({ hash, content: new Uint8Array() }))
})

test('rehearsals of all kinds go through', () => {
  let nth = 0
  while (rehearse(nth)) nth++
  expect(nth).toBe(6)
})

test('the hash of slices is the hash of the whole', async () => {
  for (const size of [0, 1, 2 ** 21, 2 ** 21 + 1, 5_000_000]) {
    const content = new Uint8Array(size).fill(7)
    expect(await hashInSlices(content)).toBe(hashOf(content))
  }
})
