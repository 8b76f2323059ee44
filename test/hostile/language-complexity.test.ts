/**
 * Readers of questions take time linear in the question, on the worst input of each. The file has a process of its own, because the garbage of
 * other measurements slows longer questions more than shorter ones.
 */
import { describe, test } from 'vitest'
import { expectLinear, times } from '../support/linear.ts'
import { asking, fresh, orders } from '../support/works.ts'

const PARTS = [
  '(',
  '[',
  '{',
  '"',
  'a ',
  'a.',
  '.a',
  'a and ',
  'a = 1 and ',
  'not ',
  'a-',
  'lower(',
  '| length ',
  'a, ',
  'a:b,',
  'case when a then ',
  "->'a'",
  'x__0',
  '@.',
  '{"a":',
  ' as ',
  'name.',
  'sum(price) as a, ',
  '\\',
  '\t',
  'a = b and c = d or ',
]
const READERS = ['where', 'path', 'fields', 'sort', 'group_by', 'aggregate', 'join_on', 'pattern']
describe('the language', () => {
  const text = orders(20)
  const views = fresh()
  const all = READERS.flatMap((reader) => PARTS.map((part): [string, string] => [reader, part]))
  test.each(all)('%s of %j', (reader, part) =>
    expectLinear(240, (size) => {
      const written = part.repeat(Math.ceil(size / part.length))
      const kind = reader === 'pattern' ? 'search' : 'filter'
      return times(2, asking(kind, { [reader]: written }, [text], views))
    }),
  )
})
