import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { ROOT } from './support/world.ts'

interface Row {
  question: string
  bytes: number
  addedMs: number
}

const QUESTIONS = ['projection', 'regex']

verifies('S3.40', 'as recorded, projection and regex add less than 10 ms to results of up to 1 MB', () => {
  const recorded = JSON.parse(readFileSync(join(ROOT, 'benchmarks/results/ordinary.json'), 'utf8')) as {
    rows: Row[]
  }
  const ordinary = recorded.rows.filter(({ bytes }) => bytes <= 1_000_000)
  for (const question of QUESTIONS) {
    const added = ordinary.filter((row) => row.question === question).map(({ addedMs }) => addedMs)
    expect(added.length, question).toBeGreaterThanOrEqual(3)
    expect(Math.max(...added), question).toBeLessThan(10)
  }
})

verifies('S3.40', 'the benchmark runs and reports the figures of PERFORMANCE.md', () => {
  const output = execFileSync(process.execPath, ['benchmarks/ordinary.mjs', '2'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const { rows, machine } = JSON.parse(output) as { rows: Row[]; machine: string }
  expect(machine).toContain('Node')
  expect(rows.map(({ question, bytes }) => `${question} ${bytes}`)).toEqual(
    [10_000, 100_000, 1_000_000].flatMap((bytes) => QUESTIONS.map((question) => `${question} ${bytes}`)),
  )
})
