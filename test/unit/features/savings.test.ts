import { expect, test } from 'vitest'
import { createAccount } from '../../../src/features/savings/index.ts'
import type { SavingsRecord } from '../../../src/observe/savings.ts'
import { LargeResult, META, plain } from '../../../src/protocol/content.ts'
import type { Exchange, Savings } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { sharedBytes } from '../../../src/text/shared-bytes.ts'
import { around } from '../../support/onion.ts'
import { exchange } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

/** The record of a call with an answer that saved so much, and the answer as it goes out. */
async function account(
  savings: Savings | undefined,
  { name = 's_tool', tells = false, ...extra }: Partial<Exchange> & { name?: string; tells?: boolean } = {},
): Promise<{ record: SavingsRecord | undefined; answer: JsonObject }> {
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(['proxy_filter']), instructions: '', tells })
  const handler = around(layer, async ({ onSaved }) => {
    if (savings) onSaved?.(savings)
    return result
  })
  const answer = plain(await handler(exchange(undefined, { params: { name }, ...extra })))
  return { record: records[0], answer }
}

/** A server can write anything into `_meta`. */
const result = {
  content: [{ type: 'text', text: '12345' }],
  _meta: { [`${META}savings`]: { originalTokens: 1e9 }, other: 1 },
}

function never(): never {
  throw new Error('not asked for')
}

const savings = { originalTokens: 900, originalCharacters: 3000, deliveredTokens: 40 }

test('writes what was counted to the ledger', async () => {
  expect((await account(savings)).record).toMatchObject({ ...savings, kind: 'call', deliveredCharacters: 5 })
  expect((await account(savings, { keep: true })).record).toMatchObject({
    originalTokens: 900,
    deliveredTokens: 0,
    deliveredCharacters: 0,
  })
  expect((await account(savings, { name: 'proxy_filter' })).record).toMatchObject({
    kind: 'proxy-tool',
    originalTokens: 0,
    deliveredTokens: 40,
  })
})

test('tells which calls had a large result, and what answers of the proxy are about', async () => {
  const trial = async (...given: Parameters<typeof account>) => {
    const { large, about } = (await account(...given)).record ?? {}
    return { large, about }
  }
  expect(await trial({ ...savings, isHeldOut: true })).toEqual({
    large: { originalTokens: 900, isWhole: true, handle: undefined },
  })
  // Counted, and neither kept nor held out: it passed as it was.
  expect(await trial(savings)).toEqual({})
  expect(await trial({ ...savings, isHeldOut: true }, { keep: true })).toEqual({})
  const asking = { params: { name: 'proxy_filter', arguments: { cache_id: ['a, b', 'c'] } } }
  expect(await trial(undefined, { name: 'proxy_filter', ...asking })).toEqual({ about: ['a', 'b', 'c'] })
})

test('images, audio and blobs of a large result are not counted as text', async () => {
  const base64 = Buffer.alloc(300_000, 7).toString('base64')
  const texts = { content: [{ type: 'text', text: 'a page with "data": "not media"' }], isError: false }
  const media = [
    { type: 'image', data: base64, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'x:y', blob: base64 } },
    { type: 'text', text: 'behind' },
  ]
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(), instructions: '', tells: false })
  const result = { ...texts, content: [...texts.content, ...media] }
  for (const one of [result, { structuredContent: { data: 'word '.repeat(100_000) } }]) {
    const answer = new LargeResult(sharedBytes(JSON.stringify(one, undefined, 1)))
    await around(layer, async () => answer)(exchange(undefined, { params: { name: 's_shot' } }))
  }
  const [shot, text] = records
  expect(shot?.originalCharacters).toBeLessThan(1_000)
  expect(shot?.deliveredCharacters).toBe(shot?.originalCharacters)
  expect(shot?.sample?.()).toContain('behind')
  expect(shot?.sample?.()).not.toContain(base64.slice(0, 100))
  expect(text?.originalCharacters).toBeGreaterThan(500_000)
})

test('ignores savings reported by a server, and estimates what was not counted', async () => {
  for (const counted of [undefined, { originalTokens: 0, deliveredTokens: 0 }]) {
    const { record } = await account(counted)
    expect(record).toMatchObject({ originalCharacters: 5, deliveredCharacters: 5 })
    expect(record).not.toHaveProperty('originalTokens')
    expect(record).not.toHaveProperty('deliveredTokens')
  }
})

verifies('S3.16', 'adds savings to replies only when configured', async () => {
  expect((await account(savings)).answer).toBe(result)
  expect((await account(savings, { tells: true })).answer).toEqual({
    ...result,
    _meta: { [`${META}savings`]: savings, other: 1 },
  })
})

test('a server that asks for input has not answered: nothing is counted before it has', async () => {
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(), instructions: '', tells: false })
  const question = { resultType: 'input_required', requestState: 's' }
  expect(await around(layer, async () => question)(exchange(undefined, { params: { name: 't' } }))).toBe(
    question,
  )
  expect(records).toEqual([])
})

test('the text of an embedded resource counts, as it does where results are measured', async () => {
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(), instructions: '', tells: false })
  const resource = { uri: 'file:///a', text: 'abc' }
  const result = {
    content: [
      { type: 'text', text: '12345' },
      { type: 'resource', resource },
    ],
  }
  await around(layer, async () => result)(exchange(undefined, { params: { name: 't' } }))
  expect(records).toMatchObject([{ originalCharacters: 8, deliveredCharacters: 8 }])
  expect(records[0]?.sample?.()).toBe('12345\nabc')
})
