import { expect, test } from 'vitest'
import { createAccount } from '../../../../src/features/savings/account.ts'
import type { SavingsRecord } from '../../../../src/observe/savings.ts'
import { META } from '../../../../src/protocol/content.ts'
import type { Exchange } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { exchange } from '../../../support/upstream.ts'

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

test('the text of an embedded resource counts, as it does where results are measured', async () => {
  const records: SavingsRecord[] = []
  const ledger = { record: (record: SavingsRecord) => void records.push(record), report: async () => never() }
  const layer = createAccount({ ledger, ownTools: new Set(), instructions: '' })
  const resource = { uri: 'file:///a', text: 'abc' }
  const result = {
    content: [
      { type: 'text', text: '12345' },
      { type: 'resource', resource },
    ],
  }
  await layer.wrap(async () => result)(exchange(undefined, { params: { name: 't' } }))
  expect(records).toMatchObject([{ originalCharacters: 8, deliveredCharacters: 8 }])
  expect(records[0]?.sample?.()).toBe('12345\nabc')
})
