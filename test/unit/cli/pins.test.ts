import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { moduleDirectory } from '../../../src/data/directory.ts'
import { pinFileIn, readPins, updatePins } from '../../../src/data/pins.ts'
import { type World, world } from './support.ts'

const said = (description: string, type = 'string'): string =>
  JSON.stringify({ description, inputSchema: { properties: { path: { type } } } })
const held = (hash: string, definition = said('says \u001b[31m')) => ({
  hash,
  reason: 'changed since it was accepted',
  definition,
})

function withPins(modules: object[] = [{ use: 'pin' }]): { w: World; file: string } {
  const w = world()
  w.write('mcp.json', JSON.stringify({ mcpServers: {}, modules }))
  const folder = moduleDirectory(join(w.host.home, '.mcpproxy'), 'pin', join(w.host.cwd, 'mcp.json'))
  mkdirSync(folder, { recursive: true })
  const file = pinFileIn(folder)
  updatePins(file, (pins) => {
    pins.pinned['a/x'] = { hash: 'old', definition: said('said') }
    pins.held['a/x'] = held('abcd1234')
    pins.held['b/y'] = held('y')
    return true
  })
  return { w, file }
}

describe('pins', () => {
  test('lists held tools as text without control sequences, and as JSON', async () => {
    const { w } = withPins()
    expect(await w.cli('pins')).toBe(0)
    expect(w.out()).toContain(
      'a/x  changed since it was accepted\n  description\n  - said\n  + says \\u{1b}[31m\n  approve this: mcp-rlm-proxy pins approve a/x@abcd1234\n',
    )
    // Nothing was accepted of it: all of it is new.
    expect(w.out()).toContain('  inputSchema.properties.path.type\n  + string\n')
    const before = w.out().length
    expect(await w.cli('pins', 'list', '--json')).toBe(0)
    const after = JSON.parse(said('says \u001b[31m')) as unknown
    const reason = 'changed since it was accepted'
    expect(JSON.parse(w.out().slice(before))).toEqual([
      { tool: 'a/x', module: 'pin', reason, hash: 'abcd1234', before: JSON.parse(said('said')), after },
      { tool: 'b/y', module: 'pin', reason, hash: 'y', before: null, after },
    ])
  })

  test('shows every place that is another one, and the part of a long text that is', async () => {
    const { w, file } = withPins()
    const long = 'word '.repeat(2000)
    updatePins(file, ({ pinned, held: waiting }) => {
      pinned['c/z'] = { hash: '1', definition: said(`${long}ends well`) }
      waiting['c/z'] = held('2', said(`${long}ends badly`, 'number'))
      pinned['d/old'] = { hash: '1' }
      waiting['d/old'] = held('2')
      waiting['d/long'] = { hash: '3', reason: 'is new' }
      return true
    })
    await w.cli('pins')
    expect(w.out()).toMatch(/c\/z .*\n {2}description\n {2}- ….*word ends well\n {2}\+ ….*word ends badly\n/)
    expect(w.out()).toContain('  inputSchema.properties.path.type\n  - string\n  + number\n')
    expect(w.out()).toContain('(what was accepted is not known any more')
    expect(w.out()).toContain('(too long to be shown)')
    expect(w.out().length).toBeLessThan(3000)
  })

  test('approves the tools that are named, or all', async () => {
    const { w, file } = withPins()
    // The definition that the user looked at is not the current one.
    expect(await w.cli('pins', 'approve', 'a/x@ffff0000')).toBe(1)
    expect(w.err()).toContain('a/x@ffff0000 says something else by now')
    expect(Object.keys(readPins(file).held)).toEqual(['a/x', 'b/y'])
    expect(await w.cli('pins', 'approve', 'a/x@abcd1234')).toBe(0)
    expect(readPins(file).pinned['a/x']?.hash).toBe('abcd1234')
    expect(Object.keys(readPins(file).held)).toEqual(['b/y'])
    expect(await w.cli('pins', 'approve', 'a/x', 'b/yy')).toBe(1)
    expect(w.err()).toContain('a/x is not held back.')
    expect(w.err()).toContain('b/yy is not held back. Did you mean b/y?')
    expect(await w.cli('pins', 'approve', '--all')).toBe(0)
    expect(readPins(file).pinned['b/y']?.hash).toBe('y')
    expect(readPins(file).held).toEqual({})
    expect(await w.cli('pins')).toBe(0)
    expect(w.out()).toContain('No tool is held back')
  })

  test('refuses wrong arguments, and a configuration without the module', async () => {
    const { w, file } = withPins()
    const before = readPins(file)
    expect(await w.cli('pins', 'approve')).not.toBe(0)
    expect(await w.cli('pins', 'approve', 'a/x', '--all')).not.toBe(0)
    expect(readPins(file)).toEqual(before)
    const { w: other } = withPins([{ use: 'log' }])
    expect(await other.cli('pins')).not.toBe(0)
    expect(other.err()).toContain('no module pin')
  })

  test('an unreadable file gives an error with the remedy', async () => {
    const { w, file } = withPins()
    writeFileSync(file, '{')
    for (const args of [['pins'], ['pins', 'approve', '--all']]) expect(await w.cli(...args)).not.toBe(0)
    expect(w.err()).toMatch(/The pins in .* cannot be read.*Restore the file from a copy/s)
    expect(readFileSync(file, 'utf8')).toBe('{')
  })
})
