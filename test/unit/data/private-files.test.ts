/**
 * Files that promise to outlast a loss of power. At every call of the file system the power goes, and the file is the old one or the new
 * one.
 */
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { approve, readPins, updatePins } from '../../../src/data/pins.ts'
import { writeDurably } from '../../../src/data/private-files.ts'
import { changeTokens, createToken, readTokens } from '../../../src/data/tokens.ts'
import { MemoryFiles } from '../../support/memory-files.ts'

let files = new MemoryFiles()
vi.mock('node:fs', async (original) => ({
  ...(await original<object>()),
  ...(await import('../../support/memory-files.ts')).synchronousOf(() => files),
}))

/** A kind of file: its content before, a change, and a way to read it. */
interface Kind {
  before(): void
  change(): void
  read(): unknown
}

const [kept, removed] = ['kept', 'removed'].map((name) => createToken(name, { now: 0 }).entry)

const KINDS: Record<string, Kind> = {
  'a text': {
    before: () => writeDurably('/data/x', 'before'),
    change: () => writeDurably('/data/x', 'after'),
    read: () => files.readFile('/data/x').toString(),
  },
  'the list of tokens': {
    before: () => changeTokens('/data/tokens.json', () => [kept, removed].flatMap((entry) => entry ?? [])),
    change: () => changeTokens('/data/tokens.json', (all) => all.filter(({ name }) => name !== 'removed')),
    read: () => readTokens('/data/tokens.json').map(({ name }) => name),
  },
  'the list of pins': {
    before: () =>
      void updatePins('/data/pins.json', (pins) => {
        pins.held['a/b'] = { hash: '00', reason: 'is new' }
        return true
      }),
    change: () => void approve('/data/pins.json', 'all'),
    read: () => Object.keys(readPins('/data/pins.json').pinned),
  },
}

test.each(Object.entries(KINDS))(
  '%s is whole after a loss of power, and new once it was said to be',
  (_, kind) => {
    const { before, change, read } = kind
    files = new MemoryFiles()
    before()
    const old = read()
    const from = files.calls
    change()
    const [changed, calls] = [read(), files.calls - from]
    expect(changed).not.toEqual(old)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: calls + 1 }), fc.infiniteStream(fc.nat()), (at, chance) => {
        files = new MemoryFiles()
        before()
        const begun = files.calls
        files.fate = (call) => (call === begun + at ? 'ends the process' : 'works')
        let done = true
        try {
          change()
        } catch {
          done = false
        }
        files.losePower((count) => (chance.next().value as number) % count)
        if (done && at > calls) expect(read()).toEqual(changed)
        else expect([old, changed]).toContainEqual(read())
      }),
      { numRuns: 300 },
    )
  },
)

test.each(Object.entries(KINDS))(
  '%s stays as it was when any one call fails, and can be changed afterwards',
  (_, kind) => {
    const { before, change, read } = kind
    files = new MemoryFiles()
    before()
    const [old, from] = [read(), files.calls]
    change()
    const [changed, calls] = [read(), files.calls - from]
    for (let at = 1; at <= calls; at++) {
      files = new MemoryFiles()
      before()
      const begun = files.calls
      files.fate = (call) => (call === begun + at ? 'fails' : 'works')
      try {
        change()
      } catch {}
      files.restart()
      expect([old, changed]).toContainEqual(read())
      expect(files.files.filter((name) => name.endsWith('.tmp'))).toEqual([])
    }
  },
)
