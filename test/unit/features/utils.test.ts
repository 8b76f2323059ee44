/** The built-in server for files: what it gives, and what it refuses. */

import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { serveUtils, type UtilsOptions } from '../../../src/features/utils/index.ts'
import { plain } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { client, exchange, temporaryFolder, textOf, toolCall, upstreams } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

function world(options: Partial<UtilsOptions> = {}) {
  const folder = temporaryFolder()
  const root = join(folder, 'root')
  const outside = join(folder, 'outside')
  for (const directory of [root, outside, join(root, 'sub')]) mkdirSync(directory)
  writeFileSync(join(root, 'a.txt'), 'größe\n')
  writeFileSync(join(root, 'sub', 'b.txt'), 'b')
  writeFileSync(join(outside, 'secret.txt'), 'secret')
  const pool = upstreams({
    servers: {
      utils: {
        id: 'utils',
        serve: (transport) =>
          serveUtils(transport, { root, readable: [], own: [], write: false, ...options }),
      },
    },
  })
  const me = client()
  const ask = async (name: string, args: JsonObject) =>
    plain(await pool.request('utils', toolCall(name, args), exchange(me)))
  const query = (args: JsonObject) => ask('filesystemQuery', args)
  const modify = (args: JsonObject) => ask('filesystemModify', args)
  const tools = async () =>
    (await pool.list('tools', me, new AbortController().signal)).flatMap(({ items }) =>
      items.map(({ name }) => name),
    )
  return { folder, root, outside, query, modify, tools }
}

const REFUSED = 'No such file, or none that may be used here.'

describe('reading', () => {
  verifies('S4.3 S4.43', 'lists, tells about and reads files of its directories', async () => {
    const { query, root, tools } = world()
    expect(await tools()).toEqual(['filesystemQuery'])
    const list = JSON.parse(textOf(await query({ operation: 'list' })))
    expect(list.entries).toEqual([
      { name: 'a.txt', type: 'file', size: 8, modified: expect.any(String) },
      { name: 'sub', type: 'directory', modified: expect.any(String) },
    ])
    expect(textOf(await query({}))).toBe(textOf(await query({ operation: 'list' })))
    expect(textOf(await query({ path: 'sub/b.txt' }))).toBe('b')
    const deep = JSON.parse(textOf(await query({ operation: 'list', path: root, recursive: true })))
    expect(deep.entries.map(({ name }: { name: string }) => name)).toEqual(['a.txt', 'sub', 'sub/b.txt'])
    expect(textOf(await query({ operation: 'read', path: 'a.txt' }))).toBe('größe\n')
    expect(JSON.parse(textOf(await query({ operation: 'info', path: 'sub/b.txt' })))).toMatchObject({
      size: 1,
    })
    expect(JSON.parse(textOf(await query({ operation: 'info' })))).toMatchObject({ type: 'directory' })
  })

  verifies('S4.55', 'answers "not found" for files outside, by any path', async () => {
    const { query, root, outside } = world()
    const secret = join(outside, 'secret.txt')
    symlinkSync(secret, join(root, 'link.txt'))
    symlinkSync(outside, join(root, 'linked'))
    linkSync(secret, join(root, 'hard.txt'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    const paths = [
      secret,
      '../outside/secret.txt',
      'sub/../../outside/secret.txt',
      'link.txt',
      'linked/secret.txt',
      'hard.txt',
      'pipe',
      '/etc/passwd',
      '/dev/zero',
      '/proc/self/environ',
      'missing.txt',
      'sub',
      `${root}/a.txt\0.png`,
    ]
    for (const path of paths) {
      const answer = await query({ operation: 'read', path })
      expect([path, answer.isError, textOf(answer)]).toEqual([path, true, REFUSED])
    }
    for (const path of [outside, '..', 'linked', '/', '/proc/self/fd', 'missing', 'a.txt']) {
      const answer = await query({ operation: 'list', path })
      expect([path, answer.isError, textOf(answer)]).toEqual([path, true, REFUSED])
    }
    // A link is named and not followed.
    const { entries } = JSON.parse(textOf(await query({ operation: 'list', recursive: true })))
    expect(entries).toContainEqual({ name: 'linked', type: 'other', modified: expect.any(String) })
    expect(JSON.stringify(entries)).not.toContain('secret')
  })

  test('other directories are read where they were allowed, and not written', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'c.txt'), 'c')
    const { query, modify } = world({ readable: [folder], write: true })
    expect(textOf(await query({ operation: 'read', path: join(folder, 'c.txt') }))).toBe('c')
    const written = await modify({ operation: 'write', path: join(folder, 'd.txt'), content: 'd' })
    expect([written.isError, textOf(written)]).toEqual([true, REFUSED])
  })

  test('reports wrong arguments and binary files', async () => {
    const { query, root } = world()
    writeFileSync(join(root, 'bytes'), Buffer.from([0xff, 0xfe, 0]))
    expect(textOf(await query({ operation: 'read', path: 'bytes' }))).toBe('The file is not text in UTF-8.')
    expect(textOf(await query({ operation: 'chmod' }))).toContain('operation')
    expect(await query({ operation: 'read', mode: 1 })).toMatchObject({ isError: true })
  })
})

describe('writing', () => {
  test('is no tool until it is allowed', async () => {
    const { modify, root } = world()
    await expect(modify({ operation: 'write', path: 'n.txt', content: 'n' })).rejects.toThrow('Unknown tool')
    await expect(modify({ operation: 'delete', path: 'a.txt' })).rejects.toThrow('Unknown tool')
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('größe\n')
  })

  verifies('S4.3', 'writes, appends and deletes in its root', async () => {
    const { modify, query, root, tools } = world({ write: true })
    expect(await tools()).toEqual(['filesystemQuery', 'filesystemModify'])
    expect(JSON.parse(textOf(await modify({ operation: 'write', path: 'n.txt', content: 'größe' })))).toEqual(
      {
        path: 'n.txt',
        size: 7,
      },
    )
    await modify({ operation: 'append', path: 'n.txt', content: '!' })
    expect(readFileSync(join(root, 'n.txt'), 'utf8')).toBe('größe!')
    await modify({ operation: 'write', path: 'n.txt', content: 's' })
    expect(readFileSync(join(root, 'n.txt'), 'utf8')).toBe('s')
    await modify({ operation: 'delete', path: 'n.txt' })
    expect(await query({ operation: 'read', path: 'n.txt' })).toMatchObject({ isError: true })
  })

  verifies('S4.55', 'nothing outside is written, emptied or deleted', async () => {
    const { modify, root, outside } = world({ write: true })
    const secret = join(outside, 'secret.txt')
    symlinkSync(secret, join(root, 'link.txt'))
    symlinkSync(outside, join(root, 'linked'))
    linkSync(secret, join(root, 'hard.txt'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    const paths = [secret, '../outside/new.txt', 'link.txt', 'linked/new.txt', 'hard.txt', 'pipe', 'sub', '.']
    for (const path of paths) {
      for (const operation of ['write', 'append'])
        expect(await modify({ operation, path, content: 'x' })).toMatchObject({ isError: true })
    }
    for (const path of [secret, 'linked/secret.txt', 'link.txt', 'sub', '.'])
      expect(await modify({ operation: 'delete', path })).toMatchObject({ isError: true })
    expect(readFileSync(secret, 'utf8')).toBe('secret')
    expect(await modify({ operation: 'write', path: 'n.txt' })).toMatchObject({ isError: true })
  })
})

verifies('S4.55', 'hides private files of the proxy, even inside the root', async () => {
  const own: string[] = []
  const { root, query, modify } = world({ own, write: true })
  const data = join(root, 'sub', 'data')
  mkdirSync(join(data, 'spill'), { recursive: true })
  writeFileSync(join(data, 'tokens.json'), 'secret')
  writeFileSync(join(data, 'spill', 'result.json'), 'secret')
  symlinkSync(data, join(root, 'way'))
  own.push(data)
  const deep = textOf(await query({ operation: 'list', recursive: true }))
  expect(deep).toContain('sub/b.txt')
  expect(deep).not.toMatch(/tokens|result/)
  for (const path of ['sub/data', 'sub/data/spill', 'sub/data/tokens.json', 'way', 'way/spill/result.json'])
    for (const operation of ['list', 'read'])
      expect(await query({ operation, path })).toMatchObject({ isError: true })
  for (const path of ['sub/data/tokens.json', 'sub/data/new.json', 'way/tokens.json'])
    expect(await modify({ operation: 'write', path, content: 'x' })).toMatchObject({ isError: true })
  expect(await modify({ operation: 'delete', path: 'sub/data/tokens.json' })).toMatchObject({
    isError: true,
  })
  expect(readFileSync(join(data, 'tokens.json'), 'utf8')).toBe('secret')
})
