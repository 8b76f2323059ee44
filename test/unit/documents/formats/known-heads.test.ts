import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KnownHeads } from '../../../../src/documents/formats/known-heads.ts'
import { readEntry } from '../../../../src/documents/formats/log.ts'

const TIME = '2024-05-03T08:00:00.123Z'

test('a head that was read before is found before a letter, and nowhere else', () => {
  const known = new KnownHeads()
  const line = `${TIME} INFO app.cache - hit for user=1`
  const { fields, message } = readEntry(line, known) ?? {}
  expect(fields).toEqual({ time: TIME, level: 'INFO', logger: 'app.cache' })
  const end = message ?? 0
  const at = (other: string) => known.at(other, TIME.length)?.fields
  expect(at(`${line.slice(0, end)}another`)).toEqual({ level: 'INFO', logger: 'app.cache' })
  for (const said of ['12 hits', '[main] hit', ' hit', '- hit', ''])
    expect(at(line.slice(0, end) + said)).toBeUndefined()
})

test('a line is read alike whatever lines were read before', () => {
  const word = fc.constantFrom(
    'INFO',
    'ERROR',
    'error',
    'Warning',
    'WARN:',
    'LOG:',
    'app.cache',
    'main.Foo:',
    'cache',
    'Foo:',
    'PHP',
    'Fatal',
    'std',
    'stdout',
    'F',
    'I',
    'E',
    'NETWORK',
    'web1',
    'kernel:',
    'sshd[12]:',
    'cron[a-1]:',
    '12',
    '12#34:',
    '[main]',
    '[a.b]',
    '[12]',
    '[pid 1]',
    '[',
    ']',
    '-',
    '--',
    '---',
    ':',
    '|',
    '##[error]',
    '::error::',
    'ann@shop',
    'a=1',
    'IP',
    '1.2',
    '',
    '\u00a0',
    'é',
  )
  const begun = fc.constantFrom(
    '',
    'INFO app.cache ',
    'INFO app.cache - ',
    'ERROR a.b 12 - ',
    'web1 INFO app.db ',
  )
  const line = fc
    .tuple(begun, fc.array(word, { maxLength: 7 }))
    .map(([head, words]) => `${TIME} ${head}${words.join(' ')}`)
  fc.assert(
    fc.property(fc.array(line, { minLength: 2, maxLength: 12 }), (lines) => {
      const known = new KnownHeads()
      for (const one of [...lines, ...lines]) expect(readEntry(one, known)).toEqual(readEntry(one))
    }),
    { numRuns: 500 },
  )
})
