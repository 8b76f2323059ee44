import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { log, readEntry } from '../../../../src/documents/formats/log.ts'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { indexLines } from '../../../../src/text/lines.ts'

const records = (text: string) => {
  const { format, json } = recognise(text)
  expect(format).toBe('log')
  return json?.() as JsonObject[]
}

/** The fields of a line, and its message. */
const read = (line: string): JsonObject | undefined => {
  const entry = readEntry(line)
  return entry && { ...entry.fields, message: line.slice(entry.message) }
}

describe('the head of a line', () => {
  test.each<[string, JsonObject]>([
    [
      '08:00:01.250 WARN  c.a.Foo - slow',
      { time: '08:00:01.250', level: 'WARN', logger: 'c.a.Foo', message: 'slow' },
    ],
    [
      '2017-05-16 00:00:00.008 25746 WARNING nova.compute [req-1] slow',
      {
        time: '2017-05-16 00:00:00.008',
        pid: 25746,
        level: 'WARNING',
        logger: 'nova.compute',
        thread: 'req-1',
        message: 'slow',
      },
    ],
    [
      '2016-09-28 04:30:31, Info                  CBS    Loaded',
      { time: '2016-09-28 04:30:31', level: 'Info', message: 'CBS    Loaded' },
    ],
    [
      '[10.30 16:49:06] chrome.exe - example.org:443 close',
      { time: '10.30 16:49:06', logger: 'chrome.exe', message: 'example.org:443 close' },
    ],
    [
      'Jul  1 09:29:02 mac sandboxd[129] ([31211]): com.apple.Addres deny',
      {
        time: 'Jul  1 09:29:02',
        host: 'mac',
        logger: 'sandboxd',
        pid: 129,
        message: 'com.apple.Addres deny',
      },
    ],
    ['[08:00:01] INFO: up', { time: '08:00:01', level: 'INFO', message: 'up' }],
    ['ERROR:urllib3.pool:lost', { level: 'ERROR', logger: 'urllib3.pool', message: 'lost' }],
    [
      '2024-05-03T08:00:00.000000000Z stderr F 2024-05-03 08:00:01 ERROR boom',
      { time: '2024-05-03T08:00:00.000000000Z', stream: 'stderr', level: 'ERROR', message: 'boom' },
    ],
    [
      '2024-05-03T08:00:00.1Z stdout P level=warn half',
      { time: '2024-05-03T08:00:00.1Z', stream: 'stdout', partial: true, message: 'level=warn half' },
    ],
    [
      'web-1     | 2024-05-03T08:00:00Z INFO ready',
      { service: 'web-1', time: '2024-05-03T08:00:00Z', level: 'INFO', message: 'ready' },
    ],
    [
      '[Fri May  3 08:00:00.123456 2024] [proxy:error] [pid 12:tid 140] [client 10.0.0.1:5000] AH01: no',
      {
        time: 'Fri May  3 08:00:00.123456 2024',
        level: 'error',
        logger: 'proxy',
        pid: 12,
        thread: '140',
        client: '10.0.0.1:5000',
        message: 'AH01: no',
      },
    ],
    [
      '<11>1 2024-05-03T08:00:00Z host app 12 ID47 [a@1 x="y\\]z"][b@2 k="v w"] said',
      {
        time: '2024-05-03T08:00:00Z',
        level: 'ERROR',
        pri: 11,
        facility: 1,
        severity: 3,
        host: 'host',
        logger: 'app',
        pid: 12,
        msgid: 'ID47',
        x: 'y]z',
        k: 'v w',
        message: 'said',
      },
    ],
    [
      '<34>May  3 08:00:00 web su: failed',
      {
        time: 'May  3 08:00:00',
        level: 'CRIT',
        pri: 34,
        facility: 4,
        severity: 2,
        host: 'web',
        logger: 'su',
        message: 'failed',
      },
    ],
    [
      '<34>May  3 08:00:00 web su: facility=auth',
      {
        time: 'May  3 08:00:00',
        level: 'CRIT',
        pri: 34,
        host: 'web',
        logger: 'su',
        message: 'facility=auth',
      },
    ],
    [
      '2024/05/03 08:00:00 [notice] 12#34: signal process started',
      { time: '2024/05/03 08:00:00', level: 'notice', pid: 12, tid: 34, message: 'signal process started' },
    ],
    [
      '2024-05-03T08:00:00Z heroku[router]: at=info',
      { time: '2024-05-03T08:00:00Z', logger: 'heroku', process: 'router', message: 'at=info' },
    ],
    [
      '[2024-05-03T08:00:00Z INFO  app::server] up',
      { time: '2024-05-03T08:00:00Z', level: 'INFO', logger: 'app::server', message: 'up' },
    ],
    [
      '[2024-05-03 08:00:00] production.ERROR: broken',
      { time: '2024-05-03 08:00:00', level: 'ERROR', logger: 'production', message: 'broken' },
    ],
    [
      '2024-05-03 08:00:00.123 UTC [77] LOG:  started',
      { time: '2024-05-03 08:00:00.123 UTC', level: 'LOG', pid: 77, message: 'started' },
    ],
    [
      'I, [2024-05-03T08:00:00.1 #77]  INFO -- : up',
      { time: '2024-05-03T08:00:00.1', level: 'INFO', pid: 77, message: 'up' },
    ],
    [
      '[E 2024-05-03 08:00:00,123 web:22] no',
      { time: '2024-05-03 08:00:00,123', level: 'ERROR', logger: 'web:22', message: 'no' },
    ],
    [
      '1:M 03 May 2024 08:00:00.123 # low',
      { time: '03 May 2024 08:00:00.123', level: 'WARNING', pid: 1, message: 'low' },
    ],
    [
      '05-03 08:00:00.123  12  34 W Wifi: weak',
      { time: '05-03 08:00:00.123', level: 'WARNING', logger: 'Wifi', pid: 12, thread: 34, message: 'weak' },
    ],
    [
      '2024-05-03T08:00:00.1Z ##[error]exit 1',
      { time: '2024-05-03T08:00:00.1Z', level: 'error', message: '##[error]exit 1' },
    ],
    [
      '[03-May-2024 08:00:00 UTC] PHP Warning:  x',
      { time: '03-May-2024 08:00:00 UTC', level: 'WARNING', message: 'PHP Warning:  x' },
    ],
    [
      'update-alternatives 2025-06-24 14:36:53: run with --quiet',
      { logger: 'update-alternatives', time: '2025-06-24 14:36:53', message: 'run with --quiet' },
    ],
    [
      '9285  15:29:43.551177 brk(NULL) = 0x1',
      { pid: 9285, time: '15:29:43.551177', message: 'brk(NULL) = 0x1' },
    ],
    ['[   12.500001] usb 1-1: new', { time: 12.500001, message: 'usb 1-1: new' }],
  ])('%s', (line, fields) => {
    expect(read(line)).toEqual(fields)
  })

  test.each([
    '10:30:00 is when we meet',
    'name | INFO',
    '\tat com.acme.Main(Main.java:1)',
    'a | b | c',
    'Errors: none',
    'May the force',
    '00:00:05,500 --> 00:00:07,000',
  ])('begins no entry: %s', (line) => {
    expect(read(line)).toBeUndefined()
  })
})

test('a trace goes with its entry, also where another service writes in between', () => {
  const text = [
    'web | 2024-05-03T08:00:00Z ERROR boom',
    'web | \tat main',
    'db  | plain words',
    'web | 2024-05-03T08:00:01Z INFO on',
    'db  | 2024-05-03T08:00:02Z INFO on',
  ].join('\n')
  expect(records(text).map(({ service, message }) => [service, message])).toEqual([
    ['web', 'boom\nweb | \tat main'],
    ['db', 'plain words'],
    ['web', 'on'],
    ['db', 'on'],
  ])
})

test('each line of a service is a record, but for one that goes on with the line above', () => {
  const text = [
    'db-1  | 2024-05-03 08:00:00.000 UTC [7] LOG:  ready',
    'api-1 | {"level":"warn","time":"2024-05-03T08:00:01Z","ms":7}',
    'api-1 | {"level":"info","time":"2024-05-03T08:00:02Z","ms":8}',
    'api-1 | WARN slow',
    'api-1 | listening on 80',
    'api-1 |   at port 80',
    'api-1 | ',
    'db-1  |   at checkpoint',
    'web-1 exited with code 0',
    'api-1 | 2024-05-03T08:00:03Z INFO bye',
  ].join('\n')
  const found = records(text)
  expect(found.map(({ line, service, level }) => [line, service, level])).toEqual([
    [1, 'db-1', 'LOG'],
    [2, 'api-1', 'WARN'],
    [3, 'api-1', 'INFO'],
    [4, 'api-1', 'WARN'],
    [5, 'api-1', undefined],
    [8, 'db-1', undefined],
    [9, undefined, undefined],
    [10, 'api-1', 'INFO'],
  ])
  expect(found[2]).toMatchObject({ ms: 8 })
  expect(found[4]?.message).toBe('listening on 80\napi-1 |   at port 80\napi-1 | ')
  const lines = indexLines(text)
  const begins = log.entryTest?.(lines)
  const starts = text.split('\n').flatMap((line, index) => (begins?.(line, index) ? index + 1 : []))
  expect(starts).toEqual(found.map(({ line }) => line))
})

test('labels above entries are of all entries below them, up to the next labels', () => {
  const entry = (second: number, said: string) => `[2024-05-03T08:00:0${second}Z] ${said}`
  const streams = [
    'Found 2 streams:',
    '',
    'Stream 1:',
    'Labels: {app="api", env="a \\"b\\""}',
    entry(1, 'level=info status=200'),
    entry(2, 'level=warn app=x'),
    '  at main',
    '',
    'Stream 2:',
    'Labels: {app="web", level="error"}',
    entry(3, 'env=y'),
    entry(4, 'INFO ok'),
  ]
  const { json, asides } = recognise(streams.join('\n'))
  expect(asides).toEqual(['text beside it: Found 2 streams:'])
  const found = json?.() as JsonObject[]
  expect(found.map(({ line, app, env, level }) => [line, app, env, level])).toEqual([
    [5, 'api', 'a "b"', 'INFO'],
    [6, 'api', 'a "b"', 'WARN'],
    [11, 'web', 'y', 'ERROR'],
    [12, 'web', undefined, 'INFO'],
  ])
  expect(found[1]?.message).toBe('level=warn app=x\n  at main')
  // Below an entry alone they are a part of it.
  const within = records([entry(1, 'said'), '{app="api"}', entry(2, 'said'), entry(3, 'said')].join('\n'))
  expect(within.map(({ message, app }) => [message, app])).toEqual([
    ['said\n{app="api"}', 'api'],
    ['said', undefined],
    ['said', undefined],
  ])
})

test.each<[string, JsonObject]>([
  ['[12] ann@shop LOG:  ready', { pid: 12, user: 'ann', database: 'shop', level: 'LOG', message: 'ready' }],
  ['[12] LOG:  checkpoint: done', { pid: 12, level: 'LOG', message: 'checkpoint: done' }],
  [
    '[12] ann@shop DETAIL:  Key (id)=(1) exists.',
    { pid: 12, user: 'ann', database: 'shop', message: 'DETAIL:  Key (id)=(1) exists.' },
  ],
  [
    '[12] [unknown]@[unknown] FATAL:  no user=bob here',
    { pid: 12, user: '[unknown]', database: '[unknown]', level: 'FATAL', message: 'no user=bob here' },
  ],
  [
    '[12]: [7-1] user=ann,db=shop,client=10.0.0.1 ERROR:  gone',
    { pid: 12, user: 'ann', db: 'shop', client: '10.0.0.1', level: 'ERROR', message: 'gone' },
  ],
])('the head of PostgreSQL is no part of the message: %s', (rest, fields) => {
  const [first] = records(`2024-05-03 08:00:00 UTC ${rest}\n2024-05-03 08:00:01 UTC [1] LOG:  up`)
  expect(first).toEqual({ line: 1, time: '2024-05-03 08:00:00 UTC', ...fields })
})

test('the head of PostgreSQL at clouds has colons between its words', () => {
  expect(read('2024-05-03 08:00:00 UTC:10.0.0.1(4711):ann@shop:[12]:ERROR:  gone')).toEqual({
    time: '2024-05-03 08:00:00 UTC',
    client: '10.0.0.1',
    user: 'ann',
    database: 'shop',
    pid: 12,
    level: 'ERROR',
    message: 'gone',
  })
  expect(read('2024-05-03 08:00:00 UTC::@:[12]:LOG:  up')).toMatchObject({ pid: 12, message: 'up' })
  // Others write so as well.
  expect(read('2024-05-03 08:00:00 ann@shop.org said ERROR:  gone')?.user).toBeUndefined()
})

test('a value goes on to the semicolon between blanks that parts pairs', () => {
  const said = (message: string) =>
    records(`May  3 08:00:00 web sudo[1]: ${message}\nMay  3 08:00:01 web sudo[2]: up`)[0]
  expect(said('  ann : TTY=pts/0 ; PWD=/home/ann b ; COMMAND=/usr/bin/env A=1 apt update')).toMatchObject({
    TTY: 'pts/0',
    PWD: '/home/ann b',
    COMMAND: '/usr/bin/env A=1 apt update',
  })
  expect(said('n=1 ; lvl="warn" ; COMMAND=ls -l ; ls')).toMatchObject({
    n: 1,
    level: 'warn',
    COMMAND: 'ls -l ; ls',
  })
  // Here blanks part them as well.
  expect(said('failed a=1 b=2 ; c=3 ; d=4 now')).toMatchObject({ a: 1, b: 2, c: 3, d: 4 })
  expect(said('failed a=1 ; b=2 at last')).toMatchObject({ a: 1, b: 2 })
})

test('the amount that a message begins with is a field, and a word before a message stays its logger', () => {
  const said = (message: string) =>
    records(`2024-05-03T08:00:00Z INFO ${message}\n2024-05-03T08:00:01Z INFO up`)[0]
  expect(said('[1a-2b] Completed 404 Not Found in 55ms (Views: 16.5ms | Allocations: 77304)')).toMatchObject({
    status: 404,
    duration: '55ms',
    Views: '16.5ms',
    Allocations: 77304,
  })
  expect(said('[1a-2b] Completed 302 Found in 1ms')).toMatchObject({ status: 302, duration: '1ms' })
  expect(said('Completed 200 jobs in 5ms')?.status).toBeUndefined()
  expect(said('app - duration: 8.4 ms  statement: SELECT duration=3')).toMatchObject({ duration: '8.4 ms' })
  expect(said('app - heap: 512MB, free')).toMatchObject({ heap: '512MB', message: 'heap: 512MB, free' })
  for (const other of ['app - db: 5 items', 'app - db: 5 sources', 'app - rate: 5 B/s'])
    expect(Object.keys(said(other) ?? {})).toEqual(['line', 'time', 'level', 'logger', 'message'])
  for (const other of ['cache: hit a', 'cache: 5 MB evicted'])
    expect(said(other)).toMatchObject({ logger: 'cache' })
})

test('JSON at the end of a message, quoted pairs and what nginx appends are fields', () => {
  const [json, pairs, nginx] = records(
    [
      '2024-05-03T08:00:00Z app-1 {"level":"error","msg":"a=1 b","user":{"id":8}}',
      '2024-05-03T08:00:00Z INFO said q="a \\"b\\" c" n=1.50',
      '2024/05/03 08:00:00 [error] 12#0: *7 failed, client: 10.0.0.1, server: x, request: "GET / HTTP/1.1"',
    ].join('\n'),
  )
  expect(json).toMatchObject({ level: 'error', msg: 'a=1 b', user: { id: 8 } })
  expect(json).not.toHaveProperty('a')
  expect(pairs).toMatchObject({ q: 'a "b" c', n: '1.50' })
  expect(nginx).toMatchObject({ level: 'error', client: '10.0.0.1', server: 'x', request: 'GET / HTTP/1.1' })
})

test('a level has one spelling where a log has several, and is as it was written where it has one', () => {
  const levels = (text: string) => records(text).map(({ level }) => level)
  expect(levels('2024-05-03 08:00:00 ERROR a\n2024-05-03 08:00:01 x level=error')).toEqual(['ERROR', 'ERROR'])
  expect(levels('level=error msg=a\nlevel=info msg=b')).toEqual(['error', 'info'])
})

test('a year of two digits is the number that stays, where the others can be a month and a day', () => {
  const times = (...lines: string[]) => records(lines.join('\n')).map(({ time }) => time)
  expect(times('17/06/09 20:10:40 INFO a.B: up', '17/06/10 20:10:41 WARN a.B: down')).toEqual([
    '2017-06-09 20:10:40',
    '2017-06-10 20:10:41',
  ])
  expect(times('081109 203615 148 INFO dfs.A: up', '081110 203616 149 WARN dfs.A: down')).toEqual([
    '2008-11-09 20:36:15',
    '2008-11-10 20:36:16',
  ])
  // The last one stays here, and here the first cannot be a year yet.
  for (const lines of [
    ['09/06/17 20:10:40 INFO a.B: up', '10/06/17 20:10:41 WARN a.B: down'],
    ['68/06/09 20:10:40 INFO a.B: up', '68/06/09 20:10:41 WARN a.B: down'],
  ])
    expect(times(...lines)).toEqual(lines.map((line) => line.slice(0, 17)))
})

test('access logs of virtual hosts, and what a server appends', () => {
  const request = '[03/May/2024:08:00:00 +0200] "GET / HTTP/1.1" 200 5 "-" "curl"'
  const [vhost, plain] = records(
    `shop.example:443 10.1.2.3 - ann ${request}\n10.1.2.3 - - ${request} "-" rt=0.125\n10.1.2.3 - - ${request}`,
  )
  expect(vhost).toMatchObject({ vhost: 'shop.example:443', ip: '10.1.2.3', user: 'ann', status: 200 })
  expect(plain).toMatchObject({ ip: '10.1.2.3', user: null, rt: 0.125, rest: '"-" rt=0.125' })
  expect(plain).not.toHaveProperty('vhost')
})

test('colours and the mark at the start are left out, and this is said', () => {
  const text =
    '\ufeff2024-05-03T08:00:00Z \u001b[31mERROR\u001b[0m no\n2024-05-03T08:00:01Z INFO \u001b]8;;http://a\u0007ok'
  const document = fromRecognised(text)
  expect(document.text).toBe('2024-05-03T08:00:00Z ERROR no\n2024-05-03T08:00:01Z INFO ok')
  expect(document.asides).toEqual(['codes for colours, left out here'])
  expect(records(text).map(({ level }) => level)).toEqual(['ERROR', 'INFO'])
})

const words = fc.stringMatching(/^[ -~]{0,40}$/)

test('no line is lost: each entry begins at its line and goes on to before the next one', () => {
  const line = fc.oneof(
    words,
    words.map((said) => `2024-05-03 08:00:00,123 ERROR [main] a.b.C - ${said}`),
    words.map((said) => `2024-05-03T08:00:00Z stdout F ${said}`),
    words.map((said) => `web | level=warn ${said}`),
    words.map((said) => `\tat ${said}`),
  )
  fc.assert(
    fc.property(fc.array(line, { minLength: 3, maxLength: 30 }), (lines) => {
      const text = `${lines.join('\n')}\n`
      const { format, json } = recognise(text)
      if (format !== 'log') return
      const found = json?.() as JsonObject[]
      const first = lines.findIndex((each) => each.trim() !== '')
      expect(found[0]?.line).toBe(first + 1)
      found.forEach(({ line, message }, index) => {
        const after = Number(found[index + 1]?.line ?? lines.length + 1)
        const whole = lines.slice(Number(line) - 1, after - 1).join('\n')
        if (!whole.includes('level=')) expect(whole.endsWith(String(message))).toBe(true)
      })
    }),
  )
})

describe('fields below the heads of entries', () => {
  const entries = [1, 2, 3, 4].map(
    (n) =>
      `[2026-03-0${n}T10:00:00.000Z] INFO mailer: Sent ${n} letters\n  node: m-${n % 2}\n  took: ${n * 10}\n  tags: zone:a, to: b`,
  )

  test('each is a field of its entry, and the message is whole', () => {
    const records = fromRecognised(`Range: 4d | Hits: 4\n====================\n\n${entries.join('\n')}`)
    expect(records.json()).toMatchObject([
      { line: 4, level: 'INFO', logger: 'mailer', node: 'm-1', took: 10, tags: 'zone:a, to: b' },
      { node: 'm-0', took: 20, message: 'Sent 2 letters\n  node: m-0\n  took: 20\n  tags: zone:a, to: b' },
      { took: 30 },
      { took: 40 },
    ])
    expect(records.asides).toEqual([
      'text beside it: Range: 4d | Hits: 4',
      'text beside it: ====================',
    ])
  })

  test('what a program printed below an entry is none', () => {
    const trace =
      '2026-03-01T10:00:00Z ERROR app: failed\n    at run (a.js:1)\n    at go (b.js:2)\n  note: see above'
    const [first] = fromRecognised([1, 2, 3].map(() => trace).join('\n')).json() as JsonObject[]
    expect(Object.keys(first ?? {})).toEqual(['line', 'time', 'level', 'logger', 'message'])
  })
})

describe('levels in brackets, in letters and shortened', () => {
  test.each<[string, string | undefined, string]>([
    ['2024-05-03 08:00:00.123 <ERR> lost', 'ERR', 'lost'],
    ['2024-05-03 08:00:00 [WRN] slow', 'WRN', 'slow'],
    ['2024-05-03 08:00:00 (W) slow', 'WARNING', 'slow'],
    ['2024-05-03 08:00:00 [E] lost', 'ERROR', 'lost'],
    ['2024-05-03 08:00:00 <3> lost', 'ERROR', 'lost'],
    ['2024-05-03T08:00:00Z INF started', 'INF', 'started'],
    ['[08:00:01 FTL] gone', undefined, ''],
    ['<ERR> lost', 'ERR', 'lost'],
    ['<4>slow', 'WARNING', 'slow'],
    ['[E] 2024-05-03 08:00:00 lost', 'ERROR', 'lost'],
    ['(WARN) slow', 'WARN', 'slow'],
    ['E0503 08:00:00.123456   12 server.go:9] lost', 'ERROR', 'lost'],
    ['W20240503 08:00:00.123456 12 main.cc:9] slow', 'WARNING', 'slow'],
    ['I240503 08:00:00.123456 12 server/node.go:9  [n1] up', 'INFO', '[n1] up'],
    ['E/Camera( 123): lost', 'ERROR', 'lost'],
    ['05-03 08:00:00.123 D/dalvikvm( 12): collected', 'DEBUG', 'collected'],
    ['2024-05-03 08:00:00.123  12  14 W Looper: slow', 'WARNING', 'slow'],
    ['2024-05-03T08:00:00.123+0000 I NETWORK  [conn1] accepted', 'INFO', '[conn1] accepted'],
    ['[    12.345] (EE) no screens', 'ERROR', 'no screens'],
    ['[08:00:01] [Server thread/WARN]: slow', 'WARN', 'slow'],
    [
      'May  3 08:00:00 node kubelet[12]: E0503 08:00:00.123 12 a.go:1] lost',
      'ERROR',
      'E0503 08:00:00.123 12 a.go:1] lost',
    ],
    ['May  3 08:00:00 node app[12]: <W> slow', 'WARNING', '<W> slow'],
  ])('%s', (line, level, message) => {
    const found = read(line)
    expect(found?.level).toBe(level)
    if (level !== undefined) expect(found?.message).toBe(message)
  })

  test.each([
    '(C) 2024 by the authors',
    '(see above) and more',
    '<p>text',
    '<a href="x">y</a>',
    '[x] done',
    'I/O error: no space',
    'I think so: yes',
    'Inf and NaN',
    'E. coli',
    '(a) first',
  ])('plain text: %s', (line) => {
    expect(readEntry(line)).toBeUndefined()
  })

  test.each(['2024-05-03 08:00:00 I think: this went well', '2024-05-03 08:00:00 I/O error: no space'])(
    'a message that begins with a letter: %s',
    (line) => {
      expect(read(line)?.level).toBeUndefined()
    },
  )
})

test('no line of syslog goes on with the one before it', () => {
  const text = [
    'Jun 19 04:09:02 combo cups: cupsd startup succeeded',
    'Jun 19 04:09:11 combo syslogd 1.4.1: restart.',
    'Jun 19 04:09:12 combo sshd(pam_unix)[2421]: session opened for user root',
    'Jun 19 04:09:13 combo  -- root[2421]: ROOT LOGIN ON tty2',
  ].join('\n')
  expect(recognise(text).json?.()).toMatchObject([
    { line: 1, logger: 'cups', message: 'cupsd startup succeeded' },
    { line: 2, logger: 'syslogd', message: '1.4.1: restart.' },
    { line: 3, logger: 'sshd(pam_unix)', pid: 2421 },
    { line: 4, host: 'combo', logger: 'root', pid: 2421, message: 'ROOT LOGIN ON tty2' },
  ])
})

test('lines that say which log this is are no entries of it', () => {
  const entries = Array.from({ length: 9 }, (_, n) => `2025-11-01T00:00:0${n}Z INFO  app.db: ready ${n}`)
  const read = (...titles: string[]) => recognise([...titles, ...entries].join('\n'))
  const { json, asides } = read("Logs for container 'web-1':", '-- Logs begin at Sat 2025-11-01 --')
  expect(json?.()).toHaveLength(9)
  expect(asides).toEqual([
    "text beside it: Logs for container 'web-1':",
    'text beside it: -- Logs begin at Sat 2025-11-01 --',
  ])
  // The end of an entry that began before is one.
  expect(read('    at main (a.js:1)', 'and more').json?.()).toHaveLength(10)
  expect(read('Traceback (most recent call last):').json?.()).toHaveLength(10)
})
