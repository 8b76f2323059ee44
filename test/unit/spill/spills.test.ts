import { existsSync } from 'node:fs'
import {
  chmod,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { REFUSED, Refused } from '../../../src/spill/confined.ts'
import { createSpillDirectory } from '../../../src/spill/directory.ts'
import { createSpills, type SpillsOptions } from '../../../src/spill/spills.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

const agent = (id: string) => ({ id, kind: 'session' as const })
const [one, other] = [agent('one'), agent('other')]
const HANDLE = '0123456789ab'

function spillsIn(base: string, options: Partial<SpillsOptions> = {}) {
  const directory = createSpillDirectory(base)
  return Object.assign(
    createSpills({ directory, allowDirs: [], maxBytes: 1_000_000, ownDirs: [base], ...options }),
    { directory: directory.path },
  )
}

const textOf = async (reading: Promise<Uint8Array>) => Buffer.from(await reading).toString()
const write = (spills: ReturnType<typeof spillsIn>, text: string, handle = HANDLE) =>
  spills.write(one, handle, Buffer.from(text), 'txt')

describe('what may lie under the path of a file that an agent was given', () => {
  const swaps: [name: string, swap: (path: string, outside: string) => Promise<unknown>][] = [
    [
      'a link to a file outside',
      (path, outside) => rm(path).then(() => symlink(join(outside, 'result.txt'), path)),
    ],
    [
      'a second name of a file outside',
      (path, outside) => rm(path).then(() => link(join(outside, 'result.txt'), path)),
    ],
    ['a file moved there', (path, outside) => rename(join(outside, 'result.txt'), path)],
    ['a folder', (path) => rm(path).then(() => mkdir(path))],
    ['nothing', (path) => rm(path)],
    [
      'the directory is a link to another',
      async (path, outside) => {
        await rename(join(outside, 'result.txt'), join(outside, basename(path)))
        await rm(join(path, '..'), { recursive: true })
        await symlink(outside, join(path, '..'))
      },
    ],
    [
      'the directory is another',
      async (path, outside) => {
        await rename(join(outside, 'result.txt'), join(outside, basename(path)))
        await rm(join(path, '..'), { recursive: true })
        await rename(outside, join(path, '..'))
      },
    ],
  ]
  for (const [name, swap] of swaps)
    verifies('S4.55', `${name}: refused, and nothing read`, async () => {
      const folder = temporaryFolder()
      const outside = join(folder, 'outside')
      await mkdir(outside)
      await writeFile(join(outside, 'result.txt'), 'secret')
      const spills = spillsIn(join(folder, 'spill'))
      const path = await write(spills, 'mine')
      expect(await textOf(spills.read(one, path))).toBe('mine')
      await swap(path, outside)
      const probe = await open(folder)
      const reading = vi.spyOn(Object.getPrototypeOf(probe), 'read')
      await expect(spills.read(one, path)).rejects.toThrow(new Refused(REFUSED))
      expect(reading).not.toHaveBeenCalled()
      reading.mockRestore()
      await probe.close()
      await spills.close()
    })

  verifies('S4.55', 'nothing is written through a link that took the place of the directory', async () => {
    const folder = temporaryFolder()
    const outside = join(folder, 'outside')
    await mkdir(outside)
    const spills = spillsIn(join(folder, 'spill'))
    await write(spills, 'mine')
    await rename(spills.directory, join(folder, 'moved'))
    await symlink(outside, spills.directory)
    await expect(write(spills, 'content', 'ba9876543210')).rejects.toThrow('is not the directory')
    expect(await readdir(outside)).toEqual([])
    await spills.close()
    expect(existsSync(outside)).toBe(true)
  })
})

verifies(
  'S4.55',
  'the file of another agent is refused as one that does not exist, by any path',
  async () => {
    const folder = temporaryFolder()
    const spills = spillsIn(join(folder, 'spill'), { allowDirs: [folder, '/'] })
    const path = await write(spills, 'mine')
    const partial = join(spills.directory, 'result.txt.0.tmp')
    await writeFile(partial, 'half')
    const hidden = [
      path,
      path.replace('/spill/', '//spill/'),
      `${spills.directory}/./${basename(path)}`,
      partial,
    ]
    const stranger = join(folder, 'spill', '1-00000000', 'result.txt')
    await mkdir(join(stranger, '..'))
    await writeFile(stranger, 'of another process')
    for (const each of [...hidden, join(spills.directory, '.owner'), stranger, spills.directory])
      await expect(spills.read(other, each)).rejects.toThrow(new Refused(REFUSED))
    await expect(spills.read(other, join(folder, 'missing'))).rejects.toThrow(new Refused(REFUSED))
    // Its owner reads it, and so does another owner of the same content.
    expect(await textOf(spills.read(one, path))).toBe('mine')
    expect(await spills.write(other, HANDLE, Buffer.from('mine'), 'txt')).toBe(path)
    expect(await textOf(spills.read(other, path))).toBe('mine')
    await spills.close()
  },
)

test('agents that are not kept apart are one owner', async () => {
  const spills = spillsIn(join(temporaryFolder(), 'spill'), { isolation: false })
  expect(await textOf(spills.read(other, await write(spills, 'ours')))).toBe('ours')
  await spills.close()
})

describe('other directories', () => {
  verifies('S4.55', 'that are allowed are read, and nothing beside or behind them', async () => {
    const folder = temporaryFolder()
    const [allowed, secret] = [join(folder, 'allowed'), join(folder, 'secret')]
    await mkdir(join(allowed, 'in'), { recursive: true })
    await mkdir(secret)
    await writeFile(join(allowed, 'in', 'args.json'), '{}')
    await writeFile(join(secret, 'args.json'), 'secret')
    await symlink(join(secret, 'args.json'), join(allowed, 'link.json'))
    await symlink(join(allowed, 'in'), join(folder, 'way'))
    const spills = spillsIn(join(folder, 'spill'), { allowDirs: [allowed, join(folder, 'later')] })
    expect(await textOf(spills.read(other, join(allowed, 'in', 'args.json')))).toBe('{}')
    expect(await textOf(spills.read(other, join(folder, 'way', 'args.json')))).toBe('{}')
    for (const path of ['link.json', '../secret/args.json', 'in', 'missing'])
      await expect(spills.read(one, join(allowed, path))).rejects.toThrow(new Refused(REFUSED))
    // One that is made later is allowed from then on.
    await mkdir(join(folder, 'later'))
    await writeFile(join(folder, 'later', 'a.json'), '[]')
    expect(await textOf(spills.read(one, join(folder, 'later', 'a.json')))).toBe('[]')
    // A link in its place leads nowhere.
    await rename(allowed, join(folder, 'gone'))
    await symlink(secret, allowed)
    await expect(spills.read(one, join(allowed, 'args.json'))).rejects.toThrow(new Refused(REFUSED))
    await spills.close()
  })

  verifies('S4.55', 'do not open what is the proxy’s own, unless it is named itself', async () => {
    const folder = temporaryFolder()
    const data = join(folder, 'data')
    await mkdir(join(data, 'exchange'), { recursive: true })
    await writeFile(join(data, 'tokens.json'), 'secret')
    await writeFile(join(data, 'exchange', 'a.json'), '{}')
    const spill = join(data, 'spill')
    const wide = spillsIn(spill, { allowDirs: [folder, data], ownDirs: [spill, data] })
    for (const path of ['tokens.json', 'exchange/a.json'])
      await expect(wide.read(one, join(data, path))).rejects.toThrow(new Refused(REFUSED))
    const exact = spillsIn(spill, { allowDirs: [join(data, 'exchange')], ownDirs: [spill, data] })
    expect(await textOf(exact.read(one, join(data, 'exchange', 'a.json')))).toBe('{}')
    await Promise.all([wide.close(), exact.close()])
  })
})

describe('files that come and go', () => {
  verifies('S4.21', 'a directory that somebody removed is made again', async () => {
    const folder = temporaryFolder()
    const spills = spillsIn(join(folder, 'a', 'spill'))
    await write(spills, 'first')
    await rm(join(folder, 'a'), { recursive: true })
    const paths = await Promise.all([write(spills, 'first'), write(spills, 'second', 'ba9876543210')])
    expect(await textOf(spills.read(one, paths[0]))).toBe('first')
    expect(await textOf(spills.read(one, paths[1]))).toBe('second')
    expect((await stat(spills.directory)).mode & 0o777).toBe(0o700)
    await spills.close()
    expect(await readdir(join(folder, 'a', 'spill'))).toEqual([])
  })

  test('a directory that was there keeps its rights', async () => {
    const folder = temporaryFolder()
    const base = join(folder, 'shared')
    await mkdir(base)
    await chmod(base, 0o777)
    const before = (await stat(base)).mode
    const spills = spillsIn(base)
    await write(spills, 'x')
    expect((await stat(base)).mode).toBe(before)
    await spills.close()
  })

  test('the same content is written once, also by many at a time; what is gone is written again', async () => {
    const spills = spillsIn(join(temporaryFolder(), 'spill'))
    const paths = await Promise.all(Array.from({ length: 10 }, () => write(spills, 'same')))
    expect(new Set(paths).size).toBe(1)
    const [path = ''] = paths
    const { ino } = await stat(path)
    await write(spills, 'same')
    expect((await stat(path)).ino).toBe(ino)
    await rm(path)
    await write(spills, 'same')
    expect(await textOf(spills.read(one, path))).toBe('same')
    await spills.close()
  })

  test('the oldest leaves when there is no room', async () => {
    const spills = spillsIn(join(temporaryFolder(), 'spill'), { maxTotalBytes: 10 })
    const first = await write(spills, '12345678', 'aaaaaaaaaaaa')
    const second = await write(spills, '12345678', 'bbbbbbbbbbbb')
    expect(await readFile(second, 'utf8')).toBe('12345678')
    await expect(spills.read(one, first)).rejects.toThrow(REFUSED)
    await expect.poll(() => existsSync(first)).toBe(false)
    const long = await write(spills, 'x'.repeat(100), 'cccccccccccc')
    expect(await textOf(spills.read(one, long))).toHaveLength(100)
    await spills.close()
  })

  verifies('S4.21', 'nothing is left of what was under way when all ended', async () => {
    const base = join(temporaryFolder(), 'spill')
    const spills = spillsIn(base)
    const writing = Array.from({ length: 5 }, (_, n) =>
      spills.write(one, `${n}bcdefabcdef`, Buffer.alloc(3_000_000, 'x'), 'txt').catch(() => 'refused'),
    )
    await spills.close()
    await Promise.all(writing)
    expect(await readdir(base)).toEqual([])
    await expect(write(spills, 'late')).rejects.toThrow('closed')
    expect(await readdir(base)).toEqual([])
  })

  verifies('S4.44', 'two in one process know nothing of each other', async () => {
    const base = join(temporaryFolder(), 'spill')
    const [first, second] = [spillsIn(base), spillsIn(base)]
    const path = await write(first, 'first')
    const beside = await write(second, 'second')
    expect(path).not.toBe(beside)
    expect(second.holds(path)).toBe(false)
    await expect(second.read(one, path)).rejects.toThrow(new Refused(REFUSED))
    await first.close()
    expect(await textOf(second.read(one, beside))).toBe('second')
    await second.close()
  })
})
