import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromValue } from '../../../../src/documents/opening/derive.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import { soundKeys } from '../../../support/keys.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const handle = '0123456789ab'
const options = { budget: 2000, tool: 'gh_search', bytes: 343_158, tokens: 105_348 }
const issues = Array.from({ length: 60 }, (_, id) => ({
  number: id,
  title: `Crash while parsing file ${id}`,
  state: id % 3 === 0 ? 'closed' : 'open',
  comments: id * 2,
  created_at: `2024-02-${String(1 + (id % 28)).padStart(2, '0')}T00:00:00Z`,
  url: `https://example.com/${id}`,
}))

verifies('S3.7', 'begins with the handle and the totals, and tells what the first question would be', () => {
  const text = preview(fromValue({ total_count: 990, items: issues }), options).join(handle)
  const [first, ...others] = text.split('\n')
  expect(first).toBe(
    `cache_id ${handle} keeps the whole result of gh_search (json: 60 records in $.items, 343,158 bytes, ≈105k tokens)`,
  )
  expect(others).toContain('beside the records: total_count = 990')
  expect(others).toContain('state (2 values): open ×40, closed ×20')
  expect(others).toContain('numbers: comments 0..118, mean 59 (max: "Crash while parsing file 59")')
  expect(others).toContain('dates: created_at 2024-02-01T00:00:00Z..2024-02-28T00:00:00Z')
  expect(others.filter((line) => line.startsWith('  proxy_')).length).toBeGreaterThanOrEqual(2)
})

verifies('S3.12', 'suggests calls with fields and values that exist', () => {
  const text = preview(fromValue(issues), options).join(handle)
  const calls = [...text.matchAll(/^ {2}(proxy_\w+) (\{.*\})$/gm)].map(([, tool, json]) => ({
    tool,
    ...JSON.parse(json ?? ''),
  }))
  expect(calls.length).toBeGreaterThan(0)
  for (const call of calls) {
    expect(call.cache_id).toBe(handle)
    for (const field of call.fields ?? []) expect(Object.keys(issues[0] ?? {})).toContain(field)
    for (const condition of call.where ?? []) {
      const [field, value] = condition.split(' = ')
      expect(issues.some((issue) => String(Reflect.get(issue, field)) === value)).toBe(true)
    }
    if (call.pattern) expect(JSON.stringify(issues)).toContain(call.pattern)
  }
})

verifies('S3.9', 'takes a notice in place of its first line', () => {
  const text = preview(fromValue(issues), {
    ...options,
    notice: 'Cut from {size} ({tokens} tokens); ask {cache_id}!',
  })
  expect(text.join(handle).split('\n')[0]).toBe(`Cut from 343 KB (105,348 tokens); ask ${handle}!`)
})

test('says how the result is an argument of another tool, last, in one line and as no call', () => {
  const text = (changes: object): string =>
    preview(fromValue(issues), { ...options, ...changes }).join(handle)
  expect(text({}).split('\n').at(-1)).toBe(
    `to pass it on: {"$from":"${handle}"} in any argument of another tool`,
  )
  expect(text({}).length).toBeLessThanOrEqual(options.budget)
  expect(text({ budget: 600 })).not.toContain('$from')
})

const log = Array.from({ length: 200 }, (_, id) => {
  const level = id % 50 === 7 ? 'ERROR' : 'INFO'
  return `2024-05-01 10:00:${String(id % 60).padStart(2, '0')} ${level} app.core - ${level === 'ERROR' ? `Disk ${id} failed` : `Request ${id} served`}`
}).join('\n')

test('previews logs by level, pattern and time', () => {
  const text = preview(fromValue(log), options).join(handle)
  expect(text).toContain('level (2 values): INFO ×196, ERROR ×4')
  expect(text).toContain('4× ERROR Disk * failed')
  expect(text).toContain('196× Request * served')
  expect(text).toContain('dates: time 2024-05-01 10:00:00..2024-05-01 10:00:59')
  expect(text).toContain('"where":["level = ERROR"]')
})

test('an outline that is cut says how many headings are left out, at every size', () => {
  const outlines = fc.record({
    count: fc.integer({ min: 3, max: 120 }),
    levels: fc.integer({ min: 1, max: 4 }),
    tables: fc.integer({ min: 0, max: 40 }),
    budget: fc.integer({ min: 1000, max: 6000 }),
  })
  fc.assert(
    fc.property(outlines, ({ count, levels, tables, budget }) => {
      const sections = Array.from(
        { length: count },
        (_, at) => `${'#'.repeat(1 + (at % levels))} Chapter ${at} of the book\n\nIts text.\n`,
      )
      const rows = Array.from({ length: tables }, (_, at) => `| id | value |\n| --- | --- |\n| ${at} | x |\n`)
      const document = fromValue([...sections, ...rows].join('\n'))
      fc.pre(document.format === 'markdown')
      const text = preview(document, { ...options, budget }).join(handle)
      const [outline = ''] = text.split('\nsample:')
      const shown = [...outline.matchAll(/^ *\d+ Chapter/gm)].length
      const told = [
        /^… (\d+) more headings$/m,
        /^(\d+) deeper headings?$/m,
        /^… (\d+) of \d+ headings left out$/m,
      ].map((said) => Number(said.exec(outline)?.[1] ?? 0))
      expect(shown + told.reduce((sum, number) => sum + number, 0)).toBe(count)
    }),
    { numRuns: runs(200) },
  )
})

test('previews outlines, pages and trees', () => {
  const markdown = preview(fromValue('# Guide\n\nx\n\n## Install\n\ny\n\n### Linux\n\nz\n'), options).join(
    handle,
  )
  expect(markdown).toContain('1 Guide\n  5 Install\n    9 Linux')
  const rows = Array.from({ length: 9 }, (_, n) => `| ${n} | ${n % 2 ? 'open' : 'shut'} |`)
  const table = preview(
    fromValue(
      ['Found 9 rows.', '', '| id | state |', '|--|--|', ...rows, '', 'That is', 'all of', 'it.'].join('\n'),
    ),
    options,
  )
  expect(table.join(handle)).toContain('type: {id: numeric, state}')
  expect(table.join(handle)).toContain('state (2 values): shut ×5, open ×4')
  expect(table.join(handle)).not.toContain('outline')
  const html = preview(
    fromValue('<html><title>T</title><table><tr><th>a<th>b<tr><td>1<td>2</table></html>'),
    options,
  ).join(handle)
  expect(html).toContain('title: T\n$.tables[0]: 1 row of a, b')
  const tree = preview(
    fromValue('- main [ref=e1]:\n  - button "Save" [ref=e2]\n  - button "Quit" [ref=e3]\n  - text: x\n'),
    options,
  )
  expect(tree.join(handle)).toContain('button: "Save" [e2], "Quit" [e3]')
})

test('of a page names what can be acted on, each with its reference, and how many more there are', () => {
  const rows = Array.from({ length: 80 }, (_, at) => [
    `  - row "Product ${at}" [ref=r${at}]:`,
    `    - button "Add product ${at}" [ref=b${at}]`,
    `    - button "Delete" [ref=d${at}]`,
  ])
  const lines = ['- main [ref=e1]:', '  - button "Cart (0)" [ref=e2]', ...rows.flat()]
  const others = Array.from(
    { length: 30 },
    (_, at) => `  - link "The ${'abcdefghij'.charAt(at % 10)}${at} of many" [ref=l${at}]`,
  )
  const clickable = ['  - generic [ref=g1] [cursor=pointer]: Show all']
  const text = preview(fromValue([...lines, ...others, ...clickable].join('\n')), {
    ...options,
    budget: 2000,
  }).join(handle)
  expect(text).toContain(
    'button: "Cart (0)" [e2], "Add product 0" [b0] … "Add product 79" [b79] (80 alike), "Delete" [d0] … [d79] (80 alike)',
  )
  expect(text).toContain('others to click: "Show all" [g1]')
  expect(text).toContain('"where":["role = button"],"fields":["line","name","ref"]')
  const [, told = '', more] = /^link: (.*), …(\d+) more$/m.exec(text) ?? []
  const alike = [...told.matchAll(/\((\d+) alike\)/g)].reduce((sum, [, count]) => sum + Number(count) - 1, 0)
  expect(told.split(', ').length + alike + Number(more)).toBe(30)
})

verifies('S3.7', 'is within its budget and the same each time, for anything', () => {
  const anything = fc.oneof(
    soundKeys(fc.jsonValue()),
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc.constantFrom(log, issues as never),
  )
  fc.assert(
    fc.property(anything, fc.integer({ min: 200, max: 4000 }), (value, budget) => {
      const given = JSON.parse(JSON.stringify(value))
      const one = preview(fromValue(given), { ...options, budget })
      expect(one.join(handle).length).toBeLessThanOrEqual(budget)
      expect(preview(fromValue(given), { ...options, budget })).toEqual(one)
    }),
    { numRuns: runs(200) },
  )
})
