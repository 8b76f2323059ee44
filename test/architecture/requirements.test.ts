import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'

const script = fileURLToPath(new URL('../../scripts/requirements.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'requirements-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the check over two requirements, A1 and A2, and one test that cites these ids. */
function check(ids: string): { status: number | null; stdout: string; stderr: string } {
  mkdirSync(join(folder, 'test/unit'), { recursive: true })
  writeFileSync(join(folder, 'test/requirements.json'), '{"A1":"keeps a result","A2":"finds a result"}')
  writeFileSync(join(folder, 'test/unit/some.test.ts'), `${verifies.name}('${ids}', 'keeps', () => {})`)
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
}

test('the check passes when each requirement has a proof, also when one test cites several ids', () => {
  expect(check('A1 A2')).toMatchObject({ status: 0, stderr: '' })
})

test('the check fails and names the requirement when its last proof is gone', () => {
  const { status, stdout, stderr } = check('A1')
  expect(status).toBe(1)
  expect(stderr).toBe('no proof: A2 finds a result\n')
  expect(stdout).toBe('requirements: 1 of 2 proved\n')
})

test('the check fails when a test cites an id that is not a requirement', () => {
  const { status, stderr } = check('A1 A2 A3')
  expect(status).toBe(1)
  expect(stderr).toContain('no such requirement: A3')
})

verifies('S3.42', 'ids of requirements are metadata of a test, not part of its name', ({ task }) => {
  expect(task.meta.requirements).toEqual(['S3.42'])
  expect(task.name).toBe('ids of requirements are metadata of a test, not part of its name')
})
