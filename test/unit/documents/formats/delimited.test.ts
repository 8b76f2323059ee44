import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordsOf } from '../../../../src/documents/formats/cells.ts'
import { glimpseOf, layoutOf, recordsIn } from '../../../../src/documents/formats/delimited.ts'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import { knownOf } from '../../../../src/documents/shape/known-list.ts'
import { profile } from '../../../../src/documents/shape/profile.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runs } from '../../../support/runs.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, value: json?.() as JsonObject[] }
}

const many = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n))

test('what ends statements parts no cells', () => {
  const inserts = Array.from({ length: 40 }, (_, n) => `INSERT INTO users VALUES (${n}, 'user${n}');`)
  const { json } = recognise(inserts.join('\n'))
  expect(JSON.stringify(json?.() ?? '')).not.toContain('"INSERT INTO users VALUES (0, \'user0\')"')
  expect(recognise(inserts.map((line) => line.replace(', ', ' ')).join('\n')).format).not.toBe('csv')
})

test('a table is read below its comments, and years name columns', () => {
  expect(read('# exported\n# 2 rows\nsensor,temp\ns0,19.5\ns1,20.25\n')).toEqual({
    format: 'csv',
    value: [
      { sensor: 's0', temp: 19.5 },
      { sensor: 's1', temp: 20.25 },
    ],
  })
  expect(read('2019,2020,2021,country\n1,2,3,Peru\n4,5,6,Chad\n').value[0]).toEqual({
    2019: 1,
    2020: 2,
    2021: 3,
    country: 'Peru',
  })
  expect(read('1,2,3,a\n4,5,6,b\n7,8,9,c\n').value).toHaveLength(3)
})

test('the last comment may name the columns, and a last cell may be left out behind tabs', () => {
  const rows = ['AD\t1\tEurope/Andorra', 'AE\t2\tAsia/Dubai\tCrozet', '# within', 'AF\t3\tAsia/Kabul']
  const { format, value } = read(`# zones\n#\n#codes\tnumber\tTZ\tcomments\n${rows.join('\n')}\n`)
  expect(format).toBe('csv')
  expect(value).toEqual([
    { codes: 'AD', number: 1, TZ: 'Europe/Andorra' },
    { codes: 'AE', number: 2, TZ: 'Asia/Dubai', comments: 'Crozet' },
    { codes: 'AF', number: 3, TZ: 'Asia/Kabul' },
  ])
})

test('names and cells that are filled up with blanks before a tab come without them', () => {
  const text =
    'NAME  \tAPP VERSION\tSTATUS   \nweb   \t1.2.0      \tdeployed \ndb a  \t           \tfailed   \n'
  expect(read(text).value).toEqual([
    { NAME: 'web', 'APP VERSION': '1.2.0', STATUS: 'deployed' },
    { NAME: 'db a', 'APP VERSION': '', STATUS: 'failed' },
  ])
})

test('names in capitals that are filled up with blanks before a tab are read so, too', () => {
  const head = 'NAME  \tNAMESPACE\tREVISION\tUPDATED            \tAPP VERSION'
  const rows = many(
    5,
    (n) => `app${n}  \tprod     \t${n}       \t2025-10-0${n + 1} 06:00 CEST\t1.2${n}       `,
  )
  expect(read([head, ...rows].join('\n')).value[3]).toEqual({
    NAME: 'app3',
    NAMESPACE: 'prod',
    REVISION: 3,
    UPDATED: '2025-10-04 06:00 CEST',
    'APP VERSION': '1.23',
  })
})

test('as many cells with tabs between them in each line are a table without names', () => {
  const rows = many(12, (n) => `${90 - n}\tFix a in b ${n}\tfix/a-${n}\tOPEN\t2025-11-0${(n % 9) + 1}`)
  const { format, value } = read(rows.join('\n'))
  expect(format).toBe('csv')
  expect(value).toHaveLength(12)
  expect(value[0]).toEqual({
    column_1: 90,
    column_2: 'Fix a in b 0',
    column_3: 'fix/a-0',
    column_4: 'OPEN',
    column_5: '2025-11-01',
  })
  // A number and a path that a tab parts are still counts.
  expect(read(many(12, (n) => `${90 - n}\t./src/a ${n}.ts`).join('\n')).value[0]).toEqual({
    amount: 90,
    name: './src/a 0.ts',
  })
})

test.each([
  [
    ',',
    ['Account statement,,,,', 'Account:,12-34,,,', ''],
    'above the table: Account statement | Account:,12-34',
  ],
  [
    ';',
    ['Konto;DE89 37;;;', 'Zeitraum: 01.01.2025;;;;'],
    'above the table: Konto;DE89 37 | Zeitraum: 01.01.2025',
  ],
  [',', ['"Orders, 2025",,,,'], 'above the table: "Orders, 2025"'],
  [',', ['Orders,,,,', 'Made,2025-01-01,,,', ''], 'above the table: Orders | Made,2025-01-01'],
])('titles that are filled up with empty cells (%s) stand above the names', (mark, titles, told) => {
  const names = ['Order ID', 'Customer', 'City', 'Total', 'Date'].join(mark)
  const rows = many(8, (n) => [n, `Cust ${n}`, 'NYC', `${n}.25`, `2025-03-0${n + 1}`].join(mark))
  const { json, asides } = recognise([...titles, names, ...rows].join('\n'))
  expect(json?.()).toHaveLength(8)
  expect(json?.()).toMatchObject([
    { 'Order ID': 0, Customer: 'Cust 0', Total: 0.25 },
    {},
    {},
    {},
    {},
    {},
    {},
    {},
  ])
  expect(asides).toEqual([told])
})

test('a row of one or two cells below names is no title', () => {
  const rows = many(6, (n) => (n % 2 ? `Ann ${n},Oslo,,` : `Bo ${n},,,`))
  expect(read(['Name,City,Age,Sum', ...rows].join('\n')).value).toHaveLength(6)
  expect(read(['Name,City,Age,', ...many(6, (n) => `Ann ${n},Oslo,${n},2`)].join('\n')).value).toHaveLength(6)
})

test('processes are cut at blanks, because values are wider than their columns', () => {
  const text = [
    'USER  PID %CPU   RSS TTY   COMMAND',
    'root 1  0.5 104196 ?  /init --a b',
    'www-data-long 77 0.0 5 pts/0 [kworker]',
  ].join('\n')
  expect(read(text).value).toEqual([
    { USER: 'root', PID: 1, '%CPU': '0.5', RSS: 104196, TTY: '?', COMMAND: '/init --a b' },
    { USER: 'www-data-long', PID: 77, '%CPU': '0.0', RSS: 5, TTY: 'pts/0', COMMAND: '[kworker]' },
  ])
})

test('bars within cells of psql are no borders', () => {
  const text = ' id | name | note \n----+------+------\n  1 | n    | a|b\n  2 | m    | \n(2 rows)\n'
  expect(read(text)).toEqual({
    format: 'table',
    value: [
      { id: 1, name: 'n', note: 'a|b' },
      { id: 2, name: 'm', note: '' },
    ],
  })
})

test('cells come back as they were written, whatever they hold', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'Z', '"', ',', ';', '\n', ' ', 'é', '0', '.', '😀'),
    maxLength: 8,
  })
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 3, maxLength: 12 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (rows, delimiter, newline, marked) => {
        const text = [
          'id,name,note'.replaceAll(',', delimiter),
          ...rows.map((row) => row.map(quoted).join(delimiter)),
        ]
        const { format, value } = read(`${marked ? '\ufeff' : ''}${text.join(newline)}${newline}`)
        expect(format).toBe('csv')
        expect(value).toHaveLength(rows.length)
        rows.forEach((row, at) => {
          const record = value[at] as JsonObject
          const written = [record.id, record.name, record.note].map((held) =>
            held === null ? '' : String(held),
          )
          expect(written).toEqual(row)
        })
      },
    ),
  )
})

test('a name that stands twice is one over numbers, and no row that repeats it is a header', () => {
  const rows = (header: string) => [header, ...[1, 2, 3, 4].map((n) => `${n};a${n};${n * 2};b`)].join('\n')
  const value = (text: string) => recognise(text).json?.()
  expect(value(rows('id;name;size;name'))).toMatchObject([
    { id: 1, name: 'a1', size: 2, name_2: 'b' },
    {},
    {},
    {},
  ])
  expect(value(rows('x;b;y;b'))).toMatchObject([{ column_1: 'x', column_2: 'b' }, {}, {}, {}, {}])
})

test('columns under names that begin with capitals', () => {
  const lines = [
    'Filesystem  Size  Used Use% Mounted on',
    ...[1, 2, 3, 4, 5].map((n) => `/dev/sd${n}     ${n}2G   ${n}1G  ${n}0% /mnt/${n} a`),
  ]
  const { format, json } = recognise(lines.join('\n'))
  expect(format).toBe('table')
  expect(((json?.() ?? []) as JsonObject[])[2]).toEqual({
    Filesystem: '/dev/sd3',
    Size: '32G',
    Used: '31G',
    'Use%': '30%',
    'Mounted on': '/mnt/3 a',
  })
})

test.each([
  [
    'prose under a title',
    `The Quick Brown Fox\n${'It ran over the hill and was not seen there again.\n'.repeat(8)}`,
  ],
  ['short lines under a title', `Name Of The Document\n${'one\n'.repeat(9)}`],
  ['too few lines', 'Package   Current   Wanted\na         1.0       2.0\nb         1.1       2.1\n'],
])('no columns: %s', (_, text) => {
  expect(recognise(text).format).toBe('text')
})

test('the records of a table are those of its cells, whatever is quoted and wherever a number is none', () => {
  const cell = fc.constantFrom(
    '',
    '0',
    '12',
    '-3',
    '007',
    '1.5',
    '1.50',
    '1e5',
    'a',
    'b, c',
    '"d" e',
    'two\nlines',
    ' f ',
    '__proto__',
  )
  const names = ['one', 'two', '__proto__']
  const written = (value: string, always: boolean) =>
    always || /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 12 }),
      fc.boolean(),
      fc.constantFrom('\n', '\r\n'),
      (rows, always, end) => {
        const lines = [names, ...rows].map((row) => row.map((value) => written(value, always)).join(','))
        const table = recognise(lines.join(end) + end)
        expect(table.format).toBe('csv')
        expect(table.json?.()).toEqual(recordsOf(names, rows))
      },
    ),
    { numRuns: runs(200) },
  )
})

test('the profile that is counted from the cells is the profile of the records, whichever cells the rows lack', () => {
  const cell = fc.oneof(
    fc.constantFrom(
      '',
      '0',
      '12',
      '-3',
      '007',
      '1.5',
      '"say ""x"""',
      '"a\nb"',
      '[1]',
      '{"a":1}',
      'http://a/b',
    ),
    fc.constantFrom('2024-05-06', '2024-05-06T07:08:09Z', 'é', '日本', 'open', 'a"b', 'long '.repeat(30)),
    fc.nat(5000).map(String),
  )
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom('\n', '\r\n', '\n\n', '\n# no row\n'),
      (rows, end) => {
        const text = [['id', 'n', 'x', 'y'], ...rows].map((row) => row.join(',')).join(end)
        const layout = layoutOf(text, { delimiter: ',', named: true, commented: end.includes('#') })
        if (layout === undefined) return
        const records = recordsIn(layout, layout.starts)
        const list = glimpseOf(layout) ?? []
        const known = knownOf(list)
        expect(known?.profile).toEqual(profile({ values: records }))
        expect([...list]).toEqual(records)
        for (const name of ['id', 'n', 'x', 'y', '_more', 'z']) {
          const has = (record: JsonObject) => Object.hasOwn(record, name)
          const lacking = records.some(has) ? records.findIndex((one) => !has(one)) : -1
          expect(known?.firstWith(name)).toBe(records.findIndex(has))
          expect(known?.firstWithout(name)).toBe(lacking)
        }
      },
    ),
    { numRuns: runs(300) },
  )
})

test('what stands behind a closing quote, lines too many cells and two columns of one name lose nothing', () => {
  const rows = Array.from({ length: 20 }, (_, n) => `${n},x,y`)
  const at = (line: string) => read(['a,b,c', ...rows, line, ''].join('\n')).value.at(-1)
  expect(at('20,"x" ,y')).toEqual({ a: 20, b: 'x', c: 'y' })
  expect(at('20,"x"z,y"')).toMatchObject({ a: 20 })
  expect(at('20,x,y,z,"1, 2"')).toEqual({ a: 20, b: 'x', c: 'y', _more: ['z', '1, 2'] })
  expect(at('20,x')).toEqual({ a: 20, b: 'x' })
  expect(read(['1,2,3', ...rows, ''].join('\n')).value.at(-1)).toEqual({
    column_1: 19,
    column_2: 'x',
    column_3: 'y',
  })
})

test('a delimiter with a blank behind it parts no cells where rows would have too many', () => {
  const rows = Array.from({ length: 90 }, (_, n) => `${n},b${n},${n % 20 ? 'plain' : 'call, then, mail'},7`)
  for (const every of [1, 30]) {
    const lines = rows.map((row, n) => (n % every ? row.replaceAll(', ', ' ') : row))
    const { format, value } = read(['id,name,note,stars', ...lines].join('\n'))
    expect(format).toBe('csv')
    expect(value[60]).toEqual({ id: 60, name: 'b60', note: 'call, then, mail', stars: 7 })
    expect(value[61]).toEqual({ id: 61, name: 'b61', note: 'plain', stars: 7 })
  }
  // A comma that parts cells elsewhere does so everywhere.
  const loose = ['id, name, note', ...rows.map((_, n) => `${n}, b${n}, x${n === 7 ? ', more' : ''}`)].join(
    '\n',
  )
  expect(read(loose).value[7]).toMatchObject({ _more: [' more'] })
})

test('a table is read below the lines that say what it is, which stay', () => {
  const rows = Array.from({ length: 12 }, (_, n) => `${n},"Town, ${n}",${n * 1.5}`)
  const above = ['Monthly report: towns', 'Generated by hand, on Monday', '']
  const { format, json, asides } = recognise([...above, 'id,town,rain', ...rows, ''].join('\n'))
  expect(format).toBe('csv')
  expect(json?.()).toHaveLength(12)
  expect(json?.()).toContainEqual({ id: 3, town: 'Town, 3', rain: 4.5 })
  expect(asides).toEqual(['above the table: Monthly report: towns | Generated by hand, on Monday'])
  expect(recognise([...above, ...rows.map((row) => `It rained, ${row}`)].join('\n')).format).not.toBe('csv')
})

test('remarks below a table are no rows of it', () => {
  const rows = Array.from({ length: 30 }, (_, n) => `t${n},${n},${n * 2}`)
  const text = ['town,rain,sun', ...rows, '', '* Measured at noon', 'Source: the weather office', ''].join(
    '\n',
  )
  const { json, asides } = recognise(text)
  expect(json?.()).toHaveLength(30)
  expect(asides).toEqual(['below the table: * Measured at noon | Source: the weather office'])
  const last = recognise(['town,rain,sun', ...rows, 'last'].join('\n'))
  expect(last.json?.()).toHaveLength(31)
  expect(last.asides).toEqual([])
})

describe('a data frame', () => {
  const frame = [
    '     region         rep  units       date',
    '0       NaN  Dora Novak     51 2026-09-18',
    '1     North   Ana Silva    NaN 2026-09-04',
    '..      ...         ...    ...        ...',
    '259   South  Hana Sato2      7 2026-09-19',
    '',
    '[260 rows x 4 columns]',
  ]

  test('has its index, numbers and absent values, and says that rows are left out', () => {
    const { format, json, asides } = recognise(frame.join('\n'))
    expect(format).toBe('table')
    expect(json?.()).toEqual([
      { index: 0, region: null, rep: 'Dora Novak', units: 51, date: '2026-09-18' },
      { index: 1, region: 'North', rep: 'Ana Silva', units: null, date: '2026-09-04' },
      { index: 259, region: 'South', rep: 'Hana Sato2', units: 7, date: '2026-09-19' },
    ])
    expect(asides.join(' ')).toContain('[260 rows x 4 columns]')
    expect(asides.join(' ')).toContain('left out')
  })

  test('keeps a row that fits nowhere as its line', () => {
    const rows = Array.from({ length: 40 }, (_, n) => `${String(n).padEnd(3)} ${String(n).padStart(5)}`)
    const { json } = recognise(['        n', ...rows, 'odd one out', ''].join('\n'))
    expect(json?.()).toContainEqual({ index: 39, n: 39 })
    expect(json?.()).toContainEqual({ _line: 'odd one out' })
  })

  test('has the name of its index in a line of its own', () => {
    const { json } = recognise(
      '       units  sold\nregion             \nNorth      1     2\nSouth     30    40\nWest       5     6\n',
    )
    expect(json?.()).toEqual([
      { region: 'North', units: 1, sold: 2 },
      { region: 'South', units: 30, sold: 40 },
      { region: 'West', units: 5, sold: 6 },
    ])
  })

  test('of many columns has them in blocks below each other', () => {
    const wide = [
      '   ticker  open  \\',
      '0     SAP   1.5   ',
      '1    MSFT   2.5   ',
      '10   NVDA   NaN   ',
      '',
      '       sector  \\',
      '0   Soft ware   ',
      '1        Tech   ',
      '10      Semis   ',
      '',
      '    analyst',
      '0       Buy',
      '1      Hold',
      '10     None',
      '',
      '[3 rows x 4 columns]',
    ]
    const { format, json, asides } = recognise(wide.join('\n'))
    expect(format).toBe('table')
    expect(json?.()).toEqual([
      { index: 0, ticker: 'SAP', open: 1.5, sector: 'Soft ware', analyst: 'Buy' },
      { index: 1, ticker: 'MSFT', open: 2.5, sector: 'Tech', analyst: 'Hold' },
      { index: 10, ticker: 'NVDA', open: null, sector: 'Semis', analyst: null },
    ])
    expect(asides.join(' ')).toContain('[3 rows x 4 columns]')
    expect(recognise(wide.with(8, '11      Semis   ').join('\n')).format).not.toBe('table')
    expect(recognise(wide.toSpliced(8, 1).join('\n')).format).not.toBe('table')
  })

  test('is none of lines that are set in, or end at other places', () => {
    for (const text of ['  a b\none two three\nfour five\nsix\n', '   x y\n1  1 2\n2 10 30\n3  5 6 7\n'])
      expect(recognise(text).format).not.toBe('table')
  })
})

describe('lines that are no records', () => {
  test('groups of columns stand before their names', () => {
    const document = fromRecognised(
      `,,North,,South,\nProduct,SKU,Units,Sales,Units,Sales\n${'Desk,S1,3,7.5,4,8.5\n'.repeat(5)}`,
    )
    expect(document.rows().items[0]).toMatchObject({ Product: 'Desk', 'North Units': 3, 'South Sales': 8.5 })
    expect(document.rows().items).toHaveLength(5)
  })

  test('units below the names are told beside the table', () => {
    const document = fromRecognised(
      `time,wind,temp\nUTC,m/s,degC\n${'2024-05-01 10:00,1.5,7.25\n'.repeat(5)}`,
    )
    expect(document.rows().items).toHaveLength(5)
    expect(document.asides).toEqual(['units: time UTC, wind m/s, temp degC'])
    // A first record without values is one.
    const missing = fromRecognised(`time,wind,temp\nN/A,-,n/a\n${'2024-05-01 10:00,1.5,7.25\n'.repeat(5)}`)
    expect(missing.rows().items).toHaveLength(6)
  })

  test('a remark in quotes below the rows is none', () => {
    const document = fromRecognised(
      `id,name,sum\n${'1,Ann,5\n'.repeat(5)}\n"Cash basis, as of May 5, 2024"\n`,
    )
    expect(document.rows().items).toHaveLength(5)
    expect(document.asides).toEqual(['below the table: Cash basis, as of May 5, 2024'])
  })
})

test('a first row that is like all others gives no names to columns', () => {
  const packages = many(9, (n) => `lib${n}/stable,now 1.${n}.0 amd64 [${n % 2 ? 'installed' : 'upgradable'}]`)
  expect(read(packages.join('\n')).value).toHaveLength(9)
  const named = many(9, (n) => `item ${n + 1},${n * 2},open`)
  expect(read(['item,Q1,state', ...named].join('\n')).value[0]).toEqual({
    item: 'item 1',
    Q1: 0,
    state: 'open',
  })
})

test('names with a number stay names over texts with other letters, and where they are counted on', () => {
  const over = (...rows: string[]) => Object.keys(read(rows.join('\n')).value[0] ?? {})
  const streets = many(6, (n) => `n${'abcdef'[n]},street${n},flat${n}`)
  expect(over('name,address1,address2', ...streets)).toEqual(['name', 'address1', 'address2'])
  const rooms = many(6, (n) => `Room ${n},Room ${n + 1}`)
  expect(over('Week 1,Week 2', ...rooms)).toEqual(['Week 1', 'Week 2'])
  const nodes = many(6, (n) => `node${n},node${n + 3}`)
  expect(over('node1,node2', ...nodes)).toEqual(['node1', 'node2'])
  const versions = many(6, (n) => `r${n},v${n + 2},new`)
  expect(over('run,v1,note', ...versions)).toEqual(['run', 'v1', 'note'])
})
