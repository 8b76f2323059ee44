import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSpillDirectory, sweepSpills } from '../../../src/spill/directory.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const WRITER = fileURLToPath(new URL('../../support/servers/spill-writer.mjs', import.meta.url))

/** A directory as a process that is described so would have left it. */
async function left(base: string, name: string, owner: object | undefined): Promise<string> {
  const directory = join(base, name)
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'result-0123456789ab.json'), '{}')
  if (owner !== undefined) await writeFile(join(directory, '.owner'), JSON.stringify(owner))
  return directory
}

/** A process that has ended, and one that lives until the test ends. */
function processes(): { dead: number; alive: number } {
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { dead, alive: child.pid ?? 0 }
}

describe('what other processes left', () => {
  verifies('S4.21', 'goes when its process is gone, and nothing else does', async () => {
    const base = join(temporaryFolder(), 'spill')
    const { dead, alive } = processes()
    const host = hostname()
    const stat = process.platform === 'linux' ? await readFile(`/proc/${alive}/stat`, 'utf8') : ''
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const born = performance.timeOrigin
    const gone = [
      await left(base, `${dead}-00000001`, { pid: dead, host, born: 1, started: '1' }),
      await left(base, `${dead}-00000002`, { pid: dead, host, born: 1 }),
      // A process number that is used again: by this process, as in a container, and by another program.
      await left(base, `${process.pid}-00000003`, { pid: process.pid, host, born: 1, started: '1' }),
      ...(stat === ''
        ? []
        : [await left(base, `${alive}-00000004`, { pid: alive, host, born: 1, started: '1' })]),
    ]
    const old = await left(base, `${dead}-0000000a`, { pid: dead, host: 'another machine', born: 1 })
    await utimes(old, 1, 1)
    const kept = [
      await left(base, `${alive}-00000005`, { pid: alive, host, born: 1, ...(started && { started }) }),
      await left(base, `${dead}-00000006`, { pid: dead, host: 'another machine', born: 1, started: '1' }),
      // A directory without a signature is not ours, and neither is one with another form of name.
      await left(base, `${dead}-00000007`, undefined),
      await left(base, `${dead}-00000008`, { pid: 'x' }),
      await left(base, 'documents', { pid: dead, host, born: 1 }),
    ]
    const own = createSpillDirectory(base)
    const { path } = await own.write('result.txt', Buffer.from('mine'))
    await symlink(join(base, 'documents'), join(base, `${dead}-00000009`))
    await sweepSpills(base, Date.now())
    expect([...gone, old].filter(existsSync)).toEqual([])
    expect(kept.filter((directory) => !existsSync(directory))).toEqual([])
    expect(await readdir(join(base, 'documents'))).toHaveLength(2)
    expect(await readFile(path, 'utf8')).toBe('mine')
    expect(born).toBe(performance.timeOrigin)
    await own.close()
  })

  test('is looked for where there may be nothing', async () => {
    await sweepSpills(join(temporaryFolder(), 'missing'), Date.now())
  })
})

describe('a process that ends while it writes', () => {
  verifies('S4.21', 'killed in the middle it leaves no file that could be taken for whole', async () => {
    const base = join(temporaryFolder(), 'spill')
    const child = spawn(process.execPath, [WRITER, base, 'kill'], { stdio: ['ignore', 'inherit', 'inherit'] })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    const [name = ''] = await readdir(base)
    const files = await readdir(join(base, name))
    // The first file was whole, the second was begun.
    expect(files.filter((file) => file.endsWith('.txt'))).toEqual(['first.txt'])
    expect(files.filter((file) => file.endsWith('.tmp'))).toHaveLength(1)
    await sweepSpills(base, Date.now())
    expect(await readdir(base)).toEqual([])
  })

  verifies('S4.21', 'that it ends by itself leaves nothing, also without waiting', async () => {
    const base = join(temporaryFolder(), 'spill')
    const child = spawn(process.execPath, [WRITER, base, 'exit'], { stdio: ['ignore', 'inherit', 'inherit'] })
    await once(child, 'exit')
    expect(child.exitCode).toBe(0)
    expect(await readdir(base)).toEqual([])
  })
})

verifies('S4.15', 'a disk that takes no more says so, and no part of the file is left', () => {
  const base = join(temporaryFolder(), 'spill')
  // No file may be longer than 100 blocks: the disk is full in the middle of the second.
  const line = 'ulimit -f 100; exec "$0" "$@"'
  const done = spawnSync('bash', ['-c', line, process.execPath, WRITER, base, 'full'], { encoding: 'utf8' })
  expect(done.stderr).toBe('')
  expect(JSON.parse(done.stdout)).toEqual({ code: 'EFBIG', files: ['.owner', 'first.txt'], again: 'third' })
})

verifies('S4.15', 'the same on a real disk of two megabytes, where one may be made', ({ skip }) => {
  const place = temporaryFolder()
  const line = 'mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" "$3" "$1/spill" full'
  const made = ['-c', 'exec unshare -rm sh -c "$0" "$@"', line, 'sh', place, process.execPath, WRITER]
  const { status, stdout, stderr } = spawnSync('sh', made, { encoding: 'utf8' })
  skip(status !== 0 && /unshare|mount/.test(stderr), 'who may mount nothing has no such disk')
  expect(JSON.parse(stdout)).toEqual({ code: 'ENOSPC', files: ['.owner', 'first.txt'], again: 'third' })
})

verifies('S4.15', 'a place where no directory can be made is told, and tried again', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'file'), '')
  const directory = createSpillDirectory(join(folder, 'file'))
  await expect(directory.write('a.txt', Buffer.from('x'))).rejects.toMatchObject({ code: /EEXIST|ENOTDIR/ })
  await rm(join(folder, 'file'))
  const { path } = await directory.write('a.txt', Buffer.from('x'))
  expect(await readFile(path, 'utf8')).toBe('x')
  await directory.close()
})
