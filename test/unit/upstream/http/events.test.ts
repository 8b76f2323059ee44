import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SseReader } from '../../../../src/upstream/http/events.ts'
import { readingRuns, runs } from '../../../support/runs.ts'

interface Read {
  events: { type: string; data: string; id: string | undefined }[]
  id: string | undefined
  retryMs: number | undefined
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  const edges = [0, ...at, bytes.length]
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end))
}

function read(chunks: readonly Buffer[], maxBytes = 10_000): Read {
  const events: Read['events'] = []
  const reader = new SseReader(maxBytes, ({ type, parts, length, edges }) => {
    const data = Buffer.concat(parts)
    expect(length).toBe(edges ? length : data.length)
    const text = edges ? `${edges.head}…${edges.tail}` : data.toString('utf8')
    events.push({ type, data: text, id: reader.lastEventId })
  })
  for (const chunk of chunks) reader.push(chunk)
  return { events, id: reader.lastEventId, retryMs: reader.retryMs }
}

/** The specification, word for word and without regard to cost. Ids and types are ASCII here. */
function reference(bytes: Buffer): Read {
  const text = new TextDecoder().decode(bytes)
  const lines = text.split(/\r\n|\n|\r/)
  lines.pop()
  const result: Read = { events: [], id: undefined, retryMs: undefined }
  let data = ''
  let type = ''
  let id = ''
  for (const line of lines) {
    if (line === '') {
      result.id = id === '' ? undefined : id
      if (data !== '') result.events.push({ type, data: data.slice(0, -1), id: result.id })
      data = ''
      type = ''
      continue
    }
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') type = value
    if (name === 'data') data += `${value}\n`
    if (name === 'id' && !value.includes('\0')) id = value
    if (name === 'retry' && /^[0-9]+$/.test(value)) result.retryMs = Number(value)
  }
  return result
}

const oneOf = (...values: string[]): fc.Arbitrary<string> => fc.constantFrom(...values)
const value = fc.oneof(
  oneOf('', ' ', '  two', 'a:b', ':', '1500', '12x', 'a\0b', 'message'),
  fc.string({ maxLength: 8 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
)
const data = fc.oneof(
  value,
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
)
const field = fc.oneof(
  fc.tuple(oneOf('data', 'data', 'dat', 'datax', 'some-long-name', '', ' data'), oneOf(':', ': ', ''), data),
  fc.tuple(oneOf('event', 'id', 'retry', 'Event', 'ID'), oneOf(':', ': ', ''), value),
)
const line = fc.oneof(
  field.map(([name, colon, text]) => (colon === '' ? name : name + colon + text)),
  oneOf('', '', ':', ': comment'),
)
const stream = fc
  .tuple(oneOf('', '\u{feff}'), fc.array(fc.tuple(line, oneOf('\n', '\r\n', '\r')), { maxLength: 40 }), line)
  .map(([mark, lines, rest]) => mark + lines.map((pair) => pair.join('')).join('') + rest)

describe('server-sent events', () => {
  test('any stream in any chunks is read as the specification says', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 80 }), (text, places) => {
        const bytes = Buffer.from(text)
        expect(read(cut(bytes, places))).toEqual(reference(bytes))
      }),
      { numRuns: Math.max(runs(1000), readingRuns) },
    )
  })

  test('byte by byte is read as in one piece', () => {
    fc.assert(
      fc.property(stream, (text) => {
        const bytes = Buffer.from(text)
        expect(read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(read([bytes]))
      }),
    )
  })

  test('data over the ceiling keeps its edges, its neighbours everything', () => {
    const long = `${'a'.repeat(700)}${'b'.repeat(700)}`
    const bytes = Buffer.from(`data: 1\n\ndata: ${long}\ndata: c\n\nid: 7\ndata: 2\n\n`)
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (places) => {
        expect(read(cut(bytes, places), 1000).events.map((event) => event.data)).toEqual([
          '1',
          `${'a'.repeat(512)}…${'b'.repeat(510)}\nc`,
          '2',
        ])
      }),
    )
  })

  test('endless comments, names and ids are not kept', () => {
    const endless = Buffer.alloc(100_000, 'x')
    const chunks = [':', 'id', 'id: '].flatMap((start) => [Buffer.from(start), endless, Buffer.from('\n')])
    const { events, id } = read([...chunks, Buffer.from('data: 1\n\n')], 10)
    expect(events.map((event) => event.data)).toEqual(['1'])
    expect(id).toBeUndefined()
  })

  test('an id counts when its event is whole', () => {
    expect(read([Buffer.from('id: 1\ndata: a\n\nid: 2\ndata: b\n')])).toMatchObject({ id: '1' })
    expect(read([Buffer.from('id: 1\n\n')])).toMatchObject({ id: '1', events: [] })
    expect(read([Buffer.from('id: 1\n\nid\n\n')])).toMatchObject({ id: undefined })
  })
})
