/** Searches that are narrowed: to a field, to the fields that are named, to records that fulfil conditions. */
import { describe, expect, test } from 'vitest'
import { fromRecognised, fromValue } from '../../../../src/documents/opening/derive.ts'
import { searchParams } from '../../../../src/processors/parameters.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { searchSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const issues = fromValue({
  items: Array.from({ length: 12 }, (_, n) => ({
    number: 100 + n,
    title: n % 4 === 0 ? `Crash of part ${n}` : `Slow start ${n}`,
    state: n % 2 === 0 ? 'open' : 'closed',
    user: { login: `dev${n % 3}` },
    body: n % 3 === 0 ? 'It fails with ECONNRESET' : 'No crash was seen',
  })),
})

function ask(params: JsonObject, document = issues) {
  const { document: found, steps, error } = runPipeline(document, searchSteps, searchParams.parse(params))
  expect(error).toBeUndefined()
  return {
    places: found.rows().items.map((row) => (row as { at: string }).at.replace(/\D/g, '')),
    notes: steps.flatMap(({ metadata }) => metadata.notes ?? []),
  }
}

test.each<[string, string[]]>([
  ['title:part', ['0', '4', '8']],
  ['title:crash', ['0', '4', '8']],
  ['login: dev1', ['1', '4', '7', '10']],
  ["login = 'dev1'", ['1', '4', '7', '10']],
  ['number: 103', ['3']],
  ['number: 10[34]', ['3', '4']],
  ['login.*dev1', ['1', '4', '7', '10']],
  ['nosuch: dev1', []],
  ['title:nosuch', []],
  ['title:crash|state:closed', []],
])('`%s` is looked for in the field that it names', (pattern, places) => {
  expect(ask({ pattern }).places).toEqual(places)
})

test('the reply says what was looked for in which field', () => {
  expect(ask({ pattern: 'title:part' }).notes).toEqual([
    'No value matches as written; `part` was looked for in `title`.',
  ])
})

describe('with `where`', () => {
  test.each([['regex'], ['bm25'], ['context'], ['fuzzy']])(
    'only such records are searched, and a hit says where it is in the whole list: %s',
    (mode) => {
      const { places } = ask({ pattern: 'ECONNRESET', mode, where: ['state = open'] })
      expect(places.sort()).toEqual(['0', '6'])
    },
  )

  test('the reply says how many records are searched, of how many', () => {
    const { notes } = ask({ pattern: 'ECONNRESET', where: ['state = open'] })
    expect(notes).toContain('`where` chose 6 of 12 records to search.')
    expect(ask({ pattern: 'ECONNRESET' }).notes.join()).not.toContain('chose')
  })

  test('a name in a condition is read as a filter reads it', () => {
    const orders = Array.from({ length: 6 }, (_, n) => ({ order_status: n % 2 ? 'paid' : 'open', note: 'x' }))
    expect(ask({ pattern: 'x', where: 'status = paid' }, fromValue(orders)).places).toEqual(['1', '3', '5'])
  })

  test('hits in a log are entries', () => {
    const log = Array.from(
      { length: 30 },
      (_, n) => `2026-11-01T10:00:${10 + n}Z ${n % 2 ? 'INFO' : 'ERROR'} part ${n % 5} failed`,
    )
    const { places } = ask({ pattern: 'part 4', where: 'level = ERROR' }, fromRecognised(log.join('\n')))
    expect(places).toEqual(['4', '14', '24'])
  })
})

test('where nothing in the named fields matches, the reply says how much would without them', () => {
  expect(ask({ pattern: 'rash', fields: 'title' })).toMatchObject({ places: ['0', '4', '8'], notes: [] })
  const told = 'Only the named fields were searched: without `fields` and `exclude` 4 match.'
  for (const asked of [{ fields: ['number', 'title'] }, { exclude: 'body' }]) {
    const { places, notes } = ask({ pattern: 'ECONNRESET', ...asked })
    expect(places).toEqual([])
    expect(notes).toContain(told)
  }
  expect(ask({ pattern: 'nosuch', fields: 'title' }).notes).not.toContain(told)
})
