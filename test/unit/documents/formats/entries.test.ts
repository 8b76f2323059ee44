import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import { bm25 } from '../../../../src/processors/search/bm25.ts'
import { context } from '../../../../src/processors/search/context.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, value: json?.() as JsonObject[] }
}

const log = [
  'commit 1111111111111111111111111111111111111111 (HEAD -> main, tag: v1)',
  'Merge: aaaaaaa bbbbbbb',
  'Author: Ann <ann@x.org>',
  'Date:   Fri May 3 08:00:00 2024 +0200',
  '',
  '    Fix the crash',
  '',
  '    Author: this is no header.',
  '',
  ' src/a.ts | 2 +-',
  ' 1 file changed',
  '',
  'commit 2222222222222222222222222222222222222222',
  'Author: Bob <bob@x.org>',
  'Date:   Thu May 2 08:00:00 2024 +0200',
  '',
  '    Add retry',
  '',
].join('\n')

test('commits of git, with the files of each', () => {
  expect(read(log)).toEqual({
    format: 'entries',
    value: [
      {
        line: 1,
        commit: '1'.repeat(40),
        refs: 'HEAD -> main, tag: v1',
        merge: 'aaaaaaa bbbbbbb',
        author: 'Ann <ann@x.org>',
        date: 'Fri May 3 08:00:00 2024 +0200',
        message: 'Fix the crash\n\nAuthor: this is no header.',
        files: ['src/a.ts'],
        changes: 'src/a.ts | 2 +-\n 1 file changed',
      },
      {
        line: 13,
        commit: '2'.repeat(40),
        author: 'Bob <bob@x.org>',
        date: 'Thu May 2 08:00:00 2024 +0200',
        message: 'Add retry',
      },
    ],
  })
})

test('a search shows a whole entry', () => {
  const document = fromRecognised(log)
  const [around] = context.process(document, { mode: 'context', pattern: 'crash' }).content.rows().items
  expect(around).toMatch(/^lines 1-11\ncommit 1{40}[\s\S]* 1 file changed$/)
  const [ranked] = bm25.process(document, { mode: 'bm25', pattern: 'retry' }).content.rows().items
  expect(ranked).toMatch(/^\[[\d.]+\] lines 13-17\ncommit 2{40}/)
})

describe('what compilers, linters and grep print', () => {
  test.each<[string, string[], JsonObject[]]>([
    [
      'tsc',
      [
        'src/a.ts(12,3): error TS2345: No: x.',
        'src/b.ts(1,1): error TS7006: No.',
        'src/c.ts(2,2): error TS1: Z.',
      ],
      [
        {
          line: 1,
          file: 'src/a.ts',
          file_line: 12,
          column: 3,
          level: 'error',
          code: 'TS2345',
          message: 'No: x.',
        },
      ],
    ],
    [
      'gcc',
      [
        'lib/a.c:12:3: warning: unused',
        '   12 |  int x;',
        '      |  ^',
        'lib/a.c:13:3: note: here',
        'lib/b.c:1: error: x',
      ],
      [
        {
          line: 1,
          file: 'lib/a.c',
          file_line: 12,
          column: 3,
          level: 'warning',
          message: 'unused',
          excerpt: '   12 |  int x;\n      |  ^',
        },
        { line: 4, file: 'lib/a.c', file_line: 13, column: 3, level: 'note', message: 'here' },
        { line: 5, file: 'lib/b.c', file_line: 1, level: 'error', message: 'x' },
      ],
    ],
    [
      'eslint',
      [
        '',
        '/srv/a.js',
        '  1:2  error    Missing semicolon   semi',
        '  3:4  warning  Odd',
        '',
        '/srv/b.js',
        '  5:6  error  Bad  @x/no-y',
        '',
      ],
      [
        {
          line: 3,
          file: '/srv/a.js',
          file_line: 1,
          column: 2,
          level: 'error',
          message: 'Missing semicolon',
          code: 'semi',
        },
        { line: 4, file: '/srv/a.js', file_line: 3, column: 4, level: 'warning', message: 'Odd' },
        {
          line: 7,
          file: '/srv/b.js',
          file_line: 5,
          column: 6,
          level: 'error',
          message: 'Bad',
          code: '@x/no-y',
        },
      ],
    ],
    [
      'checks that are named at the end',
      [
        'a.cpp(824):  Tab found  [whitespace/tab] [1]',
        'a.c:12:3: warning: unused [-Wunused]',
        'a.py:3: error: No [arg-type]',
        'a.py:4: x = y [z]',
      ],
      [
        {
          line: 1,
          file: 'a.cpp',
          file_line: 824,
          code: 'whitespace/tab',
          message: ' Tab found  [whitespace/tab] [1]',
        },
        {
          line: 2,
          file: 'a.c',
          file_line: 12,
          column: 3,
          level: 'warning',
          code: '-Wunused',
          message: 'unused [-Wunused]',
        },
        { line: 3, file: 'a.py', file_line: 3, level: 'error', code: 'arg-type', message: 'No [arg-type]' },
        { line: 4, file: 'a.py', file_line: 4, message: 'x = y [z]' },
      ],
    ],
    [
      'ruff and grep',
      ['a/b.py:3:1: E501 Line too long', 'a/b.py:4:const x = 1', 'C:\\a\\b.py:5: x'],
      [
        { line: 1, file: 'a/b.py', file_line: 3, column: 1, code: 'E501', message: 'Line too long' },
        { line: 2, file: 'a/b.py', file_line: 4, message: 'const x = 1' },
        { line: 3, file: 'C:\\a\\b.py', file_line: 5, message: 'x' },
      ],
    ],
    [
      'ruff in full',
      [
        'a/b.py:3:1: F401 [*] `os` imported but unused',
        '    |',
        '103 | import os',
        '    |        ^^ F401',
        '    |',
        '    = help: Remove it',
        '',
        'a/c.py:4:2: E501 Line too long',
        '    |',
        '104 | import io',
        '    |        ^^ E501',
        '',
        'a/d.py:5:2: E501 Line too long',
      ],
      [
        {
          line: 1,
          file: 'a/b.py',
          file_line: 3,
          column: 1,
          code: 'F401',
          message: '[*] `os` imported but unused',
          excerpt: '    |\n103 | import os\n    |        ^^ F401\n    |\n    = help: Remove it',
        },
      ],
    ],
    [
      'rustc, with the place below the message',
      [
        '   Compiling acme v0.1.0 (/acme)',
        'error[E0382]: borrow of moved value: `s`',
        '   --> src/a.rs:7:30',
        '    |',
        '  7 |     at("10:00:00");',
        '    |         ^ moved here',
        'note: `s` is moved',
        '   --> src/b.rs:1:2',
        '',
        'warning: unused variable: `x`',
        '   --> src/b.rs:8:40',
        '    |',
        '108 |     let x = 5;',
        'Checked 2 files.',
        'error: linking with `cc` failed',
        '',
        'error: could not compile `acme` (bin "acme") due to 2 previous errors; 1 warning emitted',
      ],
      [
        {
          line: 2,
          level: 'error',
          code: 'E0382',
          message: 'borrow of moved value: `s`\nnote: `s` is moved\n   --> src/b.rs:1:2',
          file: 'src/a.rs',
          file_line: 7,
          column: 30,
          excerpt: '    |\n  7 |     at("10:00:00");\n    |         ^ moved here',
        },
        {
          line: 10,
          level: 'warning',
          message: 'unused variable: `x`',
          file: 'src/b.rs',
          file_line: 8,
          column: 40,
          excerpt: '    |\n108 |     let x = 5;',
        },
        { line: 15, level: 'error', message: 'linking with `cc` failed' },
      ],
    ],
    [
      'rg, with each file above what is found in it',
      [
        'src/a.rs',
        '7:    // TODO',
        '12:3:x: y',
        '',
        'My docs/b.md',
        '1-before',
        '2:hit',
        '3-after',
        '--',
        '9:b',
      ],
      [
        { line: 2, file: 'src/a.rs', file_line: 7, message: '    // TODO' },
        { line: 3, file: 'src/a.rs', file_line: 12, column: 3, message: 'x: y\n1-before' },
        { line: 7, file: 'My docs/b.md', file_line: 2, message: 'hit\n3-after\n--' },
        { line: 10, file: 'My docs/b.md', file_line: 9, message: 'b' },
      ],
    ],
  ])('%s', (_, lines, records) => {
    const { format, value } = read(lines.join('\n'))
    expect(format).toBe('entries')
    expect(value.slice(0, records.length)).toEqual(records)
  })

  test.each([
    '10:30:00 a\n11:30:00 b\n12:30:00 c',
    'Note: a\nWarning: b\nprose, and more',
    'https://a.b:80: x\nb\nc',
    'Plan of day 1/5\n10:20 Up\n11:30 Out\n11:10 Back\n',
    '| Ann | 5 |\n| Bob | 6 |\n| Cy | 7 |\n| Di | 8 |\n',
  ])('other colons are none: %j', (text) => {
    expect(read(text).format).not.toBe('entries')
  })
})

test('works in BibTeX, with their people, the letters of TeX and the strings they share', () => {
  const text = [
    '% by hand',
    '@string{jb = "J. Bio. "}',
    '@Article{mü24,',
    '  title = {On the {DNA} of \\& {\\"O}l},',
    '  author = {Ann {O\'Hara} and M{\\"u}ller, B. and Fran\\c{c}ois {\\L}ukasz},',
    '  journal = jb # {Two}, type = {long}, year = 2024, pages = "1--3"',
    '}',
    '@comment{ not, this = {one} }',
    '@misc{b, note = {left open',
    '@misc{c, note = {whole}}',
  ].join('\n')
  expect(read(text).value).toEqual([
    {
      line: 3,
      type: 'article',
      key: 'mü24',
      title: 'On the DNA of & Öl',
      author: ["Ann O'Hara", 'Müller, B.', 'François Łukasz'],
      journal: 'J. Bio. Two',
      '@type': 'long',
      year: 2024,
      pages: '1--3',
    },
    { line: 9, type: 'misc', key: 'b' },
    { line: 10, type: 'misc', key: 'c', note: 'whole' },
  ])
})

test('entries of LDIF: a key that comes again has several values, and lines behind a comment are of none', () => {
  const entry = (n: number) =>
    `dn: uid=u${n},dc=io\nobjectClass: top\nobjectClass: person\nuid: u${n}\nnote:: QQ==\nnumber: ${n}\n\n`
  const text = `# LDAPv3\n\n${[1, 2, 3].map(entry).join('')}# search result\nsearch: 2\nresult: 0 Success\n`
  const { asides } = fromRecognised(text)
  expect(read(text).value).toMatchObject([
    { dn: 'uid=u1,dc=io', objectClass: ['top', 'person'], uid: 'u1', note: 'QQ==', number: 1 },
    { uid: 'u2', number: 2 },
    { uid: 'u3', number: 3 },
  ])
  expect(asides.join('\n')).toContain('result: 0 Success')
})

test('several drawn trees, each with its root in the paths below it', () => {
  const tree = (root: string) => `${root}\n+--- a:1\n|    \\--- b:2 (*)\n\\--- c:3\n\n`
  const paths = (text: string) => read(text).value.map(({ path }: JsonObject) => path)
  expect(paths(tree('compile') + tree('runtime'))).toEqual([
    'compile',
    'compile/a:1',
    'compile/a:1/b:2 (*)',
    'compile/c:3',
    'runtime',
    'runtime/a:1',
    'runtime/a:1/b:2 (*)',
    'runtime/c:3',
  ])
  expect(paths(`${tree('compile').trim()}\n\\--- d:4\n\\--- e:5\n`)[1]).toBe('a:1')
})

describe('items with fields below them', () => {
  const goals = (places: readonly string[]): string =>
    places
      .map((place, n) => `• Goal: up-${n}\n  State: met\n  Place:\n    ${place.replaceAll('\n', '\n    ')}\n`)
      .join('\n')

  test('labelled lines below a label are an object', () => {
    const text = `Goals (3 in all):\n\n${goals(['Zone: a\nFloor: 1', 'Zone: b\nFloor: 2', 'Zone: c\nFloor: 3'])}`
    expect(fromRecognised(text).records()?.values).toEqual(
      ['a', 'b', 'c'].map((Zone, n) => ({
        line: 3 + n * 6,
        Goal: `up-${n}`,
        State: 'met',
        Place: { Zone, Floor: n + 1 },
      })),
    )
  })

  test('labelled lines of one record alone stay a text', () => {
    const text = goals(['Zone: a\nFloor: 1', 'Zone: b\nsee the map', 'Zone: c\nFloor: 3'])
    expect(fromRecognised(text).records()?.values[0]).toMatchObject({ Place: 'Zone: a\nFloor: 1' })
  })

  test('have a title, a link, lists and text, and the heading above them where there are several', () => {
    const text = [
      '**Open (2)**',
      '',
      '1. [**Fix** it](https://x.org/1)',
      '   - Status: `open`',
      '   - Labels:',
      '     - bug',
      '     - 12',
      '   - Note: one',
      '     and more',
      '',
      '   A paragraph: of its own',
      '2. Plain',
      '   - Status: open',
      '',
      'Closed (1):',
      '',
      '3. Last',
      '   - Status: done | Votes: 1,200',
      '',
    ].join('\n')
    expect(read(text).value).toEqual([
      {
        line: 3,
        heading: 'Open (2)',
        number: 1,
        title: 'Fix it',
        href: 'https://x.org/1',
        Status: 'open',
        Labels: ['bug', 12],
        Note: 'one\nand more',
        text: 'A paragraph: of its own',
      },
      { line: 12, heading: 'Open (2)', number: 2, title: 'Plain', Status: 'open' },
      { line: 17, heading: 'Closed (1)', number: 3, title: 'Last', Status: 'done', Votes: '1,200' },
    ])
  })

  test('stand among lines that say how many there are, which a preview tells', () => {
    const items = [1, 2, 3].map((nth) => `${nth}. A\n   Stars: ${nth}\n   Note: ${nth}\n\n`).join('')
    const text = `Found 3 repositories:\n\n${items}Showing 3 of 1,234.\n`
    expect(fromRecognised(text).asides).toEqual([
      'text beside it: Found 3 repositories',
      'text beside it: Showing 3 of 1,234.',
    ])
  })

  test('may have their number in bold, an identifier behind their title, or a sign in place of a number', () => {
    const item = (nth: number) => `**${nth}. A ${nth}** (ID: T-${nth})\n   - State: open\n   - Note: x\n\n`
    expect(read([1, 2, 3].map(item).join('')).value).toMatchObject([
      { number: 1, title: 'A 1', ID: 'T-1', State: 'open' },
      { number: 2, title: 'A 2', ID: 'T-2' },
      { number: 3, title: 'A 3', ID: 'T-3' },
    ])
    const pinned = (nth: number) => `📌 B ${nth}\n   • State: open\n   📅 Due: May\n`
    expect(read([1, 2, 3].map(pinned).join('')).value).toMatchObject([
      { title: 'B 1', State: 'open', Due: 'May' },
      { title: 'B 2' },
      { title: 'B 3' },
    ])
  })

  test('fields may stand behind a title, with commas in their values', () => {
    const tasks = [
      '- [ ] Scope: a plan (gid: 11) — Assignee: Ann, Due: none, Section: QA, final',
      '- [x] Role — Assignee: Bob, Due: 2025-03-04, Section: Backlog',
      '- [ ] Note (v2) — Assignee: Bob, Due: none',
    ]
    expect(read(tasks.join('\n')).value).toEqual([
      {
        line: 1,
        done: false,
        title: 'Scope: a plan',
        gid: 11,
        Assignee: 'Ann',
        Due: 'none',
        Section: 'QA, final',
      },
      { line: 2, done: true, title: 'Role', Assignee: 'Bob', Due: '2025-03-04', Section: 'Backlog' },
      { line: 3, done: false, title: 'Note (v2)', Assignee: 'Bob', Due: 'none' },
    ])
    const bracketed = ['A (id: 1, state: open)', 'B: c (id: 2, state: done)', 'D (v2) (id: 3, state: open)']
    expect(read(bracketed.map((said) => `- [ ] ${said}\n`).join('')).value).toMatchObject([
      { title: 'A', id: 1, state: 'open' },
      { title: 'B: c', id: 2, state: 'done' },
      { title: 'D (v2)', id: 3, state: 'open' },
    ])
    const alone = ['A - note: one', 'B - cause: two', 'C', 'D - see: three'].map(
      (said, nth) => `- ${said}\n  State: s${nth}\n`,
    )
    expect(read(alone.join('')).value[0]).toEqual({ line: 1, title: 'A - note: one', State: 's0' })
  })

  test('pairs may stand beside each other, and a key may be a link', () => {
    const fields = Array.from(
      { length: 6 },
      (_, n) =>
        `- Field${n}\n  Type: string, Length: ${n}, Note: one: two\n  **[Help](https://x.io/${n}):** see, Note ${n}: x`,
    )
    const { format, value } = read(fields.join('\n'))
    expect(format).toBe('entries')
    expect(value[5]).toEqual({
      line: 16,
      title: 'Field5',
      Type: 'string',
      Length: 5,
      Note: 'one: two',
      Help: 'see, Note 5: x',
    })
  })

  test('what follows a comma is no field where the item has it elsewhere, or in a sentence', () => {
    const pulls = Array.from(
      { length: 6 },
      (_, n) =>
        `- PR ${n}\n  Checks: passed, Status: success\n  Status: ${n % 2 ? 'open' : 'merged'}\n  Summary: Crash ${n} on save, Note: see docs`,
    )
    expect(read(pulls.join('\n')).value[1]).toMatchObject({
      Checks: 'passed, Status: success',
      Status: 'open',
      Summary: 'Crash 1 on save, Note: see docs',
    })
  })

  test('a value may go on at the margin, where the fields around it are set in', () => {
    const tasks = Array.from({ length: 6 }, (_, n) => {
      const description = n % 2 ? 'one\nsee: https://x.io\nand two\n' : 'one\n'
      return `- Task ${n}\n  Description: ${description}  Due: 2025-10-1${n}\n`
    })
    const { format, value } = read(`${tasks.join('\n')}Total: 6 tasks\n`)
    expect(format).toBe('entries')
    expect(value).toHaveLength(6)
    expect(value[1]).toEqual({
      line: 5,
      title: 'Task 1',
      Description: 'one\nsee: https://x.io\nand two',
      Due: '2025-10-11',
    })
    expect(value[5]).toMatchObject({ Due: '2025-10-15', text: 'Total: 6 tasks' })
  })

  test('with a tail keep the fields below them, and a title that has a colon itself', () => {
    const tailed = (below: string) =>
      read(
        [1, 2, 3, 4]
          .map((n) => `${n}. Task ${n} — status: open, prio: ${n}\n   ${below}\n   Due: x${n}`)
          .join('\n'),
      )
    expect(tailed('Owner: ann').value[0]).toMatchObject({
      title: 'Task 1',
      status: 'open',
      prio: 1,
      Owner: 'ann',
      Due: 'x1',
    })
    expect(tailed('- **Owner:** ann').value[0]).toMatchObject({ status: 'open', prio: 1, Owner: 'ann' })
    const bold = [1, 2, 3, 4].map((n) => `- **Fix: login ${n}** (status: open, owner: Ann)\n  Note: n${n}`)
    expect(JSON.stringify(read(bold.join('\n')).value[0])).toContain('login 1')
  })

  test('begin with a pictogram and have their identifier in brackets behind a short title, too', () => {
    const item = (title: string, id: number) => `🏃 ${title} (ID: ${id})\n   Type: Run | Time: 44:0${id}\n`
    const { value } = read(
      `Recent activities (3):\n\n${['Lap', 'Hills', 'Long way home by the river'].map(item).join('\n')}`,
    )
    expect(value.map(({ title, ID }) => [title, ID])).toEqual([
      ['Lap', 0],
      ['Hills', 1],
      ['Long way home by the river', 2],
    ])
  })

  test('with a colon in a title are none of the item before', () => {
    const pinned = (title: string) => `📌 ${title}\n   • State: open\n---\n`
    expect(read(['A', 'B', 'Fix: C', 'D'].map(pinned).join('')).value).toMatchObject([
      { title: 'A' },
      { title: 'B' },
      { title: 'Fix: C', State: 'open' },
      { title: 'D' },
    ])
  })

  test('are none in what people wrote under their names', () => {
    const said = (name: string) => `**${name}** (online)\n> one\n_10:11_ · 3 replies\n---\n`
    const text = ['Ann', 'Bo', 'Ann', 'Cy', 'Bo', 'Ann', 'Cy', 'Bo'].map(said).join('')
    expect(fromRecognised(text).format).toBe('text')
  })

  test('begin with a field in place of a title where all of them do', () => {
    const text = '- Name: A\n  When: 10:00 - 11:00\n- Name: B\n  When: now\n- Name: C\n  When: never\n'
    expect(read(text).value).toEqual([
      { line: 1, Name: 'A', When: '10:00 - 11:00' },
      { line: 3, Name: 'B', When: 'now' },
      { line: 5, Name: 'C', When: 'never' },
    ])
  })
})

describe('values as programs in JavaScript print them', () => {
  test('of Node: classes, dates, what is not printed, long texts in pieces', () => {
    const text =
      "[\n  User {\n    id: 1, 'a-b': null, note: 'It\\'s ' +\n      'long', at: 2024-05-06T07:08:09.000Z,\n    big: 5n, none: undefined, run: [Function: run], in: Map(1) { 'k' => [ 1, ], }\n  },\n  { id: -2.5, rest: [Object] }\n]\n"
    expect(read(text)).toEqual({
      format: 'json',
      value: [
        {
          id: 1,
          'a-b': null,
          note: "It's long",
          at: '2024-05-06T07:08:09.000Z',
          big: '5',
          none: null,
          run: '[Function: run]',
          in: { k: [1] },
        },
        { id: -2.5, rest: '[Object]' },
      ],
    })
  })

  test('of a long list the first items, and how many more there are', () => {
    const document = fromRecognised('[\n  { id: 1 },\n  { id: 2 },\n  ... 98 more items\n]\n')
    expect(document.json()).toEqual([{ id: 1 }, { id: 2 }])
    expect(document.asides).toEqual(['not printed by the program: 98 more items'])
  })

  test('of the shell of MongoDB: documents one below the other', () => {
    const text =
      '{ "_id": ObjectId("65a"), "n": NumberLong(5), at: ISODate("2024-05-06T00:00:00Z") }\n{ "_id": ObjectId("65b"), "n": NumberLong("9007199254740993") }\n'
    expect(read(text).value).toEqual([
      { _id: '65a', n: 5, at: '2024-05-06T00:00:00Z' },
      { _id: '65b', n: '9007199254740993' },
    ])
  })

  test.each([
    '{ a: string; b: number }',
    '{ user { name } }',
    "{ a: require('x') }",
    '{ a: 1, // no\n b: 2 }',
    '{ a: 1 ',
  ])('a program is none: %j', (text) => {
    expect(read(text).format).not.toBe('json')
  })
})

test('a name and a colon above fields, at the margin or set in, is the heading of a record', () => {
  const day = (name: string, degrees: number) => `${name}:\nTemperature: ${degrees}°F\nWind: 5 mph\n---\n`
  const weather = read(`Forecast:\n\n${day('Monday', 70)}${day('Monday Night', 50)}${day('Tuesday', 71)}`)
  expect(weather.value).toEqual([
    { line: 3, heading: 'Monday', Temperature: '70°F', Wind: '5 mph' },
    { line: 7, heading: 'Monday Night', Temperature: '50°F', Wind: '5 mph' },
    { line: 11, heading: 'Tuesday', Temperature: '71°F', Wind: '5 mph' },
  ])
  const two = `Found 2 of 90 days:\n\n${[1, 2, 3].map((nth) => `Day: ${nth}\nWind: ${nth}\n\n`).join('')}`
  expect(fromRecognised(two).asides).toEqual(['text beside it: Found 2 of 90 days:'])
  const row = (nth: number) => `Row ${nth}:\n  id: ${nth}\n  name: n${nth}\n`
  expect(read(`Query returned 3 rows.\n\n${row(1)}${row(2)}${row(3)}`).value).toEqual([
    { line: 3, heading: 'Row 1', id: 1, name: 'n1' },
    { line: 6, heading: 'Row 2', id: 2, name: 'n2' },
    { line: 9, heading: 'Row 3', id: 3, name: 'n3' },
  ])
})

test('each field may be an item of a list', () => {
  const part = (name: string, price: number) => `- **Name**: ${name}\n- **Price**: ${price}\n\n`
  expect(read(part('foo', 5) + part('bar', 7) + part('baz', 9)).value).toEqual([
    { line: 1, Name: 'foo', Price: 5 },
    { line: 4, Name: 'bar', Price: 7 },
    { line: 7, Name: 'baz', Price: 9 },
  ])
})

test('signs behind the words of a task are its days, its priority and how it comes again', () => {
  const text = `- [ ] Write "it" #home ⏫ 📅 2025-11-03\n- [x] Check #1 🔽 🔁 every week ⏳ 2025-10-01 ✅ 2025-10-09 #a/b\n- [ ] Say ✅ to all 2025-01-01\n`
  expect(read(text).value).toEqual([
    {
      line: 1,
      done: false,
      title: 'Write "it" #home ⏫ 📅 2025-11-03',
      due: '2025-11-03',
      priority: 'high',
      tags: ['home'],
    },
    {
      line: 2,
      done: true,
      title: 'Check #1 🔽 🔁 every week ⏳ 2025-10-01 ✅ 2025-10-09 #a/b',
      scheduled: '2025-10-01',
      completed: '2025-10-09',
      priority: 'low',
      recurrence: 'every week',
      tags: ['a/b'],
    },
    { line: 3, done: false, title: 'Say ✅ to all 2025-01-01' },
  ])
})

test('signs part the fields of a line, and a title above the items tells how many there are', () => {
  const cards = [0, 1, 2, 3].map(
    (nth) =>
      `${nth % 2 ? '✅' : '⬜'} **Task ${nth}** \`T-${nth}\`\n   📅 Due: 2025-11-0${nth + 1}  👤 ana b  🏷️ x\n`,
  )
  expect(read(`📋 **Tasks** (4)\n\n${cards.join('\n')}`).value).toEqual(
    [0, 1, 2, 3].map((nth) => ({
      line: 3 + nth * 3,
      sign: nth % 2 ? '✅' : '⬜',
      title: `Task ${nth} \`T-${nth}\``,
      Due: `2025-11-0${nth + 1}`,
      '👤': 'ana b',
      '🏷️': 'x',
    })),
  )
  const plain = cards.map((card) => card.replace(/[⬜✅]/gu, '-').replace(/ {2}👤.*/u, ''))
  expect(read(`- Tasks (4)\n\n${plain.join('\n')}`).value).toHaveLength(4)
  expect(read(`- Tasks (7)\n\n${plain.join('\n')}`).value).toHaveLength(5)
})

test('tasks are done or not', () => {
  const text = '- [x] Write [it](https://x.org)\n- [ ] Check it #home\n- [ ] Send it\n  with a letter\n'
  expect(read(text).value).toEqual([
    { line: 1, done: true, title: 'Write it', href: 'https://x.org' },
    { line: 2, done: false, title: 'Check it #home', tags: ['home'] },
    { line: 3, done: false, title: 'Send it', text: 'with a letter' },
  ])
})

test.each([
  '[00:00] Hello\n[00:07.5] and on\ngoing on\n[1:02:03] Bye\n',
  '0:00\nHello\n0:07\nand on\ngoing on\n1:02:03\nBye\n',
])('a transcript is a record for each time: %j', (text) => {
  const { format, value } = read(text)
  expect(format).toBe('entries')
  expect(value).toMatchObject([
    { line: 1, start: '00:00:00', seconds: 0, text: 'Hello' },
    { start: expect.stringMatching(/^00:00:07/), text: 'and on going on' },
    { start: '01:02:03', seconds: 3723, text: 'Bye' },
  ])
})

test.each([
  '[00:00.000 --> 00:07.500]  Hello\n[00:07.500 --> 00:09.000]  and on\ngoing on\n[01:02:03.000 --> 01:02:04.000]  Bye\n',
  '[0.00s -> 7.50s] Hello\n[7.50s -> 9.00s] and on\ngoing on\n[3723.00s -> 3724.00s] Bye\n',
  '(0:00 - 0:07) Hello\n(0:07 – 0:09) and on\ngoing on\n(1:02:03 – 1:02:04) Bye\n',
])('a transcript of spans has their ends: %j', (text) => {
  expect(read(text).value).toMatchObject([
    {
      line: 1,
      start: expect.stringMatching(/^00:00:00/),
      end: expect.stringMatching(/^00:00:07/),
      text: 'Hello',
    },
    { start: expect.stringMatching(/^00:00:07/), text: 'and on going on' },
    { end: expect.stringMatching(/^01:02:04/), seconds: 3723, text: 'Bye' },
  ])
})

test('a transcript that says who speaks has a field for it', () => {
  const said = ['Speaker 1: Hi', 'Speaker 2: Note: no', 'Speaker 1: Bye', 'Speaker 2: Bye']
  const text = (lines: readonly string[]) => lines.map((line, at) => `[00:0${at}] ${line}`).join('\n')
  expect(read(text(said)).value[1]).toEqual({
    line: 2,
    start: '00:00:01',
    seconds: 1,
    speaker: 'Speaker 2',
    text: 'Note: no',
  })
  expect(read(text(['Note: a', 'Aside: b', 'Remark: c'])).value[0]).toMatchObject({ text: 'Note: a' })
})

test.each(['[10:00:01] a\n[10:00:02] b\n[10:00:03] c\n', '(1:30) a\n(1:10) b\n(1:20) c\n'])(
  'other times are none: %j',
  (text) => {
    expect(JSON.stringify(read(text).value ?? null)).not.toContain('seconds')
  },
)

test('works with tags, and a tag that stands again is a list', () => {
  const text =
    'PMID- 1\nTI  - A long\n      title.\nAU  - Lee A\nAU  - Roe B\n\nPMID- 2\nTI  - Short\nAU  - Poe C\nDP  - 2024\n'
  expect(read(text).value).toEqual([
    { line: 1, PMID: 1, TI: 'A long title.', AU: ['Lee A', 'Roe B'] },
    { line: 7, PMID: 2, TI: 'Short', AU: ['Poe C'], DP: 2024 },
  ])
})

test('what media programs tell is a record for each part, and no table', () => {
  const part = (name: string, id: number) =>
    `${name}\nID        : ${id}\nFormat    : AVC\nDuration  : 9 s\nBit rate  : 5 kb/s\n\n`
  const { format, value } = read(part('General', 0) + part('Video #1', 1) + part('Audio #1', 2))
  expect(format).toBe('entries')
  expect(value.slice(1, 2)).toMatchObject([
    { heading: 'Video #1', ID: 1, Format: 'AVC', 'Bit rate': '5 kb/s' },
  ])
})

test('numbers that no blank column parts are told apart by the words above them', () => {
  const row = (us: string, id: string) => ` 1  0 120000  10 20  100  200 ${us}  1 ${id}  0  0`
  const head = ' r  b   free  bi bo   in   cs us sy id wa st'
  const { value } = read(
    [head, row('12', ' 9'), row(' 3', '88'), row('99', '  0'), row(' 0', '100')].join('\n'),
  )
  expect(value.slice(0, 2)).toMatchObject([
    { in: 100, cs: 200, us: 12, sy: 1, id: 9, wa: 0, st: 0 },
    { us: 3, id: 88 },
  ])
})

test('the sections of what Redis tells of itself', () => {
  const text =
    '# Server\r\nredis_version:7.0\r\nos:Linux a b\r\n\r\n# Memory\r\nused_memory:966568\r\nused_memory_human:943.91K\r\nlua:0\r\nrss:1\r\n'
  const { format, value } = read(text)
  expect(format).toBe('entries')
  expect(value.slice(1, 3)).toEqual([
    { line: 3, section: 'Server', key: 'os', value: 'Linux a b' },
    { line: 6, section: 'Memory', key: 'used_memory', value: 966568 },
  ])
})

describe('records that begin with the same key', () => {
  test('with text that goes on, and keys that some of them lack', () => {
    const text = [
      'Found 3 results:',
      '',
      'Title: One',
      'URL: https://a.b/1',
      'Description: First line',
      'Note: within it',
      '',
      'Title: Two',
      'URL: https://a.b/2',
      '---',
      'Title: Three',
      'URL: https://a.b/3',
      'Description: 42',
    ].join('\n')
    expect(read(text)).toEqual({
      format: 'entries',
      value: [
        { line: 3, Title: 'One', URL: 'https://a.b/1', Description: 'First line\nNote: within it' },
        { line: 8, Title: 'Two', URL: 'https://a.b/2' },
        { line: 11, Title: 'Three', URL: 'https://a.b/3', Description: 42 },
      ],
    })
  })

  test('with every key of every record where nothing else stands at the margin', () => {
    const packages = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'].map(
      (name) =>
        `Package: ${name}\nArchitecture: amd64\n${name === 'c' ? 'Provides: x\n' : ''}Description: short\n and long: ${name}\n`,
    )
    const { value } = read(packages.join('\n'))
    expect(value.map(({ Architecture }) => Architecture)).toEqual(Array(12).fill('amd64'))
    expect(value[2]).toMatchObject({ Provides: 'x', Description: 'short\n and long: c' })
  })

  test('with the line that heads each of them', () => {
    const mapping = (at: string, size: number) => `${at} r-xp /usr/lib/${at}.so\nSize: ${size} kB\nRss: 4 kB`
    expect(read([mapping('7f01', 8), mapping('7f02', 12), mapping('7f03', 16)].join('\n')).value).toEqual([
      { line: 1, heading: '7f01 r-xp /usr/lib/7f01.so', Size: '8 kB', Rss: '4 kB' },
      { line: 4, heading: '7f02 r-xp /usr/lib/7f02.so', Size: '12 kB', Rss: '4 kB' },
      { line: 7, heading: '7f03 r-xp /usr/lib/7f03.so', Size: '16 kB', Rss: '4 kB' },
    ])
  })

  test.each([
    'Return-Path: a\nFrom: b\nTo: c\n\nHello Bob,\n\nNote: see below.\n',
    'Dear all: hello\nprose\nprose\n',
    'Soup\n\nsalt: a pinch\nMethod: boil\n\nSoup\nsalt: a pinch\nMethod: boil\n\nSoup\nsalt: much\nMethod: boil\n',
    'def f(a):\n  x: int = 1\n\ndef g(b):\n  y: int = 2\n\ndef h(c):\n  return 1\n',
  ])('are not seen where none does: %j', (text) => {
    expect(read(text).format).toBe(text.startsWith('def ') ? 'code' : 'text')
  })

  test('without an empty line between them, where the same keys follow the first one each time', () => {
    const packages = ['make', 'bash', 'curl', 'tree'].map(
      (name, n) =>
        `Name        : ${name}\n${n > 1 ? 'Epoch       : 1\n' : ''}Version     : 4.2\nRelease     : ${n}.el7\nInstall Date: Wed 16 Oct 2019 09:21:4${n} AM PDT\nDescription :\nA tool.\n\nNote that it is old.`,
    )
    const { value } = read(packages.join('\n'))
    expect(value.map(({ Name, line }) => [Name, line])).toEqual([
      ['make', 1],
      ['bash', 9],
      ['curl', 17],
      ['tree', 26],
    ])
    expect(value[2]).toMatchObject({
      Epoch: 1,
      Release: '2.el7',
      Description: 'A tool.\n\nNote that it is old.',
    })
    const talk = Array.from(
      { length: 9 },
      (_, n) => `${n % 2 ? 'Bob' : 'Ann'}: ${n} and so on\n${n % 4 ? '' : '\n'}`,
    )
    expect(read(talk.join('')).format).toBe('text')
  })

  test('with several fields in a line, where most records have them there', () => {
    const ticket = (nth: number, beside: string) =>
      `Ticket #${nth}\nSubject: a | B: ${nth}\nStatus: open${beside}\nRequester: Ann | Group: G${nth}\n`
    const text = [
      ticket(1, ' | Priority: 4 | Type: problem'),
      ticket(2, ' | Priority: 5'),
      ticket(3, ' | Priority: 6 | Type: problem | x'),
      ticket(4, ''),
      ticket(5, ' | Priority: 7 | Type: task'),
    ].join('\n')
    const { value } = read(text)
    expect(value[0]).toEqual({
      line: 1,
      heading: 'Ticket #1',
      Subject: 'a',
      B: 1,
      Status: 'open',
      Priority: 4,
      Type: 'problem',
      Requester: 'Ann',
      Group: 'G1',
    })
    expect(value[1]).toMatchObject({ Status: 'open', Priority: 5 })
    expect(value[2]).toMatchObject({ Status: 'open | Priority: 6 | Type: problem | x' })
    expect(value[3]).toMatchObject({ Status: 'open', Group: 'G4' })
    const notes = ['a | b: 1', 'c', 'd | e: 2', 'f | g: 3'].map((note) => `Name: x\nNote: ${note}\n`)
    expect(read(notes.join('\n')).value[0]).toMatchObject({ Note: 'a | b: 1' })
  })

  test.each([
    'Style: color: red; width: 3px',
    'Query: fetch logs | filter level: error | limit: 5',
    'Body: Hello.  Note: this  Hint: that',
    'Header: text/html; charset: utf-8',
  ])('what a value says behind a mark is no field: %s', (line) => {
    const [key = '', value] = line.split(/: (.*)/)
    const text = [1, 2, 3, 4].map((n) => `Ticket: ${n}\n${line}\nOwner: o${n}\n`).join('\n')
    expect(read(text).value[0]).toMatchObject({ Ticket: 1, [key]: value, Owner: 'o1' })
  })

  test('between rules, where values say the first key again and again', () => {
    const note = (nth: number) =>
      `Title: T${nth}\nAuthor: A${nth}\nText: hello\nTitle: quoted\nwords\nTitle: more\nwords\nSize: ${nth}\n`
    const { value } = read([1, 2, 3, 4].map(note).join('---\n'))
    expect(value.map(({ Size }) => Size)).toEqual([1, 2, 3, 4])
  })

  test.each([
    ['set in', '  '],
    ['at the margin', ''],
  ])('below a word, a number and a title, %s', (_, indent) => {
    const flight = (nth: number) =>
      `Option ${nth}: KLM ${nth}\n${indent}Price: €${nth}\n${indent}Stops: ${nth}\n`
    expect(read(`Found 3 flights:\n\n${[1, 2, 3].map(flight).join('\n')}`).value).toEqual([
      { line: 3, number: 1, title: 'KLM 1', Price: '€1', Stops: 1 },
      { line: 7, number: 2, title: 'KLM 2', Price: '€2', Stops: 2 },
      { line: 11, number: 3, title: 'KLM 3', Price: '€3', Stops: 3 },
    ])
    const named = (nth: number) => `Result ${nth} - T\n${indent}number: ${nth}\n${indent}score: ${nth}\n`
    expect(read([1, 2, 3].map(named).join('\n')).value[1]).toMatchObject({
      heading: 'Result 2 - T',
      number: 2,
    })
  })

  test('with a list below a key that tells how many entries it has', () => {
    const talk = (nth: number, said: readonly string[]) =>
      `Id: ${nth}\nState: open\n\nMessages (${said.length}):\n${said.map((line) => `  ${line}\n`).join('')}`
    const text = [
      talk(1, ['[09:03] Ann: hi', '[09:04] Bob: yes']),
      talk(2, []),
      talk(3, ['[09:05] Ann: a\n    b', '[09:06] Bob: c', '[09:07] Ann: d']),
    ].join('\n')
    expect(read(text).value.map(({ Messages }) => Messages)).toEqual([
      ['[09:03] Ann: hi', '[09:04] Bob: yes'],
      [],
      ['[09:05] Ann: a\nb', '[09:06] Bob: c', '[09:07] Ann: d'],
    ])
    const node = (nth: number) =>
      `Name:  n${nth}\nRole:  <none>\nPods:  (2 in total)\n  Name  CPU Requests\n  ----  ------------\n  a${nth}    1 (1%)\n  b     0 (0%)\n`
    expect(read([1, 2, 3].map(node).join('\n\n')).value[2]?.Pods).toEqual([
      { Name: 'a3', 'CPU Requests': '1 (1%)' },
      { Name: 'b', 'CPU Requests': '0 (0%)' },
    ])
  })

  test('below headings that they are set in under', () => {
    const handle = (n: number, size: string) =>
      `Handle 0x00${n}, DMI type 17\nMemory Device\n\tSize: ${size}\n\tFlags:\n\t\tECC\n\t\tDDR4\n\tSpeed: Unknown\n`
    const { value } = read(
      `# dmidecode 3.2\n\n${[handle(11, '4096 MB'), handle(12, 'none'), handle(13, '8 GB')].join('\n')}`,
    )
    expect(value).toHaveLength(3)
    expect(value[0]).toEqual({
      line: 3,
      heading: 'Memory Device',
      above: 'Handle 0x0011, DMI type 17',
      Size: '4096 MB',
      Flags: 'ECC\nDDR4',
      Speed: 'Unknown',
    })
    const bss = (n: number) => `BSS ac:22:05:db:4d:5${n}(on wlan0)\n    freq: 24${n}2\n    SSID: net ${n}\n`
    expect(read([1, 2, 3].map(bss).join('')).value[1]).toEqual({
      line: 4,
      heading: 'BSS ac:22:05:db:4d:52(on wlan0)',
      freq: 2422,
      SSID: 'net 2',
    })
  })

  test('lose no line', () => {
    const words = fc.stringMatching(/^[a-z ]{0,12}$/)
    const record = fc.record({ name: words, city: words, more: fc.array(words, { maxLength: 3 }) })
    const saidBy = (lines: readonly string[]): string =>
      lines
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join('\n')
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 3, maxLength: 14 }),
        fc.constantFrom('', '---\n', '=\n', '<<<NEXT ONE>>>\n'),
        (people, separator) => {
          const text = people.map(({ name, city, more }) =>
            [`Name: x${name}`, `City: y${city}`, ...more, ''].join('\n'),
          )
          const content = fromRecognised(text.join(`\n${separator}`))
          if (content.format !== 'entries') return
          const value = content.json() as JsonObject[]
          expect(value).toHaveLength(people.length)
          // Lines behind the last record may be of all.
          const behind = content.asides.map((line) => line.replace('text beside it: ', ''))
          people.forEach(({ name, city, more }, at) => {
            expect(value[at]).toMatchObject({ Name: `x${name}` })
            const said = String(value[at]?.City).split('\n')
            expect(saidBy(at === people.length - 1 ? [...said, ...behind] : said)).toBe(
              saidBy([`y${city}`, ...more]),
            )
          })
        },
      ),
    )
  })
})

const numbers = (count: number): number[] => Array.from({ length: count }, (_, nth) => nth + 1)
const asidesOf = (text: string): string[] =>
  fromRecognised(text).asides.map((line) => line.replace('text beside it: ', ''))

describe('records between separators', () => {
  test('may have lines of another separator in them, as the rows of a table', () => {
    const rule = '-'.repeat(30)
    const invoice = (nth: number): string =>
      `Bill to: Firm ${nth % 3}\nDate: 2025-01-0${nth}\n\nText     Qty     Amount\n${rule}\nWork       2       ${nth}.00\n${rule}\nTotal due: EUR ${nth}.00\n`
    const { format, value } = read(
      numbers(6)
        .map(invoice)
        .join(`\n${'='.repeat(30)}\n\n`),
    )
    expect(format).toBe('entries')
    expect(value).toHaveLength(6)
    expect((value as JsonObject[]).map((one) => [one['Bill to'], one['Total due']])).toEqual(
      numbers(6).map((nth) => [`Firm ${nth % 3}`, `EUR ${nth}.00`]),
    )
  })

  test.each(['---', '=', '<<<SEPARATOR>>>'])('stand between %s, with fields that some lack', (separator) => {
    const run = (nth: number): string =>
      `${nth % 2 ? '' : `File: f${nth}\n`}Class: c${nth}\nResult: failure\nMessage: no\n\n  expected: ${nth}\nTitle: z\n`
    const { format, value } = read(`\n${separator}\n${numbers(6).map(run).join(`\n${separator}\n`)}`)
    expect(format).toBe('entries')
    expect(value).toHaveLength(6)
    expect(value.slice(0, 2)).toMatchObject([
      { line: 3, Class: 'c1', Result: 'failure' },
      { File: 'f2', Class: 'c2', Result: 'failure' },
    ])
    expect(JSON.stringify(value[1])).toContain('expected: 2')
  })

  test('may have their keys set in or marked, beside each other, and code below them', () => {
    const issue = (nth: number): string =>
      `>> Issue: [B${nth}:x] Bad ${nth}\n   Severity: ${nth % 2 ? 'High' : 'Low'}   Confidence: Medium\n   Location: ./app/db.py:${nth}:8\n652\t    x\n653\t    a = b\n654\t    c = d\n\n`
    const text = `[main]\tINFO\trunning\nRun started: 2025\n\nTest results:\n${numbers(6)
      .map(issue)
      .join(`${'-'.repeat(50)}\n`)}${'-'.repeat(50)}\n\nCode scanned:\n\tTotal lines of code: 18000\n`
    const { format, value } = read(text)
    expect(format).toBe('entries')
    expect(value).toHaveLength(6)
    expect(value[0]).toMatchObject({ line: 5, Issue: '[B1:x] Bad 1', Severity: 'High', Confidence: 'Medium' })
    expect(JSON.stringify(value[5])).toContain('./app/db.py:6:8')
  })

  test('below lines about all of them, and above others', () => {
    const module = (nth: number): string => `- id: a/${nth}\n- Name: n${nth}\n- Downloads: ${nth * 1000}\n`
    const text = `Modules (top matches):\n\nEach result includes:\n- id: The id (format: a/b)\n- Name: The name\n- Downloads: How many\n\nAsk for one by its id.\n\n---\n\n${numbers(12).map(module).join('---\n\n')}---\n\nAsk for more.\n`
    expect(read(text).value).toEqual(
      numbers(12).map((nth) => ({
        line: 7 + nth * 5,
        id: `a/${nth}`,
        Name: `n${nth}`,
        Downloads: nth * 1000,
      })),
    )
    expect(asidesOf(text)).toEqual([
      'Modules (top matches):',
      'Each result includes:',
      '- id: The id (format: a/b)',
      '- Name: The name',
      '- Downloads: How many',
      'Ask for one by its id.',
      'Ask for more.',
    ])
  })

  test.each<[string, string, string, JsonObject]>([
    ['a field that some lack', '', 'File: f0\nClass: c0\nResult: no\n', { File: 'f0', Class: 'c0' }],
    ['a line about all next to it', 'Found 7:\n', 'Class: c0\nResult: no\n', { Class: 'c0', Result: 'no' }],
    ['a line that the others have not', '', 'New!\nClass: c0\nResult: no\n', { Class: 'c0', Result: 'no' }],
  ])('the first one begins with %s', (_, above, first, expected) => {
    const others = numbers(6).map((nth) => `${nth % 3 ? '' : `File: f${nth}\n`}Class: c${nth}\nResult: no\n`)
    // The text is cut off within the last one.
    const { value } = read(`${above}${[first, ...others, 'Class: c7'].join('---\n')}`)
    expect(value).toHaveLength(8)
    expect(value[0]).toMatchObject(expected)
    expect(value[7]).toMatchObject({ Class: 'c7' })
  })

  test('with a title, its address and its identifier', () => {
    const named = (nth: number): string => (nth === 2 ? 'Dune: Part Two' : `Movie ${nth}`)
    const movie = (nth: number): string =>
      `${named(nth)} (2021) - ID: ${nth}\nRating: ${nth}/10\nOverview: words\n\n---\n`
    expect(read(`Found 4 movies:\n\n${numbers(4).map(movie).join('')}`).value).toEqual(
      numbers(4).map((nth) => ({
        line: nth * 5 - 2,
        heading: `${named(nth)} (2021)`,
        ID: nth,
        Rating: `${nth}/10`,
        Overview: 'words',
      })),
    )
    const page = (nth: number): string =>
      `[Page ${nth}](https://a.b/${nth})\nid: p${nth}\nobject: page\nedited: 2025-01-0${nth}\n\n---\n\n`
    expect(read(`Results\n\n${numbers(4).map(page).join('')}`).value[3]).toEqual({
      line: 24,
      heading: 'Page 4',
      href: 'https://a.b/4',
      id: 'p4',
      object: 'page',
      edited: '2025-01-04',
    })
  })

  test('a value keeps its lines, be they rules, lists or what looks like a field', () => {
    const post = (nth: number, said: string): string =>
      `Title: t${nth}\nType: text\nContent: ${said}\nStatus: open\nLink: https://a.b/${nth}\n\n---\n\n`
    const text =
      post(1, 'words') +
      post(2, 'first\nTitle: of mine\n- item: x\nand: more') +
      post(3, 'above\n---\nbelow') +
      post(4, 'it is\nStatus: see below\nand more') +
      post(5, 'words')
    expect(read(text).value).toMatchObject([
      { Title: 't1', Content: 'words', Status: 'open' },
      { Title: 't2', Content: 'first\nTitle: of mine\n- item: x\nand: more', Link: 'https://a.b/2' },
      { Title: 't3', Content: 'above\n---\nbelow', Status: 'open' },
      { Title: 't4', Content: 'it is\nStatus: see below\nand more', Status: 'open', Link: 'https://a.b/4' },
      { Title: 't5' },
    ])
    expect(read(text).value).toHaveLength(5)
  })
})

test('texts that a program in Python printed have no quotes where all of a field have them', () => {
  const text = Array.from(
    { length: 4 },
    (_, n) =>
      `Commit: '0${n}'\nMessage: ${n % 2 ? `"it's"` : String.raw`'fix: a\n\nb\\c'`}\nNote: ${n ? 'b' : "'a'"}\n`,
  ).join('\n')
  const { value } = read(text)
  expect(value[0]).toMatchObject({ Commit: '00', Message: 'fix: a\n\nb\\c', Note: "'a'" })
  expect(value[1]).toMatchObject({ Commit: '01', Message: "it's", Note: 'b' })
})

test('records may stand below lines with names and values of their own', () => {
  const day = (nth: number): string => `Date: 2025-10-${nth + 9}\nOpen: ${nth} EUR\nVolume: ${nth}\n`
  const text = `Daily series\nMarket: Euro\nRefreshed: today\n\n${numbers(5).map(day).join('\n')}`
  expect(read(text).value).toHaveLength(5)
  expect(asidesOf(text)).toEqual(['Daily series', 'Market: Euro', 'Refreshed: today'])
  const hit = (nth: number): string => `Title: t${nth}\nURL: https://a.b/${nth}\nEngines: bing\n`
  const found = `Suggestions: cache, retry\n\n---\n\n${numbers(12).map(hit).join('\n')}\nPage 1 of 3.\n`
  expect(read(found).value.at(-1)).toEqual({ line: 49, Title: 't12', URL: 'https://a.b/12', Engines: 'bing' })
  expect(asidesOf(found)).toEqual(['Suggestions: cache, retry', 'Page 1 of 3.'])
})

test('what the text names comes before the line of a record, and what only looks like a name does not', () => {
  const note = (nth: number): string =>
    `Title: t${nth}\nURL: u\nNote: ${nth === 2 ? 'a\nline: b\nand so on' : 'c'}\n`
  expect(read(numbers(12).map(note).join('\n')).value[1]).toEqual({
    line: 5,
    Title: 't2',
    URL: 'u',
    Note: 'a\nline: b\nand so on',
  })
  const change = (nth: number): string => `line: ${nth * 7}\ntext: t${nth}\nheading: h\n`
  expect(read(numbers(3).map(change).join('\n')).value[1]).toEqual({
    line_2: 5,
    line: 14,
    text: 't2',
    heading: 'h',
  })
})

test('headings may be fields, stand alone or below others', () => {
  const event = (nth: number): string =>
    `Event: Lunch ${nth},\n - Calendar: Work,\n - All Day?: False,\n - Status: ${nth},\n`
  expect(read(numbers(4).map(event).join('')).value[1]).toEqual({
    line: 5,
    Event: 'Lunch 2',
    Calendar: 'Work',
    'All Day?': 'False',
    Status: 2,
  })
  const type = (nth: number): string => `Type${nth}__c\n  Label: One of ${nth}\n\n`
  expect(read(`Found 12 objects:\n\n${numbers(12).map(type).join('')}`).value[2]).toEqual({
    line: 9,
    heading: 'Type3__c',
    Label: 'One of 3',
  })
  expect(asidesOf(`Found 12 objects:\n\n${numbers(12).map(type).join('')}Page 1 of 3\n`)).toEqual([
    'Found 12 objects:',
    'Page 1 of 3',
  ])
  const record = (nth: number): string => `  Record ${nth}:\n    Id: a${nth}\n    City: Rome\n`
  expect(
    read(`Results:\nAccount (2):\n${record(1)}${record(2)}Lead (2):\n${record(1)}${record(2)}`).value,
  ).toMatchObject([
    { heading: 'Record 1', section: 'Account (2)', Id: 'a1', City: 'Rome' },
    { heading: 'Record 2', section: 'Account (2)' },
    { heading: 'Record 1', section: 'Lead (2)' },
    { heading: 'Record 2', section: 'Lead (2)' },
  ])
})

test('metrics of Prometheus', () => {
  const text = [
    '# HELP http_requests_total Requests',
    '# TYPE http_requests_total counter',
    'http_requests_total{method="GET",path="/a,b\\"c"} 1027',
    'http_requests_total{method="POST",path="/"} 3e2 1395066363000',
    'up 1',
  ].join('\n')
  expect(read(text)).toEqual({
    format: 'table',
    value: [
      { metric: 'http_requests_total', method: 'GET', path: '/a,b"c', value: 1027 },
      { metric: 'http_requests_total', method: 'POST', path: '/', value: '3e2', timestamp: 1395066363000 },
      { metric: 'up', value: 1 },
    ],
  })
})

test('coverage, with the lines and functions of each file that did not run', () => {
  const text =
    'TN:\nSF:src/a.ts\nFN:3,f\nFN:9,12,g\nFNDA:2,f\nFNDA:0,g\nDA:1,1\nDA:2,0\nDA:3,0\nBRDA:2,0,0,-\nBRDA:2,0,1,4\nend_of_record\n'
  expect(read(text)).toEqual({
    format: 'entries',
    value: [
      {
        ...{ line: 2, file: 'src/a.ts', lines: 3, lines_hit: 1, percent: 33.3, uncovered_lines: [2, 3] },
        ...{ functions: 2, functions_hit: 1, uncovered_functions: ['g'], branches: 2, branches_hit: 1 },
      },
    ],
  })
})

test('subtitles, with times that compare', () => {
  const said = (start: string, text: string) => `${start} --> 59:00,500 align:start\n${text}\n`
  const { value } = read(
    [
      'WEBVTT',
      '',
      said('0:01.000', '<v Ann>Hi\nthere <i>you</i>'),
      said('1:00:02.000', 'b'),
      said('1:00:03.000', 'c'),
    ].join('\n'),
  )
  expect(value[0]).toEqual({
    line: 3,
    start: '00:00:01.000',
    end: '00:59:00.500',
    speaker: 'Ann',
    text: 'Hi there you',
  })
  expect(value[1]).toMatchObject({ start: '01:00:02.000' })
})

test('tests of TAP, with what stands below them', () => {
  const { value } = read(
    'TAP version 13\n1..4\nok 1 - a # SKIP no disk\nnot ok 2 - b\n  ---\n  at: x\n    y\n  ...\n    ok 1 - inner\nok\n',
  )
  expect(value).toEqual([
    { line: 3, number: 1, status: 'skip', name: 'a', reason: 'no disk' },
    { line: 4, number: 2, status: 'not ok', name: 'b', diagnostic: 'at: x\n  y' },
    { line: 9, number: 1, status: 'ok', name: 'inner', depth: 1 },
    { line: 10, status: 'ok', name: '' },
  ])
})

test('rows that databases print a column a line, of several tables', () => {
  const psql =
    '-[ RECORD 1 ]---\nid   | 7\nnote | a|b +\n     | c\n-[ RECORD 2 ]---\nid   | 8\nnote | \n(2 rows)\n'
  expect(read(psql)).toEqual({
    format: 'table',
    value: [
      { id: 7, note: 'a|b\nc' },
      { id: 8, note: '' },
    ],
  })
  const stars = '*'.repeat(27)
  const row = (number: number, text: string) => `${stars} ${number}. row ${stars}\n${text}\n`
  const mysql = `${row(1, '  id: 1\nname: NULL')}${row(2, '  id: 2\nname: a: b')}2 rows in set (0.00 sec)\n${row(1, 'other: x')}`
  expect(read(mysql).value).toEqual([{ id: 1, name: null }, { id: 2, name: 'a: b' }, { other: 'x' }])
})

test('changes of git by file', () => {
  const text =
    ' a.ts | 3 ++-\n b.ts | 400 +++--\n c.png | Bin 0 -> 9 bytes\n d.ts | 0\n e.ts | 1 +\n 5 files changed\n'
  expect(read(text).value).toEqual([
    { line: 1, file: 'a.ts', changes: 3, insertions: 2, deletions: 1 },
    { line: 2, file: 'b.ts', changes: 400 },
    { line: 3, file: 'c.png', binary: '0 -> 9 bytes' },
    { line: 4, file: 'd.ts', changes: 0, insertions: 0, deletions: 0 },
    { line: 5, file: 'e.ts', changes: 1, insertions: 1, deletions: 0 },
  ])
})

test('slow queries, with what the server says of each', () => {
  const text = [
    'mysqld, Version: 8.0. started with:',
    '# Time: 2024-05-06T07:08:09Z',
    '# User@Host: app[app] @ web-1 [10.0.0.7]  Id: 9',
    '# Query_time: 2.5  Lock_time: 0.000100 Rows_sent: 1  Rows_examined: 500',
    'SET timestamp=1714979289;',
    "SELECT count(*)\nFROM a WHERE b = '# Time: ';",
    '# User@Host: root[root] @  [10.0.0.8]',
    '# Thread_id: 7  Schema: shop  QC_hit: No',
    '# Query_time: 3',
    'UPDATE a SET b = 1;',
  ].join('\n')
  expect(read(text)).toEqual({
    format: 'entries',
    value: [
      {
        ...{ line: 2, time: '2024-05-06T07:08:09Z', user: 'app', host: 'web-1', Id: 9, Query_time: 2.5 },
        ...{ Lock_time: '0.000100', Rows_sent: 1, Rows_examined: 500 },
        query: "SELECT count(*)\nFROM a WHERE b = '# Time: ';",
      },
      {
        ...{
          line: 8,
          user: 'root',
          host: '10.0.0.8',
          Thread_id: 7,
          Schema: 'shop',
          QC_hit: 'No',
          Query_time: 3,
        },
        query: 'UPDATE a SET b = 1;',
      },
    ],
  })
})
