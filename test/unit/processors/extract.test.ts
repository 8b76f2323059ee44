import { expect, test } from 'vitest'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { extract } from '../../../src/processors/extract.ts'

const values = [['Budget'], ['Id', 'Units'], ['a', '5'], ['b', '7'], ['c', '9'], ['d', '2']]
const sheet = fromRecognised(JSON.stringify({ range: 'A1:B6', values }))

test('a row of a sheet is the row of the record with that place, as it was sent', () => {
  expect(sheet.records()?.values).toHaveLength(4)
  for (const [path, value] of [
    ['$.values[1]', ['b', '7']],
    ['$.values[1][1]', '7'],
    ['$.values[1].Units', '7'],
    ['$.values[-1]', ['d', '2']],
    ['$.values[*][0]', ['a', 'b', 'c', 'd']],
    ['$.values[2:][0]', ['c', 'd']],
    ['$.values', values],
  ] as const)
    expect(extract(sheet, { path, as: 'any' }).value, path).toEqual(value)
})
