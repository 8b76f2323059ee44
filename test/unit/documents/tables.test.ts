import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRecognised, fromValue } from '../../../src/documents/opening/derive.ts'
import { recognise } from '../../../src/documents/opening/detect.ts'

const records = (text: string) => fromRecognised(text).records()?.values

describe('tables drawn as text', () => {
  test('as psql draws them, with what stands around', () => {
    const document = fromRecognised(
      'Result:\n id |   name   | qty \n----+----------+-----\n  1 | Ann, Lee |   3\n  2 |          |  10\n(2 rows)\n',
    )
    expect(document.format).toBe('table')
    expect(document.records()?.values).toEqual([
      { id: 1, name: 'Ann, Lee', qty: 3 },
      { id: 2, name: '', qty: 10 },
    ])
    expect(document.asides).toEqual(['text beside it: Result:', 'text beside it: (2 rows)'])
  })

  test('as MySQL draws them: NULL is null', () => {
    const text = '+----+------+\n| id | name |\n+----+------+\n| 1  | NULL |\n| 2  | b    |\n+----+------+'
    expect(records(text)).toEqual([
      { id: 1, name: null },
      { id: 2, name: 'b' },
    ])
  })

  test('as Markdown and box characters', () => {
    expect(records('| a | b |\n|---|---|\n| 1 | x \\| y |\n| 2 | z |')).toEqual([
      { a: 1, b: 'x | y' },
      { a: 2, b: 'z' },
    ])
    expect(records('┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ x │\n└───┴───┘')).toEqual([{ a: 1, b: 'x' }])
  })

  test('with bars that are drawn, also in a double or heavy frame: a bar that is written belongs to a value', () => {
    const row = { a: 1, b: 'x | y' }
    expect(records('┌───┬───────┐\n│ a │   b   │\n├───┼───────┤\n│ 1 │ x | y │\n└───┴───────┘')).toEqual([
      row,
    ])
    expect(records('╔═══╤═══════╗\n║ a │ b     ║\n╠═══╪═══════╣\n║ 1 │ x | y ║\n╚═══╧═══════╝')).toEqual([
      row,
    ])
    expect(records('┏━━━┳━━━━━━━┓\n┃ a ┃ b     ┃\n┡━━━╇━━━━━━━┩\n│ 1 │ x | y │\n└───┴───────┘')).toEqual([
      row,
    ])
  })

  test('a value of several lines stays in its row: psql ends lines with "+", mysql prints the line breaks', () => {
    const rows = [
      { id: 1, bio: 'one\ntwo\nC++', n: 1 },
      { id: 2, bio: 'three', n: 2 },
    ]
    const psql =
      ' id |  bio  | n \n----+-------+---\n  1 | one  +| 1\n    | two  +|  \n    | C++   |  \n  2 | three | 2\n(2 rows)'
    expect(records(psql)).toEqual(rows)
    const rule = '+----+-------+---+'
    const mysql = `${rule}\n| id | bio   | n |\n${rule}\n|  1 | one\ntwo\nC++ | 1 |\n|  2 | three | 2 |\n${rule}`
    expect(records(mysql)).toEqual(rows)
    expect(
      records(`${rule}\n| id | n | bio   |\n${rule}\n|  1 | 1 | one\ntwo |\n|  2 | 2 | a+    |\n${rule}`),
    ).toEqual([
      { id: 1, n: 1, bio: 'one\ntwo' },
      { id: 2, n: 2, bio: 'a+' },
    ])
  })

  test('a row of a grid ends with a rule; below a rule under some columns the other cells count again', () => {
    const rule = '+---+------+---+'
    const grid = ['a1', 'b2', 'c3'].map((id) => `| ${id[0]} | one  | ${id[1]} |\n|   | two  |   |\n${rule}`)
    expect(records(`${rule}\n| k | v    | n |\n+===+======+===+\n${grid.join('\n')}`)).toEqual([
      { k: 'a', v: 'one\ntwo', n: 1 },
      { k: 'b', v: 'one\ntwo', n: 2 },
      { k: 'c', v: 'one\ntwo', n: 3 },
    ])
    const drawn = '├─────┼─────┼─────┤'
    const spans = [
      '│ lib │ CVE │ fix │',
      drawn,
      '│ ssl │ one │ 1.1 │',
      '│     ├─────┤     │',
      '│     │ two │     │',
      '│     ├─────┼─────┤',
      '│     │ 333 │ 1.2 │',
      drawn,
      '│ zip │ 444 │     │',
      '└─────┴─────┴─────┘',
    ]
    expect(records(spans.join('\n'))).toEqual([
      { lib: 'ssl', CVE: 'one', fix: 1.1 },
      { lib: 'ssl', CVE: 'two', fix: 1.1 },
      { lib: 'ssl', CVE: '333', fix: 1.2 },
      { lib: 'zip', CVE: '444', fix: null },
    ])
  })

  test('rules between groups of rows end no row', () => {
    const rule = '+---+---+'
    const group = `| 1 | x |\n| 2 |   |\n| 3 | y |\n${rule}`
    expect(records(`${rule}\n| a | b |\n${rule}\n${group}\n${group}\n${group}`)).toHaveLength(9)
    const sparse = `| ann | 1 | 2 | 3 |\n| bob |   |   |   |\n${rule}`
    expect(records(`${rule}\n| a | b | c | d |\n${rule}\n${sparse}\n${sparse}\n${sparse}`)).toHaveLength(6)
  })

  test('a plus at the end of a cell goes on where psql writes it', () => {
    expect(records('user | likes\n-----+------\nann  | 1000+\nbob  | 12\ncy   | 3')).toHaveLength(3)
  })

  test('aligned under names in capitals, also names of two words and empty cells', () => {
    const text = `CONTAINER ID   STATUS           PORTS    LAST SEEN
abc123def456   Up 2 hours                5m
fff123def456   Exited (1)       80/tcp   12m`
    expect(fromRecognised(text).format).toBe('table')
    expect(records(text)).toEqual([
      { 'CONTAINER ID': 'abc123def456', STATUS: 'Up 2 hours', PORTS: '', 'LAST SEEN': '5m' },
      { 'CONTAINER ID': 'fff123def456', STATUS: 'Exited (1)', PORTS: '80/tcp', 'LAST SEEN': '12m' },
    ])
  })

  test('a first line that is a row like all others names no columns', () => {
    const reports = [
      'EPKK 010000Z 20009KT',
      'LPPT 010000Z 10007KT',
      'EPKK 010000Z 20009KT',
      'LPPT 010100Z 03006KT',
    ]
    for (const end of ['=', ' NOSIG=']) {
      const text = reports.map((report) => `METAR ${report} 9999 BKN008${end}`).join('\n')
      expect(fromRecognised(text)).toMatchObject({ format: 'text', asides: [] })
    }
    const named = `POD    CPU1   CPU2\n${reports.map((_, n) => `WEB${n}   0.5    1${n}`).join('\n')}`
    expect(records(named)?.[1]).toEqual({ POD: 'WEB1', CPU1: 0.5, CPU2: 11 })
  })

  test('not aligned, but with as many cells as names in each line', () => {
    const text = 'NAME      READY   STATUS\npod/web-1   0/1   CrashLoopBackOff\npod/a   1/1   Running\n'
    expect(records(text)).toEqual([
      { NAME: 'pod/web-1', READY: '0/1', STATUS: 'CrashLoopBackOff' },
      { NAME: 'pod/a', READY: '1/1', STATUS: 'Running' },
    ])
  })

  test('aligned over dashes, numbers to the right', () => {
    const text = 'name        qty\n----------  ---\nleft         12\nother one     7'
    expect(records(text)).toEqual([
      { name: 'left', qty: 12 },
      { name: 'other one', qty: 7 },
    ])
  })

  test('as df prints it, with a size in the first name of a number', () => {
    const line = (device: string, blocks: string, used: string, on: string): string =>
      `${device.padEnd(14)} ${blocks.padStart(10)} ${used.padStart(8)} ${'400'.padStart(9)} ${'7%'.padStart(4)} ${on}`
    const names = ['1K-blocks', '512-blocks', '1M-blocks']
    for (const name of names) {
      const head = `Filesystem     ${name.padStart(10)}     Used Available Use% Mounted on`
      const text = [
        head,
        line('/dev/sda1', '1000000', '31', '/'),
        line('tmpfs', '5', '12345678', '/my run'),
      ].join('\n')
      expect(records(text)).toEqual([
        {
          Filesystem: '/dev/sda1',
          [name]: 1_000_000,
          Used: 31,
          Available: 400,
          'Use%': '7%',
          'Mounted on': '/',
        },
        expect.objectContaining({ Used: 12_345_678, 'Mounted on': '/my run' }),
      ])
    }
  })

  test('a line that does not fit stays as it is', () => {
    const rows = Array.from({ length: 30 }, (_, index) => ` ${index} | x`)
    const read = records(
      [' a | b ', '---+---', ...rows.slice(0, 15), 'NOTICE: odd', ...rows.slice(15)].join('\n'),
    )
    expect(read).toHaveLength(31)
    expect(read?.[15]).toEqual({ _line: 'NOTICE: odd' })
  })

  test('prose with capitals or bars is none', () => {
    expect(fromRecognised('USAGE NOTES HERE\nThis is prose that goes on.\nAnd on and on.').format).toBe(
      'text',
    )
    expect(fromRecognised('a | b\nc\nd | e | f\n').format).not.toBe('table')
  })

  test.each(['DISK FULL NOW', 'no more rows to be read'])('a line again and again is none: %s', (line) => {
    expect(fromRecognised(`${line}\n`.repeat(40)).format).toBe('text')
  })

  test('drawn tables are read back', () => {
    const cell = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,12}[a-z]$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 2, maxLength: 20 }), (rows) => {
        const widths = [0, 1, 2].map((column) => Math.max(5, ...rows.map((row) => row[column]?.length ?? 0)))
        const line = (cells: readonly string[]) =>
          cells.map((text, at) => text.padEnd(widths[at] ?? 0)).join('   ')
        const text = [line(['NAME', 'KIND', 'WHERE']), ...rows.map(line)].join('\n')
        const tidy = rows.map(([NAME, KIND, WHERE]) => ({ NAME, KIND, WHERE }))
        expect(records(text)).toEqual(tidy)
      }),
    )
  })
})

describe('bars within cells that are not marked', () => {
  const rows = [
    '| 1 | warn | disk is full |',
    '| 2 | info | flag "a" | on for all | now |',
    '| 3 | info | all is well |',
    '| 4 | warn | it is hot |',
  ]
  const read = [
    ['1', 'warn', 'disk is full'],
    ['2', 'info', 'flag "a" | on for all | now'],
    ['3', 'info', 'all is well'],
    ['4', 'warn', 'it is hot'],
  ]

  test.each([
    ['a table', '', (json: unknown) => json],
    [
      'a table in a page',
      '# Log\n\nIn **short**:\n\nMore.\n\n## All\n\nEach is one.\n\n',
      (json: unknown) => (json as { tables: unknown[] }).tables[0],
    ],
  ])('they belong to the column of prose of %s', (_, above, rowsIn) => {
    const more = Array.from({ length: 12 }, (__, n) => `| ${n + 5} | info | all is well |`)
    const text = `${above}| id | level | said |\n|---|---|---|\n${[...rows, ...more].join('\n')}\n`
    const found = rowsIn(fromRecognised(text).json()) as Record<string, unknown>[]
    expect(found.slice(0, 4).map(({ id, level, said }) => [String(id), level, said])).toEqual(read)
    expect(Object.keys(found[1] ?? {})).toEqual(['id', 'level', 'said'])
  })
})

describe('a table that DuckDB draws', () => {
  test.each([
    ['a line', '│ 900 rows (3 shown)    │'],
    ['two lines', '│ 900 rows              │\n│ (3 shown)             │'],
  ])('types are no names, and what is below it in %s is no row', (_, foot) => {
    const document = fromRecognised(
      `┌─────────┬─────────────┐\n│  town   │    size     │\n│ varchar │ decimal(9,2)│\n├─────────┼─────────────┤\n│ Bonn    │        1.25 │\n│ NULL    │        7.5  │\n│ ·       │         ·   │\n│ Graz    │        NULL │\n├─────────┴─────────────┤\n${foot}\n└───────────────────────┘\n`,
    )
    expect(document.json()).toEqual([
      { town: 'Bonn', size: '1.25' },
      { town: null, size: '7.5' },
      { town: 'Graz', size: null },
    ])
    expect(document.asides.join('\n')).toContain('text beside it: 900 rows')
    expect(document.asides.join('\n')).toContain('(3 shown)')
    expect(document.asides.join('\n')).toContain('decimal(9,2)')
  })
})

describe('lists as Python prints them', () => {
  test('dictionaries and tuples with their literals', () => {
    const text = `[{'a': 'it\\'s', 'b': "x'y", 'c': None, 'd': True, 'e': Decimal('1.20'), 'f': (1,), 'g': datetime.datetime(2024, 5, 1, 12, 0)},
 {'a': '', 'b': '\\u00e9', 'c': 2, 'd': False, 'e': nan, 'f': (1, 2), 'g': datetime.date(2024, 5, 1)}]`
    expect(records(text)).toEqual([
      { a: "it's", b: "x'y", c: null, d: true, e: '1.20', f: [1], g: '2024-05-01T12:00:00' },
      { a: '', b: 'é', c: 2, d: false, e: null, f: [1, 2], g: '2024-05-01' },
    ])
  })

  test.each(['[1] Smith, 2020 (see [2])', '(a) first\n(b) second', "['a' 'b']", "[print('x')]"])(
    '%s is no such list',
    (text) => {
      expect(fromRecognised(text).json()).toBeUndefined()
    },
  )
})

describe('a list or an object a line', () => {
  test('rows behind their numbers have the names of the first one', () => {
    const document = fromRecognised(
      `Read 4 rows of 'Stock!A1:C4':\nRow  1: ['Part', 'Left', 'Place']\nRow  2: ['Bolt', '40', "Ann's shelf"]\nRow  9: ['Nut', '', 'Hall "B"']\nRow 10: ['Cog', '7']\n\nNo more rows.`,
    )
    expect(document.json()).toEqual([
      { Row: 2, Part: 'Bolt', Left: 40, Place: "Ann's shelf" },
      { Row: 9, Part: 'Nut', Left: null, Place: 'Hall "B"' },
      { Row: 10, Part: 'Cog', Left: 7 },
    ])
    expect(document.asides).toEqual([
      "text beside it: Read 4 rows of 'Stock!A1:C4':",
      'text beside it: No more rows.',
    ])
  })

  test('tuples have columns without names, and objects their own', () => {
    const tuples = [1, 2, 3].map((n) => `(${n}, 'Town ${n}', None, Decimal('${n}.50'))`)
    expect(fromRecognised(`Rows:\n${tuples.join('\n')}\n\n(3 rows)`).json()).toEqual(
      [1, 2, 3].map((n) => ({ column_1: n, column_2: `Town ${n}`, column_3: null, column_4: `${n}.50` })),
    )
    const objects = [1, 2, 3].map((n) => `${n}. {'id': ${n * 7}, 'open': True}`)
    expect(fromRecognised(objects.join('\n')).json()).toEqual(
      [1, 2, 3].map((n) => ({ number: n, id: n * 7, open: true })),
    )
  })

  test.each([
    ['tasks', '- [x] Call (Ann)\n- [ ] Write (Bo)\n- [x] Send (Cy)'],
    ['links', '1. [a](http://a.example)\n2. [b](http://b.example)\n3. [c](http://c.example)'],
    ['lines of a program', "const rows = [\n  ['a', 1],\n  ['b', 2],\n  ['c', 3],\n]\nuse(rows)"],
    ['numbers out of order', "Row 3: ['a', 'b']\nRow 2: ['c', 'd']\nRow 1: ['e', 'f']"],
  ])('%s are no such rows', (_, text) => {
    expect(recognise(text).traits.name).not.toBe('row lists')
  })

  test('a first row of words is a row, where no column tells names from values', () => {
    const rows = (...all: string[]) => recognise(all.map((row) => `(${row})`).join('\n')).json?.()
    const people = rows("'Ann', 'Bern'", "'Bob', 'Rome'", "'Cy', 'Oslo'", "'Di', 'Kiel'")
    expect(people).toHaveLength(4)
    const named = rows("'name', 'age'", "'Bob', 7", "'Cy', 8", "'Di', 9")
    expect(named).toEqual([
      { name: 'Bob', age: 7 },
      { name: 'Cy', age: 8 },
      { name: 'Di', age: 9 },
    ])
  })
})

describe('names beside rows', () => {
  test.each([
    [
      'names',
      {
        columns: ['id', 'name'],
        rows: [
          [1, 'a'],
          [2, 'b'],
        ],
      },
    ],
    [
      'described',
      {
        result: {
          schema: { fields: [{ name: 'id', type: 'INT' }, { name: 'name' }] },
          data: [
            [1, 'a'],
            [2, 'b'],
          ],
        },
      },
    ],
  ])('%s give records', (_, value) => {
    const document = fromValue(value)
    expect(document.records()?.values).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ])
  })

  test('rows of another length stay lists', () => {
    const value = {
      columns: ['id', 'name'],
      rows: [
        [1, 'a', 3],
        [2, 'b', 4],
      ],
    }
    expect(fromValue(value).json()).toBe(value)
  })
})
