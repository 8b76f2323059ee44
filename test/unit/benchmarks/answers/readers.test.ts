import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { soundKeys } from '../../../support/keys.ts'
import { cell, keepsNumbers, kindOf, loadPayloads, read, readPayload, rowsOf } from './parts.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('JSON', () => {
  test('comes in two forms of one source', () => {
    const [minified, pretty] = readPayload('a.json', '{ "total": 1.50, "items": [1] }')
    expect(minified).toMatchObject({
      name: 'a.json minified',
      source: 'a.json',
      text: '{"total":1.5,"items":[1]}',
    })
    expect(pretty).toMatchObject({
      name: 'a.json pretty',
      source: 'a.json',
      text: '{\n  "total": 1.5,\n  "items": [\n    1\n  ]\n}',
    })
  })

  test('keeps its own text when parsing would change a number', () => {
    const text = '{"id": 12345678901234567890}'
    expect(readPayload('a.json', text)).toMatchObject([{ name: 'a.json', text }])
    expect(keepsNumbers('[1e400]')).toBe(false)
    expect(keepsNumbers('[0.10000000000000000001]')).toBe(false)
    expect(keepsNumbers('[1.50000000000000000, 1000000000000000000, "12345678901234567890"]')).toBe(true)
  })

  test('every double written by JSON.stringify is kept', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
        keepsNumbers(JSON.stringify(value)),
      ),
    )
  })

  test('lists of objects and maps of like objects are collections, the one that holds most first', () => {
    const list = Array.from({ length: 5 }, (_, id) => ({ id, text: 'x'.repeat(50) }))
    const map = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`k${n}`, { size: n, open: true }]))
    const settings = { server: { port: 1 }, client: { name: 'a' } }
    const payload = read('a.json', JSON.stringify({ map, list, settings, numbers: [1, 2, 3, 4, 5, 6] }))
    expect(payload.collections.map(({ at, keyed, records }) => [at, keyed, records.length])).toEqual([
      [['list'], false, 5],
      [['map'], true, 8],
    ])
    expect(payload.collections[1]?.records[2]).toEqual({ _key: 'k2', size: 2, open: true })
  })

  test('objects that share a key with most of their kind are no maps: keys of maps are data', () => {
    const properties = Array.from({ length: 8 }, (_, n) => ({
      type: { about: 'a' },
      [`p${n}`]: { about: 'b' },
    }))
    const payload = read('a.json', JSON.stringify(properties.map((one) => ({ properties: one }))))
    expect(payload.collections.map(({ at }) => at)).toEqual([[]])
  })

  test('collections inside records are found across all parents', () => {
    const orders = Array.from({ length: 5 }, (_, id) => ({
      id,
      items: [{ sku: `a${id}` }, { sku: `b${id}` }],
    }))
    const payload = read('a.json', JSON.stringify(orders))
    expect(payload.collections.map(({ at, records }) => [at, records.length])).toEqual([
      [[], 5],
      [['[]', 'items'], 10],
    ])
    expect(payload.collections[1]?.records.map(({ sku }) => sku).slice(0, 3)).toEqual(['a0', 'b0', 'a1'])
  })

  test('fields that all parents share are no map', () => {
    const sides = Object.fromEntries(['a', 'b', 'c', 'd'].map((side) => [side, { width: 1, height: 2 }]))
    const payload = read('a.json', JSON.stringify(Array.from({ length: 6 }, () => ({ sides }))))
    expect(payload.collections.map(({ at }) => at)).toEqual([[]])
  })
})

describe('CSV', () => {
  test('rows come back as they were written', () => {
    const value = fc.oneof(fc.string(), fc.constantFrom('a,b', 'say "x"', 'two\nlines', '\r\n', '""'))
    fc.assert(
      fc.property(
        fc.array(fc.array(value, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 6 }),
        (rows) => {
          const text = rows.map((row) => row.map(cell).join(',')).join('\r\n')
          expect(rowsOf(text, ',').map(({ cells }) => cells)).toEqual(rows)
        },
      ),
    )
  })

  test('cells stay strings, and an empty one is no value', () => {
    const payload = read('a.csv', 'id;price;note\n1;2.50;\n2;;"a ""b"";\nc"\n')
    expect(payload.collections[0]?.records).toEqual([
      { id: '1', price: '2.50' },
      { id: '2', note: 'a "b";\nc' },
    ])
  })

  const refused = ['a,a\n1,2', 'a,\n1,2', '1,2\n3,4', 'only\none', 'a,"b\n1,2', 'a,b\n1,2,3']
  test.each(refused)('%j is no table, and is asked about as lines', (text) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(read('a.csv', text)).toMatchObject({ kind: 'text', text, lines: text.split('\n') })
    expect(said).toHaveBeenCalledOnce()
  })

  const rowsOfTwo = fc.array(fc.tuple(fc.string(), fc.nat().map(String)), { minLength: 2, maxLength: 8 })
  const ends = fc.constantFrom('\n', '\r\n')
  test.each([',', ';', '\t', '|'])(
    '%j between cells, whatever they hold, with a mark of byte order or without',
    (sign) => {
      fc.assert(
        fc.property(rowsOfTwo, ends, fc.constantFrom('', '\uFEFF'), (rows, end, mark) => {
          const lines = [['a "name"', 'size'], ...rows].map(
            ([text = '', size]) => `"${text.replaceAll('"', '""')}"${sign}${size}`,
          )
          const payload = read('a.csv', mark + lines.join(end) + end)
          const empty = rows.every(([text]) => text === '')
          expect(payload.collections[0]?.records).toEqual(
            rows.map(([text, size]) => (text !== '' || empty ? { 'a "name"': text, size } : { size })),
          )
        }),
      )
    },
  )

  test('a line break, a semicolon and a bar in quotes part nothing', () => {
    const text = 'note,"one; two | three",size\n"first\nsecond",x,1\n"a; b; c; d",y,2\n'
    expect(read('a.csv', text).collections[0]?.records).toEqual([
      { note: 'first\nsecond', 'one; two | three': 'x', size: '1' },
      { note: 'a; b; c; d', 'one; two | three': 'y', size: '2' },
    ])
  })

  test.each([
    ['figures below names', 'Alter,Ort\n31,Bonn\n44,Köln', true],
    ['years as names', 'land,2019,2020\nFrance,1,2\nItaly,3,4', true],
    ['names as programs write them', 'first_name,homeTown\nAnn,Rome\nBo,Paris', true],
    ['words that name columns', 'Full Name,Home Town\nAnn Lee,Rome\nBo Li,Paris', true],
    ['figures below figures', 'Ann,31\nBo,44\nCy,29', false],
    ['dates below dates', '2024-01-01,start\n2024-01-02,stop\n2024-01-03,start', false],
    ['a value that comes again', 'Rome,red\nParis,blue\nRome,green', false],
    ['words below words', 'Ann Lee,Rome\nBo Li,Paris\nCy Young,Oslo', false],
    ['years below years', '2019,2020\n2021,2022', false],
  ])('the first row: %s', (_, text, named) => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(read('a.csv', text).kind).toBe(named ? 'csv' : 'text')
  })
})

describe('NDJSON', () => {
  test('lines come back as records', () => {
    fc.assert(
      fc.property(
        fc.array(soundKeys(fc.dictionary(fc.string(), fc.jsonValue())), { minLength: 2, maxLength: 8 }),
        (objects) => {
          const lines = objects.map((object) => JSON.stringify(object))
          const payload = read('a.ndjson', `${lines.join('\n')}\n`)
          expect(payload.kind).toBe('ndjson')
          expect(payload.collections[0]?.records.map((record) => JSON.stringify(record))).toEqual(
            lines.map((line) => JSON.stringify(JSON.parse(line))),
          )
        },
      ),
    )
  })
})

describe('logs', () => {
  const first = (line: string) =>
    read('a.log', `${Array(6).fill(line).join('\n')}\n`).collections[0]?.records[0]

  test.each([
    [
      '10.0.0.7 - ann [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 404 12 "-" "Mozilla/5.0 (X11)"',
      {
        ip: '10.0.0.7',
        user: 'ann',
        time: '17/May/2015:10:05:03 +0000',
        method: 'GET',
        path: '/a?b=c',
        status: 404,
        bytes: 12,
        agent: 'Mozilla/5.0 (X11)',
      },
    ],
    [
      '2024-01-02 03:04:05,123 ERROR app.db: no row id=7 who="a b"',
      {
        time: '2024-01-02 03:04:05,123',
        level: 'ERROR',
        logger: 'app.db',
        message: 'no row id=7 who="a b"',
        id: '7',
        who: 'a b',
      },
    ],
    [
      '2024-01-02T03:04:05Z [warn] disk is full',
      { time: '2024-01-02T03:04:05Z', level: 'warn', message: 'disk is full' },
    ],
    [
      'Jan  2 03:04:05 web-1 sshd[42]: accepted',
      { time: 'Jan  2 03:04:05', host: 'web-1', program: 'sshd', pid: '42', message: 'accepted' },
    ],
    [
      'ts=2024-01-02T03:04:05Z level=info msg="all well" n=3',
      {
        ts: '2024-01-02T03:04:05Z',
        time: '2024-01-02T03:04:05Z',
        level: 'info',
        msg: 'all well',
        message: 'all well',
        n: '3',
      },
    ],
    [
      '2024-01-02 03:04:05 status installed libc6',
      { time: '2024-01-02 03:04:05', message: 'status installed libc6' },
    ],
  ])('%s', (line, record) => {
    expect(first(line)).toEqual(record)
  })

  test('a line of another form is a message', () => {
    const lines = [
      ...Array(6).fill('2024-01-02T03:04:05Z ERROR failed'),
      'Traceback (most recent call last):',
    ]
    const payload = read('a.log', lines.join('\r\n'))
    expect(payload.lines).toEqual(lines)
    expect(payload.collections[0]?.records.at(-1)).toEqual({ message: 'Traceback (most recent call last):' })
  })
})

describe('pages', () => {
  test('Markdown has a section for each heading outside code', () => {
    const payload = read('a.md', 'intro\n\n# One\ntext\n```\n# no heading\n```\n## Two ##\nmore\n')
    expect(payload.sections).toEqual([
      { title: '', level: 0, text: 'intro' },
      { title: 'One', level: 1, text: 'text\n```\n# no heading\n```' },
      { title: 'Two', level: 2, text: 'more' },
    ])
  })

  test('HTML has the text a reader sees', () => {
    const html =
      '<!doctype html><body><script>var x = "<h2>no</h2>"</script><h1>A &amp; B</h1><p>one<br>two <b>bold</b></p><h2>C</h2><td>x</td></body>'
    expect(read('a.html', html).sections).toEqual([
      { title: 'A & B', level: 1, text: 'one\n\ntwo bold' },
      { title: 'C', level: 2, text: 'x' },
    ])
  })
})

test.each([
  ['a.txt', '{"a":1}\n{"a":2}\n', 'ndjson'],
  ['a.txt', '[1,2]', 'json'],
  ['a', '- button "Save" [ref=e12]\n', 'text'],
  ['a', '<!DOCTYPE html><p>x', 'html'],
  ['a.log', '[not json\n', 'text'],
])('%s with %j is %s', (name, text, kind) => {
  expect(kindOf(name, text)).toBe(kind)
})

test('a folder: by name, without README, and what cannot be read is said and left out', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const dir = mkdtempSync(join(tmpdir(), 'payloads-'))
  try {
    writeFileSync(join(dir, 'b.txt'), 'two')
    writeFileSync(join(dir, 'a.txt'), '\uFEFFone')
    writeFileSync(join(dir, 'README.md'), '# no')
    writeFileSync(join(dir, 'bytes.txt'), Buffer.from([0xff, 0xfe, 0xff]))
    writeFileSync(join(dir, 'empty.json'), '')
    writeFileSync(join(dir, 'large.txt'), 'x'.repeat(101))
    expect(loadPayloads(dir, { maxBytes: 100 }).map(({ name, text }) => [name, text])).toEqual([
      ['a.txt', 'one'],
      ['b.txt', 'two'],
    ])
    const lines = said.mock.calls.map(([line]) => String(line).split(':')[0])
    expect(lines).toEqual(['bytes.txt', 'empty.json', 'large.txt'].map((name) => `payload ${name} left out`))
  } finally {
    rmSync(dir, { recursive: true })
  }
})
