import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactNumber } from '../../../src/documents/formats/cells.ts'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { recognise } from '../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, value: json?.() }
}

test('reads values over several lines one after the other, and keeps what stands between them', () => {
  const values = [{ id: 1, tags: ['a', 'b'] }, { id: 2, text: '}\n{' }, {}, [3]]
  const text = values.map((value) => JSON.stringify(value, null, 2)).join('\n')
  expect(read(text)).toMatchObject({ format: 'ndjson', value: values })
  expect(read(`${text}\nand a word`).value).toEqual([...values, { _line: 'and a word' }])
  expect(read('{\n  a brace opens\n}\n{\n  and another\n}\n').format).not.toBe('ndjson')
})

test('lines that are JSON only together are kept as the lines that they are', () => {
  const lines = [
    ...Array.from({ length: 20 }, (_, id) => `{"id":${id}}`),
    '{"a":[{}',
    '{}]}',
    '{},{}',
    ' [1] ',
    '',
  ]
  const values = recognise(lines.join('\n')).json?.()
  expect(values).toEqual([
    ...Array.from({ length: 20 }, (_, id) => ({ id })),
    { _line: '{"a":[{}' },
    { _line: '{}]}' },
    { _line: '{},{}' },
    [1],
  ])
})

test('reads NDJSON and keeps lines that are none', () => {
  const lines = ['{"a":1}', '{"a":2}', 'oops', '{"a":3}', '{"a":4}', '{"a":5}', '{"a":6}']
  expect(read(lines.join('\n'))).toEqual({
    format: 'ndjson',
    value: [{ a: 1 }, { a: 2 }, { _line: 'oops' }, { a: 3 }, { a: 4 }, { a: 5 }, { a: 6 }],
  })
})

test('reads CSV with quotes, newlines in cells, empty and missing cells', () => {
  const text = 'id,name,price\r\n1,"Doe, ""J""",1.5\r\n2,"two\nlines",\r\n3,x,2.25\r\n'
  expect(read(text)).toEqual({
    format: 'csv',
    value: [
      { id: 1, name: 'Doe, "J"', price: 1.5 },
      { id: 2, name: 'two\nlines', price: null },
      { id: 3, name: 'x', price: 2.25 },
    ],
  })
})

test('keeps numbers as text where they would change', () => {
  expect(read('zip,v\n01234,1.10\n99999,1.9\n12345,2\n').value).toEqual([
    { zip: '01234', v: '1.10' },
    { zip: '99999', v: '1.9' },
    { zip: '12345', v: '2' },
  ])
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (text) => {
      const number = exactNumber(text)
      if (number !== undefined) expect(String(number)).toBe(text)
    }),
  )
})

test('reads cells back as they were written', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', ' ', 'é'), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 3, maxLength: 20 }), (rows) => {
      const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
      const text = `one,two,three\n${rows.map((row) => row.map(quote).join(',')).join('\n')}\n`
      const { format, value } = read(text)
      expect(format).toBe('csv')
      expect(value).toEqual(rows.map(([one, two, three]) => ({ one, two, three })))
    }),
  )
})

test('reads access logs', () => {
  const line =
    '83.1.2.3 - bob [17/May/2015:10:05:03 +0000] "GET /a b.png HTTP/1.1" 404 - "http://x/" "Moz \\"1\\""'
  const good = '83.1.2.3 - - [17/May/2015:10:05:03 +0200] "GET /a HTTP/1.1" 200 203023'
  const { format, value } = read([good, line, good].join('\n'))
  expect(format).toBe('log')
  expect(value).toMatchObject([
    {
      line: 1,
      ip: '83.1.2.3',
      user: null,
      time: '2015-05-17T10:05:03+02:00',
      method: 'GET',
      path: '/a',
      status: 200,
      bytes: 203023,
    },
    { line: 2, user: 'bob', path: 'GET /a b.png HTTP/1.1', status: 404, bytes: null, referrer: 'http://x/' },
    { line: 3 },
  ])
})

test('reads dated logs with level, thread, logger, pairs and continued lines', () => {
  const text = [
    '2024-05-01 10:00:00,123 [main] INFO com.acme.App - started port=8080 name="my app"',
    '2024-05-01 10:00:01,000 [main] ERROR com.acme.App - failed',
    'java.lang.Error: x',
    '\tat com.acme.X.run(X.java:1)',
    '2024-05-01 10:00:02,000 plain words here',
  ].join('\n')
  expect(read(text)).toEqual({
    format: 'log',
    value: [
      {
        line: 1,
        time: '2024-05-01 10:00:00,123',
        thread: 'main',
        level: 'INFO',
        logger: 'com.acme.App',
        port: 8080,
        name: 'my app',
        message: 'started port=8080 name="my app"',
      },
      {
        line: 2,
        time: '2024-05-01 10:00:01,000',
        thread: 'main',
        level: 'ERROR',
        logger: 'com.acme.App',
        message: 'failed\njava.lang.Error: x\n\tat com.acme.X.run(X.java:1)',
      },
      { line: 5, time: '2024-05-01 10:00:02,000', message: 'plain words here' },
    ],
  })
})

test('reads syslog and logfmt', () => {
  const syslog = 'May  1 10:00:00 web1 sshd[12]: Failed password for root\nMay  1 10:00:01 web1 kernel: up\n'
  expect(read(syslog).value).toMatchObject([
    { time: 'May  1 10:00:00', host: 'web1', logger: 'sshd', pid: 12, message: 'Failed password for root' },
    { logger: 'kernel', message: 'up' },
  ])
  const logfmt =
    'time=2024-01-01T00:00:00Z level=warn msg="slow query" ms=12\ntime=2024-01-01T00:00:01Z level=info msg=ok ms=1\n'
  expect(read(logfmt).value).toMatchObject([
    { time: '2024-01-01T00:00:00Z', level: 'warn', message: 'slow query', ms: 12 },
    { level: 'info', message: 'ok', ms: 1 },
  ])
})

test('reads the outline and tables of Markdown, not inside fences', () => {
  const text = '# One\n\nwords\n\n```\n# no\n```\n\n## Two ##\n\n| a | b |\n|---|:-:|\n| 1 | x \\| y |\n'
  expect(read(text)).toEqual({
    format: 'markdown',
    value: {
      sections: [
        { level: 1, heading: 'One', line: 1, text: 'words\n\n```\n# no\n```' },
        { level: 2, heading: 'Two', line: 9, text: '| a | b |\n|---|:-:|\n| 1 | x \\| y |' },
      ],
      tables: [[{ a: '1', b: 'x | y' }]],
    },
  })
})

test.each<[string, string, string]>([
  [
    'ndjson',
    'Listed incidents:\n{"id": 1, "state": "open"}\n{"id": 2, "state": "shut"}\n{"id": 3, "state": "open"}\n',
    'Listed incidents:',
  ],
  [
    'table',
    `Results for account 7:\n${'-'.repeat(40)}\nid | state | name\n${'-'.repeat(40)}\n1  | open  | a\n2  | shut  | b\n3  | open  | c\n`,
    'Results for account 7:',
  ],
  [
    'csv',
    '# Results\n\n## all.csv\n\nShowing 4 rows\n\ntime,state,id\n2025-11-01T21:08:48Z,open,1\n2025-11-01T21:08:49Z,shut,2\n2025-11-01T21:08:50Z,open,3\n2025-11-01T21:08:51Z,shut,4\n',
    'Showing 4 rows',
  ],
])('reads %s below a few words', (format, text, above) => {
  const document = fromRecognised(text)
  expect(document.format).toBe(format)
  const values = document.records()?.values as JsonObject[]
  expect(values.map(({ state, id }) => `${state} ${id}`).slice(0, 3)).toEqual(['open 1', 'shut 2', 'open 3'])
  expect(document.asides.join()).toContain(above)
})

test('reads title, headings, tables and links of HTML', () => {
  const text =
    '<!doctype html><title>T &amp; U</title><script>"<h1>no</h1>"</script><h1>Head<b>ing</b></h1>' +
    '<table><tr><th>Item<th>Price<tr><td><a href="/1">One</a><td>1.50</table><!-- <h2>no</h2> -->'
  expect(read(text)).toEqual({
    format: 'html',
    value: {
      title: 'T & U',
      headings: [{ level: 1, text: 'Heading' }],
      tables: [[{ Item: 'One', Price: '1.50' }]],
      links: [{ text: 'One', href: '/1' }],
    },
  })
})

test('reads accessibility trees', () => {
  const text = '- main [ref=e1]:\n  - button "Save" [ref=e2]\n  - link "Home" [ref=e3]: go\n- text: bye\n'
  expect(read(text)).toEqual({
    format: 'tree',
    value: [
      { line: 1, depth: 0, role: 'main', ref: 'e1' },
      { line: 2, depth: 1, role: 'button', name: 'Save', ref: 'e2' },
      { line: 3, depth: 1, role: 'link', name: 'Home', ref: 'e3', text: 'go' },
      { line: 4, depth: 0, role: 'text', text: 'bye' },
    ],
  })
})

test('takes prose for prose', () => {
  for (const text of [
    'Hello, world.\nIt rains, again.\nAnd so on, and on.',
    'one line',
    '',
    '\n\n',
    'a: b\nc: d\ne: f',
  ]) {
    expect(recognise(text).format).toBe('text')
  }
})

verifies('S3.25', 'names as data what JavaScript objects inherit', () => {
  const { value } = read('__proto__,constructor\nx,y\nz,w\nu,v\n')
  expect(JSON.stringify(value)).toBe(
    '[{"__proto__":"x","constructor":"y"},{"__proto__":"z","constructor":"w"},{"__proto__":"u","constructor":"v"}]',
  )
})

describe('logs of journals', () => {
  test('the process is a field, and a message with pairs in it stays whole', () => {
    const lines = [
      '2024-05-01T10:00:00+0200 web1 dockerd[77]: level=error msg="boom"',
      '2024-05-01T10:00:01+0200 web1 systemd[1]: Started with msg="x" and more',
      '2024-05-01T10:00:02+0200 web1 kubelet[8]: error: no sync',
    ]
    expect(recognise(lines.join('\n')).json?.()).toMatchObject([
      { host: 'web1', logger: 'dockerd', pid: 77, level: 'error', message: 'boom' },
      { logger: 'systemd', message: 'Started with msg="x" and more' },
      { logger: 'kubelet', level: 'error', message: 'error: no sync' },
    ])
  })
})

test('reads rows of BigQuery under the names of its schema', () => {
  const row = (...cells: unknown[]) => ({ f: cells.map((v) => ({ v })) })
  const sent = {
    schema: {
      fields: [
        { name: 'country', type: 'STRING' },
        { name: 'users', type: 'INTEGER' },
      ],
    },
    rows: [row('DE', '5'), row('FR', null)],
  }
  expect(read(JSON.stringify(sent)).value).toMatchObject({
    rows: [
      { country: 'DE', users: '5' },
      { country: 'FR', users: null },
    ],
  })
})
