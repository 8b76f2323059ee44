/** Whatever a client hands to its model of a reply, the model reads the handle and the true totals, once, and can go on from there. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { hashOf } from '../../src/engine/content.ts'
import type { Engine } from '../../src/engine/contract.ts'
import { digest } from '../../src/engine/digest.ts'
import { createViews } from '../../src/engine/views.ts'
import { createShape } from '../../src/features/shape/index.ts'
import { silentLogger } from '../../src/observe/log.ts'
import { CLIENT_RULES, clientRule } from '../../src/protocol/client-rules.ts'
import { blocksOf, isText, LargeResult, plain } from '../../src/protocol/content.ts'
import { isObject, type JsonObject, type JsonValue } from '../../src/protocol/json.ts'
import { createMemoryStore } from '../../src/store/memory.ts'
import { createResultStore } from '../../src/store/result-store.ts'
import { sharedBytes } from '../../src/text/shared-bytes.ts'
import { cutTo, parsedFirst, VIEWS } from '../support/client-rules.ts'
import { RESULT_STORE_DEFAULTS } from '../support/defaults.ts'
import { type Embedded, embedded, type ToolServer, toolServer } from '../support/embedded.ts'
import { soundKeys } from '../support/keys.ts'
import { around } from '../support/onion.ts'
import { keeping } from '../support/result-settings.ts'
import { patience, runs } from '../support/runs.ts'
import { client, exchange } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

// A thousand results are shaped, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: patience(300_000) })

const views = Object.entries(VIEWS)
const users = Array.from({ length: 900 }, (_, id) => ({ id, name: `User number ${id}` }))
const issues = Array.from({ length: 700 }, (_, id) => ({
  id,
  state: id % 3 ? 'open' : 'closed',
  title: `"${id}"`,
}))
const lines = Array.from({ length: 3000 }, (_, n) => `line ${n} of a log that says "something"\n`).join('')

const usersSchema: JsonObject = {
  type: 'object',
  properties: { users: { type: 'array', items: { type: 'object', required: ['id', 'name'] } } },
  required: ['users'],
  additionalProperties: false,
}
const textSchema: JsonObject = {
  type: 'object',
  properties: { content: { type: 'string' } },
  required: ['content'],
  additionalProperties: false,
}

const said = (text: string, more: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text }],
  ...more,
})

/** Large results, and the totals that a model has to read. */
const LARGE = {
  typed: {
    outputSchema: usersSchema,
    run: () => said(JSON.stringify({ users }), { structuredContent: { users } }),
    totals: '900 records',
    query: { path: '$.users[*]', where: ['id == 899'] },
    answer: 'User number 899',
  },
  wrapped: {
    outputSchema: textSchema,
    run: () => said(lines, { structuredContent: { content: lines } }),
    totals: '3,000 lines',
    query: { offset: 2999, limit: 1 },
    answer: 'line 2999 of a log',
  },
  bare: {
    outputSchema: usersSchema,
    run: (): JsonObject => ({ content: [], structuredContent: { users } }),
    totals: '900 records',
    query: { path: '$.users[*]', where: ['id == 899'] },
    answer: 'User number 899',
  },
  records: {
    run: () => JSON.stringify(issues),
    totals: '700 records',
    query: { where: ['id == 699'] },
    answer: '699',
  },
  text: {
    run: () => lines,
    totals: '3,000 lines',
    query: { offset: 2999, limit: 1 },
    answer: 'line 2999 of a log',
  },
} satisfies Record<
  string,
  ToolServer['tools'][string] & { totals: string; query: JsonObject; answer: string }
>

type LargeTool = keyof typeof LARGE
const NAMES = Object.keys(LARGE) as LargeTool[]

function server(): ToolServer {
  const tools = Object.entries(LARGE).map(([name, { totals: _, query: __, answer: ___, ...tool }]) => [
    name,
    tool,
  ])
  return toolServer(Object.fromEntries(tools) as ToolServer['tools'])
}

type Exposure = 'passthrough' | 'retrieve' | 'dispatch'

/** How a model calls a tool of the server there, and asks about what is kept. */
const ROADS: Record<
  Exposure,
  {
    call(at: Embedded, tool: string): Promise<JsonObject>
    filter(at: Embedded, query: JsonObject): Promise<JsonObject>
    code(at: Embedded, query: JsonObject): Promise<JsonObject>
  }
> = {
  passthrough: {
    call: (at, tool) => at.ask({}, `s_${tool}`),
    filter: (at, query) => at.ask(query, 'proxy_filter'),
    code: (at, query) => at.ask(query, 'proxy_code'),
  },
  retrieve: {
    call: (at, tool) => at.ask({ name: `s_${tool}`, arguments: {} }, 'call_tool'),
    filter: (at, query) => at.ask(query, 'proxy_filter'),
    code: (at, query) => at.ask(query, 'proxy_code'),
  },
  dispatch: {
    call: (at, tool) => at.ask({ action: 'call', tool, arguments: {} }),
    filter: (at, query) => at.ask({ action: 'filter', ...query }),
    code: (at, query) => at.ask({ action: 'code', ...query }),
  },
}

const STATEMENT = /cache_id ([0-9a-z]{12}) keeps the whole result/g

for (const exposure of Object.keys(ROADS) as Exposure[]) {
  verifies(
    'S3.7 S3.10 S3.12',
    `${exposure}: by every rule of clients the handle and the totals reach the model once, and a question with that handle is answered`,
    async () => {
      const { call, filter } = ROADS[exposure]
      const at = await embedded({ servers: { s: server().serve }, settings: { exposure } })
      const { tools } = await at.client.listTools()
      expect(tools.filter((tool) => tool.outputSchema !== undefined)).toEqual([])
      for (const name of NAMES) {
        const { totals, query, answer } = LARGE[name]
        const reply = await call(at, name)
        expect(reply).not.toHaveProperty('structuredContent')
        expect(Object.keys(reply._meta as JsonObject)).toEqual(['mcp-rlm-proxy/cache-id'])
        const handles = views.map(([rule, view]) => {
          const seen = view(reply)
          const found = [...seen.matchAll(STATEMENT)]
          expect(found, `${name}, ${rule}: ${seen}`).toHaveLength(1)
          expect(seen, `${name}, ${rule}`).toContain(totals)
          return found[0]?.[1]
        })
        expect(new Set(handles).size).toBe(1)
        const answered = await filter(at, { cache_id: handles[0] ?? '', ...query })
        for (const [rule, view] of views) expect(view(answered), `${name}, ${rule}`).toContain(answer)
        const again = await call(at, name)
        for (const [rule, view] of views) {
          const seen = view(again)
          const found = [...seen.matchAll(STATEMENT)].map(([, handle]) => handle)
          expect(found, `${name} again, ${rule}: ${seen}`).toEqual([handles[0]])
          expect(seen, `${name} again, ${rule}`).toContain(totals)
          expect(seen, `${name} again, ${rule}`).toContain('unchanged since you got it before')
        }
      }
    },
  )
}

/** Large values that programs return, with their totals; each has the text 699 in it. */
const RETURNED: readonly (readonly [code: string, totals: string])[] = [
  ['return await d.rows()', '700 records'],
  [
    'console.log("far ".repeat(400)); return { all: await d.rows({ fields: ["id", "title"] }) }',
    '700 records',
  ],
  ['return Array.from({ length: 3000 }, (_, n) => `line ${n} of a "log"`).join("\\n")', '3,000 lines'],
]
/** Small ones, with what the model has to read. */
const SMALL: readonly (readonly [code: string, seen: RegExp])[] = [
  ['return 5', /=> 5/],
  ['return [1, 2]', /=> \[1,2\]/],
  ['return null', /=> null/],
  ['return "7"', /=> 7/],
  ['return { total: 700 }', /\{\\?"total\\?":700\}/],
  ['return "seven"', /seven/],
  ['console.log("seen"); return [await d.count()]', /\[700\](?:\n|\\n){2}console:(?:\n|\\n)seen/],
  ['return tolos', /Did you mean tools/],
]

for (const exposure of Object.keys(ROADS) as Exposure[]) {
  test(`${exposure}: what a program returns reaches the model by every rule, with handle and totals once where it is large`, async () => {
    const { call, code } = ROADS[exposure]
    const at = await embedded({
      servers: { s: server().serve },
      settings: { exposure, code: { enabled: true } },
    })
    const cache_id = String(((await call(at, 'records'))._meta as JsonObject)['mcp-rlm-proxy/cache-id'])
    for (const [program, totals] of RETURNED) {
      const reply = await code(at, { cache_id, code: program })
      expect(reply).not.toHaveProperty('structuredContent')
      const handles = views.map(([rule, view]) => {
        const seen = view(reply)
        const found = [...seen.matchAll(STATEMENT)]
        expect(found, `${rule}: ${seen}`).toHaveLength(1)
        expect(seen.split(totals), `${rule}: ${seen}`).toHaveLength(2)
        return found[0]?.[1] ?? ''
      })
      expect(new Set(handles).size).toBe(1)
      const asked = 'return (await d.text()).includes("699")'
      const answered = await code(at, { cache_id: handles[0] ?? '', code: asked })
      for (const [rule, view] of views) expect(view(answered), rule).toContain('=> true')
    }
    for (const [program, seen] of SMALL) {
      const reply = await code(at, { cache_id, code: program })
      for (const [rule, view] of views) expect(view(reply), `${rule}, ${program}`).toMatch(seen)
    }
  })
}

describe('where the operator keeps structured content', () => {
  const seenBy = async (settings: JsonObject, tools: Record<string, JsonObject> = {}) => {
    const one = server()
    for (const [name, more] of Object.entries(tools)) one.tools[name] = { ...one.tools[name], ...more }
    const at = await embedded({
      servers: { s: one.serve },
      settings: { exposure: 'passthrough', ...settings },
    })
    return { at, listed: (await at.client.listTools()).tools }
  }

  verifies(
    'S3.10',
    'clients find the result valid, and each rule shows the handle and the totals',
    async () => {
      const { at, listed } = await seenBy({ structured: 'keep' })
      const promised = listed.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)
      expect(promised).toEqual(['s_typed', 's_wrapped', 's_bare'])
      for (const name of NAMES) {
        // The client throws when a result breaks the schema it was told.
        const reply = await at.ask({}, `s_${name}`)
        expect(reply.isError, name).toBeUndefined()
        if (promised.includes(`s_${name}`)) expect(reply.structuredContent, name).toBeDefined()
        for (const [rule, view] of views) {
          expect(view(reply), `${name}, ${rule}`).toMatch(STATEMENT)
          expect(view(reply), `${name}, ${rule}`).toContain(LARGE[name].totals)
        }
      }
      const wrapped = await at.ask({}, 's_wrapped')
      expect(wrapped.structuredContent).toEqual({ content: wrapped.content[0]?.text })
      const typed = await at.ask({}, 's_typed')
      expect(typed.structuredContent).toEqual({
        cache_id: expect.stringMatching(/^[0-9a-z]{12}$/),
        preview: typed.content[0]?.text,
      })
    },
  )

  test('a tool with an interface keeps its structured content', async () => {
    const { at, listed } = await seenBy({}, { typed: { _meta: { ui: { resourceUri: 'ui://view' } } } })
    expect(listed.filter(({ outputSchema }) => outputSchema).map(({ name }) => name)).toEqual(['s_typed'])
    expect((await at.ask({}, 's_typed')).structuredContent).toHaveProperty('cache_id')
    expect(await at.ask({}, 's_wrapped')).not.toHaveProperty('structuredContent')
  })
})

describe('a client that cuts the JSON of a result', () => {
  const clientInfo = { name: '@cline/core', version: '3.0.65' }
  const limit = clientRule(clientInfo)?.jsonLimit ?? 0

  test('gets no result or answer that it would cut', async () => {
    const quoted = (length: number) => 'say "so"\n'.repeat(length / 9)
    const { serve } = toolServer(
      Object.fromEntries([3000, 5000, 6000, 7000, 7900].map((n) => [`t${n}`, { run: () => quoted(n) }])),
    )
    for (const exposure of ['passthrough', 'dispatch'] as const) {
      const at = await embedded({
        servers: { s: serve, l: server().serve },
        settings: { exposure },
        clientInfo,
      })
      const { call, filter } = ROADS[exposure]
      for (const n of [3000, 5000, 6000, 7000, 7900]) {
        const reply = JSON.stringify(await call(at, `t${n}`))
        expect(cutTo(reply, limit), String(n)).toBe(reply)
      }
      const kept = await (exposure === 'dispatch'
        ? at.ask({ action: 'call', tool: 'records', arguments: {} })
        : at.ask({}, 'l_records'))
      const cache_id = String((kept._meta as JsonObject)['mcp-rlm-proxy/cache-id'])
      const lengths: number[] = []
      for (const query of [
        {},
        { limit: 690 },
        { sort: ['title'], limit: 500 },
        { fields: ['title'], limit: 690 },
      ]) {
        const answer = JSON.stringify(await filter(at, { cache_id, ...query }))
        expect(cutTo(answer, limit)).toBe(answer)
        lengths.push(answer.length)
      }
      expect(Math.max(...lengths)).toBeGreaterThan(limit / 2)
    }
  })
})

test.each(
  CLIENT_RULES.flatMap(({ textLimit, name, client: who }) =>
    textLimit ? [[who, textLimit, name.source] as const] : [],
  ),
)('%s gets no answer with many rows that is longer than %i characters', async (_, limit, source) => {
  const clientInfo = { name: source.replaceAll(/[$^]/g, ''), version: '1' }
  const rows = Array.from({ length: 700 }, (_, id) => ({ id, title: `row ${id} of many in one long list` }))
  const { serve } = toolServer({ rows: { run: () => JSON.stringify(rows) } })
  const at = await embedded({ servers: { l: serve }, clientInfo })
  const kept = await at.ask({}, 'l_rows')
  const cache_id = String((kept._meta as JsonObject)['mcp-rlm-proxy/cache-id'])
  const [text = ''] = blocksOf(await at.ask({ cache_id, fields: ['*'], limit: 690 }, 'proxy_filter')).map(
    (block) => String(block.text),
  )
  expect(text.length).toBeLessThanOrEqual(limit)
  expect(text.includes('records 1-690 of')).toBe(limit > 20_000)
})

describe('a program of a client that cuts the JSON of a result', () => {
  const clientInfo = { name: '@cline/core', version: '3.0.65' }
  const limit = clientRule(clientInfo)?.jsonLimit ?? 0

  test.each([
    'return `say "so"\n`.repeat(LENGTH / 9)',
    'return Array.from({ length: LENGTH / 5 }, () => "a\\"")',
    'console.log(`"${"\n".repeat(9000)}".`); return "x\n".repeat(LENGTH / 2)',
    'throw new Error(`"\n`.repeat(LENGTH))',
  ])('is answered with nothing that it would cut: %s', async (code) => {
    const at = await embedded({ settings: { exposure: 'passthrough', code: { enabled: true } }, clientInfo })
    for (const length of [900, 2700, 3600, 4500, 7200, 9000, 90_000]) {
      const reply = JSON.stringify(
        await at.ask({ code: code.replace('LENGTH', String(length)) }, 'proxy_code'),
      )
      expect(cutTo(reply, limit), String(length)).toBe(reply)
    }
  })
})

test('every client of the table is known by its name, and by no other rule', () => {
  const names = [
    'claude-code',
    'codex-mcp-client',
    'gemini-cli-mcp-client',
    'qwen-cli-mcp-client-proxy',
    'opencode',
  ]
  names.push('github-copilot-developer', '@cline/core', 'continue-client', 'ai-sdk-mcp-client')
  const known = names.map((name) => clientRule({ name, version: '1' })?.client)
  expect(new Set(known)).toEqual(new Set(CLIENT_RULES.map((rule) => rule.client)))
  for (const { name } of CLIENT_RULES) expect(names.filter((one) => name.test(one))).toHaveLength(1)
  for (const info of [{}, { name: 1 }, { name: 'x-opencode' }]) expect(clientRule(info)).toBeUndefined()
})

/** Schemas with a value that is valid by them. */
const { pair } = fc.letrec<{ pair: { schema: JsonObject; value: JsonValue } }>((tie) => ({
  pair: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ maxLength: 900 }).map((value) => ({ schema: { type: 'string' }, value })),
    fc.constantFrom('a', 'b').map((value) => ({ schema: { type: 'string', pattern: '^[ab]$' }, value })),
    fc.integer().map((value) => ({ schema: { type: 'number' }, value })),
    fc.record({ one: tie('pair'), count: fc.nat(40), min: fc.nat(2) }).map(({ one, count, min }) => ({
      schema: { type: 'array', items: one.schema, minItems: Math.min(min, count) },
      value: Array.from({ length: count }, () => one.value),
    })),
  ),
}))

const FIELDS = ['content', 'rows', 'total', 'name', 'text']

const typedValue = fc
  .dictionary(fc.constantFrom(...FIELDS), fc.record({ one: pair, required: fc.boolean() }), { maxKeys: 4 })
  .map((fields): { schema: JsonObject; value: JsonObject } => {
    const names = Object.keys(fields)
    const pick = (part: 'schema' | 'value'): JsonObject =>
      Object.fromEntries(names.map((name) => [name, fields[name]?.one[part] ?? null]))
    const required = names.filter((name) => fields[name]?.required)
    return {
      schema: { type: 'object', properties: pick('schema'), required, additionalProperties: false },
      value: pick('value'),
    }
  })

const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }

/** Texts beside a value: that again, something else, JSON that is no object, nothing. */
const textsFor = (value: JsonObject): fc.Arbitrary<string[]> =>
  fc.oneof(
    fc.constantFrom<string[]>(
      [JSON.stringify(value)],
      [JSON.stringify(value, null, 2)],
      [],
      ['42'],
      ['[1, 2]'],
      ['null'],
    ),
    fc.constant(Object.values(value).filter((one) => typeof one === 'string')),
    fc.array(fc.string({ maxLength: 900 }), { maxLength: 3 }),
    fc.array(soundKeys(fc.json({ maxDepth: 3 })), { maxLength: 2 }),
  )

const given = typedValue.chain(({ schema, value }) =>
  fc.record({
    schema: fc.option(fc.constant(schema), { nil: undefined }),
    texts: textsFor(value),
    structured: fc.oneof(
      { weight: 4, arbitrary: fc.constant(value) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    images: fc.nat(1),
    isError: fc.nat(3).map((n) => n === 0),
    isLarge: fc.boolean(),
    keeps: fc.boolean(),
  }),
)

verifies(
  'S3.7 S3.10',
  'for any result, schema and client, the model gets the whole text or a cut one that says where the rest is',
  async () => {
    const resultStore = createResultStore({
      ...RESULT_STORE_DEFAULTS,
      now: () => 0,
      onDrop() {},
      onError() {},
      memory: createMemoryStore(),
    })
    const looked = createViews()
    const engine = {
      digest: async (...[arrival, options]: Parameters<Engine['digest']>) => ({
        ...digest(looked, arrival, options),
        hash: hashOf(arrival.content),
      }),
    } as Engine
    const seen = { shaped: 0, dropped: 0, added: 0, same: 0, framed: 0, enveloped: 0 }
    await fc.assert(
      fc.asyncProperty(given, async ({ schema, texts, structured, images, isError, isLarge, keeps }) => {
        const result: JsonObject = {
          content: [
            ...texts.map((text) => ({ type: 'text', text })),
            ...Array.from({ length: images }, () => image),
          ],
          ...(structured && { structuredContent: structured }),
          ...(isError && { isError }),
        }
        const layer = createShape({
          engine,
          resultStore,
          logger: silentLogger,
          enabled: true,
          exempt: new Set(),
          settings: keeping(keeps),
          limits: { maxResponseSize: 900, maxErrorSize: 900, previewSize: 400 },
        })
        const tool = { name: 't', ...(schema && { outputSchema: schema }) }
        const sent = isLarge ? new LargeResult(sharedBytes(JSON.stringify(result))) : result
        const handler = around(layer, async ({ method }) =>
          method === 'tools/list' ? { tools: [tool] } : sent,
        )
        const owner = client()
        const { tools } = plain(await handler(exchange(owner, { method: 'tools/list' })))
        const promised = isObject((tools as JsonObject[])[0]?.outputSchema)
          ? (tools as JsonObject[])[0]?.outputSchema
          : undefined
        expect(promised === undefined).toBe(!keeps || schema === undefined)
        const reply = plain(await handler(exchange(owner, { params: { name: 't' } })))
        const handle = isObject(reply._meta) ? String(reply._meta['mcp-rlm-proxy/cache-id']) : undefined

        if (promised !== undefined && structured !== undefined && reply.isError !== true)
          expect(
            new Ajv2020({ strict: false }).validate(promised as JsonObject, reply.structuredContent),
          ).toBe(true)
        expect(blocksOf(reply).filter((block) => !isText(block))).toEqual(
          Array.from({ length: images }, () => image),
        )
        if (handle === undefined) return whole(reply, result, seen)
        seen.shaped++
        const entry = await resultStore.get(owner.agent, handle)
        expect(JSON.parse(Buffer.from(entry?.content ?? []).toString())).toEqual(result)
        const statement = `cache_id ${handle} keeps the whole result`
        for (const [rule, view] of views) {
          const count = view(reply).split(statement).length - 1
          if (promised === undefined || reply.isError) expect(count, rule).toBe(1)
          else expect(count, rule).toBeGreaterThan(0)
        }
        if (promised === undefined) expect(reply).not.toHaveProperty('structuredContent')
        else if (isObject(reply.structuredContent) && 'preview' in reply.structuredContent) seen.enveloped++
        else if (isObject(reply.structuredContent)) seen.framed++
      }),
      { numRuns: runs(1000) },
    )
    // Every way was gone.
    for (const [way, count] of Object.entries(seen)) expect(count, way).toBeGreaterThan(0)
  },
)

/** The reply says all that the result says: what is left out is said by what stays, and no client refuses it that took the result. */
function whole(
  reply: JsonObject,
  result: JsonObject,
  seen: { dropped: number; added: number; same: number },
): void {
  const textsOf = (one: JsonObject) =>
    blocksOf(one)
      .filter(isText)
      .map(({ text }) => text)
  const { structuredContent: value } = result
  const [texts, before] = [textsOf(reply), textsOf(result)]
  if (texts.length > before.length) {
    seen.added++
    expect(before.join('')).toBe('')
    expect(JSON.parse(texts.at(-1) ?? '')).toEqual(value)
  } else expect(texts).toEqual(before)
  if (value !== undefined && reply.structuredContent === undefined) {
    seen.dropped++
    const joined = texts.filter((text) => text !== '').join('\n')
    const wrapper = isObject(value) && Object.values(value).length === 1 && Object.values(value)[0] === joined
    if (!wrapper) expect(JSON.parse(joined)).toEqual(value)
    expect(() => parsedFirst(reply)).not.toThrow()
  } else {
    seen.same++
    expect(reply.structuredContent).toEqual(value)
  }
}

test('an answer of a proxy tool is never JSON, whatever is asked of whatever is kept', async () => {
  const texts = fc.sample(fc.oneof(fc.json(), fc.string()), { numRuns: runs(25), seed: 1 })
  let kept = ''
  const { serve } = toolServer({ t: { annotations: { readOnlyHint: true }, run: () => said(kept) } })
  const at = await embedded({ servers: { s: serve }, settings: { exposure: 'passthrough' } })
  const queries: [string, JsonObject][] = [
    ['proxy_filter', {}],
    ['proxy_filter', { path: '$' }],
    ['proxy_filter', { mode: 'count' }],
    ['proxy_search', { pattern: '.' }],
    ['proxy_explore', {}],
  ]
  for (const text of texts) {
    kept = text
    for (const [name, query] of queries) {
      const answer = await at.ask({ tool: 's_t', arguments: {}, ...query }, name)
      expect(() => JSON.parse(answer.content[0]?.text ?? ''), `${name} ${JSON.stringify(query)}`).toThrow()
      const cache_id = /cache_id ([0-9a-z]{12})/.exec(answer.content[0]?.text ?? '')?.[1]
      if (cache_id === undefined) continue
      const again = await at.ask({ cache_id, ...query }, name)
      expect(() => JSON.parse(again.content[0]?.text ?? ''), `${name} ${JSON.stringify(query)}`).toThrow()
    }
  }
})
