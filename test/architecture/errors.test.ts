import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { errorsTable, rpcTable } from '../../src/config/generate.ts'
import { ERROR_CODES, RPC, RPC_ERRORS } from '../../src/protocol/errors.ts'
import { faultsOf } from './errors-in-code.ts'

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

test('the tables of errors and the code agree', () => {
  expect(faultsOf(root('src'), { errors: ERROR_CODES, rpc: RPC_ERRORS })).toEqual([])
})

test('the comparison sees an unused code, a missing one and a wrong folder', () => {
  const { CANCELLED: _, ...errors } = ERROR_CODES
  const { cancelled: __, ...rpc } = RPC_ERRORS
  const faults = faultsOf(root('src'), {
    errors: { ...errors, UNUSED: { from: ['cli'] }, LISTEN_FAILED: { from: ['cli'] } },
    rpc: { ...rpc, unused: { code: -32099 } },
  })
  expect(faults).toContain('engine/schedule.ts throws CANCELLED, which is not in the table')
  expect(faults).toContain('UNUSED is thrown in no folder, and the table says cli')
  expect(faults).toContain('LISTEN_FAILED is thrown in server, and the table says cli')
  expect(faults).toContain('server/http/session-transport.ts uses RPC.cancelled, which is not in the table')
  expect(faults).toContain('RPC.unused is used nowhere')
})

test('each code has a meaning and a next step, as sentences', () => {
  for (const { meaning, next } of Object.values(ERROR_CODES))
    for (const text of [meaning, next]) expect(text).toMatch(/^[A-Z].*\.$/)
  for (const { meaning } of Object.values(RPC_ERRORS)) expect(meaning).toMatch(/^[A-Z].*\.$/)
})

test('RPC has the codes of JSON-RPC by name', () => {
  expect(RPC.invalidParams).toBe(-32602)
  expect(Object.keys(RPC)).toEqual(Object.keys(RPC_ERRORS))
})

test('the page of errors is up to date', () => {
  const page = readFileSync(root('docs/errors.md'), 'utf8')
  expect(page).toContain(errorsTable())
  expect(page).toContain(rpcTable())
})
