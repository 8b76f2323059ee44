import { expect, test } from 'vitest'
import { fromMadeRows } from '../../../../src/documents/opening/derive.ts'
import { madeRows, rowsOf } from '../../../../src/documents/opening/rows.ts'

test('rows are made for the page that is asked for, and the same as all of them', () => {
  let made = 0
  const at = (index: number) => {
    made++
    return { index }
  }
  const rows = madeRows('record', 1000, at)
  expect(rows.slice(990, 2000)).toHaveLength(10)
  expect(made).toBe(10)
  expect(rows.items).toEqual(Array.from({ length: 1000 }, (_, index) => ({ index })))
  expect(rows.slice(3, 5)).toEqual([{ index: 3 }, { index: 4 }])
  expect(made).toBe(1010)
  expect(rows.slice(0, 1)[0]).toBe(rows.items[0])
})

test('a document of made rows is one of the rows themselves', () => {
  const items = ['a', 'b', 'c']
  const document = fromMadeRows(
    'text',
    madeRows('line', 3, (index) => items[index] ?? ''),
  )
  expect(document.text).toBe('a\nb\nc')
  expect(document.records()?.values).toEqual(items)
  expect(document.rows()).toMatchObject({ noun: 'line', count: 3, items })
  expect(rowsOf('line', items).slice(1, 9)).toEqual(['b', 'c'])
})

test('no row is made to be counted, or to know where the records are', () => {
  const refused = () => {
    throw new Error('A row was made.')
  }
  const document = fromMadeRows('json', madeRows('record', 1000, refused))
  expect(document.rows().count).toBe(1000)
  expect(document.records()?.path).toBe('$')
})
