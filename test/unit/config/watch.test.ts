import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { stampOf, watchFile } from '../../../src/config/watch.ts'

function world() {
  const folder = mkdtempSync(join(tmpdir(), 'watch-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mcp.json')
  writeFileSync(file, 'first')
  return { folder, file }
}

function watching(file: string): () => number {
  let count = 0
  const watch = watchFile(file, () => count++, { settleMs: 20 })
  onTestFinished(() => watch.close())
  return () => count
}

describe('a watched file', () => {
  test('notices each write of the file', async () => {
    const { file } = world()
    const changes = watching(file)
    writeFileSync(file, 'second')
    await expect.poll(changes).toBe(1)
    writeFileSync(file, 'the third')
    await expect.poll(changes).toBe(2)
  })

  test('notices each replacement of the file', async () => {
    const { folder, file } = world()
    const changes = watching(file)
    for (const round of [1, 2]) {
      writeFileSync(join(folder, 'new'), `another ${round}`)
      renameSync(join(folder, 'new'), file)
      await expect.poll(changes).toBe(round)
    }
  })

  test('may be gone for a while', async () => {
    const { file } = world()
    const changes = watching(file)
    rmSync(file)
    writeFileSync(file, 'back')
    await expect.poll(changes).toBe(1)
  })

  test('notices a changed link and a changed link target', async () => {
    const { folder, file } = world()
    const [one, two] = ['one', 'two'].map((name) => join(folder, name)) as [string, string]
    for (const version of [one, two]) {
      mkdirSync(version)
      writeFileSync(join(version, 'mcp.json'), version)
    }
    rmSync(file)
    symlinkSync(join(one, 'mcp.json'), file)
    const changes = watching(file)
    writeFileSync(join(one, 'mcp.json'), 'changed')
    await expect.poll(changes).toBe(1)
    symlinkSync(join(two, 'mcp.json'), join(folder, 'link'))
    renameSync(join(folder, 'link'), file)
    await expect.poll(changes).toBe(2)
  })

  test('is left alone when it is others that change', async () => {
    const { folder, file } = world()
    const changes = watching(file)
    writeFileSync(join(folder, 'other'), 'x')
    // Told after the other, so that a wrong word of that would have come.
    writeFileSync(file, 'second')
    await expect.poll(changes).toBe(1)
  })

  test('notices a write between reading and watching', async () => {
    const { file } = world()
    const since = stampOf(file)
    writeFileSync(file, 'second')
    let count = 0
    const watch = watchFile(file, () => count++, { settleMs: 20, since })
    onTestFinished(() => watch.close())
    await expect.poll(() => count).toBe(1)
    writeFileSync(file, 'the third')
    await expect.poll(() => count).toBe(2)
  })

  test('that cannot be watched is said so', () => {
    expect(() => watchFile('/nowhere/mcp.json', () => {})).toThrow()
  })
})
