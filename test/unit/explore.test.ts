import { expect, test } from 'vitest'
import { open, ProxyError } from '../../src/explore.ts'

const ROWS = Array.from({ length: 3000 }, (_, id) => ({
  id,
  state: id % 5 ? 'done' : 'open',
  title: `Report number ${id} about a subject`,
}))
const rows = open(JSON.stringify(ROWS), { name: 'reports' })

test('a preview says what the text is, in no more tokens than may be', async () => {
  const { text, tokens, originalTokens, failed } = await rows.preview({ maxTokens: 300 })
  expect(text).toContain('3,000')
  expect(text).toContain('reports')
  expect(tokens).toBeLessThanOrEqual(300)
  expect(originalTokens).toBeGreaterThan(30_000)
  expect(failed).toBe(false)
})

test('filters, searches and explores', async () => {
  expect((await rows.filter({ where: ['state = open'], aggregate: 'count' })).text).toContain('600')
  expect((await rows.search({ pattern: 'number 2999 ' })).text).toContain('2999')
  expect((await rows.explore()).text).toContain('state')
})

test.each([60, 100, 250, 1000, 4000])('an answer has at most %d tokens', async (maxTokens) => {
  const { text, tokens } = await rows.filter({ limit: 3000 }, { maxTokens })
  expect(tokens).toBeLessThanOrEqual(maxTokens)
  expect(text).toContain('3,000')
})

test('bad parameters are an answer that says what to write instead', async () => {
  const { failed, text } = await rows.filter({ where: ['nosuchfield = 1'] })
  expect(text).toContain('nosuchfield')
  expect(failed || text.includes('state')).toBe(true)
})

test('parameters go by the names that models write, and unknown ones are refused', async () => {
  const { text } = await rows.filter({ query: 'state = open', aggregates: 'count' })
  expect(text).toContain('{"count":600}')
  const unknown = await rows.filter({ where: 'state = open', nosuch: 1 })
  expect(unknown.failed).toBe(true)
  expect(unknown.text).toContain('nosuch: no such parameter.')
  expect(unknown.originalTokens).toBeGreaterThan(30_000)
  const short = await rows.filter({ ['n'.repeat(3000)]: 1 }, { maxTokens: 60 })
  expect(short.tokens).toBeLessThanOrEqual(60)
})

test('bytes are read as UTF-8, and others are refused', async () => {
  const csv = new TextEncoder().encode(`city,people\n${'Köln,1\n'.repeat(900)}`)
  expect((await open(csv).filter({ aggregate: 'sum(people)' })).text).toContain('900')
  expect(() => open(new Uint8Array([0xff, 0xfe, 0x00]))).toThrow('no UTF-8 text')
})

test.each(['', 'x', '{}', '[]', 'null', 'two\nlines'])('the small text %j is previewed', async (text) => {
  const preview = await open(text).preview()
  expect(typeof preview.text).toBe('string')
  expect(preview.failed).toBe(false)
})

test('what is aborted rejects as cancelled', async () => {
  const asked = rows.search({ pattern: 'x' }, { signal: AbortSignal.abort() })
  await expect(asked).rejects.toThrow(ProxyError)
})
