import { expect, test } from 'vitest'
import { fromRecognised, fromValue } from '../../../../src/documents/opening/derive.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'
import { countTokens } from '../../../../src/text/tokens.ts'
import { verifies } from '../../../support/verifies.ts'

const options = { budget: 2000, tool: 'some_tool', bytes: 50_000, tokens: 9341 }

function previewOf(given: JsonValue): string {
  const document = typeof given === 'string' ? fromRecognised(given, {}) : fromValue(given)
  const text = preview(document, options).join('0123456789ab')
  expect(countTokens(text)).toBeLessThanOrEqual(512)
  return text
}

const many = (count: number, make: (index: number) => JsonValue): JsonValue[] =>
  Array.from({ length: count }, (_, n) => make(n))

verifies('S3.7', 'says whether a list of values is complete', () => {
  const text = previewOf(
    many(60, (n) => ({ state: n % 3 ? 'open' : 'closed', city: `city ${n % 20}`, level: n % 4 })),
  )
  expect(text).toContain('state (2 values): open ×40, closed ×20')
  expect(text).toMatch(/city \(20 values, most frequent\): city 0 ×3/)
  expect(text).toContain('level (4 values): 0 ×15, 1 ×15, 2 ×15, 3 ×15')
})

test('the record with the largest number is named where the name is of it alone', () => {
  const rows = (name: (n: number) => JsonValue) =>
    previewOf(many(60, (n) => ({ ...(name(n) as object), size: n * 7 })))
  expect(rows((n) => ({ title: `title ${n}` }))).toContain('size 0..413, mean ≈207 (max: "title 59")')
  expect(rows((n) => ({ id: n }))).toContain('(max: id 59)')
  expect(rows((n) => ({ name: n % 2 ? 'ann' : 'bob' }))).not.toContain('(max:')
})

test('the range of numbers that are partly texts is of all of them', () => {
  const text = previewOf(many(60, (n) => ({ name: `n${n}`, price: n % 10 ? n + 0.25 : `${n}.50` })))
  expect(text).toContain('price 0.5..59.25')
})

test('a line of a log that is the first and stands out is shown once', () => {
  const lines = many(
    300,
    (n) => `2026-01-01T00:00:00Z ${n % 100 ? 'INFO' : 'ERROR'} request ${n} was handled in time`,
  )
  const text = previewOf(lines.join('\n'))
  expect(text).toMatch(/^first, level = ERROR: /m)
  expect(text.split('request 0 was')).toHaveLength(2)
})

test('of base64 no part is offered', () => {
  const text = previewOf(Buffer.from(many(9000, (n) => (n * n) % 251) as number[]).toString('base64'))
  expect(text).toContain('looks like base64')
  expect(text).not.toContain('proxy_filter')
})

test('does not call frequent what may not be', () => {
  const text = previewOf(many(9000, (n) => ({ city: n % 10 === 9 ? 'Bonn' : `city ${n}` })))
  expect(text).toContain('city (many values, some): Bonn ×900')
})

test('marks what is rounded, and nothing else', () => {
  const text = previewOf(many(9, (n) => ({ size: n * 1000 + 7, half: n, sent: 1_700_000_000_000 + n })))
  expect(text).toContain('size 7..8007, mean ≈4010')
  expect(text).toContain('half 0..8, mean 4')
  expect(previewOf(many(9, (n) => ({ sent_at: 1_700_000_000_000 + n })))).toContain(
    'sent_at 1700000000000..1700000000008 (epoch ms: 2023-11-14T22:13:20Z..2023-11-14T22:13:20.008Z)',
  )
})

test('tells what stands beside the records, with paths and names', () => {
  const text = previewOf({
    page: { total: 812, next: 'abc' },
    settings: Object.fromEntries(many(12, (n) => n).map((n) => [`option_${n}`, n])),
    users: many(5, (id) => ({ id, login: 'x' })),
    orders: many(40, (id) => ({ id, total: id, lines: many(2, (n) => ({ sku: `s${n}`, qty: n })) })),
  })
  expect(text).toContain('40 records in $.orders')
  expect(text).toContain('beside the records: page.total = 812, page.next = abc')
  expect(text).toContain('also $.users: 5 records {id, login}')
  expect(text).toContain('also $.settings: 12 fields {option_0, option_1')
})

test('tells the fields of what holds the records however many they are, and no namespaces', () => {
  const channel = Object.fromEntries(many(11, (n) => n).map((n) => [`field_${n}`, n]))
  const item = many(40, (id) => ({ id, title: 'x' }))
  const text = previewOf({
    rss: { 'xmlns:dc': 'http://purl.org/dc/', version: '2.0', channel: { ...channel, item } },
  })
  expect(text).toContain('beside the records: rss.version = 2.0, rss.channel.field_')
  expect(text).not.toContain('xmlns')
})

test('tells what is in the objects of another list that has few fields', () => {
  const text = previewOf({
    data: many(40, (id) => ({ type: 'gift', id: String(id), attributes: { amount: id, year: 2020 } })),
    included: many(5, (id) => ({
      type: 'team',
      id: String(id),
      attributes: { name: `t${id}`, league: 'x' },
    })),
  })
  expect(text).toContain('also $.included: 5 records {type, id, attributes: {name, league}}')
})

test('gathers collections of one kind', () => {
  const methods = (count: number) => ({ methods: many(count, (id) => ({ id, verb: 'GET' })) })
  const text = previewOf({ kind: 'api', resources: { a: methods(4), b: methods(5), c: methods(6) } })
  expect(text).toContain('also $.resources.*.methods[*]: 15 records in 3 lists {id, verb}')
})

test('tells what lists of scalars hold, in records and by themselves', () => {
  expect(previewOf(many(40, (id) => ({ id, tags: [`t${id % 2}`, 'all'] })))).toContain(
    'tags[] (3 values): all ×40, t0 ×20, t1 ×20',
  )
  expect(previewOf(many(50, (n) => [n % 2 ? 'a' : 'b', n]))).toContain(
    'type: [string, number]\n[0] (2 values): b ×25, a ×25',
  )
  expect(previewOf(many(50, (n) => `file ${n}.txt`))).toContain('values: 50 different, 10-11 characters')
})

test('tells of JSON in strings what it holds', () => {
  const text = previewOf(many(30, (id) => ({ id, payload: JSON.stringify({ kind: id % 3 ? 'a' : 'b' }) })))
  expect(text).toContain('payload.kind (2 values): a ×20, b ×10')
  expect(text).toContain('"where":["payload.kind = b"]')
})

test('outlines source code, settings, diffs and manuals', () => {
  const code = many(30, (n) => `export function f${n}(a) {\n  return a\n}\n`).join('\n')
  expect(previewOf(code)).toContain('definitions (lines, kind, name):\n1-3 function f0\n5-7 function f1')
  const settings = many(20, (n) => `service${n}:\n  image: x\n  ports:\n    - 80`).join('\n')
  expect(previewOf(settings)).toContain('yaml: 20 records by key in $')
  const diff = many(
    9,
    (n) =>
      `diff --git a/src/f${n}.ts b/src/f${n}.ts\n--- a/src/f${n}.ts\n+++ b/src/f${n}.ts\n@@ -1 +1 @@\n-x\n+y`,
  ).join('\n')
  expect(previewOf(diff)).toContain('9 files, +9 -9: src/f0.ts +1 -1, src/f1.ts +1 -1')
  // With a hunk that is not whole it is a text.
  expect(
    previewOf(diff.replace('+++ b/src/f7.ts\n@@ -1 +1 @@\n-x\n+y', '+++ b/src/f7.ts\n@@ -1 +1 @@\n-x')),
  ).toContain('9 files of a diff (line, name): 1 src/f0.ts, 7 src/f1.ts')
})

test('outlines contracts by their numbered headings, and no sequences of genes', () => {
  const clause = (number: number): string =>
    `${number}. ${['TERM', 'FEES AND TAXES', 'LIABILITY', 'NOTICES'][number % 4]} ${number}\n\n${number}.1 The parties agree on this and that.\n`
  const contract = Array.from({ length: 30 }, (_, at) => clause(at + 1)).join('\n')
  expect(previewOf(contract)).toContain('30 headings (line, name): 1 1. FEES AND TAXES 1')
  const genes = Array.from({ length: 60 }, (_, at) => `>gene ${at}\n${'ACGT'.repeat(1 + (at % 9))}`).join(
    '\n',
  )
  expect(previewOf(genes)).not.toContain('headings')
})

test('finds the failures of an output, and what is no text at all', () => {
  const build = [
    ...many(80, (n) => `Compiling module number ${n}`),
    'error TS2345: not assignable',
    'Build failed with 1 error',
  ]
  const text = previewOf(build.join('\n'))
  expect(text).toContain('2 lines of failure: 81 error TS2345: not assignable | 82 Build failed with 1 error')
  expect(text).toContain('80× Compiling module number *')
  const image = `iVBORw0KGgo${Buffer.from(many(4000, (n) => (Number(n) * 7) % 251) as number[]).toString('base64')}`
  expect(previewOf(image)).toContain('looks like base64 of a PNG image')
})

test('a sample has no row that shows none of its fields', () => {
  const packages = Object.fromEntries(
    Array.from({ length: 80 }, (_, n) => [
      `node_modules/@scope-of-${n}/a-package-with-a-long-name-${n}`,
      {
        version: `${n}.0.1`,
        license:
          ['MIT', 'ISC', 'Apache-2.0', 'BSD-3-Clause OR a license with a name', 'BlueOak-1.0.0'][n % 5] ?? '',
        integrity: `sha512-${'Qk3v'.repeat(22)}${n}`,
        dev: n % 2 === 0,
        peer: n % 3 === 0,
        engines: { node: `>=${n % 7}.0.0`, npm: `>=${n % 6}` },
        os: [`system-with-a-name-${n % 9}`],
        funding: { url: `https://example.com/sponsors/somebody-with-a-long-name-${n}` },
        ...(n === 41 && { optionalDependencies: { other: '1' } }),
      },
    ]),
  )
  const text = previewOf({ lockfileVersion: 3, packages })
  expect(text).toContain('sample:')
  expect(text).not.toMatch(/: \{"…":"\d+ fields?"\}$/m)
})

test('counts what a log says at each level by itself', () => {
  const line = (n: number) =>
    `2024-05-03 08:00:${String(n % 60).padStart(2, '0')} ${['INFO', 'WARN', 'ERROR', 'INFO'][n % 4]} Synced object ${n} again`
  const text = previewOf(Array.from({ length: 200 }, (_, n) => line(n)).join('\n'))
  expect(text).toContain('50× WARN Synced object * again')
  expect(text).toContain('50× ERROR Synced object * again')
  expect(text).not.toContain('100× ')
})

test('says so where only some of the errors were looked at', () => {
  const text = previewOf(
    Array.from({ length: 13_000 }, (_, n) => `2024-05-03 08:00:00 ERROR Lost object ${n} again`).join('\n'),
  )
  expect(text).toMatch(/[\d,]+× of [\d,]+ sampled ERROR Lost object \* again/)
})

test('a dump of a database is its tables, a map of lists of one kind is a map', () => {
  const dump = {
    Genre: many(6, (GenreId) => ({ GenreId, Title: `g${GenreId}` })),
    Track: many(60, (TrackId) => ({ TrackId, Milliseconds: TrackId * 1000, AlbumId: TrackId % 4 })),
    Artist: many(9, (ArtistId) => ({ ArtistId, Band: 'x' })),
    Album: many(12, (AlbumId) => ({ AlbumId, Label: 'x', Year: 1990 })),
    ...Object.fromEntries(
      Array.from('abcdefg', (letter) => [
        `More${letter}`,
        many(5, (id) => ({ [`${letter}key`]: id, [`${letter}name`]: 'x' })),
      ]),
    ),
  }
  const text = previewOf(dump)
  expect(text).toContain('60 records in $.Track')
  expect(text).toContain('also $.Album: 12 records {AlbumId, Label, Year}')
  expect(text).toContain('also $.Artist (9), $.Genre (6), $.Morea (5)')
  const byDay = Object.fromEntries(
    Array.from({ length: 12 }, (_, day) => [`2026-01-${10 + day}`, many(5, (id) => ({ id, state: 'open' }))]),
  )
  expect(previewOf(byDay)).toContain('12 records by key in $')
})

test('names of fields that hardly any record has are counted, and tell last', () => {
  const records = many(400, (n) => ({
    metric: `m${n % 40}`,
    value: n,
    ...(n % 8 === 0 && { state: n % 16 ? 'a' : 'b' }),
    ...(n < 60 && { [`rare_${'abcdef'[n % 6]}${n}`]: 'x' }),
  }))
  const text = previewOf(records)
  expect(text).toMatch(/^type: .*\bstate\?, …60 more/m)
})

test('a page without headings tells how it begins and ends, and for which words to search', () => {
  const lines = Array.from({ length: 200 }, (_, n) => `<p>Order ${n} went to the Harbour Street depot.</p>`)
  const preview = previewOf(`<html><body>${lines.join('\n')}</body></html>`)
  expect(preview).toContain('words to search for: Harbour Street')
  expect(preview).toContain('\nOrder 0 went to the Harbour Street depot.\n')
  expect(preview).toContain('\nOrder 199 went to the Harbour Street depot.\n')
  expect(preview).toMatch(/proxy_search .*Harbour Street/)
})
