import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { table } from '../../../../src/documents/formats/table.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { formatContract } from '../../../contract/formats.ts'

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

  test('of packages, with the version of each and what is remarked on it', () => {
    const npm = [
      'app@1.0.0 /app',
      '├─┬ @x/a@1.2.3',
      '│ ├── b@2.0.0 deduped',
      '│ ├── UNMET PEER DEPENDENCY c@^3',
    ]
    npm.push('│ └── d@npm:e@4.1.0', '└── f@5.0.0', '└── g@5.1.0', '└── h@5.2.0', '└── i@6.0.0')
    expect(read(npm.join('\n')).records?.slice(0, 5)).toEqual([
      { line: 1, depth: 0, name: 'app', version: '1.0.0', note: '/app', path: '' },
      { line: 2, depth: 1, name: '@x/a', version: '1.2.3', path: '@x/a@1.2.3' },
      { line: 3, depth: 2, name: 'b', version: '2.0.0', note: 'deduped', path: '@x/a@1.2.3/b@2.0.0 deduped' },
      {
        line: 4,
        depth: 2,
        name: 'c',
        version: '^3',
        note: 'UNMET PEER DEPENDENCY',
        path: '@x/a@1.2.3/UNMET PEER DEPENDENCY c@^3',
      },
      { line: 5, depth: 2, name: 'd', version: 'npm:e@4.1.0', path: '@x/a@1.2.3/d@npm:e@4.1.0' },
    ])
    const cargo = ['app v0.1.0 (/app)', ...many(5, (n) => `├── dep${n} v1.${n}.0 (*)`)].join('\n')
    expect(read(cargo).records?.[1]).toEqual({
      line: 2,
      depth: 1,
      name: 'dep0',
      version: '1.0.0',
      note: '(*)',
      path: 'dep0 v1.0.0 (*)',
    })
    const files = ['.', ...many(8, (n) => `├── icon${n}@2x.png`)].join('\n')
    expect(read(files).records?.[1]).toEqual({
      line: 2,
      depth: 1,
      name: 'icon0@2x.png',
      path: 'icon0@2x.png',
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

/** The lines of `top` above its processes. */
const ABOVE = [
  'top - 10:00:00 up 10 days,  1:02,  1 user,  load average: 0.00, 0.01, 0.05',
  'Tasks: 100 total,   1 running,  99 sleeping,   0 stopped,   0 zombie',
  '%Cpu(s):  1.0 us,  0.5 sy,  0.0 ni, 98.5 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st',
  'MiB Mem :   7961.9 total,    500.0 free,   4000.0 used,   3461.9 buff/cache',
  'MiB Swap:   2048.0 total,   2048.0 free,      0.0 used.   3500.0 avail Mem ',
]
const topOf = (rows: readonly string[]): string =>
  [
    ...ABOVE,
    '',
    '    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND',
    ...rows,
    '',
  ].join('\n')
const nginx = '   1234 root      20   0  162892   2520   1720 S   5.3   0.0   0:10.50 nginx: master process'
const mysqld = '   2345 mysql     20   0 1800000 500000  10000 S  12.0   6.1  10:00.00 mysqld'

describe('a table below a few lines and an empty one', () => {
  test('is read, and the lines above stand beside the records of `top`', () => {
    const { format, asides, records } = read(topOf([nginx, mysqld]))
    expect(format).toBe('table')
    expect(asides).toEqual(ABOVE.map((line) => `text beside it: ${line.trim()}`))
    expect(records).toMatchObject([
      { PID: 1234, USER: 'root', '%CPU': '5.3', COMMAND: 'nginx: master process' },
      { PID: 2345, USER: 'mysql', 'TIME+': '10:00.00', COMMAND: 'mysqld' },
    ])
    expect(Object.keys(records?.[0] ?? {})).not.toContain('round')
  })

  test('tells the round of each process where there are several rounds', () => {
    const text = [topOf([nginx, mysqld]), topOf([mysqld]), topOf([nginx])].join('\n')
    expect(read(text).records?.map(({ round, PID }) => [round, PID])).toEqual([
      [1, 1234],
      [1, 2345],
      [2, 2345],
      [3, 1234],
    ])
  })

  test('needs no empty line above the names of processes', () => {
    const busy = [
      'Mem: 1234K used, 100K free, 0K shrd, 0K buff, 0K cached',
      'CPU:   0% usr   0% sys   0% nic 100% idle   0% io   0% irq   0% sirq',
      'Load average: 0.00 0.01 0.05 1/123 456',
      '  PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND',
      '    1     0 root     S     1234   0%   0% init',
      '   12     1 root     S     1234   0%   0% sh -c x',
    ]
    expect(read(busy.join('\n')).records).toMatchObject([
      { PID: 1, COMMAND: 'init' },
      { PID: 12, COMMAND: 'sh -c x' },
    ])
    const twice = read([...busy, ...busy].join('\n')).records
    expect(twice?.map(({ round, PID }) => [round, PID])).toEqual([
      [1, 1],
      [1, 12],
      [2, 1],
      [2, 12],
    ])
  })

  test('has other names than those of processes, too', () => {
    const text = [
      '',
      'Showing 2 of 2 open pull requests in a/b',
      '',
      'ID   TITLE            BRANCH',
      '#12  Fix the thing    fix-thing',
      '#9   Add another one  add-one',
    ].join('\n')
    expect(read(text)).toMatchObject({
      asides: ['text beside it: Showing 2 of 2 open pull requests in a/b'],
      records: [
        { ID: '#12', TITLE: 'Fix the thing', BRANCH: 'fix-thing' },
        { ID: '#9', TITLE: 'Add another one', BRANCH: 'add-one' },
      ],
    })
  })

  test.each([
    ['words in capitals', 'Dear all,\n\nPLEASE READ THIS\nfoo bar baz\n'],
    [
      'columns that the lines below do not keep to',
      `${ABOVE[0]}\n\nNAME   READY   STATUS\n${many(9, (n) => `${'words '.repeat(n)}do not keep to columns`).join('\n')}`,
    ],
    [
      'a long text above',
      `${many(20, (n) => `Line ${n}`).join('\n')}\n\nNAME   READY   STATUS\nweb    1/1     Up\n`,
    ],
    [
      'a long text below',
      `Pods:\n\nNAME   READY   STATUS\nweb    1/1     Up\n\n${many(20, (n) => `Line ${n} of it.`).join('\n')}`,
    ],
  ])('is none: %s', (_, text) => {
    expect(read(text).format).not.toBe('table')
  })
})

/** A list of instances as it is drawn, with grids within grids. */
const reservation = (id: string, state: string, tags: readonly string[]): string[] => [
  '||                     Reservations                      ||',
  '|+------------------------------+------------------------+|',
  '||  OwnerId                     |  12                    ||',
  `||  ReservationId               |  r-${id}                   ||`,
  '|+------------------------------+------------------------+|',
  '|||                      Instances                      |||',
  '||+--------------------------+--------------------------+||',
  `|||  InstanceId              |  i-${id}                     |||`,
  '||+--------------------------+--------------------------+||',
  '||||                       State                       ||||',
  '|||+------------------------+--------------------------+|||',
  '||||  Code                  |  16                      ||||',
  `||||  Name                  |  ${state}                 ||||`,
  '|||+------------------------+--------------------------+|||',
  '||||                       Tags                        ||||',
  '|||+-----------------+---------------------------------+|||',
  '||||       Key       |              Value              ||||',
  '|||+-----------------+---------------------------------+|||',
  ...tags.map((tag) => `||||  ${tag}            |  of ${tag}                         ||||`),
  '|||+-----------------+---------------------------------+|||',
]
const INSTANCES = [
  '-----------------------------------------------------------',
  '|                    DescribeInstances                    |',
  '+---------------------------------------------------------+',
  ...reservation('1', 'running', ['Name', 'Team']),
  ...reservation('2', 'stopped', ['Name']),
].join('\n')

const gridOf = (title: string, rows: readonly string[]): string =>
  [
    '--------------------------',
    `|${title.padStart(15).padEnd(24)}|`,
    '+-----------+------------+',
    ...rows.map((row) => (row === '' ? '+-----------+------------+' : row)),
    '+-----------+------------+',
    '',
  ].join('\n')

describe('a grid below its title', () => {
  test('is records under the names of its columns', () => {
    const text = gridOf('Instances', [
      '|    Id     |   State    |',
      '',
      '|  i-1      |  running   |',
      '|  i-2      |  a|b       |',
    ])
    expect(read(text)).toEqual({
      format: 'table',
      asides: ['text beside it: Instances'],
      records: [
        { Id: 'i-1', State: 'running' },
        { Id: 'i-2', State: 'a|b' },
      ],
    })
    expect(read(`${text}\n${text}`).records).toHaveLength(4)
  })

  test('has columns with numbers where they have no names', () => {
    expect(
      read(gridOf('Instances', ['|  i-1      |  running   |', '|  i-2      |  stopped   |'])).records,
    ).toEqual([
      { column_1: 'i-1', column_2: 'running' },
      { column_1: 'i-2', column_2: 'stopped' },
    ])
  })

  test('is one record where a row is a key and its value', () => {
    const text = gridOf('Identity', [
      '|  Account  |  12        |',
      '|  Arn      |  arn:aws   |',
      '|  UserId   |  AIDA      |',
    ])
    expect(read(text).records).toEqual([{ Account: 12, Arn: 'arn:aws', UserId: 'AIDA' }])
  })

  test('of one column has the title for a name', () => {
    const shown = [
      '+--------+',
      '| Tables |',
      '+--------+',
      '| a      |',
      '| b      |',
      '+--------+',
      '2 rows in set (0.00 sec)',
    ]
    expect(read(shown.join('\n')).records).toEqual([{ Tables: 'a' }, { Tables: 'b' }])
    const listed = [
      '----------------',
      '|  ListTables  |',
      '+--------------+',
      '||   Tables   ||',
      '|+------------+|',
      '||  a         ||',
      '||  b         ||',
      '|+------------+|',
    ]
    expect(read(listed.join('\n')).records).toEqual([{ Tables: 'a' }, { Tables: 'b' }])
  })

  test('holds the grids within it', () => {
    expect(read(INSTANCES).records).toEqual([
      {
        OwnerId: 12,
        ReservationId: 'r-1',
        Instances: [
          {
            InstanceId: 'i-1',
            State: { Code: 16, Name: 'running' },
            Tags: [
              { Key: 'Name', Value: 'of Name' },
              { Key: 'Team', Value: 'of Team' },
            ],
          },
        ],
      },
      {
        OwnerId: 12,
        ReservationId: 'r-2',
        Instances: [
          {
            InstanceId: 'i-2',
            State: { Code: 16, Name: 'stopped' },
            Tags: [{ Key: 'Name', Value: 'of Name' }],
          },
        ],
      },
    ])
  })

  test('is none where it frames a notice, or begins a longer text', () => {
    const notice = ['+---------+', '| WARNING |', '+---------+', '| stop it |', '+---------+', '']
    expect(read(notice.join('\n')).format).toBe('text')
    const rows = ['|  i-1      |  running   |', '|  i-2      |  stopped   |']
    expect(read(gridOf('T', rows) + many(20, (n) => `Line ${n} of it.`).join('\n')).format).toBe('text')
  })
})

const CHAINS = [
  'Chain INPUT (policy ACCEPT 0 packets, 0 bytes)',
  'num   pkts bytes target     prot opt in     out     source               destination         ',
  '1      100  5000 ACCEPT     tcp  --  eth0   *       0.0.0.0/0            0.0.0.0/0            tcp dpt:22',
  '2        0     0            all  --  *      *       10.0.0.0/8           0.0.0.0/0           ',
  '',
  'Chain FORWARD (policy DROP 0 packets, 0 bytes)',
  'num   pkts bytes target     prot opt in     out     source               destination         ',
  '1        7   500 DOCKER-ISOLATION-STAGE-1  all  --  *      *       0.0.0.0/0            0.0.0.0/0           ',
  '',
  'Chain DOCKER (1 references)',
  'num   pkts bytes target     prot opt in     out     source               destination         ',
  '',
]

describe('rules of a firewall', () => {
  test('tell their chain; the policies stand beside them', () => {
    const { format, asides, records } = read(CHAINS.join('\n'))
    expect(format).toBe('table')
    expect(asides).toEqual([CHAINS[0], CHAINS[5]].map((line) => `text beside it: ${line}`))
    expect(records).toEqual([
      {
        chain: 'INPUT',
        num: 1,
        pkts: 100,
        bytes: 5000,
        target: 'ACCEPT',
        prot: 'tcp',
        opt: '--',
        in: 'eth0',
        out: '*',
        source: '0.0.0.0/0',
        destination: '0.0.0.0/0',
        options: 'tcp dpt:22',
      },
      expect.objectContaining({
        chain: 'INPUT',
        num: 2,
        target: '',
        prot: 'all',
        source: '10.0.0.0/8',
        options: '',
      }),
      expect.objectContaining({ chain: 'FORWARD', target: 'DOCKER-ISOLATION-STAGE-1', prot: 'all' }),
    ])
  })

  test('are read without counts, and without options where addresses are of version 6', () => {
    const short = [
      '# Warning: iptables-legacy tables present, use iptables-legacy to see them',
      'Chain INPUT (policy ACCEPT)',
      'target     prot opt source               destination         ',
      'ACCEPT     all  --  anywhere             anywhere             /* ok */ ctstate RELATED,ESTABLISHED',
      '           tcp      ::/0                 ::/0                 tcp dpt:22',
    ]
    expect(read(short.join('\n'))).toMatchObject({
      asides: short.slice(0, 2).map((line) => `text beside it: ${line}`),
      records: [
        { chain: 'INPUT', target: 'ACCEPT', opt: '--', options: '/* ok */ ctstate RELATED,ESTABLISHED' },
        { chain: 'INPUT', target: '', prot: 'tcp', opt: '', source: '::/0', options: 'tcp dpt:22' },
      ],
    })
  })

  test('are none where a chain is only spoken of', () => {
    expect(read(`${CHAINS[0]}\nis the first chain.\nIt has no rules.\n`).format).toBe('text')
    const prose = many(9, () => 'These words are no rule.')
    expect(read([...CHAINS.slice(0, 3), ...prose].join('\n')).format).toBe('text')
  })
})

const HOSTS = [
  'Starting Nmap 7.80 ( https://nmap.org ) at 2024-01-01 10:00 UTC',
  'Nmap scan report for a.example.org (10.0.0.1)',
  'Host is up (0.18s latency).',
  'Not shown: 996 closed ports',
  'PORT    STATE         SERVICE VERSION',
  '22/tcp  open          ssh     OpenSSH 8.2 (protocol 2.0)',
  '| ssh-hostkey: ',
  '|_  256 22:33 (ED25519)',
  '161/udp open|filtered snmp',
  'Service Info: OS: Linux',
  '',
  'Nmap scan report for 10.0.0.2',
  'Host is up.',
  'All 1000 scanned ports on 10.0.0.2 are closed',
  '',
  'Nmap scan report for 10.0.0.3',
  'Host is up (0.0010s latency).',
  'PORT    STATE  SERVICE',
  '443/tcp closed https',
  '',
  'Nmap done: 3 IP addresses (3 hosts up) scanned in 14.37 seconds',
]

describe('ports of hosts', () => {
  test('tell their host, and what a script says of them', () => {
    expect(read(HOSTS.join('\n'))).toEqual({
      format: 'table',
      asides: [HOSTS[0], 'a.example.org: Service Info: OS: Linux', HOSTS.at(-1)].map(
        (line) => `text beside it: ${line}`,
      ),
      records: [
        {
          host: 'a.example.org',
          address: '10.0.0.1',
          PORT: '22/tcp',
          STATE: 'open',
          SERVICE: 'ssh',
          VERSION: 'OpenSSH 8.2 (protocol 2.0)',
          script: 'ssh-hostkey:\n  256 22:33 (ED25519)',
        },
        {
          host: 'a.example.org',
          address: '10.0.0.1',
          PORT: '161/udp',
          STATE: 'open|filtered',
          SERVICE: 'snmp',
          VERSION: '',
        },
        { host: '10.0.0.3', address: '10.0.0.3', PORT: '443/tcp', STATE: 'closed', SERVICE: 'https' },
      ],
    })
  })

  test('are told apart by words where they keep to no columns', () => {
    const text = [HOSTS[1], 'PORT STATE SERVICE VERSION', '22/tcp  open  ssh  OpenSSH 8.2', ''].join('\n')
    expect(read(text).records).toMatchObject([
      { PORT: '22/tcp', STATE: 'open', SERVICE: 'ssh', VERSION: 'OpenSSH 8.2' },
    ])
  })

  test('are none where a scan shows no ports', () => {
    expect(read(HOSTS.slice(0, 4).join('\n')).format).toBe('text')
    expect(read([...HOSTS.slice(0, 5), 'and that is all'].join('\n')).format).toBe('text')
  })
})

const AGAIN = [
  {
    are: [topOf([nginx, mysqld])],
    grows: (times: number) => topOf(many(times, (n) => mysqld.replace('2345', String(2_000 + n)))),
  },
  {
    are: [INSTANCES],
    grows: (times: number) =>
      gridOf(
        'T',
        many(times, (n) => `|  i-${n}  |  on        |`),
      ),
  },
  {
    are: [CHAINS.join('\n')],
    grows: (times: number) => [...CHAINS.slice(0, 2), ...many(times, () => CHAINS[2] ?? '')].join('\n'),
  },
  {
    are: [HOSTS.join('\n')],
    grows: (times: number) => [...HOSTS.slice(0, 5), ...many(times, () => HOSTS[5] ?? '')].join('\n'),
  },
]
for (const samples of AGAIN) formatContract(table, samples)

describe('sockets', () => {
  test('a name of two words over one column', () => {
    const text = [
      'Netid  State    Recv-Q   Send-Q              Local Address:Port         Peer Address:Port   ',
      ...many(
        8,
        (n) =>
          `tcp    LISTEN   0        ${n % 2 ? '128' : '0  '}                   127.0.0.1:90${10 + n}                   *:*      `,
      ),
    ].join('\n')
    expect(read(text).records?.[0]).toEqual({
      Netid: 'tcp',
      State: 'LISTEN',
      'Recv-Q': 0,
      'Send-Q': 0,
      'Local Address:Port': '127.0.0.1:9010',
      'Peer Address:Port': '*:*',
    })
  })

  test('tables below each other, with a title above each and no empty line between them', () => {
    const text = [
      'Active Internet connections (w/o servers)',
      'Proto Recv-Q Send-Q Local Address           Foreign Address         State      ',
      ...many(3, (n) => `tcp        0      0 laptop:5565${n}            10.0.0.1:https          ESTABLISHED`),
      'Active UNIX domain sockets (w/o servers)',
      'Proto RefCnt Flags       Type       State         I-Node   Path',
      ...many(6, (n) => `unix  2      [ ]         DGRAM                    3376${n}    /run/notify${n}`),
    ].join('\n')
    const { records, asides } = read(text)
    expect(records).toHaveLength(9)
    expect(records?.[0]).toMatchObject({ Proto: 'tcp', 'Foreign Address': '10.0.0.1:https' })
    expect(records?.[8]).toMatchObject({
      Proto: 'unix',
      Type: 'DGRAM',
      'I-Node': 33765,
      Path: '/run/notify5',
    })
    expect(asides).toContain('text beside it: Active UNIX domain sockets (w/o servers)')
  })
})

test('wc counts lines, words and bytes, and a listing of numbered instructions is no table', () => {
  const files = many(12, (n) => `  ${10 + n * 7}   ${40 + n}   ${900 + n} /usr/lib/file-${n}.py`)
  const { records, asides } = read([...files, ' 582  546  10866 total'].join('\n'))
  expect(records).toHaveLength(12)
  expect(records?.[1]).toEqual({ lines: 17, words: 41, bytes: 901, name: '/usr/lib/file-1.py' })
  expect(asides).toEqual(['582  546  10866 total'])
  const code = many(40, (n) => `  ${n}           ${2 * n} LOAD_CONST               ${n} (${n})`)
  expect(read(`${code[0]}\n\n${code.join('\n')}\n`).records).toBeUndefined()
})

test('paragraphs below the rows of a table are none of them, and a row that is cut off is one', () => {
  const table = ['| id | name |', '|---|---|', ...many(40, (n) => `| ${n} | n${n} |`)].join('\n')
  const footer = 'Use `get` for details.\nFilters: -s <a|b>\n\nShowing 1-12 of 80.'
  const { records, asides } = read(`Found 80 rows\n\n${table}\n\n${footer}\n`)
  expect(records).toHaveLength(40)
  expect(asides).toEqual([
    'text beside it: Found 80 rows',
    ...footer.split(/\n+/).map((line) => `text beside it: ${line}`),
  ])
  expect(read(`${table}\n| 40`).records).toHaveLength(41)
})

describe('plans of queries', () => {
  test('of PostgreSQL have a record for each node, with its numbers and what is told below it', () => {
    const text = ` QUERY PLAN
-----------------------------------------------------------
 Hash Join  (cost=0.42..2042.70 rows=86738 width=48) (actual time=0.292..30.783 rows=37901 loops=1)
   Hash Cond: (o.id = e.id)
   ->  Index Scan using orders_pkey on orders o  (cost=0.42..9.5 rows=8 width=4) (actual time=0.1..4.943 rows=7 loops=3)
         Index Cond: (id > 5)
         Rows Removed by Filter: 1822
   SubPlan 1
     ->  Seq Scan on events  (cost=0.00..1e+06 rows=1e+06 width=4) (never executed)
 Planning:
   Buffers: shared hit=3
 Planning Time: 3.412 ms
(9 rows)
`
    const { records, asides } = read(text)
    expect(records).toEqual([
      {
        ...{ line: 3, depth: 0, node: 'Hash Join', startup_cost: 0.42, cost: 2042.7, rows: 86738, width: 48 },
        ...{ startup_time: 0.292, time: 30.783, actual_rows: 37901, loops: 1, 'Hash Cond': '(o.id = e.id)' },
      },
      {
        ...{ line: 5, depth: 1, node: 'Index Scan', index: 'orders_pkey', relation: 'orders', alias: 'o' },
        ...{
          startup_cost: 0.42,
          cost: 9.5,
          rows: 8,
          width: 4,
          startup_time: 0.1,
          time: 4.943,
          actual_rows: 7,
        },
        ...{ loops: 3, 'Index Cond': '(id > 5)', 'Rows Removed by Filter': 1822 },
      },
      {
        ...{ line: 9, depth: 1, part: 'SubPlan 1', node: 'Seq Scan', relation: 'events', startup_cost: 0 },
        ...{ cost: 1e6, rows: 1e6, width: 4 },
      },
    ])
    expect(asides.map((line) => line.replace('text beside it: ', ''))).toEqual([
      'QUERY PLAN',
      'Planning:',
      'Buffers: shared hit=3',
      'Planning Time: 3.412 ms',
      '(9 rows)',
    ])
  })

  test('of MySQL have one cost, and may begin behind a word', () => {
    const text = `EXPLAIN: -> Nested loop inner join  (cost=4.95 rows=9) (actual time=0.153..0.217 rows=9 loops=1)
    -> Table scan on t1  (cost=1.80 rows=9) (actual time=0.119..0.128 rows=9 loops=1)
    -> Index lookup on t2 using idx (a=t1.a)  (cost=0.26 rows=1) (never executed)
`
    expect(read(text).records).toMatchObject([
      { depth: 0, node: 'Nested loop inner join', cost: 4.95, time: 0.217, loops: 1 },
      { depth: 1, node: 'Table scan', relation: 't1', cost: 1.8, actual_rows: 9 },
      { depth: 1, node: 'Index lookup on t2 using idx (a=t1.a)', cost: 0.26, rows: 1 },
    ])
  })
})
