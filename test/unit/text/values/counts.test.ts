import { expect, test } from 'vitest'
import { areCounts, countIn, countLike } from '../../../../src/text/values/counts.ts'

test.each([
  [['8.774/10', '0.5/10']],
  [['3/5', '5/5', '0/5']],
  [['5 kudos', '1 kudo', '1,204 kudos']],
  [['1 story', '12 stories']],
  [['[3 rows shown]', '[12 rows shown]']],
])('numbers with the same behind them are counts: %j', (texts) => {
  expect(areCounts(texts)).toBe(true)
})

test.each([
  [['3/5', '4/10']],
  [['1/2024', '6/2024']],
  // A day of a month.
  [['3/10', '28/10']],
  [['547 users, 123 runs', '12 users, 3 runs']],
  [['5 kudos', '5 shoes']],
  [['5 kudos', 'many kudos']],
  [['5 km', '7 km']],
  [['5 minutes', '7 minutes']],
  [['3 days ago', '9 days ago']],
  [['5 PM', '11 PM']],
  [['3 Oct', '9 Oct']],
  [['12 Main Street', '14 High Street']],
  [[]],
])('no others are: %j', (texts) => {
  expect(areCounts(texts)).toBe(false)
})

test('a count is read as the number before its slash or its words', () => {
  expect(countIn('8.7/10')).toBe(8.7)
  expect(countIn('[1,204 rows]')).toBe(1204)
  expect(countLike('8', ['7.5/10'])).toBe(8)
  expect(countLike('8/10', ['7.5/10'])).toBe(8)
  expect(countLike('8/5', ['7.5/10'])).toBeUndefined()
  expect(countLike('12 monkeys', ['12 angry men'])).toBeUndefined()
})

test('a number below 1 is a share of whole ones', () => {
  expect(countLike('0.5', ['3/10', '10/10'])).toBe(5)
  expect(countLike('0.5', ['3.5/10', '10/10'])).toBe(0.5)
  expect(countLike('1', ['3/10', '10/10'])).toBe(1)
})
