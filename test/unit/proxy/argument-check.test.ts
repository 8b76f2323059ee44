import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createArgumentCheck } from '../../../src/proxy/argument-check.ts'

/** 2.6 KB that a validator unfolds to 2^40 alternatives. */
const doubling: JsonObject = {
  type: 'object',
  properties: { x: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries([
    ...Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      { anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
    ['d40', { type: 'string' }],
  ]),
}

const plain: JsonObject = {
  type: 'object',
  properties: { path: { anyOf: [{ type: 'string' }, { type: 'null' }] }, depth: { $ref: '#/$defs/n' } },
  required: ['path'],
  $defs: { n: { type: 'integer' } },
}

test('checks what is cheap at once', () => {
  const check = createArgumentCheck()
  expect(check({ path: 'a', depth: 1 }, plain)).toEqual([])
  expect(check({ depth: 1 }, plain)).toEqual(['path is missing'])
})

test('gives up a schema that unfolds without end, and serves others meanwhile', async () => {
  const check = createArgumentCheck({ timeLimitMs: 1500 })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  expect(await check({ x: 5 }, doubling)).toEqual([])
  clearInterval(timer)
  // On the event loop not one of them would have come.
  expect(turns).toBeGreaterThan(10)
  // Left to its server from now on, without another try.
  expect(check({ x: 5 }, doubling)).toEqual([])
})

test('checks patterns and unique items in the process, and finds their faults', async () => {
  const check = createArgumentCheck({ timeLimitMs: 60_000 })
  const schema = { properties: { ids: { type: 'array', uniqueItems: true, items: { pattern: '^[a-z]+$' } } } }
  expect(await check({ ids: ['a', 'b'] }, schema)).toEqual([])
  expect(await check({ ids: ['a', 'A'] }, schema)).toEqual(['ids.1 must match pattern "^[a-z]+$" (got "A")'])
  expect(await check({ ids: ['a', 'a'] }, schema)).toHaveLength(1)
})

test('leaves arguments to the server that are too many to be handed over', () => {
  const check = createArgumentCheck()
  const schema = { properties: { ids: { type: 'array', uniqueItems: true } } }
  expect(check({ ids: Array.from({ length: 60_000 }, () => ({})) }, schema)).toEqual([])
  expect(check({ ids: ['x'.repeat(2_000_000)] }, schema)).toEqual([])
})
