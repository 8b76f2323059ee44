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
