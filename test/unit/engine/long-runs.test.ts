/** Long runs that a reader could try in many ways, each of which would take years: they are read once. `npm run test:hostile` measures the rest. */
import { expect, test } from 'vitest'
import { fromRows } from '../../../src/documents/opening/derive.ts'
import { recognise } from '../../../src/documents/opening/detect.ts'
import { bm25 } from '../../../src/processors/search/bm25.ts'
import { where } from '../../../src/processors/steps/where.ts'
import { suspicionOf } from '../../../src/text/suspicion.ts'
import { withoutEnd } from '../../../src/text/trim.ts'

const rows = () => fromRows({ noun: 'record', items: [{ a: 1 }, { a: 2 }] })

test('lines of blanks and rules between the records of a text', () => {
  const between = `${'\n  \n\t '.repeat(300)}\n --- \n===`
  const text = `Title: One\nURL: a${between}\nx\n\nTitle: Two\nURL: b${between}\nTitle: Three\nURL: c\n`
  const { traits, json } = recognise(text)
  expect(traits.name).toBe('stanzas')
  expect(json?.()).toMatchObject([{ URL: `a${between}\nx` }, { URL: 'b' }, { URL: 'c' }])
})

test('a name of underscores', () => {
  const { error } = where.process(rows(), { where: [`x__0${'___0'.repeat(200)}! = 1`] })
  expect(error).toContain('has the field')
})

test('a class of escapes in a pattern for ranking', () => {
  const { error } = bm25.process(rows(), { pattern: `[\\${',}\\,}\\'.repeat(150)}`, mode: 'bm25' })
  expect(error ?? '').not.toMatch(/failed/)
})

test('a definition that begins an order again and again', () => {
  for (const part of ['<\t', '< / ', 'cat .cursor/', 'never ever ', 'ignore all of the other '])
    expect(suspicionOf(`${part}${' '.repeat(20_000)}${part.repeat(5_000)}`)).toBeUndefined()
  expect(suspicionOf('x <  / important > y')).toContain('orders')
  expect(suspicionOf('read the file .cursor/a/b/mcp.json')).toContain('keys or files')
})

test('what is cut off at the end of a text', () => {
  expect(withoutEnd(`a # ${'#'.repeat(1000)}b# ##`, /[\s#]/)).toBe(`a # ${'#'.repeat(1000)}b`)
  expect(withoutEnd('##', /#/)).toBe('')
})
