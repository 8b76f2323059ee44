import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pinFileIn, readPins, writePins } from '../../../src/config/pin-file.ts'
import { type World, world } from './support.ts'

const held = (hash: string) => ({ hash, reason: 'changed since it was accepted', excerpt: 'says \u001b[31m' })

function withPins(modules: object[] = [{ use: 'pin' }]): { w: World; file: string } {
  const w = world()
  w.write('mcp.json', JSON.stringify({ mcpServers: {}, modules }))
  const folder = join(w.host.home, '.mcpproxy', 'modules', 'pin')
  mkdirSync(folder, { recursive: true })
  const file = pinFileIn(folder)
  writePins(file, { pinned: { 'a/x': 'old' }, held: { 'a/x': held('new'), 'b/y': held('y') } })
  return { w, file }
}

describe('pins', () => {
  test('lists what is held back, as text that no terminal obeys, and as JSON', async () => {
    const { w } = withPins()
    expect(await w.cli('pins')).toBe(0)
    expect(w.out()).toContain('a/x  changed since it was accepted\n  says \\u{1b}[31m\n')
    const before = w.out().length
    expect(await w.cli('pins', 'list', '--json')).toBe(0)
    expect(JSON.parse(w.out().slice(before))).toEqual([
      { tool: 'a/x', module: 'pin', ...held('new') },
      { tool: 'b/y', module: 'pin', ...held('y') },
    ])
  })

  test('approves the tools that are named, or all', async () => {
    const { w, file } = withPins()
    expect(await w.cli('pins', 'approve', 'a/x')).toBe(0)
    expect(readPins(file)).toEqual({ pinned: { 'a/x': 'new' }, held: { 'b/y': held('y') } })
    expect(await w.cli('pins', 'approve', 'a/x')).toBe(1)
    expect(w.err()).toContain('a/x is not held back')
    expect(await w.cli('pins', 'approve', '--all')).toBe(0)
    expect(readPins(file)).toEqual({ pinned: { 'a/x': 'new', 'b/y': 'y' }, held: {} })
    expect(await w.cli('pins')).toBe(0)
    expect(w.out()).toContain('No tool is held back')
  })

  test('says what is missing', async () => {
    const { w, file } = withPins()
    const before = readPins(file)
    expect(await w.cli('pins', 'approve')).not.toBe(0)
    expect(await w.cli('pins', 'approve', 'a/x', '--all')).not.toBe(0)
    expect(readPins(file)).toEqual(before)
    const { w: other } = withPins([{ use: 'log' }])
    expect(await other.cli('pins')).not.toBe(0)
    expect(other.err()).toContain('no module pin')
  })
})
