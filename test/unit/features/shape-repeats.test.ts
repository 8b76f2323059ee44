import { describe, expect, test } from 'vitest'
import { compare } from '../../../src/engine/compare.ts'
import type { Engine } from '../../../src/engine/contract.ts'
import { digest } from '../../../src/engine/digest.ts'
import { createViews } from '../../../src/engine/views.ts'
import { createShape, type ShapeOptions } from '../../../src/features/shape/index.ts'
import type { Repeats } from '../../../src/features/shape/repeats.ts'
import { silentLogger } from '../../../src/observe/log.ts'
import { blocksOf, plain, type Result, textIn } from '../../../src/protocol/content.ts'
import type { Agent } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { withOrigin } from '../../../src/protocol/origin.ts'
import { createMemoryStore } from '../../../src/store/memory.ts'
import { createResultStore } from '../../../src/store/result-store.ts'
import { countTokens } from '../../../src/text/tokens.ts'
import { RESULT_STORE_DEFAULTS } from '../../support/defaults.ts'
import { around } from '../../support/onion.ts'
import { settingsForAll } from '../../support/result-settings.ts'
import { client, exchange } from '../../support/upstream.ts'

function world(changes: Partial<ShapeOptions> = {}) {
  const views = createViews()
  let compared = 0
  const engine = {
    digest: async (arrival: never, options: never) => digest(views, arrival, options),
    compare: async (before: never, after: never, budget: number) => {
      compared++
      return compare(views, [after, before], budget)
    },
    countTokens: async (texts: readonly string[]) => texts.map(countTokens),
  } as unknown as Engine
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    now: () => 0,
    onDrop: () => {},
    onError: () => {},
    memory: createMemoryStore(),
  })
  const layer = createShape({
    engine,
    resultStore,
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    repeats: 'changes',
    limits: { maxResponseSize: 2000, maxErrorSize: 2000, previewSize: 1200 },
    ...changes,
  })
  let result: Result = {}
  const tools = ['list', 'click', 'snapshot'].map((name) => withOrigin({ name }, { server: 'one', name }))
  const handler = around(layer, async ({ method }) => (method === 'tools/list' ? { tools } : result))
  const usual = client()
  return {
    resultStore,
    usual,
    compared: () => compared,
    async call(answer: Result, args: JsonObject = {}, { asker = usual, name = 'list', ...more } = {}) {
      result = answer
      const params = { name, arguments: args }
      const reply = plain(await handler(exchange(asker, { method: 'tools/call', params, ...more })))
      const [text = ''] = blocksOf(reply).flatMap((block) => textIn(block) ?? [])
      return { reply, text, handle: /cache_id ([0-9a-z]{12})/.exec(text)?.[1] ?? '' }
    },
  }
}

const records = (changes: Record<number, JsonObject> = {}): Result => {
  const items = Array.from({ length: 60 }, (_, id) => ({
    id,
    title: `The title of record ${id}`,
    state: 'open',
    ...changes[id],
  }))
  return { content: [{ type: 'text', text: JSON.stringify({ items }) }] }
}

describe('the same call again', () => {
  test('is told in a few lines where its result is as it was, with what it is and how to see it', async () => {
    const { call, compared } = world()
    const first = await call(records(), { a: 1, b: 2 })
    const again = await call(records(), { b: 2, a: 1 })
    expect(again.handle).toBe(first.handle)
    expect(again.text.split('\n')).toEqual([
      expect.stringMatching(
        /^cache_id \w+ keeps the whole result of list \(json: 60 records in \$\.items, [\d,]+ tokens\): unchanged since you got it before\.$/,
      ),
      expect.stringMatching(/^type: \{id: number, title, state\}/),
      `To see what is in it again: proxy_explore {"cache_id":"${first.handle}"}, or the same call once more for the preview`,
    ])
    expect(again.text.length).toBeLessThan(first.text.length)
    expect(compared()).toBe(0)
  })

  test('has the preview the second time in a row, for an agent that shares the connection and did not see it', async () => {
    const { call } = world()
    const first = await call(records())
    expect((await call(records())).text).toMatch(/unchanged since/)
    expect((await call(records())).text).toBe(first.text)
    expect((await call(records())).text).toMatch(/unchanged since/)
    const changed = records({ 7: { state: 'closed' } })
    expect((await call(changed)).text).toMatch(/Since cache_id/)
    expect((await call(changed)).text).toMatch(/type: /)
  })

  test('is told by what changed, with both handles and true counts; the new result is kept whole', async () => {
    const { call, resultStore, usual } = world()
    const first = await call(records())
    const changed = records({ 7: { state: 'closed' } })
    const second = await call(changed)
    expect(second.handle).not.toBe(first.handle)
    expect(second.text).toContain(
      `Since cache_id ${first.handle} 0 records added, 0 removed, 1 changed, below;`,
    )
    expect(second.text).toContain('~ $.items id 7: state "open" → "closed"')
    expect(second.text).toContain(`proxy_explore {"cache_id":"${second.handle}"}`)
    expect(second.reply._meta).toEqual({ 'mcp-rlm-proxy/cache-id': second.handle })
    const kept = await resultStore.get(usual.agent, second.handle)
    expect(JSON.parse(Buffer.from(kept?.content ?? []).toString())).toEqual(changed)
  })

  test('has a preview where more changed than is worth telling', async () => {
    const { call } = world()
    const first = await call(records())
    const all = Object.fromEntries(Array.from({ length: 60 }, (_, id) => [id, { state: 'closed' }]))
    const second = await call(records(all))
    expect(second.text).not.toContain('Since')
    expect(second.text.split('\n')[0]?.replace(second.handle, first.handle)).toContain(
      '60 records in $.items',
    )
  })

  test.each<[Repeats, RegExp, RegExp]>([
    ['preview', /type: /, /type: /],
    ['unchanged', /unchanged since/, /type: /],
    ['changes', /unchanged since/, /Since cache_id/],
  ])('with repeats %s', async (repeats, same, other) => {
    for (const how of [{ repeats }, { settings: settingsForAll({ repeats }) }]) {
      const { call } = world(how)
      await call(records())
      expect((await call(records())).text).toMatch(same)
      expect((await call(records({ 3: { state: 'closed' } }))).text).toMatch(other)
    }
  })

  test('is another call with other arguments, of another tool, and of another client', async () => {
    const { call } = world()
    await call(records(), { page: 1 })
    expect((await call(records(), { page: 2 })).text).toMatch(/type: /)
    expect((await call(records(), { page: 1 }, { name: 'click' })).text).toMatch(/type: /)
    expect((await call(records(), { page: 1 }, { asker: client() })).text).toMatch(/type: /)
    expect((await call(records(), { page: 1 })).text).toMatch(/unchanged since/)
  })

  test('of a client that cannot be told from others gets a preview each time', async () => {
    const { call } = world()
    const agent: Agent = { id: 'anonymous', kind: 'anonymous' }
    const asker = { ...client(), agent }
    await call(records(), {}, { asker })
    expect((await call(records(), {}, { asker })).text).toMatch(/type: /)
  })

  test('has a preview once the result before is gone, or the call before was cancelled', async () => {
    const { call, resultStore, usual } = world()
    const first = await call(records())
    await resultStore.remove(usual.agent, first.handle)
    expect((await call(records({ 1: { state: 'closed' } }))).text).toMatch(/type: /)
    const signal = AbortSignal.abort(new Error('cancelled'))
    const given = { page: 9 }
    await call(records(), given, { signal } as never)
    expect((await call(records(), given)).text).toMatch(/type: /)
  })

  test('that fails again says so again', async () => {
    const { call } = world()
    const failed: Result = { content: [{ type: 'text', text: 'no such thing\n'.repeat(400) }], isError: true }
    const [first, second] = [await call(failed), await call(failed)]
    expect(second.text.replace(second.handle, first.handle)).toBe(first.text)
    expect(second.reply.isError).toBe(true)
  })

  test('has a preview where the comparison fails', async () => {
    const views = createViews()
    const engine = {
      digest: async (arrival: never, options: never) => digest(views, arrival, options),
      compare: () => Promise.reject(new Error('the worker died')),
      countTokens: () => Promise.reject(new Error('the worker died')),
    } as unknown as Engine
    const { call } = world({ engine })
    await call(records())
    expect((await call(records())).text).toMatch(/type: /)
    expect((await call(records({ 1: { state: 'closed' } }))).text).toMatch(/type: /)
  })
})

describe('snapshots of a page', () => {
  const page = (cart: number): Result => {
    const rows = Array.from({ length: 40 }, (_, at) => [
      `    - row [ref=r${at}]:`,
      `      - button "Add product ${at} to the cart" [ref=b${at}]`,
    ])
    const lines = [
      '- generic [ref=e1]:',
      `  - button "Cart (${cart})" [ref=e3]`,
      '  - table "Products" [ref=e4]:',
    ]
    return { content: [{ type: 'text', text: [...lines, ...rows.flat()].join('\n') }] }
  }

  test('are compared with the page that was seen last, by whatever call', async () => {
    const { call } = world()
    await call(page(0), {}, { name: 'snapshot' })
    const clicked = await call(page(1), { ref: 'b1' }, { name: 'click' })
    expect(clicked.text).toContain(
      '0 nodes added, 0 removed, 1 changed, below; all else is as it was, with the same references',
    )
    expect(clicked.text).toMatch(/~ button "Cart \(1\)" \[ref=e3\]$/)
    const again = await call(page(1), {}, { name: 'snapshot' })
    expect(again.text).toMatch(/unchanged since/)
    // Some servers show no page after a click: each snapshot is the same call, and another page.
    for (const cart of [2, 3])
      expect((await call(page(cart), {}, { name: 'snapshot' })).text).toContain('0 removed, 1 changed, below')
    const whole = await call(page(3), {}, { name: 'snapshot' })
    expect(whole.text).not.toMatch(/unchanged since|Since cache_id/)
  })
})
