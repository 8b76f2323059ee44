import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifies } from '../support/verifies.ts'

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

interface Run {
  child: ChildProcessWithoutNullStreams
  /** Complete when the process has ended. */
  out(): string
  err(): string
  ended: Promise<number | null>
}

/** The built program in an empty directory of its own, with a home of its own. */
function start(files: Record<string, string>, ...argv: string[]): Run {
  const cwd = mkdtempSync(join(tmpdir(), 'e2e-cli-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
  const env = { PATH: process.env.PATH ?? '', HOME: cwd }
  const child = spawn(process.execPath, [main, ...argv], { cwd, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => out, err: () => err, ended }
}

const empty = { 'mcp.json': '{"mcpServers": {}}' }

async function serving(run: Run): Promise<void> {
  while (!run.err().includes('"msg":"serving"')) await once(run.child.stderr, 'data')
}

test('exits cleanly when the reader closes the output', async () => {
  const { child, ended, err } = start({}, '--help')
  child.stdout.destroy()
  expect([await ended, err()]).toEqual([0, ''])
})

describe('a configuration that is wrong', () => {
  verifies('S3.37', 'ends with 2 and an empty standard output', async () => {
    const broken = {
      missing: {},
      duplicate: { 'mcp.json': '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}' },
      'wrong type': { 'mcp.json': '{"mcpServers": {"a": {"command": 5}}}' },
      unset: { 'mcp.json': '{"mcpServers": {"a": {"command": "${NOPE}"}}}' },
      syntax: { 'mcp.json': '{"mcpServers": ' },
    }
    for (const [name, files] of Object.entries(broken)) {
      const run = start(files)
      expect([name, await run.ended, run.out()]).toEqual([name, 2, ''])
      expect(run.err()).toContain(name === 'missing' ? 'mcp-rlm-proxy init' : '→')
    }
  })
})

describe('a run', () => {
  verifies('S1.51', 'ends when its input does', async () => {
    const run = start(empty)
    await serving(run)
    run.child.stdin.end()
    expect(await run.ended).toBe(0)
    expect(run.out()).toBe('')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ends well on %s', async (signal) => {
    const run = start(empty)
    await serving(run)
    run.child.kill(signal)
    expect(await run.ended).toBe(0)
  })

  verifies('S3.38', 'logs to standard error alone, and a file takes its place', async () => {
    const run = start(empty, '--log-level', 'INFO')
    await serving(run)
    run.child.stdin.end()
    await run.ended
    for (const line of run.err().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('level')
    expect(run.out()).toBe('')
  })
})

test('--version is one line', async () => {
  const run = start({}, '--version')
  expect(await run.ended).toBe(0)
  expect(run.out()).toMatch(/^\d+\.\d+\.\d+\n$/)
})
