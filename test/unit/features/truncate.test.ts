import { expect, test } from 'vitest'
import { createTruncate } from '../../../src/features/truncate/index.ts'
import { META } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { around } from '../../support/onion.ts'
import { exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const long = (length: number): JsonObject => ({ type: 'text', text: 'x'.repeat(length) })

async function through(result: JsonObject, name = 'tool', extra: object = {}): Promise<JsonObject> {
  const layer = createTruncate({ max: 200, exempt: new Set(['proxy_filter']) })
  const wrapped = around(layer, async () => result)
  return (await wrapped(exchange(undefined, { params: { name }, ...extra }))) as JsonObject
}

verifies('S1.56', 'cuts texts by their total length and keeps other blocks', async () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' }
  const { content, ...rest } = await through({
    content: [long(150), image, long(500)],
    isError: true,
    structuredContent: { a: 1 },
  })
  expect(rest).toEqual({ isError: true, structuredContent: { a: 1 } })
  const blocks = content as JsonObject[]
  expect(blocks).toContainEqual(image)
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => String(text))
  expect(texts.join('')).toHaveLength(200)
})

verifies(
  'S1.56',
  'drops structured content that is too long, and gives it cut as text if no text has it',
  async () => {
    const structuredContent = { text: 'y'.repeat(300) }
    expect(await through({ content: [long(10)], structuredContent })).toEqual({ content: [long(10)] })
    const { content, ...rest } = await through({ content: [], structuredContent })
    expect(rest).toEqual({})
    const [block] = content as JsonObject[]
    expect(block?.text).toHaveLength(200)
    expect(String(block?.text).startsWith('{"text":"y')).toBe(true)
  },
)

test('lists no output schema for content that may be dropped', async () => {
  const layer = createTruncate({ max: 200, exempt: new Set() })
  const tools = [{ name: 'a', outputSchema: { type: 'object' } }, { name: 'b' }]
  const list = around(layer, async () => ({ tools, nextCursor: 'x' }))
  expect(await list(exchange(undefined, { method: 'tools/list', params: {} }))).toEqual({
    tools: [{ name: 'a' }, { name: 'b' }],
    nextCursor: 'x',
  })
})

test.each([
  ['short enough', { content: [long(200)] }, 'tool', {}],
  ['an answer of the proxy’s own tools', { content: [long(900)] }, 'proxy_filter', {}],
  ['what one of them asked to be kept', { content: [long(900)] }, 'tool', { keep: true }],
])('%s passes as it is', async (_, result, name, extra) => {
  expect(await through(result as JsonObject, name as string, extra as object)).toBe(result)
})

test('a preview of what is kept passes as it is; what a server says of that in `_meta` does not count', async () => {
  const preview = { content: [long(900)], _meta: { [`${META}cache-id`]: 'x' } }
  expect(await through(preview)).not.toBe(preview)
  const layer = createTruncate({ max: 200, exempt: new Set() })
  const told: string[] = []
  const call = around(layer, async ({ onKept }) => {
    onKept?.('handle')
    return preview
  })
  const onKept = (handle: string): void => void told.push(handle)
  expect(await call(exchange(undefined, { params: { name: 'tool' }, onKept }))).toBe(preview)
  expect(told).toEqual(['handle'])
})
