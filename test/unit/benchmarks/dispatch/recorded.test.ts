/** Checks of the recorded figures of `npm run bench -- dispatch`. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { RETRIEVE_TOKENS } from '../../../../src/cli/doctor.ts'
import { definitionsOf } from '../../../../src/features/dispatch/index.ts'
import { ourInstructions } from '../../../../src/proxy/instructions.ts'
import { verifies } from '../../../support/verifies.ts'

const root = new URL('../../../../', import.meta.url)
const { definitionTokens } = (await import(
  fileURLToPath(new URL('benchmarks/answers/tokens.mjs', root))
)) as {
  definitionTokens(tools: readonly object[]): number
}
const { definitions, results, published } = JSON.parse(
  readFileSync(new URL('benchmarks/results/dispatch.json', root), 'utf8'),
) as {
  definitions: Record<string, number>[]
  results: Record<string, number>[]
  published: Record<'servers' | 'tools' | 'direct' | 'dispatch', number>
}

const tokensOf = (splitCalls: boolean): number =>
  definitionTokens(definitionsOf({ splitCalls, code: true }).map(({ definition }) => definition))

verifies(
  'S4.40 S4.1',
  'one tool in place of six and of hundreds: at most 700 tokens, as recorded and as it is now',
  () => {
    expect(definitionsOf({ splitCalls: false })).toHaveLength(1)
    expect(tokensOf(false)).toBeLessThanOrEqual(700)
    expect(tokensOf(true)).toBeLessThanOrEqual(900)
    expect(definitions.map(({ tools }) => tools)).toEqual([6, expect.any(Number), 254])
    for (const { direct, dispatch = Infinity, passthrough } of definitions) {
      expect(dispatch).toBeLessThanOrEqual(700)
      expect(dispatch).toBeLessThan(direct ?? 0)
      expect(dispatch).toBeLessThan(passthrough ?? 0)
    }
  },
)

verifies('S4.41', 'a result of 20 KB to 5 MB in a file is told in 200 tokens, and handed on for 600', () => {
  expect(results.map(({ bytes }) => bytes)).toEqual([20_000, 100_000, 500_000, 5_000_000])
  for (const { bytes = 0, inline, file, preview, byReference, byPath, byFile } of results) {
    // The seed's rough count: four characters a token, which is too few.
    expect(inline).toBeGreaterThan(bytes / 4)
    expect(file).toBeLessThanOrEqual(200)
    expect(preview).toBeLessThanOrEqual(1000)
    for (const chain of [byReference, byPath, byFile]) expect(chain).toBeLessThan(600)
  }
})

verifies(
  'S4.42',
  'the instructions and the page on calling tools say when a file or a reference is worth it, and when not',
  () => {
    const told = ourInstructions('dispatch')
    expect(told).toMatch(/large payloads.*several steps.*a part only/s)
    expect(told).toContain('resultToFile')
    expect(told).toContain('argumentsFile')
    expect(told).toContain('{"$from": "<cache_id>"}')
    expect(told).toMatch(/Small results are simplest as they come/)
    const page = readFileSync(new URL('docs/calling-tools.md', root), 'utf8')
    for (const word of ['proxy-dispatch', 'resultToFile', 'argumentsFile', '"$from"', 'readresult'])
      expect(page).toContain(word)
    expect(page).toMatch(/small results.*as they are/is)
  },
)

test('the page on calling tools says of proxy-dispatch what is recorded', () => {
  const page = readFileSync(new URL('docs/calling-tools.md', root), 'utf8').replaceAll(/\s+/g, ' ')
  const { servers, tools, direct, dispatch } = published
  expect(page).toContain(`about ${Math.round(dispatch / 10) * 10} tokens for any number of servers`)
  expect(page).toContain(
    `The definitions of the ${tools} tools of ${servers} servers have ${(Math.round(direct / 1000) * 1000).toLocaleString('en')}`,
  )
  // The recorded definitions are about as long as the listed ones.
  expect(Math.abs(tokensOf(false) - dispatch) / dispatch).toBeLessThan(0.1)
})

test('doctor says of the exposure retrieve what is recorded', () => {
  // Names of servers stand in it, so it differs a little from one set to the next.
  for (const { retrieve = 0 } of definitions) expect(Math.abs(retrieve - RETRIEVE_TOKENS)).toBeLessThan(20)
})

test('the page of figures has them', () => {
  const page = readFileSync(new URL('PERFORMANCE.md', root), 'utf8')
  for (const { direct = 0 } of definitions) expect(page).toContain(direct.toLocaleString('en'))
})
