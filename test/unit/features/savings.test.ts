import { expect, test } from 'vitest'
import { createAccount } from '../../../src/features/savings/index.ts'
import type { SavingsRecord } from '../../../src/observe/savings.ts'
import { LargeResult, META } from '../../../src/protocol/content.ts'
import type { Exchange } from '../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { sharedBytes } from '../../../src/text/shared-bytes.ts'
import { exchange } from '../../support/upstream.ts'

async function recorded(
  savings: JsonObject,
  name = 's_tool',
  extra: Partial<Exchange> = {},
): Promise<SavingsRecord[]> {
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(['proxy_filter']), instructions: '' })
  const result = { content: [{ type: 'text', text: '12345' }], _meta: { [`${META}savings`]: savings } }
  await layer.wrap(async () => result)(exchange(undefined, { params: { name }, ...extra }))
  return records
}

function never(): never {
  throw new Error('not asked for')
}

test('what was counted is written down', async () => {
  const savings = { originalTokens: 900, originalCharacters: 3000, deliveredTokens: 40 }
  expect(await recorded(savings)).toMatchObject([{ ...savings, kind: 'call', deliveredCharacters: 5 }])
  expect(await recorded(savings, 's_tool', { keep: true })).toMatchObject([
    { originalTokens: 900, deliveredTokens: 0, deliveredCharacters: 0 },
  ])
  expect(await recorded(savings, 'proxy_filter')).toMatchObject([
    { kind: 'proxy-tool', originalTokens: 0, deliveredTokens: 40 },
  ])
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
  const layer = createAccount({ ledger, ownTools: new Set(), instructions: '' })
  const result = { ...texts, content: [...texts.content, ...media] }
  for (const one of [result, { structuredContent: { data: 'word '.repeat(100_000) } }]) {
    const answer = new LargeResult(sharedBytes(JSON.stringify(one, undefined, 1)))
    await layer.wrap(async () => answer)(exchange(undefined, { params: { name: 's_shot' } }))
  }
  const [shot, text] = records
  expect(shot?.originalCharacters).toBeLessThan(1_000)
  expect(shot?.deliveredCharacters).toBe(shot?.originalCharacters)
  expect(shot?.sample?.()).toContain('behind')
  expect(shot?.sample?.()).not.toContain(base64.slice(0, 100))
  expect(text?.originalCharacters).toBeGreaterThan(500_000)
})

test('numbers that cannot be counts are not believed', async () => {
  for (const wrong of [-5, 1.5, 1e300, 0, '12', null]) {
    const savings = { originalTokens: wrong, originalCharacters: wrong, deliveredTokens: wrong }
    const [record] = await recorded(savings)
    expect(record).toMatchObject({ originalCharacters: 5, deliveredCharacters: 5 })
    expect(record).not.toHaveProperty('originalTokens')
    expect(record).not.toHaveProperty('deliveredTokens')
  }
})

test('a server that asks for input has not answered: nothing is counted before it has', async () => {
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(), instructions: '' })
  const question = { resultType: 'input_required', requestState: 's' }
  expect(await layer.wrap(async () => question)(exchange(undefined, { params: { name: 't' } }))).toBe(
    question,
  )
  expect(records).toEqual([])
})
