import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { policies } from './parts.ts'

test('policies are told by version and by what is in their files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'policies-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'expert.mjs'), 'one')
  const before = policies(folder)
  expect(before).toMatch(/^\d+ \([0-9a-f]{12}\)$/)
  writeFileSync(join(folder, 'notes.txt'), 'of no account')
  expect(policies(folder)).toBe(before)
  writeFileSync(join(folder, 'expert.mjs'), 'two')
  expect(policies(folder)).not.toBe(before)
  expect(policies()).not.toBe(before)
})
