import { describe, expect, test } from 'vitest'
import { prepare } from '../../../../src/features/code/source.ts'

describe('a program of many `<`', () => {
  test.each(['a<b>(', '<a>(', 'async <T>('])('is refused when they nest: %s', (part) => {
    expect(prepare(part.repeat(300))).toEqual({
      error: expect.stringMatching(/^The code cannot be read: too many `<` inside one another/),
    })
  })

  test('is read when they do not', () => {
    const written = `const all = []\n${'all.push(one<string>(a < b ? f<T[]>(1) : 2))\n'.repeat(2000)}all.length`
    const read = prepare(written)
    expect(read).toHaveProperty('body')
    expect('body' in read && read.body).not.toContain('<string>')
  })
})
