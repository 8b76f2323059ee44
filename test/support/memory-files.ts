/**
 * A file system in memory that can refuse a call, end the process at a call, and lose its power. Content that was not synced is then
 * there, gone or there in part, in any order. It has the calls that the store and the private files use, and counts them.
 */
import { dirname } from 'node:path'

/** The outcome of one call. */
type Fate = 'works' | 'fails' | 'ends the process'

interface Inode {
  data: Buffer
  /** As it is on the disk; undefined: it was never synced. */
  synced: Buffer | undefined
  modified: number
}

/** A change of names that is not on the disk yet. */
interface Change {
  folder: string
  apply(names: Map<string, Inode>): void
}

/** Chooses among `count` outcomes: 0 … count - 1. */
type Choose = (count: number) => number

export class MemoryFiles {
  /** Calls so far. */
  calls = 0
  /** Their names. */
  readonly called: string[] = []
  /** Chooses the outcome of the call with this number, from 1. */
  fate: (call: number) => Fate = () => 'works'
  /** The time that new files get. */
  now = 5000
  #ended = false
  #names = new Map<string, Inode>()
  #onDisk = new Map<string, Inode>()
  #changes: Change[] = []
  #next = 3
  readonly #folders = new Set<string>(['/'])
  readonly #open = new Map<number, { path: string; inode: Inode | undefined; offset: number }>()

  /** The names of the files, synced or not. */
  get files(): string[] {
    return [...this.#names.keys()].sort()
  }

  /** The process begins again: what it had written is there. */
  restart(): void {
    this.#ended = false
    this.fate = () => 'works'
    this.#open.clear()
  }

  /** The power is gone, and back. */
  losePower(choose: Choose): void {
    // A journal keeps changes of one folder in order; it is unknown how many of them reached the disk.
    for (const folder of new Set(this.#changes.map((change) => change.folder))) {
      const changes = this.#changes.filter((change) => change.folder === folder)
      for (const change of changes.slice(0, choose(changes.length + 1))) change.apply(this.#onDisk)
    }
    this.#changes = []
    for (const inode of this.#onDisk.values()) {
      const { data, synced } = inode
      const outcomes = [
        data,
        synced ?? Buffer.alloc(0),
        Buffer.alloc(data.length),
        data.subarray(0, data.length / 2),
      ]
      if (synced === undefined || !synced.equals(data)) inode.data = Buffer.from(outcomes[choose(4)] ?? data)
      inode.synced = inode.data
    }
    this.#names = new Map(this.#onDisk)
    this.restart()
  }

  #call(name: string, path: string): void {
    if (this.#ended) throw errno('EIO', name, path)
    this.calls++
    this.called.push(name)
    const fate = this.fate(this.calls)
    this.#ended = fate === 'ends the process'
    if (fate !== 'works') throw errno('EIO', name, path)
  }

  #rename(change: Change): void {
    change.apply(this.#names)
    this.#changes.push(change)
  }

  #find(call: string, path: string): Inode {
    const inode = this.#names.get(path)
    if (inode === undefined) throw errno(this.#folders.has(path) ? 'EISDIR' : 'ENOENT', call, path)
    return inode
  }

  #file(fd: number, call: string): { path: string; inode: Inode | undefined; offset: number } {
    const file = this.#open.get(fd)
    if (file === undefined) throw errno('EBADF', call, String(fd))
    return file
  }

  mkdir(path: string, { recursive = false } = {}): void {
    this.#call('mkdir', path)
    if (this.#folders.has(path) && !recursive) throw errno('EEXIST', 'mkdir', path)
    for (let each = path; !this.#folders.has(each); each = dirname(each)) this.#folders.add(each)
  }

  chmod(path: string): void {
    this.#call('chmod', path)
  }

  readdir(path: string): string[] {
    this.#call('readdir', path)
    if (!this.#folders.has(path)) throw errno('ENOENT', 'readdir', path)
    const all = [...this.#names.keys(), ...this.#folders].filter((each) => each !== '/')
    return all.filter((each) => dirname(each) === path).map((each) => each.slice(path.length + 1))
  }

  stat(path: string): { size: number; mtimeMs: number; ctimeMs: number; isDirectory(): boolean } {
    this.#call('stat', path)
    if (this.#folders.has(path))
      return { size: 0, mtimeMs: this.now, ctimeMs: this.now, isDirectory: () => true }
    const { data, modified } = this.#find('stat', path)
    return { size: data.length, mtimeMs: modified, ctimeMs: this.now, isDirectory: () => false }
  }

  readFile(path: string): Buffer {
    this.#call('readFile', path)
    return Buffer.from(this.#find('readFile', path).data)
  }

  rm(path: string): void {
    this.#call('rm', path)
    if (this.#folders.has(path)) throw errno('EISDIR', 'rm', path)
    if (!this.#names.has(path)) return
    this.#rename({ folder: dirname(path), apply: (names) => names.delete(path) })
  }

  rename(from: string, to: string): void {
    this.#call('rename', from)
    const inode = this.#find('rename', from)
    this.#rename({
      folder: dirname(to),
      apply(names) {
        if (names.get(from) === inode) names.delete(from)
        names.set(to, inode)
      },
    })
  }

  utimes(path: string, modified: number): void {
    this.#call('utimes', path)
    this.#find('utimes', path).modified = modified * 1000
  }

  open(path: string, flags = 'r'): number {
    this.#call('open', path)
    if (flags === 'wx' && this.#names.has(path)) throw errno('EEXIST', 'open', path)
    if (!this.#folders.has(dirname(path))) throw errno('ENOENT', 'open', path)
    if (flags.startsWith('w') && !this.#names.has(path)) {
      const inode = { data: Buffer.alloc(0), synced: undefined, modified: this.now }
      this.#rename({ folder: dirname(path), apply: (names) => names.set(path, inode) })
    }
    const inode = this.#folders.has(path) ? undefined : this.#find('open', path)
    if (flags === 'w' && inode) inode.data = Buffer.alloc(0)
    const fd = this.#next++
    this.#open.set(fd, { path, inode, offset: 0 })
    return fd
  }

  /** Where the call is refused, a part of the content may be there. */
  write(fd: number, content: Uint8Array | string): void {
    const { inode, path } = this.#file(fd, 'write')
    const bytes = Buffer.from(content as Uint8Array)
    try {
      this.#call('write', path)
    } catch (error) {
      if (inode) inode.data = Buffer.concat([inode.data, bytes.subarray(0, bytes.length / 2)])
      throw error
    }
    if (inode) inode.data = Buffer.concat([inode.data, bytes])
  }

  writeFile(path: string, content: Uint8Array | string, { flag = 'w' } = {}): void {
    const fd = this.open(path, flag)
    this.write(fd, content)
    this.close(fd)
  }

  read(fd: number, into: Uint8Array, offset: number, length: number, position: number): number {
    const { inode, path } = this.#file(fd, 'read')
    this.#call('read', path)
    const part = inode?.data.subarray(position, position + length) ?? Buffer.alloc(0)
    into.set(part, offset)
    return part.length
  }

  sync(fd: number): void {
    const { inode, path } = this.#file(fd, 'fsync')
    this.#call('fsync', path)
    if (inode) inode.synced = inode.data
    else {
      for (const change of this.#changes) if (change.folder === path) change.apply(this.#onDisk)
      this.#changes = this.#changes.filter(({ folder }) => folder !== path)
    }
  }

  statOf(fd: number): { size: number } {
    const { inode, path } = this.#file(fd, 'fstat')
    this.#call('fstat', path)
    return { size: inode?.data.length ?? 0 }
  }

  close(fd: number): void {
    this.#open.delete(fd)
  }
}

function errno(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`), { code, errno: -1, syscall, path })
}

/** In place of `node:fs/promises`; `files` tells where. */
export function promisesOf(files: () => MemoryFiles) {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  const after =
    <A extends unknown[], R>(call: (...args: A) => R) =>
    async (...args: A): Promise<R> => {
      await turn()
      return call(...args)
    }
  return {
    mkdir: after((path: string, options?: { recursive?: boolean }) => files().mkdir(path, options)),
    chmod: after((path: string) => files().chmod(path)),
    readdir: after((path: string) => files().readdir(path)),
    stat: after((path: string) => files().stat(path)),
    readFile: after((path: string, encoding?: 'utf8') => {
      const bytes = files().readFile(path)
      return encoding === undefined ? bytes : bytes.toString(encoding)
    }),
    rm: after((path: string) => files().rm(path)),
    rename: after((from: string, to: string) => files().rename(from, to)),
    utimes: after((path: string, _: number, modified: number) => files().utimes(path, modified)),
    writeFile: after((path: string, content: Uint8Array | string, options?: { flag?: string }) =>
      files().writeFile(path, content, options),
    ),
    open: after((path: string, flags?: string) => {
      const fd = files().open(path, flags)
      return {
        stat: after(() => files().statOf(fd)),
        read: after((into: Uint8Array, offset: number, length: number, position: number) => ({
          bytesRead: files().read(fd, into, offset, length, position),
        })),
        writeFile: after((content: Uint8Array | string) => files().write(fd, content)),
        sync: after(() => files().sync(fd)),
        close: after(() => files().close(fd)),
      }
    }),
  }
}

/** In place of those functions of `node:fs` that write. */
export function synchronousOf(files: () => MemoryFiles) {
  return {
    mkdirSync: (path: string, options?: { recursive?: boolean }) => files().mkdir(path, options),
    openSync: (path: string, flags?: string) => files().open(path, flags),
    writeFileSync: (to: number, content: string) => files().write(to, content),
    fsyncSync: (fd: number) => files().sync(fd),
    closeSync: (fd: number) => files().close(fd),
    renameSync: (from: string, to: string) => files().rename(from, to),
    rmSync: (path: string) => files().rm(path),
    statSync: (path: string, options?: { throwIfNoEntry?: boolean }) => {
      if (options?.throwIfNoEntry === false && !files().files.includes(path)) return undefined
      return files().stat(path)
    },
    readFileSync: (path: string) => files().readFile(path).toString('utf8'),
  }
}
