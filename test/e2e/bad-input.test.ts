/** Bad input of models and attackers: each reply says soon and in few words what to write instead, and nothing breaks. */
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import {
  type Arguments,
  BUDGET,
  code,
  control,
  foreign,
  keptWorld,
  lookaround,
  SENTENCES,
  shortly,
  stopwatch,
  type Tool,
} from './support/kept.ts'
import { textOf } from './support/world.ts'

type Case = [tool: Tool, args: Arguments, says: RegExp]

const megabyte = 'x'.repeat(1_000_000)

/** Answered with `isError` and what to write instead. The JSON holds records with `name`, `state`, `owner.login` …. */
const refused: Case[] = [
  ['filter', { path: code }, /calls a function, which is not allowed; use `where`/],
  ['filter', { path: '$[?(@.id === )]' }, /write|==/i],
  ['filter', { path: '$[?@.name.repeat(9)]' }, /not allowed; use `where`/],
  ['filter', { path: '$[' }, /path/i],
  ['filter', { path: 'a.b.c.d.e.f' }, /no `a`\. There are: `id`, `name`/],
  ['filter', { path: '[0].owner.login.deeper.still' }, /reaches nothing/],
  ['filter', { limit: -1 }, /limit: must be 1 or more \(got -1\)/],
  ['filter', { limit: 0 }, /limit: must be 1 or more/],
  ['filter', { limit: 1.5 }, /limit: must be a whole number/],
  ['filter', { limit: 'NaN' }, /limit: must be a number/],
  ['filter', { limit: 'Infinity' }, /limit: must be a number/],
  ['filter', { limit: 1e300 }, /limit: (is too large|must be)/],
  ['filter', { offset: -1 }, /offset: must be 0 or more/],
  ['filter', { offset: {} }, /offset: must be a number/],
  ['filter', { fields: ['colour'] }, /No record has the field `colour`\. There are: `id`/],
  ['filter', { fields: 5 }, /fields: must be a list of strings/],
  ['filter', { fields: [{}] }, /must be a string/],
  ['filter', { where: ['colour = red'] }, /no(?: record has the)? field `colour`/i],
  ['filter', { aggregate: 'summ(price)' }, /no aggregate\. Write `count`/],
  ['filter', { aggregate: 'sum()' }, /write|sum\(/i],
  ['filter', { mode: 'keep' }, /mode: must be one of: include, exclude/],
  ['filter', { wheer: ['state = open'] }, /no such parameter\. Did you mean where\?/],
  ['filter', { max_rows: 3 }, /no such parameter.*There are: cache_id/],
  ['search', {}, /`pattern` is missing/],
  ['search', { pattern: '' }, /`pattern` is empty/],
  ['search', { pattern: { regex: 'x' } }, /pattern: must be a string/],
  ['search', { pattern: 'x', mode: 'grep' }, /mode: must be one of: regex, bm25, fuzzy, context/],
  ['search', { pattern: 'x', threshold: 7 }, /threshold: must be a number from 0 to 1/],
  ['search', { pattern: 'x', threshold: 'NaN', mode: 'fuzzy' }, /threshold: must be a number/],
  ['search', { pattern: 'x', max_results: -5 }, /max_results: must be 1 or more/],
  ['search', { pattern: 'x', case_insensitive: 'perhaps' }, /case_insensitive: must be true or false/],
  ['search', { patern: 'x' }, /Did you mean pattern\?/],
  ['explore', { max_depth: -3 }, /max_depth: must be 1 or more/],
  ['explore', { max_depth: 'Infinity' }, /max_depth: must be a number/],
  ['explore', { path: 'nope' }, /no `nope`\. Did you mean/],
  ['filter', { path: megabyte }, /path: too long; write at most/],
  ['filter', { fields: [megabyte] }, /too long; write at most/],
  ['filter', { where: megabyte }, /too long; write at most/],
  ['filter', { fields: Array.from({ length: 100_000 }, () => 'a') }, /fields: too many; at most/],
  ['search', { pattern: megabyte }, /pattern: too long; write at most/],
  ['search', { [megabyte]: 1 }, /no such parameter/],
  ...foreign.flatMap((name): Case[] => [
    ['filter', { fields: [name] }, new RegExp(`No record has the field \`${name}\``)],
    ['filter', { path: name }, new RegExp(`no \`${name}\``)],
    ['filter', { path: `$[*].${name}` }, new RegExp(`no \`${name}\``)],
    ['filter', { where: [`${name} = 1`] }, new RegExp(`field \`${name}\``)],
    ['filter', { sort: name }, new RegExp(`field \`${name}\``)],
    ['filter', { group_by: name, aggregate: 'count' }, new RegExp(`field \`${name}\``)],
    ['filter', { aggregate: `sum(${name})` }, new RegExp(`field \`${name}\``)],
    ['filter', { [name]: 'x' }, /no such parameter/],
  ]),
]

/** Answered: either right as it is or meant well. */
const harmless: Case[] = [
  ['filter', { path: '$..*..*' }, /of [\d,]+/],
  ['filter', { path: '$..*' }, /of [\d,]+/],
  ['filter', { where: { state: 'open' } }, /^[\d,]+ of 9,000 records match/],
  ['filter', { where: ['state'] }, /`state` alone/],
  ['filter', { offset: 1_000_000 }, /0 of 9,000/],
  ['filter', { path: '' }, /of 9,000/],
  ['filter', { path: '$[(@.length-1)]' }, /name 8999/],
  ['filter', { where: [''], sort: '', fields: [] }, /of 9,000/],
  ['filter', { fields: ['nmae'], limit: 1 }, /`nmae` read as `name`/],
  ['filter', { where: ['name ~ (a+)+$'] }, /0 of 9,000/],
  ['filter', { limit: '3', fields: 'id' }, /of 9,000/],
  ['filter', { limit: null, where: null }, /of 9,000/],
  ['search', { pattern: '(a+)+$' }, /^0 of/],
  ['search', { pattern: '(x+x+)+y' }, /^0 of/],
  ['search', { pattern: '(x|x)*y', multiline: true }, /^0 of/],
  ['search', { pattern: '(' }, /not a valid regular expression; it was searched as plain text/],
  ['search', { pattern: '__proto__|constructor' }, /^0 of/],
  ['search', { pattern: '\u0000' }, /^0 of/],
  ['search', { pattern: 'zzzzzzzz '.repeat(200), mode: 'bm25' }, /^0 of|no/i],
  ['search', { pattern: 'q'.repeat(1900), mode: 'fuzzy' }, /^0 of|no/i],
  ['explore', { max_depth: 1_000_000 }, /9,000/],
]

for (const [kind, cases, failed, most] of [
  ['wrong input is refused with what to write instead', refused, true, SENTENCES],
  ['strange input that has an answer gets it', harmless, false, BUDGET],
] as const) {
  verifies('S3.11', `${kind}; the kept results stay what they were`, async () => {
    const here = await keptWorld()
    const before = await control(here)
    const watch = stopwatch()
    for (const [tool, args, says] of cases) {
      const what = shortly(tool, args)
      const answer = await watch.time(what, () =>
        here.call(`proxy_${tool}`, { cache_id: here.json, ...args }),
      )
      expect(textOf(answer), what).toMatch(says)
      expect(answer.isError ?? false, `${what}: ${textOf(answer)}`).toBe(failed)
      expect(textOf(answer).length, what).toBeLessThanOrEqual(most)
    }
    expect(await control(here)).toEqual(before)
    watch.tell(kind)
  })
}

verifies('S3.21 S1.60', 'patterns that explode end soon, on JSON and on a log', async () => {
  const here = await keptWorld()
  const before = await control(here)
  const watch = stopwatch()
  for (const pattern of [...lookaround, '(a+)+$', '(a|aa)+$', '(?:a*)*b', '(\\w+\\s?)+!!']) {
    for (const cache_id of [here.json, here.log]) {
      for (const mode of ['regex', 'context']) {
        const what = `${mode} ${pattern} on ${cache_id === here.log ? 'log' : 'JSON'}`
        const answer = await watch.time(what, () => here.call('proxy_search', { cache_id, pattern, mode }))
        if (answer.isError)
          expect(textOf(answer), what).toMatch(/takes too long on this text\. Write it without/)
        expect(textOf(answer).length, what).toBeLessThanOrEqual(BUDGET)
      }
    }
    const where = { cache_id: here.log, where: [`message ~ ${pattern}`], aggregate: 'count' }
    const answer = await watch.time(shortly('filter', where), () => here.call('proxy_filter', where))
    expect(textOf(answer).length).toBeLessThanOrEqual(BUDGET)
  }
  expect(await control(here)).toEqual(before)
  watch.tell('exploding patterns')
})

verifies(
  'S3.14 S3.15',
  'explains every kind of wrong source; an unknown handle is not an error',
  async () => {
    const here = await keptWorld()
    const cases: [Arguments, RegExp][] = [
      [{ arguments: { size: 3 }, path: '$.a' }, /Neither cache_id nor tool was given/],
      [{ cache_id: here.json, tool: 'f_text' }, /Both cache_id and tool/],
      [{ cache_id: '', tool: 'null', path: 'a' }, /Neither cache_id nor tool was given/],
      [{ cache_id: '__proto__' }, /No kept result has cache_id/],
      [{ cache_id: '../../etc/passwd' }, /No kept result has cache_id/],
      [{ cache_id: [here.json, 'nothing'] }, /No kept result has cache_id "nothing"/],
      [{ cache_id: 123456789012 }, /No kept result has cache_id "123456789012"/],
      [{ cache_id: [], path: 'a' }, /Neither cache_id nor tool was given/],
      [{ cache_id: { a: 1 } }, /cache_id: must be a cache_id from an earlier reply/],
      [{ cache_id: Array.from({ length: 40 }, () => here.json) }, /cache_id: must be at most 16/],
      [{ cache_id: megabyte }, /cache_id/],
      [{ tool: 'f_text', arguments: 'size=3' }, /arguments: must be an object/],
      [{ tool: 'f_text', arguments: [3] }, /arguments: must be an object/],
      [{ tool: 'proxy_filter' }, /cannot call proxy_filter/],
      [{ tool: 'mcp__proxy__proxy_filter' }, /proxy_filter cannot be called by another tool/],
      [{ tool: 7 }, /tool: /],
    ]
    for (const [args, says] of cases) {
      for (const tool of ['filter', 'search', 'explore']) {
        const answer = await here.call(`proxy_${tool}`, {
          ...args,
          ...(tool === 'search' && { pattern: 'x' }),
        })
        expect(textOf(answer), shortly(tool, args)).toMatch(says)
        const isGone = /^No kept result has/.test(textOf(answer))
        expect(answer.isError, shortly(tool, args)).toBe(isGone ? undefined : true)
        expect(textOf(answer).length, shortly(tool, args)).toBeLessThanOrEqual(SENTENCES)
      }
    }
  },
)
