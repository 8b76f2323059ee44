import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { REFUSED } from '../../../../src/spill/confined.ts'
import { countTokens } from '../../../../src/text/tokens.ts'
import { verifies } from '../../../support/verifies.ts'
import { dispatchWorld, type Reply, textOf, type World } from './world.ts'

const LINES = Array.from({ length: 3000 }, (_, n) => `line ${n + 1}${n % 100 === 0 ? ' Föö' : ''}`)
const CONTENT = `${LINES.join('\n')}\n`

/** A world with a file, and its path and handle. */
async function spilled(options: Parameters<typeof dispatchWorld>[0] = {}) {
  const world = dispatchWorld({ spill: { threshold: 1000 }, ...options })
  const reply = await world.run({ content: [{ type: 'text', text: CONTENT }] })
  const handle = /cache_id ([0-9a-z]{12})/.exec(textOf(reply))?.[1] ?? ''
  const ask = (args: object, agent?: string) => world.ask({ action: 'readresult', ...args }, agent)
  return { world, path: String(reply.resultFile), handle, ask }
}

describe('operations', () => {
  verifies('S4.23 S4.22', 'stat is the default, and shows no content', async () => {
    const { path, handle, ask } = await spilled()
    const reply = await ask({ resultFile: path })
    const sizes = {
      byteSize: Buffer.byteLength(CONTENT),
      lineCount: 3000,
      estimatedTokens: countTokens(CONTENT),
    }
    expect(reply).toMatchObject({ action: 'readresult', op: 'stat', resultFile: path, ...sizes })
    expect(JSON.parse(textOf(reply))).toEqual({
      action: 'readresult',
      op: 'stat',
      resultFile: path,
      ...sizes,
    })
    expect(await ask({ cache_id: handle })).toMatchObject({ op: 'stat', cache_id: handle, ...sizes })
  })

  verifies('S4.24 S4.25 S4.26 S4.27 S4.28', 'runs every operation of readresult', async () => {
    const { path, handle, ask } = await spilled()
    const part = async (args: object) => {
      const reply = await ask({ resultFile: path, ...args })
      expect(textOf(await ask({ cache_id: handle, ...args }))).toBe(textOf(reply))
      return textOf(reply)
    }
    expect(await part({ op: 'head' })).toBe(LINES.slice(0, 50).join('\n'))
    expect(await part({ op: 'head', lines: 2 })).toBe('line 1 Föö\nline 2')
    expect(await part({ op: 'tail' })).toBe(LINES.slice(-50).join('\n'))
    expect(await part({ op: 'slice', fromLine: 1, toLine: 100 })).toBe(LINES.slice(0, 100).join('\n'))
    expect(await part({ op: 'slice', start: 3, end: 4 })).toBe('line 3\nline 4')
    expect(await part({ op: 'slice', fromLine: 0, toLine: 1 })).toBe('line 1 Föö')
    expect(await part({ op: 'slice', fromLine: -2 })).toBe('line 2999\nline 3000')
    expect(await part({ op: 'slice', fromLine: 2999, toLine: 9999 })).toBe('line 2999\nline 3000')
    expect(await part({ op: 'grep', pattern: 'föö', context: 1 })).toContain(
      '1: line 1 Föö\n2- line 2\n---\n100- line 100',
    )
    expect(await part({ pattern: 'LINE 2999$' })).toBe('1 line matches.\n2999: line 2999')
    expect(await part({ op: 'grep', pattern: '(2999' })).toContain('searched as plain text')
    expect(await part({ op: 'read', maxBytes: 6 })).toMatch(/^line 1\n\[cut; next: read with offset 6 /)
  })

  verifies('S4.50', 'their parameters may stand in arguments', async () => {
    const { path, ask } = await spilled()
    const reply = await ask({ arguments: { resultFile: path, op: 'slice', fromLine: 2, toLine: 3 } })
    expect(textOf(reply)).toBe('line 2\nline 3')
    expect(textOf(await ask({ resultFile: path, arguments: { op: 'head', lines: 1 } }))).toBe('line 1 Föö')
  })

  verifies(
    'S4.22 S4.29 S4.52',
    'nothing they give is a file again or longer than the guard, and the next step is named',
    async () => {
      const { path, ask } = await spilled({ spill: { threshold: 10 } })
      for (const args of [
        { op: 'read' },
        { op: 'read', maxBytes: 0 },
        { op: 'read', maxBytes: 1_000_000 },
        { op: 'head', lines: 100_000 },
        { op: 'tail', lines: 100_000 },
        { op: 'slice', fromLine: 1, toLine: 100_000 },
        { op: 'grep', pattern: '.' },
        { op: 'grep', pattern: 'line', context: 100 },
      ]) {
        const reply = await ask({ resultFile: path, ...args })
        expect(reply).toMatchObject({ resultFile: path, truncated: true })
        expect(reply).not.toHaveProperty('autoSpilled')
        expect(textOf(reply).length).toBeLessThanOrEqual(16_000)
        expect(textOf(reply)).toMatch(/\n\[cut; next: (read|slice|grep) with /)
      }
      expect(
        textOf(await ask({ resultFile: path, op: 'read', maxBytes: 20 })).startsWith('line 1 Föö\nline 2'),
      ).toBe(true)
    },
  )

  verifies('S4.52', 'takes the size limit from the settings', async () => {
    const { path, ask } = await spilled({ readback: { maxChars: 500, grepMaxMatches: 3 } })
    expect(textOf(await ask({ resultFile: path, op: 'read' })).length).toBeLessThanOrEqual(500)
    const found = textOf(await ask({ resultFile: path, op: 'grep', pattern: 'föö' }))
    expect(found.match(/^\d+:/gm)).toEqual(['1:', '101:', '201:'])
    expect(found).toContain('30 lines match.')
  })

  test('an empty file is said to be so', async () => {
    const world = dispatchWorld()
    const reply = await world.run({ content: [{ type: 'text', text: '' }] }, { resultToFile: true })
    const ask = (op: string) => world.ask({ action: 'readresult', resultFile: String(reply.resultFile), op })
    for (const op of ['head', 'tail', 'slice', 'read']) expect(textOf(await ask(op))).toBe('(empty)')
    expect(await ask('stat')).toMatchObject({ byteSize: 0, lineCount: 0, estimatedTokens: 0 })
  })
})

describe('aliases for weak models', () => {
  verifies('S4.53', 'are off unless they are asked for', async () => {
    const { world, path } = await spilled()
    expect((await world.list()).map(({ name }) => name)).toEqual(['proxy-dispatch'])
    await world.ask({ resultFile: path }, 'one', 'result_head')
    // It went on to the servers, which may have such a tool.
    expect(world.calls.at(-1)?.name).toBe('result_head')
  })

  verifies('S4.53', 'do what the operations do, in a few tokens each', async () => {
    const { world, path } = await spilled({ readback: { aliases: true } })
    const listed = await world.list()
    const names = ['stat', 'head', 'tail', 'slice', 'grep', 'read'].map((op) => `result_${op}`)
    expect(listed.map(({ name }) => name)).toEqual(['proxy-dispatch', ...names])
    for (const { annotations, ...definition } of listed.slice(1)) {
      expect(countTokens(JSON.stringify(definition))).toBeLessThanOrEqual(70)
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
    }
    const ask = async (op: string, args: object = {}): Promise<Reply> =>
      world.ask({ resultFile: path, ...args }, 'one', `result_${op}`)
    expect(await ask('stat')).toMatchObject({ op: 'stat', lineCount: 3000 })
    expect(textOf(await ask('head', { lines: 1 }))).toBe('line 1 Föö')
    expect(textOf(await ask('tail', { lines: 1 }))).toBe('line 3000')
    expect(textOf(await ask('slice', { fromLine: 2, toLine: 2 }))).toBe('line 2')
    expect(textOf(await ask('grep', { pattern: 'LINE 2999$' }))).toContain('2999: line 2999')
    expect(textOf(await ask('read', { offset: 12, maxBytes: 4 }))).toMatch(/^\nlin/)
    // They are these operations, whatever else is said.
    expect(textOf(await ask('head', { lines: 1, op: 'read', action: 'call' }))).toBe('line 1 Föö')
  })
})

describe('files and handles of others', () => {
  const hostile = async (world: World, handle: string): Promise<[string, object][]> => {
    const others = await world.ask({ action: 'call', tool: 'read', resultToFile: true }, 'other')
    const own = /cache_id ([0-9a-z]{12})/.exec(textOf(others))?.[1] ?? ''
    return [
      ['nothing', {}],
      ['both', { resultFile: String(others.resultFile), cache_id: handle }],
      ['the path of another agent', { resultFile: others.resultFile }],
      ['the handle of another agent', { cache_id: own }],
      ['a handle that never was', { cache_id: 'ffffffffffff' }],
      ['a handle in capitals', { cache_id: handle.toUpperCase() }],
      ['a way up', { cache_id: '../../../etc/passwd' }],
      ['a path as a handle', { cache_id: '/etc/passwd' }],
      ['a member of all objects', { cache_id: '__proto__' }],
      ['the constructor', { cache_id: 'constructor' }],
      ['an empty handle', { cache_id: '' }],
      ['a handle with a byte of zero', { cache_id: `${handle}\0` }],
      ['a list of handles', { cache_id: [handle] }],
      ['an object', { cache_id: { $from: handle } }],
      ['a reference as a path', { resultFile: { $from: handle } }],
      ['a list of paths', { resultFile: ['/etc/passwd'] }],
      ['a number', { resultFile: 0 }],
      ['an endless handle', { cache_id: 'a'.repeat(10_000) }],
      ['a handle as a path', { resultFile: handle }],
      ['an operation that is none', { cache_id: handle, op: 'write' }],
      ['lines below one', { cache_id: handle, op: 'head', lines: -1 }],
      ['bytes below zero', { cache_id: handle, op: 'read', offset: -1 }],
      ['bytes that are no number', { cache_id: handle, op: 'read', maxBytes: 'all' }],
    ]
  }

  verifies(
    'S4.55 S3.15',
    'refuses a foreign file with the remedy; an unknown handle is not an error',
    async () => {
      const { world, handle, ask } = await spilled()
      for (const [name, args] of await hostile(world, handle)) {
        const reply = await ask(args)
        const isGone = textOf(reply).startsWith('No kept result has cache_id')
        expect([name, reply.isError]).toEqual([name, isGone ? undefined : true])
        expect(textOf(reply).length).toBeLessThan(1500)
        expect(textOf(reply)).not.toContain('line 1')
      }
    },
  )

  verifies('S4.55', 'gives the same answer as for a missing file', async () => {
    const { path, handle, ask } = await spilled()
    const never = { path: `${path.slice(0, -6)}0.json`, handle: '000000000000' }
    for (const op of ['stat', 'head', 'grep', 'read']) {
      const foreign = await ask({ resultFile: path, op, pattern: 'x' }, 'other')
      expect(foreign).toEqual(await ask({ resultFile: never.path, op, pattern: 'x' }, 'other'))
      expect(textOf(foreign)).toBe(REFUSED)
      const kept = textOf(await ask({ cache_id: handle, op, pattern: 'x' }, 'other'))
      const unknown = textOf(await ask({ cache_id: never.handle, op, pattern: 'x' }, 'other'))
      expect(kept.replace(handle, '')).toBe(unknown.replace(never.handle, ''))
    }
  })

  verifies('S4.55', 'a kept result does not change with its file', async () => {
    const { path, handle, ask } = await spilled()
    writeFileSync(path, 'changed')
    // The file system may allow the write; the kept result does not change.
    expect(textOf(await ask({ cache_id: handle, op: 'head', lines: 1 }))).toBe('line 1 Föö')
  })
})
