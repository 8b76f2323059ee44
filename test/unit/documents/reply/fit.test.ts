import { decode } from '@toon-format/toon'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromRows, fromText, fromValue } from '../../../../src/documents/opening/derive.ts'
import { fit as fitted } from '../../../../src/documents/reply/fit.ts'
import { soundKeys } from '../../../support/keys.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const handle = '0123456789ab'
const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
const people = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, name: `Person ${id}`, tags: [id] }))

test('shows all rows under a line of counts, without a hole', () => {
  const { text, complete, next } = fitted(fromRows({ noun: 'record', items: people(2) }), {
    budget: 500,
    title: 'filter',
  })
  expect(text).toEqual([
    'filter · 2 of 2 records\n{"id":0,"name":"Person 0","tags":[0]}\n{"id":1,"name":"Person 1","tags":[1]}',
  ])
  expect([complete, next]).toEqual([true, undefined])
})

verifies('S3.11', 'says how much there is in all and gives the next call', () => {
  const page = fitted(fromRows({ noun: 'record', items: people(1373) }), {
    budget: 600,
    title: 'filter',
    notes: ['a note'],
  })
  const lines = page.text.join(handle).split('\n')
  expect(lines[0]).toBe(`filter · records 1-${page.shown} of 1,373, next: offset ${page.shown}`)
  expect(lines[1]).toBe('a note')
  expect(lines.at(-1)).toBe(`proxy_filter {"cache_id":"${handle}","offset":${page.shown}}`)
  expect(page.complete).toBe(false)
})

test('takes an offset into a whole document, or a page of a larger one', () => {
  const items = people(100)
  const whole = fitted(fromRows({ noun: 'record', items }), {
    budget: 2000,
    title: 't',
    offset: 50,
    limit: 10,
  })
  expect(whole.text[0]).toContain('records 51-60 of 100, next: offset 60\n{"id":50,')
  const page = fitted(fromRows({ noun: 'record', items: items.slice(50, 60) }), {
    budget: 2000,
    title: 't',
    offset: 50,
    total: 100,
  })
  expect(page.text[0]).toContain('records 51-60 of 100, next: offset 60\n{"id":50,')
  expect([whole.complete, page.complete]).toEqual([false, true])
})

test('writes uniform flat records as a table that decodes to the data', () => {
  const items = Array.from({ length: 40 }, (_, id) => ({
    identifier: id,
    city: 'Prague, CZ',
    active: id % 2 === 0,
    note: null,
  }))
  const [text = ''] = fitted(fromRows({ noun: 'record', items }), { budget: 8000, title: 't' }).text
  expect(text).toContain('[40]{identifier,city,active,note}:')
  expect(decode(text.slice(text.indexOf('\n') + 1))).toEqual(items)
})

test('shows a row that no page holds shortened, and never skips it', () => {
  const items = ['a', { body: 'x'.repeat(50_000), list: people(500) }, 'b']
  const first = fitted(fromRows({ noun: 'record', items }), { budget: 1000, title: 't' })
  const text = first.text.join(handle)
  expect(text).toContain('[50,000 characters]')
  expect(text.length).toBeLessThanOrEqual(1000)
  expect(first.next).toBe(undefined)
  expect(first.shown).toBe(2)
  expect(first.complete).toBe(false)
})

test('of a passage that no page holds its title and the part that was sought are shown', () => {
  const passage = `lines 3-9000 · Guide\n${'Nothing of it. '.repeat(400)}The deadlock is here. ${'Nothing more. '.repeat(400)}`
  const items = [passage]
  for (const sought of ['deadlock', 'a Deadlock|livelock', 'Dead?lock .*'])
    for (const budget of [500, 1000, 4000]) {
      const { text } = fitted(fromRows({ noun: 'passage', items }), { budget, title: 'search', sought })
      expect(text.join(handle).length).toBeLessThanOrEqual(budget)
      if (sought !== 'Dead?lock .*') expect(text.join(handle)).toContain('deadlock is here')
      expect(text.join(handle)).toContain('lines 3-9000 · Guide')
    }
})

test('texts with line breaks are told apart where they are records, and passages are shown as they are', () => {
  const items = ['one\ntwo', 'three', 'nul\u0000']
  const shown = (noun: string) => fitted(fromRows({ noun, items }), { budget: 500, title: 't' }).text[0]
  expect(shown('record')).toBe('t · 3 of 3 records\n"one\\ntwo"\nthree\n"nul\\u0000"')
  expect(shown('passage')).toBe('t · 3 of 3 passages\none\ntwo\nthree\nnul\u0000')
})

test('says that an offset is after the last row', () => {
  const { text } = fitted(fromRows({ noun: 'record', items: people(3) }), {
    budget: 500,
    title: 't',
    offset: 9,
  })
  expect(text[0]).toBe('t · 0 of 3 records, the offset is after the last')
})

test('says that nothing was found', () => {
  expect(fitted(fromRows({ noun: 'match', items: [] }), { budget: 300, title: 'search' }).text).toEqual([
    'search · 0 of 0 matches',
  ])
})

const row = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  soundKeys(fc.jsonValue()),
  fc.record({ a: fc.integer(), b: fc.string({ maxLength: 30 }) }),
  fc.constant('y'.repeat(5000)),
  fc.constant({ deep: '😀'.repeat(3000) }),
)

verifies('S3.11', 'never exceeds its budget and never splits a character, for any rows', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 30 }),
      fc.integer({ min: 200, max: 5000 }),
      fc.string({ maxLength: 300 }),
      fc.array(fc.string({ maxLength: 200 }), { maxLength: 4 }),
      (items, budget, title, notes) => {
        const value = JSON.parse(JSON.stringify(items))
        for (const document of [
          fromRows({ noun: 'hit', items: value }),
          fromValue(value),
          fromText(items.map((item) => JSON.stringify(item)).join('\n')),
        ]) {
          const { text } = fitted(document, { budget, title, notes })
          const shown = text.join(handle)
          expect(shown.length).toBeLessThanOrEqual(budget)
          if (!lone.test(JSON.stringify([items, title, notes])))
            expect(shown.replace(/\\u[\da-f]{4}/g, '')).not.toMatch(lone)
        }
      },
    ),
    { numRuns: runs(200) },
  )
})

verifies('S3.11', 'pages that follow each other are the whole', () => {
  const items = fc.array(
    fc.record({ id: fc.integer(), text: fc.string({ maxLength: 60 }), more: fc.array(fc.integer()) }),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(items, fc.integer({ min: 400, max: 3000 }), (given, budget) => {
      const rows: typeof given = JSON.parse(JSON.stringify(given))
      const document = fromRows({ noun: 'record', items: rows })
      const seen: unknown[] = []
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = fitted(document, { budget, title: 't', offset })
        const lines = page.text
          .join(handle)
          .split('\n')
          .slice(1)
          .filter((line) => line.startsWith('{'))
        seen.push(...lines.map((line) => JSON.parse(line)))
        expect(page.next === undefined || page.next > offset).toBe(true)
        offset = page.next
      }
      expect(seen).toEqual(rows)
    }),
  )
})
