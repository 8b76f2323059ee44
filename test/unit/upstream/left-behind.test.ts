import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noteOfThis, startOf } from '../../../src/data/process-notes.ts'
import { noting, processFolder, sweepProcesses } from '../../../src/upstream/left-behind.ts'
import { lives, stdioServer, temporaryFolder, upstreams } from '../../support/upstream.ts'

const GRACE_MS = 100

/** A process that lives until it is killed; `deaf` to SIGTERM. */
async function living(deaf = false): Promise<number> {
  const ear = deaf ? "process.on('SIGTERM', () => {});" : ''
  const script = `${ear} console.log('up'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['-e', script], { detached: true, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child.pid ?? 0
}

async function noteOfDead(): Promise<object> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return { ...noteOfThis(), pid: child.pid, started: '1' }
}

function folderWith(...notes: unknown[]): string {
  const folder = processFolder(temporaryFolder())
  mkdirSync(folder, { recursive: true })
  for (const [at, note] of notes.entries())
    writeFileSync(join(folder, `${at}.json`), typeof note === 'string' ? note : JSON.stringify(note))
  return folder
}

test.each([false, true])('a server of a proxy that was killed is ended, deaf: %s', async (deaf) => {
  const pid = await living(deaf)
  const folder = folderWith({ proxy: await noteOfDead(), pid, started: startOf(pid) })
  await sweepProcesses(folder, GRACE_MS)
  await expect.poll(() => lives(pid)).toBe(false)
  expect(readdirSync(folder)).toEqual([])
})

test('no other process is ended: one that reuses the number, or a server of a proxy that lives or of another machine', async () => {
  const pid = await living()
  const [dead, started] = [await noteOfDead(), startOf(pid)]
  const folder = folderWith(
    { proxy: dead, pid, started: `${started}0` },
    { proxy: noteOfThis(), pid, started },
    { proxy: { ...dead, host: 'another' }, pid, started },
    { proxy: dead, pid: -1, started },
    { proxy: dead, pid: 1, started: startOf(1) },
    { proxy: dead, pid },
    '{',
    'null',
  )
  await sweepProcesses(folder, GRACE_MS)
  expect(lives(pid)).toBe(true)
  expect(existsSync(join(folder, '0.json'))).toBe(false)
  await sweepProcesses(join(folder, 'none'), GRACE_MS)
})

test('a note lies there while a server lives, for its user alone', async () => {
  const dataDir = temporaryFolder()
  const pool = upstreams({ servers: { s: stdioServer() }, dataDir })
  await pool.open()
  const folder = processFolder(dataDir)
  const [name = ''] = readdirSync(folder)
  const { pid, started, proxy } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  expect([startOf(pid), proxy.pid]).toEqual([started, process.pid])
  await pool.close()
  expect(readdirSync(folder)).toEqual([])
})

test('where no note can be written, servers start all the same', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  const child = noting(join(file, 'x'))(process.execPath, ['-e', ''], { stdio: 'pipe' })
  expect(await once(child, 'exit')).toEqual([0, null])
})
