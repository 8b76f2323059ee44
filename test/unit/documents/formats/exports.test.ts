import { describe, expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'

const read = (text: string) => {
  const { traits, json, asides } = recognise(text)
  return { name: traits.name, data: json?.(), asides }
}

describe('mailboxes', () => {
  const box = [
    'From ann@x.org Fri May  3 08:00:00 2024',
    'From: Ann <ann@x.org>',
    'Subject: =?utf-8?B?SGVsbG8g?= =?utf-8?Q?w=C3=B6rld?=',
    'Received: a',
    'Received: b',
    '',
    'From here on it is text.',
    '>From is what a line began with.',
    '',
    'From bob@x.org Sat May  4 08:00:00 2024',
    'Subject: Re: a',
    ' folded one',
    'Content-Type: multipart/mixed; boundary="XX"',
    '',
    '--XX',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'caf=E9 is =',
    'open',
    '--XX',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename="a.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0xLjQK',
    '--XX--',
    '',
  ].join('\n')

  test('with rules between the messages end their headers with an empty line', () => {
    const mails = [0, 1, 2, 3].map((nth) =>
      [
        `From: Ana <x${nth}@ex.org>`,
        'To: list@ex.org',
        `Date: Mon, 0${nth + 1} Nov 2025 08:00:00 +0100`,
        `Subject: Re: Topic ${nth}`,
        ...(nth === 2 ? ['Cc: Bo <bo@ex.org>'] : []),
        '',
        'Hi all,',
        '',
        `body text ${nth}.`,
        '',
        `On Mon, 3 Nov 2025 at 10:00, Bo <bo@ex.org> wrote:`,
        '> Subject: more',
      ].join('\n'),
    )
    const { json } = recognise(`${mails.join('\n\n-----\n\n')}\n`)
    const body = (nth: number) =>
      `Hi all,\n\nbody text ${nth}.\n\nOn Mon, 3 Nov 2025 at 10:00, Bo <bo@ex.org> wrote:\n> Subject: more`
    expect(json?.()).toMatchObject([
      { From: 'Ana <x0@ex.org>', Subject: 'Re: Topic 0', body: body(0) },
      { Subject: 'Re: Topic 1', body: body(1) },
      { Subject: 'Re: Topic 2', Cc: 'Bo <bo@ex.org>', body: body(2) },
      { Date: 'Mon, 04 Nov 2025 08:00:00 +0100', Subject: 'Re: Topic 3', body: body(3) },
    ])
  })

  test('are messages with headers, body and attachments', () => {
    const { name, data } = read(box)
    expect(name).toBe('mail')
    expect(data).toMatchObject([
      {
        From: 'Ann <ann@x.org>',
        Subject: 'Hello wörld',
        Received: ['a', 'b'],
        body: 'From here on it is text.\nFrom is what a line began with.',
      },
      {
        Subject: 'Re: a folded one',
        body: 'café is open',
        attachments: [{ filename: 'a.pdf', type: 'application/pdf', bytes: 9 }],
      },
    ])
  })
})

describe('calendars and cards', () => {
  test('are read alike in all components, dates as ISO 8601 writes them', () => {
    const event = (...lines: string[]) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']
    const text = [
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      ...event(
        'SUMMARY:Stand-up\\, daily',
        'DTSTART;TZID=Europe/Berlin:20240501T090000',
        'ATTENDEE;CN="Ann: A";PARTSTAT=ACCEPTED:mailto:a@x',
        'ATTENDEE;PARTSTAT=DECLINED:mailto:b@x',
        'DESCRIPTION:fol',
        ' ded\\ntext',
      ),
      ...event('SUMMARY:Off', 'DTSTART;VALUE=DATE:20240601', 'ATTENDEE:mailto:c@x'),
      'END:VCALENDAR',
    ].join('\r\n')
    expect(read(text).data).toEqual({
      VERSION: '2.0',
      VEVENT: [
        {
          SUMMARY: 'Stand-up, daily',
          DTSTART: '2024-05-01T09:00:00',
          DTSTART_TZID: 'Europe/Berlin',
          ATTENDEE: [
            { _text: 'mailto:a@x', CN: 'Ann: A', PARTSTAT: 'ACCEPTED' },
            { _text: 'mailto:b@x', PARTSTAT: 'DECLINED' },
          ],
          DESCRIPTION: 'folded\ntext',
        },
        { SUMMARY: 'Off', DTSTART: '2024-06-01', ATTENDEE: [{ _text: 'mailto:c@x' }] },
      ],
    })
  })

  test('cards are a list, one of them too', () => {
    const card = 'BEGIN:VCARD\nFN:Ann\nitem1.TEL;TYPE=work:+1 555\nORG:A\\; B\nEND:VCARD\n'
    expect(read(card).data).toEqual([{ FN: 'Ann', TEL: { _text: '+1 555', TYPE: 'work' }, ORG: 'A; B' }])
  })

  test('categories are a list, and empty parts at the end of a name are left out', () => {
    const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\n')
    const cards =
      card('N:Lee;Ann;;;', 'ORG:Acme;', 'CATEGORIES:work,a\\, b') +
      card('ORG:A\\;', 'CATEGORIES:home', 'CATEGORIES:work')
    expect(read(cards).data).toEqual([
      { N: 'Lee;Ann', ORG: 'Acme', CATEGORIES: ['work', 'a, b'] },
      { ORG: 'A;', CATEGORIES: ['home', 'work'] },
    ])
  })
})

describe('dumps of databases', () => {
  test('rows of MySQL take their names from the table', () => {
    const text = [
      '-- MySQL dump 10.13',
      'CREATE TABLE `users` (',
      '  `id` int NOT NULL,',
      "  `name` varchar(20) DEFAULT 'a,b',",
      '  `paid` decimal(10,2),',
      '  PRIMARY KEY (`id`)',
      ');',
      "INSERT INTO `users` VALUES (1,'O\\'Neil; (x)\\n',10.50),(2,'it''s',NULL);",
      'INSERT INTO `orders` (`id`, `at`) VALUES (7,NOW()),',
      "(8,'2024-05-01');",
    ].join('\n')
    expect(read(text).data).toEqual({
      users: [
        { id: 1, name: "O'Neil; (x)\n", paid: 10.5 },
        { id: 2, name: "it's", paid: null },
      ],
      orders: [
        { id: 7, at: 'NOW()' },
        { id: 8, at: '2024-05-01' },
      ],
    })
  })

  test('rows of PostgreSQL: COPY, a backslash that hides nothing, casts', () => {
    const text = [
      'SET x = 0;',
      'COPY public.users (id, path) FROM stdin;',
      '1\tC:\\\\tmp',
      '2\t\\N',
      '\\.',
      `INSERT INTO public."t" VALUES ('C:\\', '{"a": 1}'::jsonb, true, '007') ON CONFLICT DO NOTHING;`,
      "INSERT INTO public.\"t\" VALUES (E'x\\'y', null, false, '5');",
    ].join('\n')
    expect(read(text).data).toEqual({
      users: [
        { id: 1, path: 'C:\\tmp' },
        { id: 2, path: null },
      ],
      t: [
        { column_1: 'C:\\', column_2: '{"a": 1}', column_3: true, column_4: '007' },
        { column_1: "x'y", column_2: null, column_3: false, column_4: '5' },
      ],
    })
  })
})

describe('tables as other programs read them', () => {
  test('cells between blanks and bars, without a rule, and the count of rows below', () => {
    const { name, data, asides } = read('id | name | n\n 1 | Ann  | 3\n 2 |      | \n(2 rows)\n')
    expect({ name, data, asides }).toEqual({
      name: 'table',
      data: [
        { id: 1, name: 'Ann', n: 3 },
        { id: 2, name: '', n: null },
      ],
      asides: ['text beside it: (2 rows)'],
    })
  })

  test('the count of rows below columns is no row', () => {
    const text =
      'ID     NAME      SIZE\n------ --------- ----\n1      Ann       3\n2      Bob       4\n\n(2 rows affected)\n'
    expect(read(text).data).toEqual([
      { ID: 1, NAME: 'Ann', SIZE: 3 },
      { ID: 2, NAME: 'Bob', SIZE: 4 },
    ])
  })

  test.each([
    ['lines that end with CR alone', 'a,b,c\r1,2,3\r4,5,6\r', [{ a: 1, b: 2, c: 3 }, {}]],
    [
      'questions of a form as names',
      `Time,Your name?,${'How satisfied are you with it? '.repeat(4)}\n2024-05-01,Ann,4\n2024-05-02,Bob,5\n2024-05-03,Cy,1\n`,
      [{ Time: '2024-05-01', 'Your name?': 'Ann' }, {}, {}],
    ],
    [
      'one name and columns without any',
      'Region,,\nNorth,1,2\nSouth,4,5\nEast,7,8\n',
      [{ Region: 'North', column_2: 1, column_3: 2 }, {}, {}],
    ],
    [
      'a title over the names',
      'Report,,\nname,x,y\nNorth,1,2\nSouth,4,5\nEast,7,8\nWest,1,2\n',
      [{ name: 'North', x: 1, y: 2 }, {}, {}, {}],
    ],
  ])('%s', (_, text, records) => {
    const { data } = read(text)
    expect(data).toMatchObject(records)
    expect(data).toHaveLength(records.length)
  })

  test('lines above the names and parts between empty lines', () => {
    const sockets = [
      'Active Internet connections (servers and established)',
      'Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name',
      'tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      700/sshd',
      'tcp        0     36 10.0.0.5:22             10.0.0.9:51234          ESTABLISHED 900/sshd: ann',
      'udp        0      0 0.0.0.0:68              0.0.0.0:*                           600/dhclient',
    ].join('\n')
    expect(read(sockets)).toMatchObject({
      name: 'table',
      data: [{ State: 'LISTEN' }, { 'Send-Q': 36, 'PID/Program name': '900/sshd: ann' }, { State: '' }],
      asides: ['text beside it: Active Internet connections (servers and established)'],
    })
    const units = [
      '  UNIT           LOAD   ACTIVE SUB     DESCRIPTION',
      '  cron.service   loaded active running Regular jobs',
      '● nginx.service  loaded failed failed  A web server',
      '',
      'LOAD   = Reflects whether the unit was loaded.',
      '2 loaded units listed.',
    ].join('\n')
    expect(read(units).data).toMatchObject([
      { UNIT: 'cron.service' },
      { UNIT: 'nginx.service', ACTIVE: 'failed' },
    ])
    const all = [
      'NAME          READY   STATUS    AGE',
      'pod/web-1     1/1     Running   5d',
      'pod/web-2     0/1     Pending   2m',
      '',
      'NAME          TYPE        CLUSTER-IP   AGE',
      'service/web   ClusterIP   10.96.0.1    5d',
    ].join('\n')
    expect(read(all).data).toEqual([
      { NAME: 'pod/web-1', READY: '1/1', STATUS: 'Running', AGE: '5d' },
      { NAME: 'pod/web-2', READY: '0/1', STATUS: 'Pending', AGE: '2m' },
      { NAME: 'service/web', TYPE: 'ClusterIP', 'CLUSTER-IP': '10.96.0.1', AGE: '5d' },
    ])
  })

  test('lines below a long table are no rows, and rows below an empty line are', () => {
    const row = (at: number) =>
      `svc-${at}.service`.padEnd(17) + (at % 7 ? 'active  running  ' : 'failed  failed   ')
    const rows = Array.from({ length: 40 }, (_, at) => `${row(at)}Job ${at}`)
    const table = ['UNIT             ACTIVE  SUB      DESCRIPTION', ...rows]
    const legend = read([...table, '', 'SUB = how it is.', '40 loaded units listed.', ''].join('\n'))
    expect(legend.data).toHaveLength(40)
    expect(legend.asides).toEqual([
      'text beside it: SUB = how it is.',
      'text beside it: 40 loaded units listed.',
    ])
    expect(read([...table, '', `${row(40)}Job 40`].join('\n')).data).toHaveLength(41)
  })

  test('a line below each of several tables is told once', () => {
    const rows = (name: string) => [
      `NAME    READY  AGE`,
      `${name}-1   1/1    5d`,
      `${name}-2   0/1    7d`,
      '(2 rows)',
    ]
    const two = read(
      [...rows('web'), '', ...rows('job').map((line) => line.replace('READY', 'STATE'))].join('\n'),
    )
    expect(two.data).toHaveLength(4)
    expect(two.asides).toEqual(['text beside it: (2 rows)', 'text beside it: (2 rows)'])
  })

  test('names with a unit in brackets', () => {
    const top = 'NAME    CPU(cores)   MEMORY(bytes)\nweb-1   250m         512Mi\nweb-2   3m           1Gi\n'
    expect(read(top).data).toEqual([
      { NAME: 'web-1', 'CPU(cores)': '250m', 'MEMORY(bytes)': '512Mi' },
      { NAME: 'web-2', 'CPU(cores)': '3m', 'MEMORY(bytes)': '1Gi' },
    ])
  })

  test('packages with their versions', () => {
    const frozen = 'certifi==2024.2.2\nidna==3.6\nnumpy==1.26.4\npandas==2.2.1\nsix==1.16.0\nurllib3==2.2.1\n'
    expect(read(frozen).data).toMatchObject([{ key: 'certifi', value: '2024.2.2' }, {}, {}, {}, {}, {}])
  })

  test('sentences in parts are no tables', () => {
    const prose = 'IT IS A LAW\nThat nobody wrote down.\n\nAND THAT IS ALL\nThere is to say.\n'
    expect(read(prose).name).not.toBe('table')
  })
})
