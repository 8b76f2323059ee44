/** The differences that the conformance runs report. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../conformance/${name}`, import.meta.url).href)) as T
type Results = ReadonlyMap<string, object>
const { surprises } = await load<{
  surprises(known: object, run: string, direct: Results, found: Results): string[]
}>('known.mjs')
const { count } = await load<{ count(file: string): object }>('suite.mjs')

const result = (failures: string[]) => ({
  passed: 1,
  failed: failures.length,
  warned: 0,
  checks: ['a A'],
  failures,
  required: false,
})
const told = (direct: string[], found: string[]): string[] =>
  surprises({}, 'run', new Map([['s', result(direct)]]), new Map([['s', result(found)]]))

test('a scenario that fails without the proxy has to fail in the same checks through it', () => {
  expect(told(['a: so'], ['a: in other words'])).toEqual([])
  expect(told(['a: so'], ['a: so', 'b: too'])).toHaveLength(1)
  expect(told(['a: so'], ['b: instead'])).toHaveLength(1)
  expect(told(['a: so'], [])).toHaveLength(1)
  expect(told([], ['a: so'])).toEqual(['run: s is not among the known failures: a: so'])
})

test('a scenario without a check does not pass', () => {
  const folder = mkdtempSync(join(tmpdir(), 'checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'checks.json')
  writeFileSync(file, JSON.stringify([{ id: 'a', status: 'INFO' }]))
  expect(count(file)).toMatchObject({ passed: 0, failed: 1, failures: ['made no checks'] })
  writeFileSync(file, JSON.stringify([{ id: 'a', status: 'SUCCESS' }]))
  expect(count(file)).toMatchObject({ passed: 1, failed: 0 })
})
