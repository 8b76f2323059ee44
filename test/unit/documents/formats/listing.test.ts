import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, records: json?.() as JsonObject[] | undefined }
}

const folder = `total 24
drwxr-xr-x  2 ann staff   4096 Nov 21 15:28 src
-rw-r--r--  1 ann staff  12345 Jan  3  2023 read me.md
lrwxrwxrwx  1 ann staff      6 Apr 12  2025 current -> v1 -> 2
crw-rw----  1 root tty   4,  64 Nov 20 15:20 ttyS0
-rw-r--r--@ 1 ann staff   1.5K 2026-11-21 15:28:00.123456789 +0100 .hidden
`

test('files with their type, size, owner and time as printed', () => {
  expect(read(folder)).toEqual({
    format: 'table',
    records: [
      {
        name: 'src',
        type: 'directory',
        size: 4096,
        modified: 'Nov 21 15:28',
        owner: 'ann',
        group: 'staff',
        mode: 'drwxr-xr-x',
        links: 2,
      },
      {
        name: 'read me.md',
        type: 'file',
        size: 12345,
        modified: 'Jan  3  2023',
        owner: 'ann',
        group: 'staff',
        mode: '-rw-r--r--',
        links: 1,
      },
      {
        name: 'current',
        type: 'link',
        size: 6,
        modified: 'Apr 12  2025',
        owner: 'ann',
        group: 'staff',
        mode: 'lrwxrwxrwx',
        links: 1,
        target: 'v1 -> 2',
      },
      {
        name: 'ttyS0',
        type: 'character device',
        device: '4,  64',
        modified: 'Nov 20 15:20',
        owner: 'root',
        group: 'tty',
        mode: 'crw-rw----',
        links: 1,
      },
      {
        name: '.hidden',
        type: 'file',
        size: '1.5K',
        modified: '2026-11-21 15:28:00.123456789 +0100',
        owner: 'ann',
        group: 'staff',
        mode: '-rw-r--r--',
        links: 1,
      },
    ],
  })
})

test('folders of a recursive list, empty ones and lines that are no file', () => {
  const text = `.:\n${folder}\n./empty:\ntotal 0\n\n./src:\ntotal 4\n-rw-r--r-- 1 ann staff 7 Nov 21 15:28 a.ts\nls: cannot open directory 'x': Permission denied\n`
  const records = read(text).records ?? []
  expect(records.map((row) => row.folder)).toEqual(['.', '.', '.', '.', '.', './src', undefined])
  expect(records.at(-1)).toEqual({ _line: "ls: cannot open directory 'x': Permission denied" })
})

test('find -ls and tar', () => {
  const find = [1, 2, 3].map(
    (n) =>
      `   38925${n}      4 drwxr-xr-x   3 root     root         409${n} Jun 24  2025 /usr/share/perl${n}`,
  )
  expect(read(find.join('\n')).records?.[0]).toEqual({
    name: '/usr/share/perl1',
    type: 'directory',
    size: 4091,
    modified: 'Jun 24  2025',
    owner: 'root',
    group: 'root',
    mode: 'drwxr-xr-x',
    links: 3,
    inode: 389251,
    blocks: 4,
  })
  const tar = [1, 2, 3].map((n) => `-rw-r--r-- root/wheel  ${n}99 2025-06-24 14:37 etc/apt/f${n}`)
  expect(read(tar.join('\n')).records?.[2]).toMatchObject({
    name: 'etc/apt/f3',
    size: 399,
    owner: 'root',
    group: 'wheel',
  })
})

test('objects of S3, what some have in common, and their sums', () => {
  const text = `                           PRE logs/
2024-01-08 06:37:29  252639209 my logs/report 0.csv
2024-08-01 20:35:48          0 a/
2025-02-03 19:34:22 12345678901 big.gz
2025-02-03 19:34:22    1.5 KiB human.gz

Total Objects: 4
   Total Size: 12598318110
`
  expect(recognise(text).asides).toEqual([
    'text beside it: Total Objects: 4',
    'text beside it: Total Size: 12598318110',
  ])
  expect(read(text)).toEqual({
    format: 'table',
    records: [
      { key: 'logs/', type: 'prefix' },
      { time: '2024-01-08 06:37:29', size: 252639209, key: 'my logs/report 0.csv' },
      { time: '2024-08-01 20:35:48', size: 0, key: 'a/' },
      { time: '2025-02-03 19:34:22', size: 12345678901, key: 'big.gz' },
      { time: '2025-02-03 19:34:22', size: '1.5 KiB', key: 'human.gz' },
    ],
  })
})

describe('what is no list of files', () => {
  test.each([
    [
      'a log with numbers of processes',
      [1, 2, 3, 4].map((n) => `2024-01-08 06:37:2${n} 123${n} Started worker ${n}`).join('\n'),
      'log',
    ],
    [
      'prose about modes',
      'A file has a mode such as\n-rw-r--r-- which means\nthat others may read it.\n',
      'text',
    ],
    ['two files', folder.split('\n').slice(1, 3).join('\n'), 'text'],
    ['a manual with an example', `${'The command prints what is there.\n'.repeat(20)}${folder}`, 'text'],
  ])('%s', (_, text, format) => {
    expect(read(text).format).toBe(format)
  })
})

test('numbers before the messages of a log are no sizes of objects', () => {
  const line = (nth: number) => `2016-03-11 12:31:3${nth} 140148322658176 [ERROR] InnoDB: a.b/c ${nth}\n`
  expect(read([1, 2, 3, 4].map(line).join('')).format).toBe('log')
  expect(read([1, 2, 3, 4].map(line).join('')).records?.[0]).toMatchObject({ level: 'ERROR' })
})

test('every name, size and time is told as it was printed', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
    .filter(
      (text) => !/[\r\n\p{Cc}\u2028\u2029]/u.test(text) && text.trim() === text && !text.includes(' -> '),
    )
  const row = fc.record({
    name,
    size: fc.nat(),
    owner: fc.stringMatching(/^[a-z][a-z0-9_-]{0,7}$/),
    time: fc.constantFrom('Nov 21 15:28', 'Jan  3  2023', '2024-05-06 07:08'),
  })
  fc.assert(
    fc.property(fc.array(row, { minLength: 3, maxLength: 9 }), (rows) => {
      const text = rows.map(
        (one) => `-rw-r--r-- 1 ${one.owner} staff ${String(one.size).padStart(8)} ${one.time} ${one.name}`,
      )
      expect(read(text.join('\n')).records).toMatchObject(
        rows.map(({ name, size, owner, time }) => ({ name, size, owner, group: 'staff', modified: time })),
      )
    }),
  )
})
