/** Faults while tools are found and called: at the servers, and in the files on disk. The session goes on. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { namesFor, retrieve } from './support/catalogue.ts'
import { changing } from './support/changing.ts'
import { fixture, type RunningProxy, startProxy, temporaryDirectory, textOf } from './support/world.ts'

const settings = { exposure: 'retrieve' }

/** Checks that the answer is a result with an error in these words. */
async function refused(proxy: RunningProxy, args: Record<string, unknown>, words: string): Promise<void> {
  const result = await proxy.call('call_tool', args)
  expect(result.isError).toBe(true)
  expect(textOf(result)).toContain(words)
}

describe('a server', () => {
  verifies('S1.28 S1.7', 'that changes tools which were added to the list has the client told', async () => {
    const proxy = await startProxy({
      servers: { a: changing(['hammer_nails', 'saw_wood']) },
      settings: { ...settings, retrieve: { routing: 'dynamic' } },
    })
    let told = 0
    proxy.client.setNotificationHandler('notifications/tools/list_changed', () => void told++)
    const shown = async (): Promise<string[]> =>
      (await proxy.client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith('a_'))
    await expect.poll(() => namesFor(proxy, 'hammer nails')).toEqual(['a_hammer_nails'])
    await expect.poll(() => told).toBe(1)
    expect(await shown()).toEqual(['a_hammer_nails'])
    await namesFor(proxy, 'set tools', 1)
    await expect.poll(() => told).toBe(2)
    await proxy.call('a_set_tools', { names: ['saw_wood'] })
    await expect.poll(() => told).toBe(3)
    expect(await shown()).toEqual(['a_set_tools'])
  })

  verifies('S1.36 S1.13', 'finds and calls tools with duplicate or very long names', async () => {
    const long = `${'measure_twice_'.repeat(7)}ab`
    expect(long).toHaveLength(100)
    const names = ['hammer_nails', long, `${long.slice(0, -1)}c`]
    const proxy = await startProxy({
      servers: { a: changing(names), b: changing(['hammer_nails']) },
      settings,
      env: { MCPPROXY_TOOL_NAME_LIMIT: '40' },
    })
    await expect
      .poll(async () => (await namesFor(proxy, 'hammer nails')).sort())
      .toEqual(['a_hammer_nails', 'b_hammer_nails'])
    await refused(proxy, { name: 'hammer_nails' }, 'run one of a_hammer_nails, b_hammer_nails')
    const found = await retrieve(proxy, 'measure twice')
    expect(new Set(found.tools.map(({ name }) => name)).size).toBe(2)
    for (const { name, original_name } of found.tools) {
      expect(name.length).toBeLessThanOrEqual(40)
      expect(await proxy.text('call_tool', { name })).toContain(`${original_name} of`)
    }
    await refused(proxy, { name: `a_${long}x` }, 'not found')
  })

  verifies('S1.61', 'a server that never answers or starts does not affect the others', async () => {
    const proxy = await startProxy({
      servers: {
        good: { ...changing(['hammer_nails', 'hang_up']), timeout: 1 },
        mute: changing(['paint_fences'], '/nowhere/at/all'),
        missing: { command: '/nowhere/at/all' },
      },
      settings: { ...settings, connect: { timeoutMs: 3_000 } },
    })
    await expect.poll(() => namesFor(proxy, 'hammer nails')).toEqual(['good_hammer_nails'])
    const late = await proxy.call('call_tool', { name: 'good_hang_up' }).then(
      (result) => (result.isError ? textOf(result) : ''),
      (error: Error) => error.message,
    )
    expect(late).toContain('good')
    expect(await proxy.text('call_tool', { name: 'good_hammer_nails' })).toContain('hammer_nails of')
    await refused(proxy, { name: 'mute_paint_fences' }, 'not found')
  })
})

describe('what is kept', () => {
  verifies('S1.20 S1.21', 'is found in at the next start before a server has answered', async () => {
    const directory = temporaryDirectory()
    const hold = join(directory, 'hold')
    const start = () =>
      startProxy({ directory, servers: { slow: changing(['hammer_nails'], hold) }, settings })
    writeFileSync(hold, '')
    const first = await start()
    await expect.poll(() => namesFor(first, 'hammer nails')).toEqual(['slow_hammer_nails'])
    await first.close()
    const row = { name: 'hammer_nails', server_name: 'slow', hash: expect.stringMatching(/^[0-9a-f]{64}$/) }
    expect(rowsOf(directory)).toEqual([
      expect.objectContaining({
        ...row,
        description: 'Does the work of hammer nails.',
        faiss_vector_id: null,
      }),
      expect.objectContaining({ name: 'set_tools' }),
    ])
    rmSync(hold)
    const second = await start()
    expect(await namesFor(second, 'hammer nails')).toEqual(['slow_hammer_nails'])
    expect(await second.text('call_tool', { name: 'slow_hammer_nails' })).toContain('hammer_nails of')
  })

  test('and was damaged is made again, and tools are found meanwhile', async () => {
    const directory = temporaryDirectory()
    const start = () => startProxy({ directory, servers: { a: changing(['hammer_nails']) }, settings })
    const use = async (): Promise<void> => {
      const proxy = await start()
      await expect.poll(() => namesFor(proxy, 'hammer nails')).toEqual(['a_hammer_nails'])
      await proxy.close()
    }
    await use()
    const whole = rowsOf(directory)
    const file = tableIn(directory)
    const damages: Record<string, () => void> = {
      'another file': () => writeFileSync(file, 'no database'),
      'a folder in its place': () => {
        rmSync(file)
        mkdirSync(join(file, 'inner'), { recursive: true })
      },
      'a lock that nobody holds': () => mkdirSync(`${file}.lock`),
    }
    for (const [name, damage] of Object.entries(damages)) {
      damage()
      await use()
      expect(rowsOf(directory), name).toEqual(whole)
    }
  })

  test.skipIf(process.platform === 'win32')(
    'cannot be kept where there is no room and no folder, and tools are found all the same',
    async () => {
      const directory = temporaryDirectory()
      mkdirSync(join(directory, 'data'))
      writeFileSync(join(directory, 'data', 'tools'), 'in the way')
      const blocked = await startProxy({ directory, servers: { a: changing(['hammer_nails']) }, settings })
      await expect.poll(() => namesFor(blocked, 'hammer nails')).toEqual(['a_hammer_nails'])
      await expect.poll(blocked.stderr).toContain('could not be saved')
      await blocked.close()
      // Files of no bytes are as good as a full disk.
      const full = await startProxy({
        servers: { a: changing(['hammer_nails']), f: fixture('f') },
        settings,
        fileLimit: 0,
      })
      await expect.poll(() => namesFor(full, 'hammer nails')).toEqual(['a_hammer_nails'])
      const kept = await full.call('call_tool', { name: 'f_records', arguments: { count: 300 } })
      expect(textOf(kept)).toContain('300')
      expect(await full.text('call_tool', { name: 'a_hammer_nails' })).toContain('hammer_nails of')
    },
  )
})

/** The table of the only configuration. */
function tableIn(directory: string): string {
  const [part = ''] = readdirSync(join(directory, 'data/tools'))
  return join(directory, 'data/tools', part, 'proxy.db')
}

function rowsOf(directory: string): Record<string, unknown>[] {
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm')
  // A copy: the library locks what it opens.
  const copy = join(directory, 'copy.db')
  cpSync(tableIn(directory), copy)
  const database = new Database(copy)
  try {
    return database.all('SELECT * FROM tools ORDER BY server_name, name')
  } finally {
    database.close()
    rmSync(copy)
  }
}
