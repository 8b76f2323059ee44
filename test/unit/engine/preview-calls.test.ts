import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { openResult } from '../../../src/documents/opening/open.ts'
import { preview } from '../../../src/documents/reply/preview.ts'
import type { Engine, Query } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createShape } from '../../../src/features/shape/index.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { plain } from '../../../src/protocol/content.ts'
import { effectOf } from '../../../src/protocol/effects.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.ts'
import type { ResultStore } from '../../../src/store/result-store.ts'
import { countTokens } from '../../../src/text/tokens.ts'
import { soundKeys } from '../../support/keys.ts'
import { around } from '../../support/onion.ts'
import { patience, runs } from '../../support/runs.ts'
import { client, exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'
import { sourceOf, textResult } from './world.ts'

// Hundreds of previews and of the calls they suggest, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: patience(180_000) })

const HANDLE = '0123456789ab'

function previewOf(text: string, budget = 2000): string {
  const result = textResult(text)
  const bytes = Buffer.byteLength(text)
  return preview(openResult(result, bytes), { budget, tool: 'shop_orders', bytes, tokens: 1 }).join(HANDLE)
}

/** The suggested calls: the lines after the last `next:`, each a tool and JSON, as a model would copy them. */
function suggestionsIn(text: string): { tool: string; params: JsonObject }[] {
  const [, ...parts] = text.split(/^next:\n/m)
  const lines = (parts.at(-1) ?? '').split('\n').filter((line) => line !== '' && line !== FORM)
  return lines.map((line) => {
    const [, tool, json] = /^ {2}(\S+) (\{.*\})$/.exec(line) ?? []
    expect(tool, line).toBeDefined()
    return { tool: tool ?? '', params: JSON.parse(json ?? '') as JsonObject }
  })
}

const FORM = `to pass it on: {"$from":"${HANDLE}"} in any argument of another tool`

/** Suggested questions without further suggestions. */
function callsIn(text: string): { kind: Query['kind']; params: JsonObject }[] {
  return suggestionsIn(text).map(({ tool, params: { cache_id, ...params } }) => {
    expect(tool).toMatch(/^proxy_(?:filter|search|explore)$/)
    expect(cache_id).toBe(HANDLE)
    return { kind: tool.slice('proxy_'.length) as Query['kind'], params }
  })
}

/** Runs every suggested call: none fails, none finds nothing. */
function expectCallsToRun(text: string): number {
  const calls = callsIn(previewOf(text))
  for (const { kind, params } of calls) {
    const answer = query(createViews(), [sourceOf(textResult(text))], {
      kind,
      params: asSent(params),
      budget: 4000,
    })
    const shown = `${kind} ${JSON.stringify(params)}: ${answer.text.join(HANDLE).slice(0, 300)}`
    expect(answer.failed, shown).toBe(false)
    expect(shown).not.toMatch(/: (?:0 of [\d,]+|No\b|no\b|nothing)|· 0 of|There is no|no field/)
  }
  return calls.length
}

/** Lists where one string is taken, as the tools read them. */
function asSent(params: JsonObject): JsonObject {
  const list = (name: string): JsonObject =>
    typeof params[name] === 'string' ? { [name]: String(params[name]).split(', ') } : {}
  return { ...params, ...list('group_by'), ...list('aggregate'), ...list('sort') }
}

const word = fc.constantFrom(
  ...'alpha beta gamma delta open closed ERROR failed null true 12 12.50 007 2024-05-01 and in is 東京 a,b it\'s "q" x=y'.split(
    ' ',
  ),
)
const sentence = fc.array(word, { minLength: 4, maxLength: 12 }).map((words) => words.join(' '))
const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  word,
  sentence,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc
    .date({ noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2030-01-01') })
    .map((date) => date.toISOString()),
  fc.constant('https://example.com/a'),
)
const name = fc.oneof(
  fc.constantFrom(
    ...'id name title state status level type created_at price count tags user message url meta __proto__ constructor in and not where null 2024 a.b'.split(
      ' ',
    ),
    'with space',
    '',
    'x[0]',
    '名前',
  ),
  fc.string({ maxLength: 8 }),
)

/** Values of few kinds at one place, so that records look alike as those of real tools do. */
const field: fc.Arbitrary<fc.Arbitrary<JsonValue>> = fc.oneof(
  fc.array(scalar, { minLength: 1, maxLength: 4 }).map((values) => fc.constantFrom(...values)),
  fc.constant(fc.integer({ min: -5, max: 1000 })),
  fc.constant(sentence),
  fc.constant(scalar),
  fc.constant(fc.array(fc.record({ sku: word, qty: fc.integer({ min: 1, max: 9 }) }), { maxLength: 4 })),
  fc.constant(fc.record({ login: word, age: fc.nat(90) })),
  fc.constant(fc.record({ kind: word }).map((held) => JSON.stringify(held))),
  fc.constant(fc.array(word, { maxLength: 3 })),
)
const records: fc.Arbitrary<JsonValue[]> = fc
  .dictionary(name, field, { minKeys: 1, maxKeys: 8 })
  .chain((fields) => {
    const record = fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>
    return fc.array(record, { minLength: 1, maxLength: 40 })
  })
const payload: fc.Arbitrary<JsonValue> = fc.oneof(
  records,
  records.map((items) => ({ total: items.length, page: { next: 'x' }, items })),
  records.map((items) => Object.fromEntries(items.map((item, index) => [`key-${index}`, item]))),
  fc.tuple(records, records).map(([users, orders]) => ({ data: { users, orders } })),
  records.map((items) => ({ groups: [items, items].map((held, at) => ({ at, within: [{ items: held }] })) })),
  records.map((items) =>
    Object.fromEntries(['x', 'y'].map((key) => [key, { items, tags: [{ key, value: 1 }] }])),
  ),
  records.map((items) => ({ x: items, y: [...items, ...items] })),
  records.map((items) => {
    const map = Object.fromEntries(items.map((item, at) => [`key-${at}`, item]))
    return { all: { x: map, y: map } }
  }),
  records.map((items) => items.map((item, at) => ({ group: `g${at % 4}`, more: { items: [item, item] } }))),
  fc.array(scalar, { maxLength: 60 }),
  fc.array(fc.array(fc.integer(), { maxLength: 6 }), { maxLength: 30 }),
  soundKeys(fc.jsonValue()) as fc.Arbitrary<JsonValue>,
)
const line = fc.tuple(fc.constantFrom('INFO', 'WARN', 'ERROR', 'DEBUG'), sentence, fc.nat(999))
const log = fc
  .array(line, { minLength: 5, maxLength: 60 })
  .map((lines) =>
    lines
      .map(
        ([level, text, ms], n) =>
          `2025-03-0${1 + (n % 9)}T10:${String(n % 60).padStart(2, '0')}:00.${String(ms).padStart(3, '0')}Z ${level} [w-${n % 3}] ${text} in ${ms}ms`,
      )
      .join('\n'),
  )
const csv = records.map((items) => {
  const names = ['id', 'state', 'amount', 'note']
  const rows = items.map((_, n) => [
    n,
    n % 3 ? 'open' : 'closed',
    (n * 1.5).toFixed(2),
    n % 5 ? '' : 'late, but ok',
  ])
  return [names, ...rows]
    .map((row) => row.map((cell) => (String(cell).includes(',') ? `"${cell}"` : cell)).join(','))
    .join('\n')
})
const prose = fc.array(sentence, { minLength: 3, maxLength: 60 }).map((lines) => lines.join('\n'))
const markdown = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), sentence, sentence), { minLength: 3, maxLength: 20 })
  .map((parts) => parts.map(([level, head, text]) => `${'#'.repeat(level)} ${head}\n\n${text}\n`).join('\n'))
const text = fc.oneof(
  { weight: 5, arbitrary: payload.map((value) => JSON.stringify(value)) },
  records.map((items) => items.map((item) => JSON.stringify(item)).join('\n')),
  log,
  csv,
  prose,
  markdown,
  fc.string({ unit: 'binary', maxLength: 2000 }),
)

verifies('S3.12', 'every suggested call runs and finds something, whatever the payload', () => {
  let calls = 0
  fc.assert(
    fc.property(text, (given) => {
      calls += expectCallsToRun(given)
    }),
    { numRuns: runs(150) },
  )
  expect(calls).toBeGreaterThan(200)
})

const hint = fc.constantFrom(true, false, 'true', 1, null)
const tool = fc.record({
  name: fc.constantFrom(
    ...'crm_purge mail_send files_write files_read db_query notes_append proxy proxy_filters next'.split(' '),
  ),
  inputSchema: fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(
      fc.constantFrom('content', 'records', 'body', 'data', 'path'),
      fc.constant({}),
      {
        maxKeys: 3,
      },
    ),
  }),
  annotations: fc.record({ readOnlyHint: hint, destructiveHint: hint }, { requiredKeys: [] }),
})

verifies('S3.12', 'no preview suggests a tool that may write, whatever tools the client has', async () => {
  let previews = 0
  let suggestions = 0
  await fc.assert(
    fc.asyncProperty(text, fc.array(tool, { maxLength: 6 }), async (given, tools) => {
      const shape = createShape({
        engine: {
          digest: async (source, options) => digest(createViews(), source, options),
        } as Partial<Engine> as Engine,
        resultStore: {
          keep: async () => ({ handle: HANDLE }),
          isAlone: () => false,
        } as unknown as ResultStore,
        logger: silentLogger,
        enabled: true,
        exempt: new Set(),
        limits: { maxResponseSize: 8000, maxErrorSize: 8000, previewSize: 2000 },
      })
      const server: Handler = async ({ method }) => (method === 'tools/list' ? { tools } : textResult(given))
      const name = tools[0]?.name ?? 'shop_orders'
      const asked = exchange(client(), { params: { name, arguments: {} }, keep: true })
      const { content } = plain(await around(shape, server)(asked))
      const [first] = Array.isArray(content) ? content.filter(isObject) : []
      const shown = String(first?.text)
      expect(shown).toContain(HANDLE)
      previews++
      const reads = new Set(tools.filter((one) => effectOf(one) === 'read').map((one) => one.name))
      for (const { tool, params } of suggestionsIn(shown)) {
        suggestions++
        if (tool.startsWith('proxy_') && !tools.some((one) => one.name === tool))
          expect(params.cache_id).toBe(HANDLE)
        else expect(reads).toContain(tool)
      }
    }),
    { numRuns: runs(2000) },
  )
  expect(previews).toBeGreaterThanOrEqual(2000)
  expect(suggestions).toBeGreaterThan(2000)
})

verifies(
  'S3.7',
  'no preview exceeds its budget in characters, or a quarter of it in tokens by more than a line',
  () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 200, max: 3000 }), (given, budget) => {
        const one = previewOf(given, budget)
        expect(one.length).toBeLessThanOrEqual(budget)
        expect(countTokens(one)).toBeLessThanOrEqual(Math.max(120, budget / 4 + 12))
        expect(previewOf(given, budget)).toBe(one)
      }),
      { numRuns: runs(80) },
    )
  },
)

test('names that objects inherit are fields like any other', () => {
  const given = JSON.stringify(
    Array.from({ length: 20 }, (_, id) => ({
      id,
      ['__proto__']: id % 2,
      constructor: `c${id % 3}`,
      toString: 'x',
    })),
  )
  expect(expectCallsToRun(given)).toBeGreaterThan(0)
  expect(previewOf(given)).toContain('constructor')
})

test('the section of a heading with links and marks in it is found', () => {
  const section = (nth: number) =>
    `## ${nth}. [WEB-${nth}](https://x.org/${nth}) in **acme**\n\n- **Status**: open\n- **Users**: ${nth * 7}\n`
  const text = Array.from({ length: 40 }, (_, nth) => section(nth)).join('\n')
  expect(previewOf(text)).toContain('"context_type":"section"')
  expect(expectCallsToRun(text)).toBeGreaterThan(1)
})
