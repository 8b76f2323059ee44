import { execFileSync } from 'node:child_process'
import {
  type FileHandle,
  link,
  mkdir,
  mkdtemp,
  open,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openConfined, REFUSED, Refused } from '../../../src/spill/confined.ts'
import { createSpillDirectory } from '../../../src/spill/directory.ts'
import { createSpills } from '../../../src/spill/spills.ts'
import { verifies } from '../../support/verifies.ts'

let world = ''
let root = ''
let secret = ''
let opened: FileHandle | undefined
let server: Server | undefined

beforeAll(async () => {
  world = await realpath(await mkdtemp(join(tmpdir(), 'confined-')))
  root = join(world, 'root')
  secret = join(world, 'secret.txt')
  await mkdir(join(root, 'sub'), { recursive: true })
  await mkdir(join(world, 'root-beside'))
  await mkdir(join(world, 'outside'))
  await writeFile(join(world, 'root-beside', 'file.txt'), 'secret')
  await writeFile(join(world, 'outside', 'file.txt'), 'secret')
  await writeFile(secret, 'secret')
  await writeFile(join(root, 'file.txt'), 'mine')
  await writeFile(join(root, 'sub', 'file.txt'), 'mine')
  await symlink(secret, join(root, 'link.txt'))
  await symlink(join(world, 'outside'), join(root, 'link'))
  await symlink('../secret.txt', join(root, 'relative.txt'))
  await symlink(join(root, 'loop'), join(root, 'loop'))
  await symlink('/', join(root, 'sub', 'top'))
  await symlink('/proc/self/environ', join(root, 'environ'))
  await symlink('/dev/zero', join(root, 'zero'))
  await link(secret, join(root, 'hard.txt'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  opened = await open(secret)
  server = createServer().listen(join(root, 'socket'))
})

afterAll(async () => {
  await opened?.close()
  server?.close()
  await rm(world, { recursive: true, force: true })
})

/** All that reads from any open file. */
function spiesOn(file: FileHandle) {
  const all = Object.getPrototypeOf(file) as FileHandle
  return (['read', 'readFile', 'readv', 'readLines', 'createReadStream'] as const).map((name) =>
    vi.spyOn(all, name),
  )
}

const read = async (path: string, roots: readonly string[] = [root]): Promise<string> => {
  const file = await openConfined(
    path,
    roots.map((place) => ({ place })),
  )
  try {
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

test('a file of an allowed directory is read, by any path that leads there', async () => {
  expect(await read(join(root, 'file.txt'))).toBe('mine')
  expect(await read(join(root, 'sub', 'file.txt'))).toBe('mine')
  expect(await read(`${root}/sub/../file.txt`)).toBe('mine')
  expect(await read(`${root}//sub/./file.txt`)).toBe('mine')
})

describe('everything else is refused in the same words', () => {
  const hostile: [name: string, path: () => string][] = [
    ['a file outside', () => secret],
    ['a way up', () => `${root}/../secret.txt`],
    ['a way up and down', () => `${root}/sub/../../root/../secret.txt`],
    ['a directory that begins alike', () => join(world, 'root-beside', 'file.txt')],
    ['a link to a file', () => join(root, 'link.txt')],
    ['a relative link', () => join(root, 'relative.txt')],
    ['a link to a folder', () => join(root, 'link', 'file.txt')],
    ['a link to the top', () => join(root, 'sub', 'top', 'etc', 'passwd')],
    ['a link to itself', () => join(root, 'loop')],
    ['a second name of a file', () => join(root, 'hard.txt')],
    ['the environment of the process', () => join(root, 'environ')],
    ['a device', () => join(root, 'zero')],
    ['a pipe', () => join(root, 'pipe')],
    ['the directory itself', () => root],
    ['a folder in it', () => join(root, 'sub')],
    ['a folder with a slash', () => `${root}/sub/`],
    ['what is not there', () => join(root, 'missing.txt')],
    ['a file as a folder', () => join(root, 'file.txt', 'x')],
    ['a relative path', () => 'file.txt'],
    ['a relative way up', () => '../secret.txt'],
    ['nothing', () => ''],
    ['a dot', () => '.'],
    ['a tilde', () => '~/secret.txt'],
    ['an address', () => `file://${join(root, 'file.txt')}`],
    ['a byte of zero', () => `${root}/file.txt\0.json`],
    ['a byte of zero first', () => `\0${root}/file.txt`],
    ['an endless path', () => `${root}/${'a'.repeat(5000)}`],
    ['an endless way', () => `${root}/${'sub/../'.repeat(700)}file.txt`],
    ['encoded dots', () => `${root}/%2e%2e/secret.txt`],
    ['encoded slashes', () => `${root}/..%2fsecret.txt`],
    ['backslashes', () => `${root}\\..\\secret.txt`],
    ['wide dots', () => `${root}/．．/secret.txt`],
    ['a drive', () => 'C:\\Windows\\win.ini'],
    ['a share', () => '\\\\server\\share\\file.txt'],
    ['the account file', () => '/etc/passwd'],
    ['memory of the process', () => '/proc/self/mem'],
    ['an open file of the process', () => '/proc/self/fd/0'],
    ['the working directory of the process', () => '/proc/self/cwd/package.json'],
    ['the root of the process', () => `/proc/self/root${secret}`],
    ['a terminal', () => '/dev/tty'],
    ['standard input', () => '/dev/stdin'],
    ['a random device', () => '/dev/urandom'],
    ['an open file outside', () => `/proc/self/fd/${opened?.fd}`],
    ['an open file outside by another name', () => `/dev/fd/${opened?.fd}`],
    ['an open file of this thread', () => `/proc/thread-self/fd/${opened?.fd}`],
    ['a socket', () => join(root, 'socket')],
    ['a line break', () => `${root}/file.txt\n`],
    ['a space', () => `${root}/file.txt `],
    ['a variable', () => '$HOME/secret.txt'],
    ['a pattern', () => `${root}/*.txt`],
  ]

  verifies('S4.55', 'at least forty of them', () => {
    expect(hostile.length).toBeGreaterThanOrEqual(40)
  })

  for (const [name, path] of hostile) {
    verifies('S4.55', name, async () => {
      const reads = spiesOn(opened as FileHandle)
      await expect(read(path())).rejects.toThrow(new Refused(REFUSED))
      for (const spy of reads) {
        expect(spy).not.toHaveBeenCalled()
        spy.mockRestore()
      }
    })
  }

  test('no directory is allowed at all', async () => {
    await expect(read(join(root, 'file.txt'), [])).rejects.toThrow(REFUSED)
    await expect(read(join(root, 'file.txt'), [join(world, 'missing')])).rejects.toThrow(REFUSED)
  })
})

verifies(
  'S4.55',
  'a folder that is swapped for a link again and again never lets a file outside be read',
  async () => {
    const folder = join(root, 'swapped')
    const elsewhere = join(world, 'elsewhere')
    await mkdir(folder)
    await writeFile(join(folder, 'file.txt'), 'mine')
    await symlink(join(world, 'outside'), join(root, 'spare'))
    let isOver = false
    const swapping = (async () => {
      while (!isOver) {
        await rename(folder, elsewhere)
        await rename(join(root, 'spare'), folder)
        await rename(folder, join(root, 'spare'))
        await rename(elsewhere, folder)
      }
    })()
    const seen = new Set<string>()
    for (let round = 0; round < 500; round++)
      seen.add(await read(join(folder, 'file.txt')).catch(() => 'refused'))
    isOver = true
    await swapping
    expect([...seen].filter((one) => one !== 'mine' && one !== 'refused')).toEqual([])
  },
)

describe('files of agents', () => {
  const agent = (id: string) => ({ id, kind: 'session' as const })
  const bytes = Buffer.from('{"a":"ü"}')

  verifies(
    'S4.55 S4.21',
    'each client reads its own files and no others, and no file is left afterwards',
    async () => {
      const directory = createSpillDirectory(join(world, 'spill'))
      const spills = createSpills({ directory, allowDirs: [], maxBytes: 100 })
      const path = await spills.write(agent('a'), '0123456789ab', bytes, 'json')
      expect(Buffer.from(await spills.read(agent('a'), path)).toString()).toBe('{"a":"ü"}')
      await expect(spills.read(agent('b'), path)).rejects.toThrow(REFUSED)
      await expect(spills.read(agent('a'), `${path}x`)).rejects.toThrow(REFUSED)
      await expect(spills.read(agent('a'), directory.path)).rejects.toThrow(REFUSED)
      const long = await spills.write(agent('a'), '0123456789ac', Buffer.alloc(101), 'txt')
      await expect(spills.read(agent('a'), long)).rejects.toThrow('101')
      expect(spills.holds(path)).toBe(true)
      await spills.close()
      await expect(realpath(path)).rejects.toThrow()
      await expect(realpath(directory.path)).rejects.toThrow()
    },
  )
})
