/** Opening, previewing and questions take time linear in the result, on the worst input of each. */
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../src/documents/formats/index.ts'
import { recognise } from '../../src/documents/opening/detect.ts'
import type { Query } from '../../src/engine/contract.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { expectLinear } from '../support/linear.ts'
import { asking, orders, previewing, records } from '../support/works.ts'

/** The text before the rows of each format, a row, and the text behind the rows; `#` is the number of the row. */
const ROWS: Record<string, readonly [before: string, row: string, behind?: string]> = {
  json: ['[', '{"id":#},', '{"id":-1}]'],
  python: ['[', "(#, 'a', None),", "(0, 'b', True)]"],
  inspected: ['[', "{ id: #, name: 'n', on: true },", '{ id: -1 } ]'],
  ndjson: ['', '{"id":#,"name":"n"}'],
  'row lists': ['Rows:\n', "Row #: ['a', 'b', '#']"],
  'cut json': ['[\n', '{"id":#,"name":"n"},', '{"id":7,"na'],
  files: ['', '==> src/f#.txt <==\nline #\n'],
  xml: ['<all>', '<r><id>#</id><n>a &amp; b</n></r>', '</all>'],
  html: ['<!doctype html><table><tr><th>a<th>b', '<tr><td>#<td>x &lt; y', '</table>'],
  mail: ['', 'From ann@x.org Mon May  6 10:00:00 2024\nFrom: Ann <ann@x.org>\nSubject: S#\n\nBody of #\n'],
  calendar: [
    'BEGIN:VCALENDAR\n',
    'BEGIN:VEVENT\nUID:#\nDTSTART:20240501T100000Z\nSUMMARY:S#\nEND:VEVENT',
    'END:VCALENDAR\n',
  ],
  bibtex: ['', '@misc{k#,\n  title = {A {title} of #},\n  year = {2024}\n}\n'],
  tagged: ['', 'PMID- #\nTI  - Title #\nAU  - A\nAU  - B\n'],
  'sql dump': ['', "INSERT INTO t (id, name) VALUES (#, 'n#');"],
  table: [' id      | name \n---------+------\n', '#1000000 | Ann  '],
  listing: ['', '-rw-r--r-- 1 ann staff # May  1 10:00 f#.txt'],
  metrics: ['# TYPE up gauge\n', 'up{job="j#"} #'],
  'extended log': ['#Fields: time c-ip sc-status\n', '10:00:00 10.0.0.1 #'],
  csv: ['id,name,note\n', '#,"n, #",x'],
  'csv tables': ['Section,Places\nCountry,Users\nDE,5\nUS,6\n\nSection,Pages\nPage,Views\n', '/p#,#'],
  tree: ['', '- button "B#" [ref=e#]'],
  yaml: ['items:\n', '  - name: n#\n    size: #'],
  'drawn tree': ['.\n', '├── f#.ts'],
  diff: ['', 'diff --git a/f# b/f#\n--- a/f#\n+++ b/f#\n@@ -1 +1 @@\n-a\n+b'],
  'git log': ['', `commit ${'a'.repeat(40)}\nAuthor: Ann <a@x>\nDate:   Fri May 3 2024\n\n    Fix #\n`],
  'git lines': ['', 'a1b2c3d Fix #'],
  log: ['', '2024-05-01T10:00:00Z INFO app - request # took ms=#'],
  settings: ['[main]\n', 'key_# = #'],
  diagnostics: ['', 'src/a.ts:#:1: warning: unused'],
  'framed diagnostics': ['', 'error[E01]: moved #\n --> src/a.rs:#:1\n  |\n1 | x\n'],
  paths: ['', 'src/folder/f#.ts'],
  code: ['', 'function f#(a) {\n  return a + #;\n}\n'],
  markdown: ['# Title\n\n', '## Section #\n\nWords with `code` in them.\n'],
  items: ['', '#. Item #\n   - State: open\n   - Note: n#\n'],
  stanzas: ['', 'Title: T#\nURL: https://a/#\n'],
  counted: ['1\tsrc/a\n', '#7\tsrc/f#.ts'],
  alike: ['', '- "n#" (Starts: 2024-05-01, Ends: 2024-05-02) ID: # | Link: https://a/#'],
  'csv without header': ['', '#,7#,x'],
  chat: ['', '[03/11/2025, 09:03:57] Ann: Said #'],
  coverage: ['', 'SF:src/f#.ts\nDA:1,1\nDA:2,0\nend_of_record'],
  subtitles: ['WEBVTT\n\n', '00:00:01.000 --> 00:59:04.500\nSaid #\n'],
  toml: ['', '[[package]]\nname = "n#"\nsize = #\ntags = ["a"]'],
  tap: ['TAP version 13\n', 'ok # - t#'],
  outcomes: ['', '=== RUN   T#\nsaid\n--- FAIL: T# (0.01s)\n    a.go:1: bad'],
  plan: [
    'QUERY PLAN\n',
    '  ->  Index Scan using i# on t# a  (cost=0.42..9.5 rows=# width=4)\n        Filter: (a > #)',
  ],
  vertical: ['', '-[ RECORD # ]---\nid   | #\nname | a'],
  text: ['', 'Line # of a text that is only a text.'],
}
const NAMES = FORMATS.map(({ name }) => name).filter((name) => name !== 'blocks')
describe('formats', () => {
  test.each(NAMES)('%s', (name) => {
    const [before, row, behind = ''] = ROWS[name] ?? ['', `no rows of ${name} stand here`]
    const textOf = (rows: number): string => {
      const all = Array.from({ length: rows }, (_, nth) => row.replaceAll('#', String(nth)))
      return `${before}${all.join('\n')}\n${behind}`
    }
    expect(recognise(textOf(50)).traits.name).toBe(name)
    expectLinear(1000, (size) => previewing(textOf(size)))
  })
})

/** A part that is repeated inside of a text, and what stands before and behind it. */
const RUNS: Record<string, [before: string, part: string, behind: string]> = {
  'spaces behind a key': ['Title: One\nURL: a\n\nTitle: Two', '\n \n', 'x\nURL: b\n\nTitle: Three\nURL: c\n'],
  'lines of spaces between tables': ['a,b,c\n1,2,3\n2,3,4', '\n  ', '\nx,y,z\n1,2,3\n2,3,4\n'],
  'lines of spaces': ['Title: One\nURL: a', '\n  ', '\nx\n\nTitle: Two\nURL: b\n\nTitle: Three\nURL: c\n'],
  'a key that comes again': [
    'Title: One\nURL: a\n\nTitle: Two\nURL: b',
    '\nURL: c',
    '\n\nTitle: Three\nURL: d\n',
  ],
  'lines of a value that came again': [
    'Title: One\nURL: a\nURL: b',
    '\nx',
    '\n\nTitle: Two\nURL: c\n\nTitle: Three\nURL: d\n',
  ],
  'records between rules': ['A: 0\nB: 0\n', '---\nA: 1\nB: 2\n', ''],
  'keys that are set in between rules': ['', '>> A: 1\n   B: 1\n---\n', ''],
  'blanks before no key': ['---\n---\n---\n', '    a', '\n'],
  'rules within a record': ['A: 0\nB: 0\n---\nA: 1\nB: 1\n---\nA: 2\nB:', '\n---\n=', '\nA: 3\nB: 3\n'],
  'empty lines before the first record': ['Found:\n', '\n', 'A: 1\nB: 2\n\nA: 2\nB: 3\n\nA: 3\nB: 4\n'],
  'keys of a record in two places': [
    'A: 1\nB: 2\n---\nA: 2\nB: 3\n---\nA: 3\n',
    'B: 4\nA: 5\n',
    '---\nA: 6\nB: 7\n',
  ],
  'objects below words': ['Found:\n', '{"a": [1]}\n', '{'],
  'bars below words': ['Found:\n---\n', 'a | b | c\n', 'd'],
  'headings with a field': ['Found:\n\n', 'a__c\n  Label: b\n\n', ''],
  'sections that say the same': ['# All\n', '## h\n- **A**: 1\n- **B**: 2\n', ''],
  'headings below a record': ['## h\n- A: 1\n\n## i\n- A: 2\n\n## j\n- A: 3\n', '### k\n- C: 4\n', ''],
  'fields in a section': ['## h\n- A: 1\n\n## i\n- A: 2\n\n## j\n- A: 3\n', '- B: 4 | C: 5\n', ''],
  'empty lines below a table': ['a,b,c\n1,2,3\n4,5,6\n7,8,9\n', '\n', ''],
  'dashes of a rule': ['a | b\n', '-', '|\n1 | 2\n'],
  'roots of drawn trees': ['', 'a\n+--- b\n', ''],
  'messages without a place': ['error: a\n --> b.rs:1:1\n', 'error: 2 errors\n', ''],
  'suites in suites': ['PASS a.ts\n  s\n    ✓ a\n    ✓ b\n    ✓ c\n', '   s\n    ✓ a\n', ''],
  'words on tests of one name': ['', 'a.py::t FAILED\n', '___ t ___\nx\n___ t ___\ny\n'],
  'cells of a frame': ['   a  b\n', '0  1  2\n', ''],
  'blocks of a frame': ['   a  \\\n0  1  \n1  2\n\n', '   b  \\\n0  1  \n1  2\n\n', '   c\n0  1\n1  2\n'],
  'fields behind a title': ['- [ ] a — B: c\n- [ ] a — B: c\n- [ ] a', ' — B: c', '\n'],
  'fields beside each other': ['A: 1 | B: 2\nC: 3\n\n', 'A: 1 | B: 2 | D: 3 | E: 4\nC: 3\n\n', ''],
  'marks beside each other': ['A: 1\nC: 3\n\nA: 1\nC: 3\n\nA: 1', ' | B: 2', '\nC: 3\n'],
  'marks behind a heading': ['<html><body><h1>a', '#', 'a</h1><p>b</p></body></html>'],
  'buttons in a heading': ['<html><body><h1>a', '&lt;button', '</h1><p>b</p></body></html>'],
  'elements in a line': ['<html><body><p>', 'a <b>b</b>', '</p></body></html>'],
  'line breaks in a block of YAML': ['a: |\n  x\n', '\n', '  y\nb:\n  - c: 1\n  - c: 2\n'],
  'one long word': ['', 'truncats', ''],
  'one long number': ['', '0', ''],
  colours: ['', '\u001b[', 'x'],
  'names of fields': ['#Fields: a b\n', '1 2\n#Fields: b a\n1 2\n#Fields: a b\n', '1 2\n'],
  'names above a page': ['', 'Date  Text  Sum\n---------------\n01    a     2\n\n', ''],
  'quotes below names': ['#Fields: a b\n1 2\n', '"', '\n'],
  'names of addresses': ['', 'a://', ' x'],
  'quotes behind a backslash': ['', '\\"', ''],
  'tables within tables': ['<html><body>', '<table><tr><td>', 'x</body></html>'],
  'lists within lists': ['', '[', ''],
  'objects within objects': ['', '{"a":', '1'],
  'elements within elements': ['<?xml version="1.0"?>', '<a>', 'x'],
  'bullets in a value': ['- A (ID: 1)\n  B: c\n\n', '- d\n  C: e\n\n- F (ID: 2)\n  B: - g\n', ''],
  'paragraphs in a value': ['- A (ID: 1)\n  B: c\n', '\nd\n  C: e\n', ''],
  'rules in a value': ['A 1:\nB: c\nD: e\n---\nA 2:\nB: c\nD: e\n---\nA 3:\nB: c\n', '---\nf\n', 'D: e\n'],
  'lines below a value': ['A:\n  B: c\n  D: e\n\nF:\n  B: c\n  D: e', '\ng', '\n\nH:\n  B: c\n  D: e\ng\n'],
  'paragraphs below headings': ['', 'a\nB: c\nD: e\n\n', ''],
  'letters below fields': ['', 'A: b\nC: d\n\nwords\n\nE: f\n---\n', ''],
  'items within items': ['a:\n', '- ', 'x'],
}
describe('runs', () => {
  test.each(Object.entries(RUNS))('%s', (_, [before, part, behind]) =>
    expectLinear(12_000, (size) => previewing(before + part.repeat(Math.ceil(size / part.length)) + behind)),
  )
})

/** A dozen lines that are alike, each with a long run before its number. */
const LONG_LINES: Record<string, string> = {
  'groups in brackets': '(a) ',
  'groups before a text': '[a] ',
  blanks: ' ',
  'marks between parts': 'a - ',
  'names that come again': 'a: 1, ',
  pictograms: '📄',
  'quotes with a mark': '"b - c" ',
}
describe('long lines of like parts', () => {
  test.each(Object.entries(LONG_LINES))('%s', (_, part) =>
    expectLinear(24_000, (size) => {
      const run = part.repeat(Math.ceil(size / 12 / part.length))
      return previewing(
        Array.from({ length: 12 }, (_, nth) => `x${nth} ${run}ID: ${nth}, B: 2 (${nth})`).join('\n'),
      )
    }),
  )
})

const QUESTIONS: Record<string, [kind: Query['kind'], params: JsonObject]> = {
  where: ['filter', { where: 'price > 10 and name contains 5 or not (user.login = u7)' }],
  'where with a pattern': ['filter', { where: 'name ~ (a+)+$' }],
  'where in elements': ['filter', { where: 'any(tags, value = b) and user.teams[].name contains 9' }],
  'where nothing is found': ['filter', { where: 'name = nowhere' }],
  'where with a slip': ['filter', { where: 'prise > 10' }],
  path: ['filter', { path: '$..teams[*]' }],
  'path with a condition': ['filter', { path: '$[?@.price > 5].user' }],
  group_by: [
    'filter',
    { group_by: 'id, name', aggregate: 'count, median(price), list(name), distinct(name)' },
  ],
  'group_by month': ['filter', { group_by: 'day:month', aggregate: 'p90(price), stddev(price)' }],
  having: ['filter', { group_by: 'id', aggregate: 'count', where: 'count > 0' }],
  sort: ['filter', { sort: '-name, price' }],
  'sort by an expression': ['filter', { sort: '-price * id' }],
  fields: [
    'filter',
    { fields: ['*', 'concat(name, id) as both', "case when id > 5 then 'a' else 'b' end as c"] },
  ],
  exclude: ['filter', { exclude: ['user', 'tags'] }],
  window: [
    'filter',
    {
      fields: [
        'id',
        'sum(price) over (partition by parent order by id) as s',
        'rank() over (order by price) as r',
      ],
    },
  ],
  'window over all': [
    'filter',
    { fields: ['id', 'avg(price) over (order by id) as s', 'lag(name) over (order by id) as l'] },
  ],
  unnest: ['filter', { fields: ['id', 'user.teams[].name', 'tags[]'] }],
  statement: [
    'filter',
    {
      where:
        'SELECT parent, count(*) AS n FROM t WHERE price > 1 GROUP BY parent HAVING count(*) > 1 ORDER BY n DESC',
    },
  ],
  'join of lists': ['filter', { path: '$', join_on: 'id = parent' }],
  'the last page': ['filter', { offset: 100, limit: 1_000_000 }],
  regex: ['search', { pattern: 'name 1.*7', context_lines: 2 }],
  bm25: ['search', { pattern: 'name of 7', mode: 'bm25' }],
  fuzzy: ['search', { pattern: 'nmae 77', mode: 'fuzzy' }],
  context: ['search', { pattern: 'u77', mode: 'context' }],
  structure: ['explore', {}],
}
describe('questions', () => {
  test.each(Object.entries(QUESTIONS))('%s', (_, [kind, params]) =>
    expectLinear(1500, (size) => asking(kind, params, [orders(size)])),
  )
  test('join of results', () =>
    expectLinear(1500, (size) => asking('filter', { join_on: 'id = id' }, [orders(size), orders(size)])))
  test('wide records', () =>
    expectLinear(1000, (size) =>
      asking('filter', { sort: '-f1', fields: ['*'] }, [
        records(4, () => Object.fromEntries(Array.from({ length: size }, (_, n) => [`f${n}`, n]))),
      ]),
    ))
  test('an object of names', () =>
    expectLinear(2000, (size) =>
      asking('filter', { path: '$.*', sort: '-n' }, [
        JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, n) => [`key ${n}`, { n }]))),
      ]),
    ))
})
