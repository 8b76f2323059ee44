/**
 * Processes that a proxy left behind because it was killed: their notes lie in the data directory, and the next start ends them. Only
 * Linux tells when a process began. On other systems a process number may belong to another process by now, so these processes stay.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isGone, noteOfThis, type ProcessNote, readNote, startOf } from '../data/process-notes.ts'
import { type Spawn, spawnOf } from './processes.ts'

const POLL_MS = 10

/** The note of a server's process while it lives. */
interface Running {
  proxy: ProcessNote
  pid: number
  started: string
}

/** Where the notes lie. */
export function processFolder(dataDir: string): string {
  return join(dataDir, 'processes')
}

/** Starts processes as `start` does, and keeps a note in the folder for as long as each lives. A note that cannot be written is none. */
export function noting(folder: string, start: Spawn = spawnOf(process.platform)): Spawn {
  return (...parameters) => {
    const child = start(...parameters)
    const { pid } = child
    const started = pid === undefined ? undefined : startOf(pid)
    if (pid === undefined || started === undefined) return child
    const file = join(folder, `${process.pid}-${pid}.json`)
    const running: Running = { proxy: noteOfThis(), pid, started }
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(file, JSON.stringify(running), { mode: 0o600 })
      child.once('exit', () => rmSync(file, { force: true }))
    } catch {}
    return child
  }
}

/** Ends what proxies that were killed left running: by SIGTERM, and after `graceMs` by SIGKILL. Never rejects. */
export async function sweepProcesses(folder: string, graceMs: number): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  await Promise.all(names.map((name) => sweepProcess(join(folder, name), graceMs).catch(() => {})))
}

async function sweepProcess(file: string, graceMs: number): Promise<void> {
  const running = runningIn(await readFile(file, 'utf8'))
  if (running === undefined || isGone(running.proxy) !== true) return
  const { pid, started } = running
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    // Looked at each time: meanwhile the number may be another's.
    if (startOf(pid) !== started) break
    process.kill(-pid, signal)
    const begun = performance.now()
    while (startOf(pid) === started && performance.now() - begun < graceMs) await sleep(POLL_MS)
  }
  await rm(file, { force: true })
}

function runningIn(text: string): Running | undefined {
  const { proxy, pid, started } = JSON.parse(text) as Partial<Running>
  const note = readNote(proxy)
  if (note === undefined || !Number.isSafeInteger(pid) || Number(pid) <= 1) return undefined
  return typeof started === 'string' ? { proxy: note, pid: Number(pid), started } : undefined
}
