import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const read = (text: string) => {
  const { format, json, asides } = recognise(text)
  return { format, asides, records: json?.() as JsonObject[] | undefined }
}
const many = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n))

describe('git, a line each', () => {
  const one = [
    '85f20fe (HEAD -> main, tag: v1) Lists of files (all)',
    '7daaadc Conditions are tested once',
    '9ff9945 A server',
    '47fd6ed (in work) Diffs',
    '32ab33c Tests',
  ]

  test('commits with their subject', () => {
    expect(read(one.join('\n'))).toMatchObject({
      format: 'entries',
      records: [
        { line: 1, commit: '85f20fe', refs: 'HEAD -> main, tag: v1', message: 'Lists of files (all)' },
        { line: 2, commit: '7daaadc', message: 'Conditions are tested once' },
        {},
        { commit: '47fd6ed', message: '(in work) Diffs' },
        {},
      ],
    })
    const graph = one.map((line, n) => (n === 2 ? `| * ${line}\n|/  ` : `* ${line}`)).join('\n')
    expect(read(graph).records?.map(({ commit }) => commit)).toEqual(one.map((line) => line.slice(0, 7)))
  })

  test.each([
    ['words of letters', many(9, () => 'defaced walls of the city').join('\n')],
    ['numbers', many(9, (n) => `${1_000_000 + n * 7} people lived there`).join('\n')],
    ['commits among other lines', [...one, 'and this is said of them'].join('\n')],
  ])('no commits: %s', (_, text) => {
    expect(read(text).format).not.toBe('entries')
  })

  test('who wrote which line', () => {
    const blame = many(
      6,
      (n) => `f55e0b9${n} src/a.ts (Ann B. 2026-11-20 18:56:49 +0000 ${n + 1}) const x = ${n} // (c) 2020`,
    )
    expect(read(blame.join('\n')).records?.[5]).toEqual({
      line: 6,
      commit: 'f55e0b95',
      file: 'src/a.ts',
      author: 'Ann B.',
      date: '2026-11-20 18:56:49 +0000',
      file_line: 6,
      text: 'const x = 5 // (c) 2020',
    })
  })

  test('the sum of what a commit changes', () => {
    const commit = (n: number, sum: string) =>
      `commit ${String(n).repeat(40)}\nAuthor: A <a@x.org>\nDate:   Fri May 3 08:00:00 2024 +0200\n\n    m\n\n src/a.ts | 2 +-\n ${sum}\n`
    const text = [
      commit(1, '11 files changed, 1382 insertions(+), 1 deletion(-)'),
      commit(2, '1 file changed, 3 deletions(-)'),
      commit(3, '1 file changed, 0 insertions(+)'),
    ].join('\n')
    expect(read(text).records).toMatchObject([
      { files_changed: 11, insertions: 1382, deletions: 1 },
      { files_changed: 1, insertions: 0, deletions: 3 },
      {
        files_changed: 1,
        insertions: 0,
        deletions: 0,
        changes: 'src/a.ts | 2 +-\n 1 file changed, 0 insertions(+)',
      },
    ])
  })
})

describe('a number and a name on each line', () => {
  test('as du, wc and find print them, the total beside them', () => {
    const wc = [...many(9, (n) => `${String(n * 11).padStart(6)} src/f ${n}.ts`), '   396 total']
    expect(read(wc.join('\n'))).toMatchObject({ format: 'table', asides: ['396 total'] })
    expect(read(wc.join('\n')).records).toHaveLength(9)
    expect(read(many(9, (n) => `${n}.5K\t./d${n}`).join('\n')).records?.[3]).toEqual({
      amount: '3.5K',
      name: './d3',
    })
  })

  test.each([
    ['numbered lines', many(12, (n) => `${n + 1} step`).join('\n')],
    ['numbered code', many(12, (n) => `  ${n + 1}\tconst/a`).join('\n')],
    ['sentences', many(12, (n) => `${n * 3} people of them all went there, and stayed.`).join('\n')],
    ['one line that is none', [...many(12, (n) => `${n * 3} a/b`), 'the end'].join('\n')],
  ])('no such list: %s', (_, text) => {
    expect(read(text).format).toBe('text')
  })

  test('each is told as it was written', () => {
    const row = fc.tuple(fc.nat(), fc.stringMatching(/^[a-z./_-]{1,20}$/))
    fc.assert(
      fc.property(fc.array(row, { minLength: 8, maxLength: 20 }), (rows) => {
        fc.pre(rows.filter(([amount], at) => amount === (rows[at - 1]?.[0] ?? -2) + 1).length < 2)
        fc.pre(rows.every(([, name]) => name !== 'total'))
        const { records } = read(
          rows.map(([amount, name]) => `${String(amount).padStart(9)} ${name}`).join('\n'),
        )
        expect(records).toEqual(rows.map(([amount, name]) => ({ amount, name })))
      }),
    )
  })
})

describe('trees that are drawn', () => {
  test('with the names on the way to each node', () => {
    const tree = [
      '.',
      '├── a dir',
      '│   ├── b.ts',
      '│   └── c',
      '│       └── d.ts',
      '└── e.md',
      '',
      '2 directories, 3 files',
    ]
    expect(read(tree.join('\n'))).toMatchObject({
      format: 'entries',
      records: [
        { line: 1, depth: 0, name: '.', path: '' },
        { line: 2, depth: 1, name: 'a dir', path: 'a dir' },
        { line: 3, depth: 2, name: 'b.ts', path: 'a dir/b.ts' },
        { line: 4, depth: 2, name: 'c', path: 'a dir/c' },
        { line: 5, depth: 3, name: 'd.ts', path: 'a dir/c/d.ts' },
        { line: 6, depth: 1, name: 'e.md', path: 'e.md' },
      ],
    })
    const npm = ['x@1 /x', '├─┬ a@1', '│ ├── b@2 deduped', '│ └─┬ c@3', '│   └── d@4', '└── e@5'].join('\n')
    expect(read(npm).records?.map(({ depth }) => depth)).toEqual([0, 1, 2, 2, 3, 1])
    expect(
      read(tree.join('\n').replaceAll('├──', '|--').replaceAll('└──', '`--').replaceAll('│', '|'))
        .records?.[4],
    ).toMatchObject({
      path: 'a dir/c/d.ts',
    })
  })

  test('a text that shows one is none, and neither is a table', () => {
    const shown = `${many(20, () => 'This is how it is laid out, more or less.').join('\n')}\n├── a\n│   └── b\n├── c\n├── d\n└── e\n`
    expect(read(shown).format).toBe('text')
    const table = ['id | name', '---+-----', ...many(8, (n) => ` ${n} | a${n}`)].join('\n')
    expect(read(table).format).toBe('table')
  })
})

test.each([
  ['blanks before a node', `├── a\n${`${' '.repeat(4_000)}x\n`.repeat(20)}`],
  ['capitals in a row', `${'Aa'.repeat(2_000)}!\n${'x y z\n'.repeat(20)}`],
  ['small words in a row', `${'aaa'.repeat(1_300)} B!\n${'x y z\n'.repeat(20)}`],
  ['brackets of blame', `f55e0b9 ${'( '.repeat(2_000)}\n${'x\n'.repeat(20)}`],
  ['modes', `${`-rw-r--r-- 1 ${'a '.repeat(1_900)}\n`.repeat(20)}`],
])('is told apart from what is nearly so, however long: %s', (_, text) => {
  expect(read(text).format).not.toBe('json')
})

describe('columns that a line marks', () => {
  const packages = [
    'Desired=Unknown/Install/Remove/Purge/Hold',
    '| Status=Not/Inst/Conf-files',
    '||/ Name           Version      Architecture Description',
    '+++-==============-============-============-===========================',
    'ii  adduser        3.134        all          add and remove users',
    'rc  libssl3:amd64  3.0.17-1     amd64        Secure Sockets Layer toolkit',
  ]

  test('are those of the packages that dpkg lists, under the names above', () => {
    expect(read(packages.join('\n'))).toMatchObject({
      format: 'table',
      asides: packages.slice(0, 2),
      records: [
        {
          column_1: 'ii',
          Name: 'adduser',
          Version: '3.134',
          Architecture: 'all',
          Description: 'add and remove users',
        },
        { column_1: 'rc', Name: 'libssl3:amd64', Architecture: 'amd64' },
      ],
    })
  })

  test('are none where the lines below do not keep to them', () => {
    const prose = many(9, (n) => `This line of words knows of no columns at all, ${n}`)
    expect(read([...packages.slice(0, 4), ...prose].join('\n')).format).not.toBe('table')
  })
})

describe('several tables in one text', () => {
  test('are one list of records where columns of others follow an empty line', () => {
    const text = `${[
      [
        'NAME        READY   STATUS             RESTARTS   AGE',
        [
          'pod/app-0   1/1     CrashLoopBackOff   3          5d',
          'pod/app-1   1/1     Running            0          5d',
          'pod/app-2   1/1     Running            1          5d',
        ],
      ],
      [
        'NAME            TYPE        CLUSTER-IP   PORT(S)   AGE',
        [
          'service/svc-0   ClusterIP   10.0.0.1     80/TCP    5d',
          'service/svc-1   ClusterIP   10.0.0.2     80/TCP    5d',
        ],
      ],
    ]
      .map(([head, rows]) => [head, ...(rows as string[])].join('\n'))
      .join('\n\n')}\n`
    const records = read(text).records ?? []
    expect(records.map(({ NAME, STATUS, TYPE }) => [NAME, STATUS ?? TYPE])).toEqual([
      ['pod/app-0', 'CrashLoopBackOff'],
      ['pod/app-1', 'Running'],
      ['pod/app-2', 'Running'],
      ['service/svc-0', 'ClusterIP'],
      ['service/svc-1', 'ClusterIP'],
    ])
  })

  test('have their names once where several statements have the same columns', () => {
    const table = (from: number): string =>
      [
        ' id  |  val',
        '-----+-------',
        ...[0, 1, 2].map((at) => ` ${from + at}   |   ${at * 7}`),
        '(3 rows)',
      ].join('\n')
    const records = read(`${table(1)}\n\n${table(4)}\n`).records ?? []
    expect(records.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6])
  })
})
