import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type ReadbackLimits,
  type ReadbackParams,
  readback as readBytes,
} from '../../../src/processors/readback.ts'
import { runs } from '../../support/runs.ts'
import { verifies } from '../../support/verifies.ts'

const readback = (content: string | Uint8Array, params: ReadbackParams, limits: ReadbackLimits) =>
  readBytes(typeof content === 'string' ? Buffer.from(content) : content, params, limits)

const limits = { maxChars: 16_000, maxMatches: 20 }
const text = Array.from({ length: 200 }, (_, n) => `line ${n + 1}${n % 10 === 0 ? ' Föö' : ''}`).join('\n')
const read = (params: ReadbackParams, more: Partial<typeof limits> = {}) =>
  readback(text, params, { ...limits, ...more })

verifies('S4.24 S4.25', 'head and tail give fifty lines, or as many as are asked for', () => {
  expect(read({ op: 'head' }).text.split('\n')).toHaveLength(50)
  expect(read({ op: 'head', lines: 2 })).toEqual({ text: 'line 1 Föö\nline 2' })
  expect(read({ op: 'tail' }).text.split('\n').at(1)).toBe('line 152')
  expect(read({ op: 'tail', lines: 2 })).toEqual({ text: 'line 199\nline 200' })
  expect(read({ op: 'tail', lines: 1000 }).text).toBe(text)
})

verifies('S4.26', 'slice counts from one, inclusive, and stays within the file', () => {
  expect(read({ op: 'slice', fromLine: 3, toLine: 4 })).toEqual({ text: 'line 3\nline 4' })
  expect(read({ op: 'slice', fromLine: 0, toLine: 1 })).toEqual({ text: 'line 1 Föö' })
  expect(read({ op: 'slice', fromLine: 199, toLine: 900 })).toEqual({ text: 'line 199\nline 200' })
  expect(read({ op: 'slice', fromLine: 9, toLine: 5 }).text).toContain('200')
  expect(read({ op: 'slice', fromLine: 500 }).text).toContain('200')
})

verifies(
  'S4.27',
  'grep is blind to case, numbers lines, marks gaps, and reads what is no pattern as text',
  () => {
    expect(read({ op: 'grep', pattern: 'LINE 1[12]( Föö)?$', context: 1 }).text).toBe(
      '2 lines match.\n10- line 10\n11: line 11 Föö\n12: line 12\n13- line 13',
    )
    const gaps = read({ op: 'grep', pattern: 'line (5|9)$' }).text
    expect(gaps).toBe('2 lines match.\n5: line 5\n---\n9: line 9')
    expect(readback('a(b\nc', { op: 'grep', pattern: 'a(b' }, limits).text).toContain('1: a(b')
    expect(read({ op: 'grep', pattern: 'nowhere' }).text).toContain('No line')
  },
)

verifies('S4.27 S4.52', 'grep ends at its matches and says how to go on', () => {
  const answer = read({ op: 'grep', pattern: 'line' })
  expect(answer.text.split('\n')[0]).toBe('200 lines match.')
  expect(answer.text.split('\n')).toHaveLength(21)
  // The twenty-first match is where line 21 begins.
  const offset = Buffer.byteLength(text.split('\n').slice(0, 20).join('\n')) + 1
  expect(answer.next).toContain(`grep with offset ${offset}`)
  const rest = read({ op: 'grep', pattern: 'line', offset })
  expect(rest.text.split('\n').slice(0, 2)).toEqual(['200 lines match.', '21: line 21 Föö'])
})

verifies('S4.27', 'of a line too long to be shown grep shows what is around each match, and where', () => {
  const line = `${'ä'.repeat(4000)}needle${'b'.repeat(4000)}NEEDLE${'c'.repeat(4000)}`
  const answer = readback(`short\n${line}\nneedle too`, { op: 'grep', pattern: 'needle' }, limits)
  expect(answer.text.length).toBeLessThan(1000)
  expect(answer.text.split('\n')).toEqual([
    '2 lines match, 3 times.',
    `2 (byte ${6 + 2 * 3850}): …${'ä'.repeat(150)}needle${'b'.repeat(150)}…`,
    `2 (byte ${6 + 8000 + 6 + 3850}): …${'b'.repeat(150)}NEEDLE${'c'.repeat(150)}…`,
    '3: needle too',
  ])
})

verifies('S4.26', 'slice counts from the end with negative lines, -1 is the last', () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join('\n')
  const slice = (fromLine?: number, toLine?: number): string[] =>
    readback(lines, { op: 'slice', fromLine, toLine }, limits).text.split('\n')
  expect(slice(-3)).toEqual(['line 18', 'line 19', 'line 20'])
  expect(slice(-3, -2)).toEqual(['line 18', 'line 19'])
  expect(slice(19, -1)).toEqual(['line 19', 'line 20'])
  expect(slice(-100, 1)).toEqual(['line 1'])
  expect(slice(undefined, -19)).toEqual(['line 1', 'line 2'])
  expect(slice(-1, -3)).toEqual([expect.stringContaining('There are no lines')])
})

verifies('S4.28 S4.22', 'read cuts at bytes, never in a character, and names where it goes on', () => {
  const whole = 'aüüb'
  expect(readback(whole, { op: 'read' }, limits)).toEqual({ text: whole })
  expect(readback(whole, { op: 'read', maxBytes: 0 }, limits)).toEqual({ text: whole })
  const cut = readback(whole, { op: 'read', maxBytes: 2 }, limits)
  expect(cut).toEqual({ text: 'a', next: expect.stringContaining('offset 1') })
  expect(readback(whole, { op: 'read', offset: 3 }, limits)).toEqual({ text: 'üb' })
})

verifies(
  'S4.52',
  'no answer is longer than the limit, and each that was cut says what to ask for next',
  () => {
    for (const params of [{ op: 'read' }, { op: 'head', lines: 200 }, { op: 'tail', lines: 200 }] as const) {
      const answer = read(params, { maxChars: 300 })
      expect(answer.text.length).toBeLessThanOrEqual(300)
      expect(answer.next).toBeTruthy()
    }
    const long = readback('x'.repeat(50_000), { op: 'head' }, limits)
    expect(long.text.length).toBe(16_000)
    expect(long.next).toContain('read with offset')
  },
)

/** Everything that follows `next` leads to, as the bytes that it stands for. */
function follow(content: Uint8Array, first: ReadbackParams, some: ReadbackLimits): string[] {
  const parts: string[] = []
  let params: ReadbackParams | undefined = first
  for (let round = 0; params !== undefined; round++) {
    expect(round).toBeLessThanOrEqual(content.length + 2)
    const { text: part, next } = readBytes(content, params, some)
    parts.push(part)
    params = stepOf(next)
    // A page of lines ends before the newline, one of bytes where it ends.
    if (params?.op === 'slice') parts.push('\n')
  }
  return parts
}

function stepOf(next: string | undefined): ReadbackParams | undefined {
  const op = /^(slice|read|grep) with/.exec(next ?? '')?.[1]
  if (op === undefined) return undefined
  const number = (name: string) => {
    const found = new RegExp(`${name} (\\d+)`).exec(next ?? '')?.[1]
    return found === undefined ? undefined : Number(found)
  }
  return {
    op: op as 'slice' | 'read' | 'grep',
    offset: number('offset'),
    maxBytes: number('maxBytes'),
    fromLine: number('fromLine'),
    toLine: number('toLine'),
  }
}

/** Texts as files hold them, and bytes that are none. */
const contents = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.oneof(
          fc.string(),
          fc.string({ unit: 'binary' }),
          fc.constantFrom('\n', '\r\n', 'ü', '漢', '😀', '\0'),
        ),
      )
      .map((parts) => new Uint8Array(Buffer.from(parts.join('')))),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(0x0a, 0x0d, 0x61, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xff))
      .map((bytes) => Uint8Array.from(bytes)),
  },
)
const small = fc.record({ maxChars: fc.integer({ min: 4, max: 40 }), maxMatches: fc.constant(20) })
const decoded = (content: Uint8Array) => Buffer.from(content).toString('utf8')
const withoutLast = (whole: string) => (whole.endsWith('\n') ? whole.slice(0, -1) : whole)

verifies('S4.28 S4.52', 'pages of read, by the next step that each names, give every file back', () => {
  const property = fc.property(
    contents,
    fc.integer({ min: 0, max: 40 }),
    small,
    (content, maxBytes, some) => {
      expect(follow(content, { op: 'read', maxBytes }, some).join('')).toBe(decoded(content))
    },
  )
  fc.assert(property, { numRuns: runs(300) })
})

verifies('S4.24 S4.26 S4.52', 'pages of head and slice cover their lines exactly once', () => {
  const property = fc.property(contents, fc.nat(5), fc.nat(8), small, (content, from, more, some) => {
    const lines = withoutLast(decoded(content)).split('\n')
    const whole = content.length === 0 ? [] : lines
    // Pages that end with a read by bytes have the last newline as well.
    const all = follow(content, { op: 'head', lines: 1e6 }, some).join('')
    expect([whole.join('\n'), decoded(content)]).toContain(all)
    const wanted = whole.slice(from, from + more + 1).join('\n')
    if (whole.length <= from) return
    // A line that has no end in its page is read on by bytes, and those go on behind it.
    const got = follow(content, { op: 'slice', fromLine: from + 1, toLine: from + more + 1 }, some).join('')
    expect(got.slice(0, wanted.length)).toBe(wanted)
  })
  fc.assert(property, { numRuns: runs(300) })
})

verifies(
  'S4.24 S4.25 S4.26',
  'head, slice and tail put together give the file, whatever its lines hold',
  () => {
    const property = fc.property(contents, fc.nat(6), fc.nat(6), (content, first, middle) => {
      const whole = withoutLast(decoded(content))
      const count = content.length === 0 ? 0 : whole.split('\n').length
      const [a, b] = [1 + (first % Math.max(1, count)), middle]
      if (count < a + b + 1) return
      const parts = [
        readBytes(content, { op: 'head', lines: a }, limits),
        ...(b > 0 ? [readBytes(content, { op: 'slice', fromLine: a + 1, toLine: a + b }, limits)] : []),
        readBytes(content, { op: 'tail', lines: count - a - b }, limits),
      ]
      expect(parts.map(({ text: part }) => part).join('\n')).toBe(whole)
    })
    fc.assert(property, { numRuns: runs(300) })
  },
)

verifies('S4.25 S4.52', 'tail shows the end, and what it names next ends where that begins', () => {
  const property = fc.property(contents, fc.integer({ min: 1, max: 9 }), small, (content, lines, some) => {
    const whole = content.length === 0 ? [] : withoutLast(decoded(content)).split('\n')
    const wanted = whole.slice(-lines).join('\n')
    const { text: end, next } = readBytes(content, { op: 'tail', lines }, some)
    expect(end.length).toBeLessThanOrEqual(some.maxChars)
    expect(wanted.endsWith(end)).toBe(true)
    const step = stepOf(next)
    if (step === undefined) {
      expect(end).toBe(wanted)
      return
    }
    const before = follow(content, step, some).join('')
    const rest = wanted.slice(0, wanted.length - end.length)
    // Pages of bytes go on behind what was asked for.
    expect(`${before}\n`.slice(0, rest.length)).toBe(rest)
  })
  fc.assert(property, { numRuns: runs(300) })
})

verifies('S4.27 S4.52', 'pages of grep show every line that matches once', () => {
  const line = fc.constantFrom('one', 'two ü', 'three', '', 'NEEDLE', 'a needle here', '😀needle')
  const property = fc.property(fc.array(line), fc.integer({ min: 1, max: 4 }), (all, maxMatches) => {
    const content = Buffer.from(all.join('\n'))
    const numbers: number[] = []
    let params: ReadbackParams | undefined = { op: 'grep', pattern: 'needle' }
    while (params !== undefined) {
      const { text: page, next } = readBytes(content, params, { maxChars: 300, maxMatches })
      for (const found of page.matchAll(/^(\d+): (.*)$/gm)) {
        numbers.push(Number(found[1]))
        expect(found[2]).toBe(all[Number(found[1]) - 1])
      }
      const step = stepOf(next)
      params = step && { ...step, pattern: 'needle' }
    }
    expect(numbers).toEqual(all.flatMap((one, at) => (/needle/i.test(one) ? [at + 1] : [])))
  })
  fc.assert(property, { numRuns: runs(200) })
})

verifies(
  'S4.27 S4.52',
  'no answer of grep is longer than the limit, and every match of a long line can be reached',
  () => {
    const line = fc
      .array(fc.oneof(fc.string({ maxLength: 300 }), fc.constantFrom('needle', 'ü', '😀'.repeat(200))))
      .map((parts) => parts.join('').replaceAll('\n', ' '))
    const bounds = fc.record({
      maxChars: fc.integer({ min: 200, max: 2000 }),
      maxMatches: fc.integer({ min: 1, max: 5 }),
    })
    const property = fc.property(
      fc.array(line, { maxLength: 5 }),
      fc.nat(3),
      bounds,
      (all, context, some) => {
        const content = Buffer.from(all.join('\n'))
        let params: ReadbackParams | undefined = { op: 'grep', pattern: 'needle', context }
        let last = -1
        while (params !== undefined) {
          const { text: page, next } = readBytes(content, params, some)
          expect(page.length).toBeLessThanOrEqual(some.maxChars)
          const step = stepOf(next)
          if (step?.offset !== undefined) expect(step.offset).toBeGreaterThan(last)
          last = step?.offset ?? last
          params = step && { ...step, pattern: 'needle', context }
        }
      },
    )
    fc.assert(property, { numRuns: runs(200) })
  },
)

verifies('S4.27', 'a pattern made to take for ever ends', () => {
  const hostile = 'a'.repeat(50_000)
  for (const pattern of ['(?=(a+)+$)b', '(a+)+$b', '(a|aa)+$', '(.*a){25}b', '(a*)*b', '\\1(a+)'])
    expect(() => readback(hostile, { op: 'grep', pattern }, limits)).not.toThrow(RangeError)
})

verifies('S4.27', 'what is found does not depend on how long the line is', () => {
  const property = fc.property(fc.nat(2000), fc.nat(2000), (before, after) => {
    const content = `${'x'.repeat(before)}Nädel${'y'.repeat(after)}`
    const answer = readback(content, { op: 'grep', pattern: 'nädel' }, limits)
    expect(answer.text).toContain('Nädel')
    const byte = /byte (\d+)/.exec(answer.text)?.[1]
    if (byte !== undefined) {
      const there = readback(content, { op: 'read', offset: Number(byte) }, limits).text
      const shown = answer.text.slice(answer.text.indexOf(': ') + 2).replaceAll('…', '')
      expect(there.startsWith(shown)).toBe(true)
    }
  })
  fc.assert(property, { numRuns: runs(100) })
})
