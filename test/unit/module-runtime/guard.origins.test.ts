/** Whose an item is, behind modules that give back what they read from JSON. */
import { expect, test } from 'vitest'
import * as z from 'zod'
import { defineModule } from '../../../src/module-runtime/module.ts'
import { plain } from '../../../src/protocol/content.ts'
import type { Handler } from '../../../src/protocol/exchange.ts'
import { isObject, type JsonObject } from '../../../src/protocol/json.ts'
import { originOf } from '../../../src/protocol/origin.ts'
import { listed, moduleWorld } from '../../support/module-world.ts'
import { verifies } from '../../support/verifies.ts'

/** A module that reads and writes JSON, as those do that run elsewhere. */
function writes(change: (result: JsonObject) => JsonObject) {
  return defineModule({
    name: 'writes',
    options: z.object({}),
    create: () => ({
      wrap:
        (next: Handler): Handler =>
        async (exchange) =>
          change(JSON.parse(JSON.stringify(plain(await next(exchange))))),
    }),
  })
}

const namesIn = ({ tools }: JsonObject): unknown[] =>
  (Array.isArray(tools) ? tools : []).filter(isObject).map(({ name }) => name)

verifies(
  'S2.23 S2.38',
  'what is blocked by its server stays blocked before a module that writes lists anew',
  async () => {
    const same = writes((result) => result)
    const world = await moduleWorld([{ use: 'block', tools: ['a/write'] }, { use: 'writes' }], {
      definitions: [same],
    })
    expect(namesIn(await world.ask('tools/list'))).toEqual(['a_read', 'b_read'])
    await expect(world.ask('tools/call', { name: 'a_write' })).rejects.toThrow('Unknown tool')
  },
)

test('whose an item is: by its name, else by its place; what nobody listed is nobody’s', async () => {
  const change = ({ tools, ...rest }: JsonObject): JsonObject => {
    const [first, second, third] = tools as [JsonObject, JsonObject, JsonObject]
    return { ...rest, tools: [{ ...first, name: 'other' }, third, second] }
  }
  const origins = async (change: (result: JsonObject) => JsonObject): Promise<unknown[]> => {
    const world = await moduleWorld([{ use: 'writes' }], { definitions: [writes(change)] })
    const { tools } = await world.ask('tools/list')
    return (tools as JsonObject[]).map((item) => originOf(item))
  }
  expect(await origins(change)).toEqual([
    { server: 'a', name: 'read' },
    { server: 'b', name: 'read' },
    { server: 'a', name: 'write' },
  ])
  const added = ({ tools, ...rest }: JsonObject): JsonObject => ({
    ...rest,
    tools: [{ name: 'mine' }, ...(tools as JsonObject[])],
  })
  expect(await origins(added)).toEqual([
    undefined,
    { server: 'a', name: 'read' },
    { server: 'a', name: 'write' },
    { server: 'b', name: 'read' },
  ])
  expect(await origins(() => ({ tools: [{ name: 'a_read' }] }))).toEqual([{ server: 'a', name: 'read' }])
})

verifies(
  'S2.23 S2.38',
  'a list that is longer than what is changed at once keeps what it knows, and is changed once',
  async () => {
    const secret = 'someone@example.org'
    const tools = Array.from({ length: 300 }, (_, n) =>
      listed('a', `t${n}`, { description: `${'word '.repeat(100)}${n === 250 ? secret : ''}` }),
    )
    const world = await moduleWorld([{ use: 'block', tools: ['a/t7'] }, { use: 'redact' }], {
      server: async () => ({ tools, _meta: { by: secret } }),
    })
    const first = (await world.ask('tools/list')) as { tools: JsonObject[]; _meta: JsonObject }
    expect(first.tools).toHaveLength(299)
    expect(JSON.stringify(first)).not.toContain(secret)
    expect(first.tools.every((tool) => originOf(tool)?.server === 'a')).toBe(true)
    const second = (await world.ask('tools/list')) as { tools: JsonObject[] }
    expect(second.tools.every((tool, at) => tool === first.tools[at])).toBe(true)
  },
)
