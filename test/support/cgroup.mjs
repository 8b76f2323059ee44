/** Processes that share a hard limit of memory: a control group of Linux, where this user may make one. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The two forms that control groups have: where they lie and how their files are called. */
const FORMS = [
  {
    root: '/sys/fs/cgroup/memory',
    limit: 'memory.limit_in_bytes',
    kills: 'memory.oom_control',
    anonymous: 'total_rss',
  },
  { root: '/sys/fs/cgroup', limit: 'memory.max', kills: 'memory.events', anonymous: 'anon' },
]

const numberIn = (file, name) =>
  Number(new RegExp(`^${name} (\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0)

/**
 * Makes a group of processes that may together hold so many MB (2^20 bytes), with the files that the system keeps in memory. Undefined
 * where that is not allowed.
 */
export function memoryGroup(megabytes, name) {
  const form = FORMS.find(
    ({ root, limit }) => existsSync(join(root, limit)) || existsSync(join(root, 'cgroup.controllers')),
  )
  if (form === undefined) return undefined
  const directory = join(form.root, name)
  const file = (which) => join(directory, which)
  try {
    mkdirSync(directory)
    writeFileSync(file(form.limit), String(megabytes * 1024 * 1024))
  } catch {
    if (existsSync(directory)) rmdirSync(directory)
    return undefined
  }
  return {
    /** The command that starts a program in the group. */
    command: (program, args) => [
      'sh',
      ['-c', 'echo $$ > "$0" && exec "$@"', file('cgroup.procs'), program, ...args],
    ],
    /** The same for a program of the group that is to run outside of it. */
    outside: (program, args) => [
      'sh',
      ['-c', 'echo $$ > "$0" && exec "$@"', join(form.root, 'cgroup.procs'), program, ...args],
    ],
    /** Bytes that are no copies of files. */
    anonymous: () => numberIn(file('memory.stat'), form.anonymous),
    /** Processes that the system ended because the group was full. */
    kills: () => numberIn(file(form.kills), 'oom_kill'),
    pids: () => readFileSync(file('cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
    /** Once no process is left in it. */
    remove: () => rmdirSync(directory),
  }
}
