import { expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'

const read = (text: string) => {
  const { format, json, asides } = recognise(text)
  return { format, asides, records: json?.() }
}

test('a log of IIS has the fields that it names, and its own numbers', () => {
  const { format, records, asides } = read(`#Software: Microsoft Internet Information Services 10.0
#Version: 1.0
#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) sc-status time-taken
2025-11-03 00:03:16 GET /a.js - 192.0.2.25 Mozilla/5.0+(Windows) 200 353
2025-11-03 00:04:35 POST / id=4 192.0.2.22 curl/8.4.0 404 2945
`)
  expect(format).toBe('table')
  expect(records).toEqual([
    {
      date: '2025-11-03',
      time: '2025-11-03 00:03:16',
      'cs-method': 'GET',
      'cs-uri-stem': '/a.js',
      'cs-uri-query': null,
      'c-ip': '192.0.2.25',
      'cs(User-Agent)': 'Mozilla/5.0+(Windows)',
      'sc-status': 200,
      'time-taken': 353,
    },
    expect.objectContaining({ 'cs-uri-query': 'id=4', 'sc-status': 404 }),
  ])
  expect(asides.join(' ')).toContain('Internet Information Services')
})

test('names below other names, texts in quotes, and a line that does not fit', () => {
  const rows = Array.from({ length: 20 }, (_, nth) => `10:00:${nth + 10} "a ""b"" ${nth}"`)
  const { records } = read(
    `#Fields: time agent\n${rows.join('\n')}\nbroken\n#Date: 2025-11-04\n#Fields: time size\n11:00:00 7\n`,
  )
  expect(records).toMatchObject([
    { time: '10:00:10', agent: 'a "b" 0' },
    ...rows.slice(1).map(() => ({})),
    { _line: 'broken' },
    { time: '11:00:00', size: 7 },
  ])
})

test('tabs part the cells of CloudFront and of Zeek, which may be empty or have blanks', () => {
  expect(
    read('#Version: 1.0\n#Fields: date sc-bytes x-note\n2025-11-03\t12\ta b\n2025-11-03\t\t-\n').records,
  ).toEqual([
    { date: '2025-11-03', 'sc-bytes': 12, 'x-note': 'a b' },
    { date: '2025-11-03', 'sc-bytes': null, 'x-note': null },
  ])
  expect(
    read('#separator \\x09\n#fields\tts\tid.orig_h\n#types\ttime\taddr\n1.5\t10.0.0.1\n').records,
  ).toEqual([{ ts: 1.5, 'id.orig_h': '10.0.0.1' }])
})

test('names without a mark above as many words in each line, of which some are dashes', () => {
  const head = 'version account-id srcaddr srcport bytes action log-status'
  const rows = Array.from({ length: 12 }, (_, nth) =>
    nth % 4 === 3 ? `2 1234 - - - - NODATA` : `2 1234 10.0.0.${nth} ${3000 + nth} ${nth + 1}00 ACCEPT OK`,
  )
  const { format, records } = read([head, ...rows].join('\n'))
  expect(format).toBe('table')
  expect(records).toHaveLength(12)
  expect((records as unknown[])[3]).toEqual({
    version: 2,
    'account-id': 1234,
    srcaddr: null,
    srcport: null,
    bytes: null,
    action: null,
    'log-status': 'NODATA',
  })
  expect((records as unknown[])[2]).toMatchObject({ srcaddr: '10.0.0.2', srcport: 3002, bytes: 300 })
})

test('a time in the place of the first name stands before each row, and names may change', () => {
  const times = ['10', '20', '30', '40']
  const { records, asides } = read(
    [
      'Linux 5.15.0 (web1) \t11/03/2025 \t_x86_64_\t(4 CPU)',
      '',
      '12:00:01 AM     CPU     %user     %idle',
      ...times.map((minute) => `12:${minute}:00 AM     all     41.${minute}     40.5`),
      '',
      '01:00:01 PM     CPU     %user     %idle',
      ...times.map((minute) => `01:${minute}:00 PM     all     4.${minute}     90.5`),
      'Average:        all     30.00     60.00',
      '',
      '12:00:01 AM   kbmemfree   kbavail  %memused',
      '12:10:00 AM        1024      2048     50.25',
    ].join('\n'),
  )
  expect(records).toHaveLength(9)
  expect(records).toMatchObject([
    { time: '12:10:00 AM', CPU: 'all', '%idle': 40.5 },
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
  ])
  expect((records as unknown[])[8]).toEqual({
    time: '12:10:00 AM',
    kbmemfree: 1024,
    kbavail: 2048,
    '%memused': 50.25,
  })
  expect(asides.map((line) => line.slice(0, 28))).toEqual([
    'text beside it: Linux 5.15.0',
    'text beside it: Average:    ',
  ])
})
