/** Proxies with modules beside one another and behind one another, and what of a result one call leaves to the next. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../src/module-runtime/module.ts'
import { RPC, RpcError } from '../../src/protocol/errors.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { deferred } from '../support/deferred.ts'
import { type Embedded, embedded, type ToolOf, toolServer } from '../support/embedded.ts'
import { chain } from '../support/roads.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'

const passthrough = { exposure: 'passthrough' }
const textOf = async (asked: Promise<JsonObject>): Promise<string> =>
  ((await asked).content as { text: string }[]).map(({ text }) => text).join('\n')
const until = onTestFinished

verifies(
  'S2.5 S2.38',
  'two proxies of one process, on one data directory, with a server of one name each: modules share nothing',
  async () => {
    const dataDir = temporaryFolder()
    const open = async (file: string, description: string, modules: JsonObject[]): Promise<Embedded> => {
      const office = toolServer({ write: { description, run: () => 'to ada@example.org' } })
      const servers = { office: office.serve }
      const one = await embedded({ servers, settings: passthrough, dataDir, file, modules })
      // The server was asked, too: what is remembered of it is listed before it is there.
      const listed = async (): Promise<number> => {
        await one.names()
        return office.lists
      }
      await expect.poll(listed).toBeGreaterThan(0)
      return one
    }
    const quota = { use: 'quota', rps: 0.001, burst: 2, tools: ['office/*'] }
    const logs = ['a.log', 'b.log'].map((name) => join(dataDir, name)) as [string, string]
    const log = (file: string): JsonObject => ({ use: 'log', file, content: 'all', methods: ['tools/call'] })
    const a = await open('/a.json', 'Writes', [log(logs[0]), { use: 'pin' }, quota, { use: 'redact' }])
    const b = await open('/b.json', 'Writes', [log(logs[1]), { use: 'pin' }, quota])
    const call = ({ ask }: Embedded): Promise<string> => textOf(ask({}, 'office_write'))
    expect([await call(a), await call(b)]).toEqual(['to [redacted:email]', 'to ada@example.org'])
    expect([await call(a), await call(b)]).toEqual(['to [redacted:email]', 'to ada@example.org'])
    for (const one of [a, b]) expect(await call(one)).toContain('as many calls as allowed')
    // Each in its log alone.
    const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n')
    for (const file of logs) await expect.poll(() => lines(file)).toHaveLength(3)
    expect(readFileSync(logs[0], 'utf8')).not.toContain('ada@')
    await Promise.all([a.gateway.close(), b.gateway.close()])

    // The tool that one accepted is changed to it, and new to another that never saw it.
    const changed = await open('/b.json', 'Writes letters', [{ use: 'pin' }])
    await expect.poll(() => call(changed).catch(String)).toContain('held back')
    await changed.gateway.close()
    // The memory of a server goes by how it is reached, which is the same here.
    const remembered = (): string =>
      readdirSync(join(dataDir, 'servers'))
        .map((name) => readFileSync(join(dataDir, 'servers', name), 'utf8'))
        .join()
    await expect.poll(remembered).toContain('Writes letters')
    const other = await open('/c.json', 'Writes letters', [{ use: 'pin' }])
    expect(await call(other)).toBe('to ada@example.org')
  },
)

verifies(
  'S2.6 S2.11',
  'a proxy behind a proxy: modules of both, one preview, errors, progress and cancelling through both',
  async () => {
    const started = deferred()
    const ended = deferred<string>()
    const tools: Record<string, ToolOf> = {
      letter: { description: 'A letter', run: () => 'Dear sea, ask ada@example.org' },
      report: {
        description: 'A long report',
        run: () =>
          JSON.stringify(Array.from({ length: 2000 }, (_, n) => ({ n, by: 'ada@example.org', at: 'sea' }))),
      },
      refuse: {
        run: () => {
          throw new RpcError(-32050, 'no access for ada@example.org', { why: 'sea' })
        },
      },
      long: {
        run: (_, params, { signal, notify }) => {
          const { progressToken = null } = (params._meta ?? {}) as JsonObject
          notify({
            method: 'notifications/progress',
            params: { progressToken, progress: 1, message: 'by ada@example.org at sea' },
          })
          started.resolve()
          return new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              ended.resolve('cancelled')
              reject(new Error('cancelled'))
            }),
          )
        },
      },
    }
    const office = toolServer(tools)
    // One that hears of notifications, so that progress goes through the modules of both.
    const { world, modules } = await chain({ servers: { office: office.serve }, parts: {}, until }, [
      { use: 'rewrite', rules: [{ text: 'sea', with: 'ocean', in: ['results', 'descriptions'] }] },
      { use: 'block', tools: ['near/office_gone'] },
    ])
    await expect.poll(world.names).toContain('near_office_letter')
    await modules([{ use: 'redact' }, { use: 'rename', tools: { 'office/letter': 'post' } }])
    const listed = await world.names()
    expect(listed).toEqual(expect.arrayContaining(['near_post', 'near_office_report']))
    expect(listed.filter((name) => name.includes('proxy_'))).toEqual([
      'proxy_filter',
      'proxy_search',
      'proxy_explore',
      'proxy_code',
    ])
    expect(await textOf(world.ask({}, 'near_post'))).toBe('Dear ocean, ask [redacted:email]')

    const preview = await textOf(world.ask({}, 'near_office_report'))
    expect(preview).not.toMatch(/ada@|sea/)
    const [, cache_id = ''] = /cache_id[^A-Za-z0-9]*([0-9a-z]{12})/.exec(preview) ?? []
    expect(new Set(preview.match(/(?<=cache_id\W{1,4})[0-9a-z]{12}/g))).toEqual(new Set([cache_id]))
    const count = { cache_id, where: ['at = ocean', 'by = [redacted:email]'], aggregate: 'count' }
    expect(await textOf(world.ask(count, 'proxy_filter'))).toContain('2000')

    await expect(world.ask({}, 'near_office_refuse')).rejects.toMatchObject({
      code: -32050,
      message: expect.stringContaining('no access for [redacted:email]'),
    })
    await expect(world.ask({}, 'near_office_gone')).rejects.toThrow('Unknown tool: near_office_gone')

    const controller = new AbortController()
    const told: unknown[] = []
    const call = world.client.callTool({ name: 'near_office_long', arguments: {} }, undefined, {
      signal: controller.signal,
      onprogress: ({ message }) => void told.push(message),
      timeout: 120_000,
    })
    call.catch(() => {})
    await started.promise
    await expect.poll(() => told).toEqual(['by [redacted:email] at sea'])
    controller.abort('enough')
    await expect(call).rejects.toThrow()
    expect(await ended.promise).toBe('cancelled')
    expect(await textOf(world.ask({}, 'near_post'))).toContain('Dear ocean')
  },
)

test('a cached result passes the modules after shape once; modules before shape see every call', async () => {
  const seen: string[] = []
  const watch = defineModule({
    name: 'watch',
    options: z.object({ who: z.string() }),
    messages: ['tools/call'],
    create: ({ who }) => ({
      wrap: (next) => async (exchange) => {
        seen.push(who)
        return next(exchange)
      },
    }),
  })
  let answers = 0
  const shop = toolServer({
    find: { annotations: { readOnlyHint: true }, run: () => `${++answers} for ada@example.org` },
  })
  const world = await embedded({
    servers: { shop: shop.serve },
    settings: { ...passthrough, toolCache: { ttlMs: 3_600_000 } },
    parts: { modules: [watch] },
    modules: [
      { use: 'watch', name: 'near', who: 'near' },
      { use: 'shape' },
      { use: 'watch', name: 'far', who: 'far' },
      { use: 'quota', rps: 0.001, burst: 1, tools: ['shop/*'] },
      { use: 'redact' },
    ],
  })
  const call = (): Promise<string> => textOf(world.ask({ q: 1 }, 'shop_find'))
  // No call was made for the second: it is not counted, and what was struck out stays so.
  expect([await call(), await call()]).toEqual(['1 for [redacted:email]', '1 for [redacted:email]'])
  expect(seen).toEqual(['near', 'far', 'near'])
  // Nothing that passed other modules is remembered.
  await world.modules([{ use: 'rewrite', rules: [{ text: 'for', with: 'to' }] }])
  expect(await call()).toBe('2 to ada@example.org')
  await world.modules([{ use: 'block', tools: ['shop/find'] }])
  await expect(call()).rejects.toThrow('Unknown tool')
})

test('the value of a reference passes the inner modules, from whichever server it came', async () => {
  const notes = toolServer({
    read: { annotations: { readOnlyHint: true }, run: () => `${'word '.repeat(10)}ada@example.org` },
  })
  const mail = toolServer({
    send: { inputSchema: { type: 'object', properties: { body: { type: 'string' } } }, run: () => 'sent' },
  })
  const judge = defineModule({
    name: 'judge',
    options: z.object({}),
    messages: ['tools/call'],
    create: () => ({
      wrap: (next) => async (exchange) => {
        if (JSON.stringify(exchange.params).includes('ada@'))
          throw new RpcError(RPC.invalidParams, 'no addresses')
        return next(exchange)
      },
    }),
  })
  const servers = { notes: notes.serve, mail: mail.serve }
  const world = await embedded({ servers, settings: passthrough, parts: { modules: [judge] } })
  const made = await textOf(world.ask({ tool: 'notes_read', arguments: {}, pattern: 'word' }, 'proxy_search'))
  const [, $from = ''] = /cache_id ([0-9a-z]{12})/.exec(made) ?? []
  const send = (): Promise<string> => textOf(world.ask({ body: { $from } }, 'mail_send'))
  expect(await send()).toBe('sent')
  expect(mail.calls.at(-1)?.arguments).toEqual({ body: `${'word '.repeat(10)}ada@example.org` })
  await world.modules([{ use: 'judge' }])
  await expect(send()).rejects.toThrow('no addresses')
  await world.modules([{ use: 'redact', arguments: true }])
  expect(await send()).toBe('sent')
  expect(mail.calls.at(-1)?.arguments).toEqual({ body: `${'word '.repeat(10)}[redacted:email]` })
})
