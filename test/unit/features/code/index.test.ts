import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CodeWorld, codeWorld } from '../../../support/code-world.ts'
import { temporaryFolder } from '../../../support/upstream.ts'

let world: CodeWorld
let id: string
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  world = await codeWorld({ until: (close) => closers.push(close) })
  id = await world.records()
})

afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

test('the definition takes at most 250 tokens for its description and says that it reads', async () => {
  const { tools } = await world.client.listTools()
  const tool = tools.find(({ name }) => name === 'proxy_code')
  expect(encode(tool?.description ?? '').length).toBeLessThanOrEqual(250)
  expect(tool?.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: true })
  expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual([
    'code',
    'cache_id',
    'session',
    'timeout_ms',
  ])
})

test('without the setting there is no such tool', async () => {
  const without = await codeWorld({ code: { enabled: false } })
  expect(await without.names()).not.toContain('proxy_code')
})

test.each<[string, unknown]>([
  ['return await d.count()', 300],
  ['return await d.count("state = open")', 200],
  ['return await d.count(["state = open", "price > 100"])', 166],
  ['return (await d.rows()).length', 300],
  [
    'return await d.rows({ where: "id < 2", fields: ["id", "name"] })',
    [
      { id: 0, name: 'record 0' },
      { id: 1, name: 'record 1' },
    ],
  ],
  ['return (await d.rows({ sort: "-price", limit: 2 })).map((row) => row.id)', [299, 298]],
  ['return (await d.rows({ offset: 298 })).map(({ id }) => id)', [298, 299]],
  [
    'return await d.group("state", "sum(price) as total")',
    [
      { state: 'open', total: 60000 },
      { state: 'closed', total: 29700 },
    ],
  ],
  ['let sum = 0; const n = await d.each((row) => { sum += row.price }); return [n, sum]', [300, 89700]],
  [
    'const seen = []; await d.each((row, i) => seen.push([i, row.id]), { where: "id > 297" }); return seen',
    [
      [0, 298],
      [1, 299],
    ],
  ],
  ['return await d.at("$[3].owner.login")', 'user3'],
  ['return (await d.search("record 17\\"")).length > 0', true],
  ['return (await d.text(0, 10)).length', 10],
  [
    'const info = await d.info(); return [info.records, info.tool, info.fields.map((f) => f.name).join()]',
    [300, 's_records', 'id,name,state,price,owner'],
  ],
  ['return (await doc(d.cache_id).rows({ limit: 1 }))[0].id', 0],
  ['await d.rows({ where: "stat = open" }); return d.notes.length > 0', true],
  // Other forms that models write.
  ['return (await d.rows("id < 2")).length', 2],
  ['return (await d.rows({ select: ["id"], order_by: "-id", limit: 1 }))', [{ id: 299 }]],
  ['return (await d.sql("SELECT state, count(*) AS n FROM d GROUP BY state"))[0].n', 200],
  ['return (await d.group({ by: "state", aggregate: "count" }))[0].count', 200],
  ['return (await d.json()).length', 300],
  ['let n = 0; for await (const { id } of d) n += id; return n', 44850],
  ['let n = 0; await d.each(() => n++, { offset: 290, limit: 20 }); return n', 10],
])('a document answers: %s', async (code, expected) => {
  expect(await world.value(code, { cache_id: id })).toEqual(expected)
})

test.each<[string, RegExp]>([
  [
    'return d.rows().map((row) => row.id)',
    /^Line 1, column 10: .*await it first, as in \(await d\.rows\(…\)\)\.map/,
  ],
  ['return await d.rows({ limit: 2 }).length', /await it first/],
  ['const rows = d.rows()\nfor (const row of rows) {}', /^Line 2.*await it first/],
  ['return d.count() > 5', /await it first/],
  ['return tools.s_prose().length', /the value of tools\.s_prose\(…\) is not there yet/],
  ['return d[0]', /a document is no list: .*\(await d\.rows\(\{ where, fields \}\)\)\[0\]/],
  ['for (const row of d) {}', /a document is no list/],
  ['return d.filter(Boolean)', /a document is no list: .*\.filter/],
  ['return d.groupBy("state")', /a document has no groupBy: .*Did you mean d\.group\?/],
  ['const { items } = d; return items', /a document has no items: .*await d\.at\("\$\.items"\)/],
  [
    'return await d.rows({ wher: "id > 1" })',
    /d\.rows cannot read its parameters\.\nwher: no such parameter\. Did you mean where\?/,
  ],
  ['return await d.search("record", { modus: "bm25" })', /modus: no such parameter/],
])('what a document has not is an error that says what to write: %s', async (code, told) => {
  expect(await world.run(code, { cache_id: id })).toMatch(told)
})

test.each<[string, RegExp]>([
  [
    'return (await d.rows({ limit: 1 }))[0].nam',
    /^The program returned undefined: .*\n.*these fields: id, name, state, price, owner\.$/,
  ],
  [
    'let sum = 0; for (const { cost } of await d.rows()) sum += cost; return sum',
    /NaN.*\n.*these fields: id, name/,
  ],
  [
    'return (await tools.s_structured()).sum',
    /^The program returned undefined: .*\nThe tool that was called last: s_structured gave an object with total\.$/,
  ],
  [
    'return (await tools.s_structured()).split(" ")',
    /TypeError.*\n.*\nThe tool that was called last: s_structured gave an object with total\.\n/,
  ],
])('a program that took something for something else is told what it was given: %s', async (code, told) => {
  expect(await world.run(code, { cache_id: id })).toMatch(told)
})

test.each<[string, unknown]>([
  ['return (await tools.call("s_structured")).total', 7],
  ['return (await tools.call("s_records", { count: 4 })).length', 4],
  ['return await tools.call("s_prose")', 'Once upon a time.\nThe end.'],
  ['return (await tools.s_records({ count: 2 }))[1].name', 'record 1'],
  ['return (await tools.search("list records of the store"))[0].name', 's_records'],
  ['return (await tools.describe("s_records")).startsWith("s_records(count?: integer)")', true],
  [
    'try { await tools.call("s_fails") } catch (error) { return error.message }',
    's_fails failed: no such city',
  ],
  [
    'try { await tools.call("s_recrods") } catch (error) { return /Did you mean.*s_records/.test(error.message) }',
    true,
  ],
  ['const id = await keep([{ a: 1 }, { a: 2 }], "mine"); return await doc(id).count("a = 2")', 1],
  [
    'const id = await keep({ a: [1, 2] }); return await tools.call("s_echo", { given: { $from: id, path: "$.a" } })',
    { given: [1, 2] },
  ],
  [
    'return (await Promise.all([1, 2, 3].map((count) => tools.call("s_records", { count })))).map((one) => one.length)',
    [1, 2, 3],
  ],
  ['return help().includes("interface Doc")', true],
  ['return { a: tools.call("s_prose"), b: 1 }', { a: 'Once upon a time.\nThe end.', b: 1 }],
  [
    'return [new Map([["a", 1]]), new Set([1]), 10n, NaN, /x/g, undefined]',
    [{ a: 1 }, [1], '10', 'NaN', '/x/g', null],
  ],
  ['await new Promise((resolve) => setTimeout(resolve, 5)); return 1', 1],
  ['return Object.groupBy([{ kind: "a" }], ({ kind }) => kind)', { a: [{ kind: 'a' }] }],
])('tools and values: %s', async (code, expected) => {
  expect(await world.value(code)).toEqual(expected)
})

test('a program over several results has their rows together', async () => {
  const other = await world.records(301)
  expect(await world.value('return await d.count()', { cache_id: `${id}, ${other}` })).toBe(601)
  expect(
    await world.value('return new Set((await d.rows()).map((r) => r._from)).size', {
      cache_id: `${id},${other}`,
    }),
  ).toBe(2)
  expect(await world.value('return await d.count()', { cache_id: 'last' })).toBe(301)
})

test.each<[string, string]>([
  ['```js\nreturn 5\n```', '5'],
  ['Here is the program:\n```javascript\nconst a = 2\nreturn a + 3\n```', '5'],
  ['export default async function main() { return 5 }', '5'],
  ['export default 5', '5'],
  ['async () => 5', '5'],
  ['(async () => { return 5 })', '5'],
  ['(async () => { return 5 })()', '5'],
  ['async function main({ doc }) { return typeof doc === "function" ? 5 : 0 }', '5'],
  [
    'export default (async (tools) => { return await tools.call("s_records", { count: 5 }).then((all) => all.length) });',
    '5',
  ],
  ['const a = 5\na', '5'],
  ['const rows: { id: number }[] = [{ id: 5 }]; return (rows as any)[0]!.id satisfies number', '5'],
  [
    'interface X { a: number }\ntype Y = X | null\nfunction f<T>(a: T, b?: number): T { return a }\nreturn f<number>(5)',
    '5',
  ],
  ['class A { private readonly x: number = 5; get(): number { return this.x } }\nreturn new A().get()', '5'],
  ['await 5', '5'],
])('what models write is read: %s', async (code, expected) => {
  expect(await world.run(code)).toBe(expected)
})

test.each<[string, RegExp]>([
  ['import fs from "fs"\nreturn 1', /Line 1, column 1: an import cannot be used here/],
  ['const fs = require("fs")', /require is not there: a program has no network, files/],
  ['await fetch("https://example.org")', /Line 1, column 7: ReferenceError: fetch is not there/],
  ['def f(x):\n  return x', /looks like Python/],
  ['rows = d.rows()\nprint(f"{len(rows)}")', /looks like Python.*\n.*d\.count\(\)/s],
  ['cat data.json | jq .items', /looks like a shell command.*\n.*d\.at\("\$\.items"\)/s],
  ['const a = {\n  b: 1 c\n}', /cannot be read at line 2, column 8/],
  [
    'const a = null\nreturn a.b',
    /Line 2, column \d+: TypeError: cannot read property 'b' of null\nreturn a\.b/,
  ],
  [
    'console.log("so far", { a: 1 })\nthrow new Error("why")',
    /Line 2.*: why(.|\n)*console:\nso far \{"a":1\}/,
  ],
  ['return tolos', /'?tolos'? is not defined(.|\n)*Did you mean tools/],
  ['return await d.count()', /d is not there, because no cache_id was given/],
  ['return await doc("0123456789012345678901234").count()', /No kept result has cache_id/],
  ['await new Promise(() => {})', /waits for something that never comes/],
  ['enum A { B }', /an enum cannot be used here/],
  ['', /There is no code/],
])('what cannot be run says why: %s', async (code, expected) => {
  const { isError, content } = await world.ask({ code }, 'proxy_code')
  expect(content[0]?.text).toMatch(expected)
  expect(isError).toBe(true)
})

test('a failure over rows names the fields that exist', async () => {
  const answer = await world.run('const rows = await d.rows({ limit: 3 })\nreturn rows[0].prise.toFixed(2)', {
    cache_id: id,
  })
  expect(answer).toContain('Line 2, column')
  expect(answer).toContain('these fields: id, name, state, price, owner')
})

test('a large answer is kept, and its preview asks on', async () => {
  const answer = await world.run('return await d.rows()', { cache_id: id })
  const handle = /[0-9a-z]{12}/.exec(answer)?.[0] ?? ''
  expect(answer.length).toBeLessThan(8000)
  expect(await world.value('return (await d.rows())[299].name', { cache_id: handle })).toBe('record 299')
  const asked = await world.ask({ cache_id: handle, aggregate: 'count' }, 'proxy_filter')
  expect(asked.content[0]?.text).toContain('300')
})

test('a large result of a tool is a document', async () => {
  const answer = await world.value(
    'const r = await tools.call("s_records", { count: 20000 }); return [await r.count("state = open"), r.cache_id]',
  )
  expect(answer).toEqual([13333, expect.stringMatching(/^[0-9a-z]{12}$/)])
})

test('the console is shown to a limit', async () => {
  const shown = await world.run('for (let i = 0; i < 5000; i++) console.log("line " + i); return 1')
  expect(shown.length).toBeLessThan(2300)
  expect(shown).toMatch(/^1\n\nconsole:\nline 0\n/)
  expect(shown).toMatch(/characters left out/)
  expect(await world.run('1;')).toBe('1')
  expect(await world.run('const a = 1')).toContain('returned nothing')
})

test('tools that may change something are not called, and nothing is', async () => {
  world.server.calls.length = 0
  for (const name of ['s_write', 's_drop'])
    expect(await world.run(`return await tools.call("${name}")`)).toContain(
      'does not declare that it only reads',
    )
  expect(world.server.calls).toEqual([])
})

test('with all calls, a person is asked before what may destroy', async () => {
  const asked: string[] = []
  let action: 'accept' | 'decline' = 'decline'
  const all = await codeWorld({ code: { calls: 'all' }, capabilities: { elicitation: {} } })
  all.client.setRequestHandler(ElicitRequestSchema, ({ params: { message } }) => {
    asked.push(message)
    return { action }
  })
  const { tools } = await all.client.listTools()
  expect(tools.find(({ name }) => name === 'proxy_code')?.annotations).toMatchObject({
    destructiveHint: true,
  })
  expect(await all.run('return await tools.call("s_write")')).toBe('written')
  expect(asked).toEqual([])
  expect(await all.run('return await tools.call("s_drop", { table: "t" })')).toContain('the person said no')
  expect(asked).toEqual([expect.stringContaining('s_drop {"table":"t"}')])
  action = 'accept'
  expect(await all.run('return await tools.call("s_drop")')).toBe('dropped')

  const silent = await codeWorld({ code: { calls: 'all' } })
  expect(await silent.run('return await tools.call("s_drop")')).toContain('cannot ask a person')
  expect(silent.server.calls).toEqual([])
})

test('limits are held, each with what to do', async () => {
  const small = await codeWorld({
    code: { cpuMs: 500, maxCalls: 3, bridgeBytes: 30_000, memoryMb: 16 },
  })
  const handle = await small.records(600)
  expect(await small.run('while (true) {}')).toContain('computed for longer than 0.5 s')
  expect(
    await small.run('await new Promise((resolve) => setTimeout(resolve, 60000))', { timeout_ms: 200 }),
  ).toMatch(/longer than 0.2 s in all/)
  expect(await small.run('for (let i = 0; i < 5; i++) await tools.call("s_prose")')).toContain(
    'may make 3 calls',
  )
  expect(await small.run('return (await d.rows()).length', { cache_id: handle })).toContain(
    '30,000 characters went into and out of it',
  )
  expect(await small.run('const a = []; while (true) a.push(new Array(1e5).fill(1))')).toMatch(
    /out of memory/,
  )
  expect(await small.run('return 1')).toBe('1')
})

test('variables of a session last, also over a restart', async () => {
  const dataDir = temporaryFolder()
  const closing: (() => Promise<void>)[] = []
  const first = await codeWorld({ dataDir, until: (close) => closing.push(close) })
  const declared = `let count = 1
function f(x) { return x * 2 }
class K { x = 9 }
const kept = new Map([["a", 1]])
const { a, b: [c] } = { a: 1, b: [2] }
return count`
  expect(await first.run(declared, { session: 'mine' })).toBe('1')
  expect(await first.value('count++; return [count, a, c]', { session: 'mine' })).toEqual([2, 1, 2])
  expect(await first.run('count = 100; throw new Error("no")', { session: 'mine' })).toContain(
    'Session mine is as it was before',
  )
  expect(await first.value('count += 1; count', { session: 'mine' })).toBe(3)
  expect(await first.run('return 1', { cache_id: 'last' })).toContain("No result of a server's tool is kept")
  for (const close of closing.reverse()) await close()
  const again = await codeWorld({ dataDir })
  expect(await again.value('return [count, f(2), new K().x, kept.get("a")]', { session: 'mine' })).toEqual([
    3, 4, 9, 1,
  ])
  expect(await again.run('return count', { session: 'another' })).toContain('is not defined')
})

test('an answer over a part of a collection says that it is one, once', async () => {
  const { content } = await world.ask({}, 's_page')
  const handle = /[0-9a-z]{12}/.exec(content[0]?.text ?? '')?.[0] ?? ''
  const text = await world.run('await d.rows(); return await d.count()', { cache_id: handle })
  expect(text.split('PARTIAL: 300 of 1,214')).toHaveLength(2)
  expect(text).toMatch(/^300\n/)
  expect(await world.run('return await d.count()', { cache_id: id })).toBe('300')
})

test.each<[string, string, RegExp]>([
  [
    'the first page alone',
    'return (await tools.call("s_pages")).items.length',
    /^3\n\ns_pages gave PARTIAL: 3 of 10: what is computed from it is not of all\.$/,
  ],
  [
    'a later page alone',
    'return (await tools.call("s_pages", { page: 3 })).items.length',
    /^3\n\ns_pages gave PARTIAL/,
  ],
  [
    'some pages',
    'let n = 0; for (const page of [1, 2]) n += (await tools.call("s_pages", { page })).items.length; return n',
    /^6\n\ns_pages gave PARTIAL: 3 of 10, and 1 more part: /,
  ],
  [
    'all pages',
    'let n = 0; for (const page of [1, 2, 3, 4]) n += (await tools.call("s_pages", { page })).items.length; return n',
    /^10$/,
  ],
  ['what is no page', 'return (await tools.call("s_records", { count: 4 })).length', /^4$/],
  [
    'a large page, of which nothing is read',
    'return typeof (await tools.call("s_pages", { wide: true })).cache_id',
    /^string$/,
  ],
  [
    'a large page that is read',
    'return await (await tools.call("s_pages", { wide: true })).count()',
    /^3\n\ncache_id [0-9a-z]{12} is PARTIAL: 3 of 10\.$/,
  ],
])('of what a program called it is told whether it is a part: %s', async (_, code, expected) => {
  expect(await world.run(code)).toMatch(expected)
})
