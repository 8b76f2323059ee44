/** Processes as Linux tells of them in `/proc`. Elsewhere nothing is known of them: tests that ask are skipped. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** For tests that look at processes. */
export const onLinuxOnly = { skip: process.platform !== 'linux' }

const MARK = 'E2E_MARK'

/** Environment that a server passes on to all it starts, so that each of them is known wherever it ends up. */
export function marked(mark: string): Record<string, string> {
  return { [MARK]: mark }
}

/** Command lines of living processes that carry the mark, of any parent. */
export function processesMarked(mark: string): string[] {
  return pids().flatMap((pid) => {
    const environment = about(pid, 'environ').split('\0')
    if (!lives(pid) || !environment.includes(`${MARK}=${mark}`)) return []
    return [`${pid} ${about(pid, 'cmdline').replaceAll('\0', ' ')}`]
  })
}

/** Process ids below this one, to any depth. */
export function descendantsOf(pid: number): number[] {
  const parents = pids().map((child) => ({ child, parent: parentOf(child) }))
  const below = (one: number): number[] =>
    parents.flatMap(({ child, parent }) => (parent === one ? [child, ...below(child)] : []))
  return below(pid)
}

/** Of those, the servers of a proxy: the processes in which it works itself come and go with the work. */
export function serversOf(pid: number): number[] {
  return descendantsOf(pid).filter((child) => !about(child, 'cmdline').includes('worker-process.js'))
}

/** None of these processes lives any more, nor any that carries the mark. */
export async function nothingLives(mark: string, pids: readonly number[]): Promise<void> {
  await expect.poll(() => [...processesMarked(mark), ...pids.filter(lives)]).toEqual([])
}

/** None of these processes lives any more. */
export async function noneLives(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(lives)).toEqual([])
}

/** Descriptors that a process may have more of and leak none: those of a second worker, of connections about to end. */
export const SPARE_DESCRIPTORS = 16

/** How many file descriptors the process has open. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Bytes of memory that the process holds. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(about(pid, 'status'))?.[1] ?? 0) * 1024
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function parentOf(pid: number): number {
  return Number(/\) \S (\d+) /.exec(about(pid, 'stat'))?.[1] ?? 0)
}

/** False for one that has ended and waits for its parent to take note. */
function lives(pid: number): boolean {
  const stat = about(pid, 'stat')
  return stat !== '' && !/\) [ZX] /.test(stat)
}

/** Empty when the process is gone or somebody else's. */
function about(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
