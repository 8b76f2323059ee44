import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Document } from '../../../../src/documents/document.ts'
import { fromRecognised, fromText, fromValue } from '../../../../src/documents/opening/derive.ts'
import type { SearchParams } from '../../../../src/processors/parameters.ts'
import { grep } from '../../../../src/processors/search/grep.ts'
import { groupLines } from '../../../../src/processors/search/hits.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { verifies } from '../../../support/verifies.ts'
import { search } from '../search.ts'

const find = (document: Document, params: SearchParams) => search(grep, document, params)
const rows = (text: string, params: SearchParams) => find(fromText(text), params).rows

describe('regular expressions in text', () => {
  verifies('S3.21', 'finds lines by number, and counts all of them', () => {
    const found = find(fromText('ok\nERROR a\r\nok\nERROR b\n'), { pattern: 'ERROR', max_results: 1 })
    expect(found.rows).toEqual(['2: ERROR a', '4: ERROR b'])
    expect(found.metadata).toEqual({ total: 4, matched: 2 })
    expect(found.noun).toBe('hit')
  })

  test('a key with its value is found however the JSON around it is laid out', () => {
    const text = '{"name":"a","admin":true}\n{\n  "name": "b",\n  "admin": true\n}\n{"administrator":true}'
    for (const pattern of ['"admin": true', '"admin":true', '"admin" : tr'])
      expect(rows(text, { pattern })).toEqual(['1: {"name":"a","admin":true}', '4:   "admin": true'])
    expect(rows('say "this": or "this" : now', { pattern: '"this": or' })).toHaveLength(1)
  })

  test('backslashes that were doubled are single ones where nothing else matches', () => {
    const other = find(fromText('took 12ms\ntook 300ms'), { pattern: String.raw`took \\d{3}ms` })
    expect(other.rows).toEqual(['2: took 300ms'])
    expect(other.notes).toContain('it was read with single backslashes')
    expect(rows(String.raw`C:\dir`, { pattern: String.raw`C:\\dir` })).toHaveLength(1)
  })

  verifies('S3.21', 'respects case, reads what finds nothing regardless of it, and says so', () => {
    expect(rows('Error\nerror', { pattern: 'error' })).toEqual(['2: error'])
    expect(rows('Error\nerror', { pattern: 'error', case_insensitive: true })).toHaveLength(2)
    const other = find(fromText('Error\nError'), { pattern: 'error' })
    expect(other.rows).toEqual(['1: Error', '2: Error'])
    expect(other.notes).toContain('Nothing matches `error` as written; it was read regardless of case.')
    const nothing = find(fromText('Error\nError'), { pattern: 'error', case_insensitive: false })
    expect(nothing.metadata.matched).toBe(0)
    expect(nothing.rows).toEqual([])
    expect(nothing.notes).toContain(
      'With case_insensitive: true, 2 lines would match:\n  1: Error\n  2: Error',
    )
  })

  verifies('S3.21', 'says how many more there are in capital letters', () => {
    const text = fromText('Crash a\ncrash b\nCRASH c')
    expect(find(text, { pattern: 'crash' })).toMatchObject({
      rows: ['2: crash b'],
      notes: expect.stringContaining('2 more in other letters: `(?i)crash`.'),
    })
    expect(find(text, { pattern: '(?i)crash' }).metadata.matched).toBe(3)
    for (const pattern of ['Crash', 'crash b', 'crash.'])
      expect(find(text, { pattern }).notes ?? '').not.toContain('in other letters')
    expect(find(text, { pattern: 'crash', case_insensitive: false }).notes ?? '').not.toContain(
      'other letters',
    )
    const records = fromValue([
      { t: 'Crash', u: 'crash' },
      { t: 'Crash', u: 'Crash' },
      { t: 'x', u: 'y' },
    ])
    expect(find(records, { pattern: 'crash' }).notes).toContain('1 more in other letters')
  })

  verifies(
    'S3.21',
    'finds words over the end of a line of prose, and says how many of them do so beside whole lines',
    () => {
      const broken = 'when the connection\n> is refused it waits'
      const prose = fromText(`${broken}\nand then\nfor a connection  \nis refused here`)
      const found = find(prose, { pattern: 'connection is refused' })
      expect(found.metadata.matched).toBe(2)
      expect(found.rows).toEqual([
        '1: when the connection\n2: > is refused it waits',
        '--\n4: for a connection  \n5: is refused here',
      ])
      expect(found.notes).toContain('it was read over the ends of lines')
      const some = fromText(`${broken}\nno connection is refused\n${broken.replace('c', 'C')}`)
      expect(find(some, { pattern: 'connection is refused' })).toMatchObject({
        metadata: { matched: 1 },
        notes: expect.stringContaining(
          '1 more over the end of a line (lines 1-2): `connection[\\s>]+is[\\s>]+refused`, multiline: true.',
        ),
      })
      expect(find(some, { pattern: 'connection[\\s>]+is', multiline: true }).metadata.matched).toBe(2)
      for (const pattern of [
        'connection is$',
        'connection.is',
        'connection',
        'no connection is',
        'connection +is',
      ])
        expect(find(some, { pattern }).notes).not.toContain('over the end')
      const cased = fromText('Disk Full: a\nDISK FULL: b\nthe disk\nfull of things')
      expect(find(cased, { pattern: 'disk full' })).toMatchObject({
        metadata: { matched: 2 },
        notes: expect.stringContaining('regardless of case'),
      })
      const chained = fromText('they said over over\nand went over\nover\nover there')
      expect(find(chained, { pattern: 'over over' }).notes).toContain(
        '1 more over the end of a line (lines 2-3)',
      )
      const apart = fromText('NAME   READY\nweb  1/1')
      expect(find(apart, { pattern: 'NAME READY' }).notes).not.toContain('over the end')
      const long = 'in the year of the great comet a traveller came to the old town and'
      expect(
        find(fromText(`${long}\nstayed there.`), { pattern: `${long} stayed there` }).metadata.matched,
      ).toBe(1)
      const values = fromValue([
        { t: broken },
        { t: 'a connection is refused', u: 'a connection\nis' },
        { t: 'connection  is' },
      ])
      expect(find(fromText('ids\n1000\n1001\n'), { pattern: '1000 1001' }).metadata.matched).toBe(0)
      expect(find(values, { pattern: 'connection is' }).notes).toContain(
        '1 more over the end of a line: `connection[\\s>]+is`.',
      )
      expect(find(values, { pattern: 'connection[\\s>]+is' }).metadata.matched).toBe(3)
      expect(find(values, { pattern: 'is refused it' }).metadata.matched).toBe(1)
      expect(find(values, { pattern: 'the connection is' }).notes).toContain(
        'it was read over the ends of lines',
      )
      const log = fromRecognised('10:00:01 INFO a connection\n10:00:02 INFO is refused\n'.repeat(5))
      expect(find(log, { pattern: 'connection is' }).metadata.matched).toBe(0)
    },
  )

  verifies('S3.21', 'says to which entry a line further down in it belongs', () => {
    const trace = ['Error: broken', '    at load (a.js:1)', '    at run (b.js:2)']
    const entries = Array.from({ length: 9 }, (_, n) => [`2026-11-27T10:00:0${n}Z ERROR app - request ${n}`])
    const log = fromRecognised([...entries.slice(0, 4), trace, ...entries.slice(4)].flat().join('\n'))
    const named = '  [in 4: 2026-11-27T10:00:03Z ERROR app - request 3]'
    expect(find(log, { pattern: 'a.js' }).rows).toEqual([`6:     at load (a.js:1)${named}`])
    expect(find(log, { pattern: 'request 3' }).rows).toEqual([`4: ${entries[3]?.[0]}`])
    const packages = ['zlib', 'curl', 'git'].map(
      (name) => `Package: ${name}\nVersion: 1\nDepends: libc of ${name}\n`,
    )
    const stanzas = fromRecognised(packages.join('\n'))
    expect(find(stanzas, { pattern: 'libc of curl' }).rows).toEqual([
      '7: Depends: libc of curl  [in 5: Package: curl]',
    ])
  })

  verifies('S3.21', 'shows lines around hits and merges overlapping ones', () => {
    const text = Array.from({ length: 12 }, (_, index) => (/^[258]$/.test(`${index}`) ? 'x' : 'o')).join('\n')
    expect(rows(text, { pattern: 'x', context_lines: 1 })).toEqual([
      '2- o\n3: x\n4- o\n5- o\n6: x\n7- o\n8- o\n9: x\n10- o',
    ])
    expect(rows('x\no\no\no\no\nx', { pattern: 'x', context_lines: 1 })).toEqual([
      '1: x\n2- o',
      '--\n5- o\n6: x',
    ])
  })

  verifies('S3.21', 'lets a match span lines', () => {
    const text = 'a\nbegin\nmiddle\nend\nz\nbegin end'
    expect(rows(text, { pattern: 'begin.*?end' })).toEqual(['6: begin end'])
    expect(rows(text, { pattern: 'begin.*?end', multiline: true })).toEqual([
      '2: begin\n3: middle\n4: end',
      '--\n6: begin end',
    ])
  })

  verifies('S3.21', 'shows a window of a long line, with the column, one hit a place', () => {
    const line = `${'a'.repeat(3_000)}needle${'b'.repeat(3_000)}needle`
    const found = find(fromText(line), { pattern: 'needle' })
    expect(found.metadata).toEqual({ total: 1, matched: 1 })
    expect(found.rows[0]).toMatch(/^1:3001: …a+needleb+…$/)
    expect(found.rows[1]).toMatch(/^1:6007: …b+needle$/)
    for (const row of found.rows) expect(String(row).length).toBeLessThan(250)
  })

  verifies('S3.21', 'counts each match in a long line, where hits are apart', () => {
    const line = 'gamma delta '.repeat(500)
    for (const text of [line, `gamma\n${line}\nnothing`]) {
      const { metadata, notes, rows } = find(fromText(text), { pattern: 'gamma' })
      expect(metadata.matched).toBe(text === line ? 1 : 2)
      expect(notes).toContain('In long lines it matches 500 times')
      expect(rows.length).toBeLessThan(50)
    }
    expect(find(fromText(`${line}once`), { pattern: 'once' }).notes).toBe('')
    const most = find(fromText('ab'.repeat(150_000)), { pattern: 'a' })
    expect(most.notes).toContain('it matches more than 100,000 times')
    expect(most.rows).toHaveLength(1500)
  })

  test('keeps logs and tables as the lines they came in', () => {
    const csv = fromRecognised('id,name\n1,Ann\n2,Bob\n3,Cy\n4,Dee\n')
    expect(find(csv, { pattern: 'Bob' }).rows).toEqual(['3: 2,Bob'])
  })

  test('says what was searched and which words are near when nothing is found', () => {
    const { notes, rows: none } = find(fromText('connection lost\n'), { pattern: 'conection' })
    expect(none).toEqual([])
    expect(notes).toContain('Nothing matches in 1 line.')
    expect(notes).toContain('connection')
  })

  test('takes a broken pattern as text, and refuses empty and endless ones', () => {
    const { notes, rows: found } = find(fromText('f(x'), { pattern: 'f(x' })
    expect(found).toEqual(['1: f(x'])
    expect(notes).toContain('plain text')
    const document = fromText(`${'a'.repeat(50_000)}b`)
    for (const pattern of ['', ' ', '(?=a)(a+)+$', 'x'.repeat(1_500)]) {
      const { applied, error, content } = grep.process(document, { pattern })
      expect(applied).toBe(false)
      expect(content).toBe(document)
      expect(error).toMatch(/empty|too long|at most/)
    }
  })

  test('leaves other modes alone', () => {
    const document = fromText('a')
    expect(grep.process(document, { pattern: 'a', mode: 'bm25' })).toMatchObject({
      applied: false,
      content: document,
    })
    expect(grep.wanted({})).toBe(false)
  })

  verifies('S3.21', 'agrees with testing every line, whatever the text', () => {
    const line = fc.string({
      unit: fc.constantFrom('a', 'b', 'A', ' ', '1', 'é', '\ud800', '\0'),
      maxLength: 8,
    })
    const pattern = fc.constantFrom(
      'a',
      'ab',
      'a+b',
      '^a',
      'b$',
      '[ab]1',
      'a|1',
      '\\s',
      '.',
      'a.*b',
      '(a)\\1',
      'é',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), pattern, (lines, source) => {
        const found = rows(lines.join('\n'), { pattern: source, case_insensitive: false })
        const regex = new RegExp(source, 'u')
        const last = lines.length > 0 && lines.at(-1) === '' ? lines.length - 1 : lines.length
        const expected = lines
          .slice(0, last)
          .flatMap((one, index) => (regex.test(one) ? [`${index + 1}: ${one}`] : []))
        expect(found).toEqual(expected)
      }),
    )
  })

  verifies('S3.21', 'merges contexts so that each line is shown once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), fc.nat(5), (hits, around) => {
        const ranges = hits.sort((a, b) => a - b).map((line) => ({ first: line, last: line }))
        const covered = groupLines(ranges, around, 61).flatMap(({ first, last }) =>
          Array.from({ length: last - first + 1 }, (_, nth) => first + nth),
        )
        const expected = Array.from({ length: 61 }, (_, line) => line).filter((line) =>
          hits.some((hit) => Math.abs(hit - line) <= around),
        )
        expect(covered).toEqual(expected)
      }),
    )
  })
})

const issues = [
  { number: 7, title: 'Crash on start', user: { login: 'ann' }, labels: [{ name: 'bug' }], open: true },
  { number: 8, title: 'Slow', user: { login: 'bob' }, labels: [], open: false },
  {
    number: 9,
    title: 'Other',
    body: `${'x'.repeat(900)} Crash ${'y'.repeat(900)}`,
    labels: [{ name: 'bug' }],
    open: true,
  },
]

describe('regular expressions in data', () => {
  verifies('S3.21', 'a hit is the path of the record, what matched, and what the record is', () => {
    const found = find(fromValue({ total: 3, items: issues }), { pattern: 'bug|Slow' })
    expect(found.metadata).toEqual({ total: 3, matched: 3 })
    expect(found.rows).toMatchObject([
      {
        at: '$.items[0]',
        match: { 'labels[0].name': 'bug' },
        record: { number: 7, title: 'Crash on start' },
      },
      { at: '$.items[1]', match: { title: 'Slow' }, record: { number: 8 } },
      { at: '$.items[2]', match: { 'labels[0].name': 'bug' }, record: { number: 9, title: 'Other' } },
    ])
  })

  test('one record comes with its other fields, a few with some, many with the fields that identify them', () => {
    const wide = Array.from({ length: 9 }, (_, id) => ({
      id,
      note: id === 4 ? 'only here' : id < 3 ? 'of a few' : 'of many',
      size: 10 * id,
      text: 'long words '.repeat(40),
      tags: ['a', 'b'],
      all: Array.from({ length: 500 }, (_, at) => at),
    }))
    const [one] = find(fromValue(wide), { pattern: 'only here' }).rows as JsonObject[]
    expect(one).toMatchObject({
      at: '$[4]',
      match: { note: 'only here' },
      record: { id: 4, size: 40, tags: ['a', 'b'], '…': 1 },
    })
    expect(String((one?.record as JsonObject | undefined)?.text)).toMatch(/^long words .*…$/)
    for (const row of find(fromValue(wide), { pattern: 'of a few' }).rows as JsonObject[]) {
      expect(row.record).toMatchObject({ tags: ['a', 'b'] })
      expect(JSON.stringify(row.record).length).toBeLessThan(360)
    }
    const [first] = find(fromValue(wide), { pattern: 'of' }).rows as JsonObject[]
    expect(Object.keys(first?.record ?? {})).toEqual(['id'])
  })

  test('a value outside of all records comes with what stands beside it', () => {
    const found = find(fromValue({ city: { name: 'Bonn', people: 330_000, river: 'Rhine' } }), {
      pattern: 'Bonn',
    })
    expect(found.rows).toEqual([
      { at: '$.city.name', value: 'Bonn', record: { people: 330_000, river: 'Rhine' } },
    ])
  })

  test('what only keys hold is found, with what they lead to', () => {
    const nested = fromValue({ limits: { cpu_4711: { cores: 2 }, other: { cores: 3 } }, items: issues })
    expect(find(nested, { pattern: '4711' }).rows).toEqual([
      { at: '$.limits.cpu_4711', field: 'cpu_4711', value: { cores: 2 } },
    ])
  })

  test('a pattern that matches nothing shows the passages that have most of its words', () => {
    const pages = fromValue([
      { id: 1, body: 'How to bake bread with little salt.' },
      { id: 2, body: 'Refunds are paid within ten days. Write to the office.' },
      { id: 3, body: 'The office is closed on Sundays.' },
      { id: 4, body: 'Bread is sold here.' },
    ])
    const found = find(pages, { pattern: 'refund\\s+policy.*paid' })
    expect(found.metadata.matched).toBe(0)
    expect(found.notes).toContain('Nothing matches the pattern')
    expect(found.rows[0]).toMatchObject({ at: '$[1]' })
    expect(find(pages, { pattern: 'zebra\\d+ crossing' }).rows).toEqual([])
    const text = Array.from({ length: 30 }, (_, at) => `Line ${at} says nothing.`)
    text[20] = 'Deadlocks were detected\nwhile the table was locked.'
    const lines = find(fromText(text.join('\n\n')), { pattern: 'deadlock.+detect.+locked' })
    expect(String(lines.rows[0])).toContain('Deadlocks were detected')
  })

  test('shows a window of a long value', () => {
    const [row] = find(fromValue(issues), { pattern: 'Crash x*y|Crash y' }).rows
    const match = (row as JsonObject).match as JsonObject
    expect(match.body).toMatch(/^…x+ Crash y+…$/)
    expect(String(match.body).length).toBeLessThan(210)
  })

  test('finds numbers and booleans as they are written', () => {
    expect(find(fromValue(issues), { pattern: '^8$' }).rows).toMatchObject([{ match: { number: 8 } }])
    expect(find(fromValue(issues), { pattern: 'false' }).rows).toMatchObject([{ match: { open: false } }])
  })

  test('knows the keys of a map as the names of its records', () => {
    const map = Object.fromEntries(
      ['t3.micro', 't3.small', 'm5.large'].map((key, cores) => [key, { cores, memory: 1 }]),
    )
    expect(find(fromValue(map), { pattern: '^t3\\.' }).rows).toEqual([
      { at: '$["t3.micro"]', record: { cores: 0, memory: 1 } },
      { at: '$["t3.small"]', record: { cores: 1, memory: 1 } },
    ])
  })

  test('tells a field once, however many records have it', () => {
    const found = find(fromValue(issues), { pattern: '^login$' })
    expect(found.rows).toEqual([{ at: '$[*].user.login', field: 'login', occurs: 2 }])
    expect(found.noun).toBe('field')
  })

  test('finds what is outside of the records', () => {
    expect(find(fromValue({ note: 'see Crash', items: issues }), { pattern: 'see' }).rows).toEqual([
      { at: '$.note', value: 'see Crash' },
    ])
    expect(find(fromValue({ a: { b: 'deep' } }), { pattern: 'deep' }).rows).toEqual([
      { at: '$.a.b', value: 'deep' },
    ])
  })

  test('reads patterns that are written for JSON text', () => {
    const found = find(fromValue(issues), { pattern: '"open":\\s*false' })
    expect(found.rows).toMatchObject([
      { at: '$[1]', match: { open: false }, record: { number: 8, title: 'Slow' } },
    ])
    expect(found.notes).toContain('"name": value')
  })

  test('takes names that every object has as data', () => {
    const hostile = fromValue(JSON.parse('[{"__proto__":"x1"},{"constructor":"x2"},{"a":"x3"},{"a":"x4"}]'))
    expect(find(hostile, { pattern: 'x[12]' }).rows).toMatchObject([{ at: '$[0]' }, { at: '$[1]' }])
  })

  verifies('S3.21', 'finds every leaf that matches, where it says', () => {
    const leaf = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 4 }),
      fc.integer(),
      fc.boolean(),
    )
    const record = fc.dictionary(fc.constantFrom('p', 'q', 'r s', '__proto__'), leaf, { minKeys: 1 })
    fc.assert(
      fc.property(fc.array(record, { minLength: 4, maxLength: 8 }), (records) => {
        const found = find(fromValue(records), { pattern: 'ab|1|true' })
        const expected = records.flatMap((one, index) => {
          const names = Object.keys(one).filter((key) => /ab|1|true/.test(String(one[key])))
          return names.length > 0 ? [[`$[${index}]`, names.length]] : []
        })
        const got = found.rows.map((row) => {
          const { at, match } = row as { at: string; match: JsonObject }
          return [at, Object.keys(match).length]
        })
        expect(got).toEqual(expected)
        expect(found.metadata.matched).toBe(expected.length)
      }),
    )
  })
})

test('the line that names a file is of no file before it', () => {
  const text = ['src/a.ts', 'src/b.ts', 'src/c.ts'].map((path) => `=== ${path} ===\nconst n = 1\n`).join('\n')
  const document = fromRecognised(text)
  expect(document.format).toBe('files')
  expect(find(document, { pattern: '^=== src/[bc]' }).rows).toEqual([
    '4: === src/b.ts ===',
    '7: === src/c.ts ===',
  ])
  expect(find(document, { pattern: 'const', max_results: 2 }).rows[1]).toContain('[path: src/b.ts]')
})

test('a pattern about a pair and about a value finds records by both, and says so', () => {
  const records = [
    { level: 'error', text: 'a' },
    { level: 'info', text: 'b' },
    { text: 'an ERROR' },
    { level: 'error', text: 'ERROR' },
  ]
  const found = find(fromValue(records), { pattern: '"level":"error"|ERROR' })
  expect(found.rows.map((row) => (row as { at: string }).at)).toEqual(['$[0]', '$[2]', '$[3]'])
  expect(found.metadata.notes).toContain('2 values match as `"name": value`.')
})
