/** Every question of the benchmark of plain calls: one call without a path, over results of twenty kinds, answered in the reply. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { digest } from '../../src/engine/digest.ts'
import { query } from '../../src/engine/query.ts'
import { createViews } from '../../src/engine/views.ts'
import type { JsonObject } from '../../src/protocol/json.ts'

/** The benchmark is plain JavaScript. */
interface Plain {
  data: string
  text: string
  tool: 'filter' | 'search' | 'explore'
  call: JsonObject
  wanted: RegExp[]
}
const folder = fileURLToPath(new URL('../../benchmarks/answers/plain/', import.meta.url))
const { plainData }: { plainData(): Record<string, { text: string }> } = await import(`${folder}data.mjs`)
const {
  plainQuestions,
  asSent,
}: { plainQuestions(data: object): Plain[]; asSent(call: object): JsonObject } = await import(
  `${folder}questions.mjs`
)

const data = plainData()
const contents = new Map(
  Object.entries(data).map(([name, { text }]) => {
    const bytes = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
    return [name, new Uint8Array(bytes)] as const
  }),
)
const views = createViews()

/** Questions that a caller would have to ask differently; the reply says so. */
const NOT_ANSWERED = new Set(['flights: What is the plane 388?', 'manyFiles: Administrators'])

test.each(plainQuestions(data))('$data: $text $call', ({ data: name, text, tool, call, wanted }) => {
  const content = contents.get(name) ?? new Uint8Array()
  const answer = query(views, [{ content, hash: name, handle: 'a1b2c3d4e5f6', tool: 'get' }], {
    kind: tool,
    params: asSent(call),
    budget: 8000,
  })
  const reply = answer.text.join('a1b2c3d4e5f6')
  expect(answer.failed, reply).toBe(false)
  const isAnswered = wanted.every((one) => one.test(reply))
  expect(isAnswered, reply).toBe(!NOT_ANSWERED.has(`${name}: ${text}`))
})

test.each(Object.keys(data))('a first look at %s never fails', (name) => {
  const sizes = { maxResponseSize: 8000, maxErrorSize: 32_000, previewSize: 2000, always: false }
  const { shaped } = digest(
    createViews(),
    { content: contents.get(name) ?? new Uint8Array(), tool: 'get' },
    sizes,
  )
  if (shaped) expect(shaped.text.join('').length).toBeLessThanOrEqual(2_200)
})
