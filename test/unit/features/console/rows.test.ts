import { expect, test } from 'vitest'
import { toRows } from '../../../../src/features/console/rows.ts'
import type { Entry } from '../../../../src/store/store.ts'

const { signal } = new AbortController()
const entry = { tool: 'shop_rows' } as Entry

/** An engine that has so many records, and gives at most so many at a time. */
function engineOf(total: number, most: number) {
  const asked: number[] = []
  return {
    asked,
    engine: {
      async read(_: unknown, { offset, limit }: { offset: number; limit: number }) {
        asked.push(offset)
        const count = Math.min(limit, most, total - offset)
        const json = JSON.stringify(Array.from({ length: count }, (_, nth) => ({ id: offset + nth })))
        return { json, count, total }
      },
    } as never,
  }
}

test('records are read page by page, however few a page gives', async () => {
  const { engine, asked } = engineOf(25, 10)
  const rows = await toRows(engine, entry, signal)
  expect(rows).toEqual(Array.from({ length: 25 }, (_, id) => ({ id })))
  expect(asked).toEqual([0, 10, 20])
})

test('a page with nothing in it ends the reading', async () => {
  expect(await toRows(engineOf(25, 0).engine, entry, signal)).toEqual([])
})

test('a result without records, and one with too many, are refused with what to do', async () => {
  const none = { read: async () => ({ error: 'it is a text' }) } as never
  await expect(toRows(none, entry, signal)).rejects.toMatchObject({
    status: 422,
    message: 'This result has no records: it is a text',
    remedy: 'Export it as JSON.',
  })
  await expect(toRows(engineOf(100_001, 5_000).engine, entry, signal)).rejects.toMatchObject({ status: 422 })
})
