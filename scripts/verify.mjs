/**
 * All checks but the tests, two at a time: prints what each said, and fails when one did.
 * Usage: node scripts/verify.mjs [--built] (`--built`: `dist` is what was built of these sources a moment ago)
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** The longest check comes first. */
const CHECKS = ['typecheck', 'deadcode', 'layers', 'lint', 'prose', 'requirements']
const isBuilt = process.argv.includes('--built')

const waiting = isBuilt ? [...CHECKS, 'generated:built'] : [...CHECKS]
await Promise.all([work(), work()])
// Alone: it builds, and others read what is built.
if (!isBuilt) await check('generated')

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await check(name)
}

async function check(name) {
  const child = spawn('npm', ['run', '-s', name], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const [[code], out, err] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)])
  console.log(`${name}: ${code === 0 ? 'passed' : 'FAILED'}`)
  if (out !== '') process.stdout.write(out)
  if (err !== '') process.stderr.write(err)
  if (code !== 0) process.exitCode = 1
}
