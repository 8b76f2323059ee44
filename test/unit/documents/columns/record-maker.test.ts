import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecordMaker } from '../../../../src/documents/columns/record-maker.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runs } from '../../../support/runs.ts'

test('records have their own names in their order, of any names and however many lists of them', () => {
  const name = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'constructor', '7', ''), fc.string())
  fc.assert(
    fc.property(fc.array(fc.uniqueArray(name, { maxLength: 5 }), { maxLength: 30 }), (all) => {
      const maker = new RecordMaker()
      const made = all.map((names, at) => {
        for (const each of names) maker.add(each, `${each} ${at}`)
        expect(names.every((each) => maker.has(each))).toBe(true)
        return maker.finish()
      })
      for (const [at, names] of all.entries()) expect(written(made[at])).toBe(written(ofNames(names, at)))
    }),
    { numRuns: runs(200) },
  )
})

test('more lists of names than are remembered are made as well', () => {
  const maker = new RecordMaker()
  for (let at = 0; at < 3_000; at++) {
    maker.add(`name ${at}`, at)
    expect(maker.finish()).toEqual({ [`name ${at}`]: at })
  }
})

function ofNames(names: readonly string[], at: number): JsonObject {
  return Object.fromEntries(names.map((each) => [each, `${each} ${at}`]))
}

function written(record: JsonObject | undefined): string {
  return JSON.stringify(record)
}
