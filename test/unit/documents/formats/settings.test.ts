import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const read = (text: string) => {
  const { format, json } = recognise(text)
  return { format, records: json?.() as JsonObject[] | undefined }
}

test('pairs with their section, quotes taken off, comments left out', () => {
  const ini = `; made by hand
name = the proxy
# a comment

[server]
host = "127.0.0.1"
port=8000
[server.tls] ; more
key = 'a "b"'
empty =
args = a = b
  and more
`
  expect(read(ini)).toEqual({
    format: 'entries',
    records: [
      { line: 2, key: 'name', value: 'the proxy' },
      { line: 6, section: 'server', key: 'host', value: '127.0.0.1' },
      { line: 7, section: 'server', key: 'port', value: 8000 },
      { line: 9, section: 'server.tls', key: 'key', value: 'a "b"' },
      { line: 10, section: 'server.tls', key: 'empty', value: '' },
      { line: 11, section: 'server.tls', key: 'args', value: 'a = b\n  and more' },
    ],
  })
})

test('sections with the same keys are records, others are pairs', () => {
  const host = (n: number, also = ''): string => `[host${n}]\nip = 10.0.0.${n}\nport = ${8000 + n}\n${also}`
  const alike = [1, 2, 3, 4, 5].map((n) => host(n, n === 3 ? '__proto__ = x\n' : ''))
  const records = read(alike.join('\n')).records ?? []
  expect(records[1]).toEqual({ line: 5, section: 'host2', ip: '10.0.0.2', port: 8002 })
  expect(Object.keys(records[2] ?? {})).toEqual(['line', 'section', 'ip', 'port', '__proto__'])
  // Sections of one name are records as well.
  expect(read(alike.join('\n').replaceAll(/host\d/g, 'Peer')).records).toHaveLength(5)
  const pairs = (text: string): unknown => read(text).records?.every(({ key }) => key !== undefined)
  expect(pairs(alike.slice(0, 4).join('\n'))).toBe(true)
  expect(pairs(`top = 1\n${alike.join('\n')}`)).toBe(true)
  expect(pairs([...alike, host(6, 'ip = 10.0.0.7\n')].join('\n'))).toBe(true)
  expect(pairs([1, 2, 3, 4, 5].map((n) => `[s${n}]\na${n} = 1\nb${n} = 2\n`).join('\n'))).toBe(true)
})

test('an environment', () => {
  const env = ['HOME=/root', 'export PATH="/bin:/usr/bin"', 'A=1', 'B=007', 'C=', 'D=x y']
  expect(read(env.join('\n')).records?.map(({ key, value }) => [key, value])).toEqual([
    ['HOME', '/root'],
    ['PATH', '/bin:/usr/bin'],
    ['A', 1],
    ['B', '007'],
    ['C', ''],
    ['D', 'x y'],
  ])
})

test.each([
  ['code', 'a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ndef main():\n  x = 1\n'],
  ['JavaScript', Array.from({ length: 9 }, (_, n) => `x${n} = ${n};`).join('\n')],
  ['prose', `a = 1\n${'And then it was said.\n'.repeat(9)}`],
  ['few', 'a = 1\nb = 2\n'],
])('no settings: %s', (_, text) => {
  expect(read(text).records).toBeUndefined()
})

test('every value is told as it was written', () => {
  const key = fc
    .stringMatching(/^[A-Za-z_][A-Za-z0-9_.]{0,12}$/)
    .filter(
      (name) =>
        !/^(?:if|for|let|var|def|from|const|class|import|return|public|private|function|export)$/.test(name),
    )
  const value = fc.stringMatching(/^[A-Za-z0-9 /:.,_-]{0,16}$/).map((text) => text.trim())
  fc.assert(
    fc.property(fc.array(fc.tuple(key, value), { minLength: 6, maxLength: 20 }), (pairs) => {
      const { format, records } = read(pairs.map(([name, held]) => `${name}=${held}`).join('\n'))
      // Dates and levels at the beginning make a log of it, which says as much.
      fc.pre(format === 'entries')
      expect(records?.map(({ key, value }) => [key, String(value)])).toEqual(pairs)
    }),
  )
})

test('names with dots may have a colon, words of prose may not', () => {
  const sysctl = [
    'kern.maxproc: 2128',
    'kern.boottime: { sec = 1592259876, usec = 0 }',
    'hw.model: Mac',
    'net.inet.ip.ttl: 64',
    'vm.swapusage: ',
    'user.cs_path: /usr/bin:/bin',
  ].join('\n')
  expect(read(sysctl).records?.slice(0, 2)).toEqual([
    { line: 1, key: 'kern.maxproc', value: 2128 },
    { line: 2, key: 'kern.boottime', value: '{ sec = 1592259876, usec = 0 }' },
  ])
  expect(read('Note: one\nTip: two\nAlso: three\nNote: four\nSee: five\nTip: six\n').format).toBe('text')
})
