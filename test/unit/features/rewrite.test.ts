import { describe, expect, test } from 'vitest'
import { LargeResult } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

const texts = (result: JsonObject): string[] => (result.content as { text: string }[]).map(({ text }) => text)

describe('rewrite', () => {
  verifies('S2.25', 'changes text in the places that the rules name', async () => {
    const world = await moduleWorld([
      {
        use: 'rewrite',
        rules: [
          { pattern: '(?:called) (\\w+)_(\\w+)', with: '$2 of $1, $$5' },
          { text: 'DOES', ignoreCase: true, with: 'can', in: ['descriptions'] },
          { after: '!', in: ['prompts', 'results'], only: ['a_*'] },
          { text: 'password', with: 'pw', in: ['arguments'] },
        ],
      },
    ])
    expect(
      texts(await world.ask('tools/call', { name: 'a_read', arguments: { q: ['my password'] } })),
    ).toEqual(['read of a, $5!'])
    expect(world.sent.at(-1)?.params.arguments).toEqual({ q: ['my pw'] })
    expect(texts(await world.ask('tools/call', { name: 'b_read' }))).toEqual(['read of b, $5'])
    expect(await world.ask('tools/list')).toMatchObject({
      tools: [{ name: 'a_read', description: 'can read' }, {}, {}],
    })
    expect(await world.ask('prompts/get', { name: 'a_hello' })).toMatchObject({
      messages: [{ content: { text: 'prompt a_hello!' } }],
    })
  })

  test('a large result is changed as a small one is, and is handed on as bytes', async () => {
    const text = 'foo bar '.repeat(20_000)
    const bytes = (value: JsonObject): Uint8Array<SharedArrayBuffer> => {
      const json = Buffer.from(JSON.stringify(value))
      const shared = new Uint8Array(new SharedArrayBuffer(json.length))
      shared.set(json)
      return shared
    }
    const result = { content: [{ type: 'text', text }], structuredContent: { kept: 'foo', id: 12 } }
    const server = async (): Promise<LargeResult> => new LargeResult(bytes(result))
    const world = await moduleWorld(
      [{ use: 'rewrite', rules: [{ text: 'foo', with: 'baz' }, { after: '!' }] }],
      { server },
    )
    const changed = await world.raw('tools/call', { name: 'a_read' })
    expect(changed).toBeInstanceOf(LargeResult)
    expect((changed as LargeResult).json()).toEqual({
      content: [{ type: 'text', text: `${text.replaceAll('foo', 'baz')}!` }],
      structuredContent: { kept: 'baz', id: 12 },
    })
    const other = await moduleWorld([{ use: 'rewrite', rules: [{ text: 'absent', with: 'x' }] }], { server })
    const same = await other.raw('tools/call', { name: 'a_read' })
    expect((same as LargeResult).json()).toEqual(result)
  })

  test('an invalid pattern ends the start with the reason', async () => {
    await expect(moduleWorld([{ use: 'rewrite', rules: [{ pattern: '(' }] }])).rejects.toThrow(
      /rules\[0\] of the module `rewrite`/,
    )
    await expect(moduleWorld([{ use: 'rewrite', rules: [{}] }])).rejects.toThrow(/changes nothing/)
  })
})
