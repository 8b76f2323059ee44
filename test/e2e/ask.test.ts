/** The commands that ask the proxy as a client does, on the real file server. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Ran, runProxy } from './support/command.ts'
import { filesystem } from './support/real-servers.ts'
import { temporaryDirectory } from './support/world.ts'

describe('on the command line', () => {
  let folder: string
  let file: string
  const issues = Array.from({ length: 900 }, (_, id) => ({
    id,
    state: id % 3 === 0 ? 'open' : 'closed',
    title: `issue number ${id}`,
  }))
  const proxy = (...words: string[]): Promise<Ran> =>
    runProxy(words, { cwd: folder, env: { HOME: folder, MCPPROXY_DATA_DIR: join(folder, 'data') } })

  beforeEach(() => {
    folder = temporaryDirectory()
    file = join(folder, 'issues.json')
    writeFileSync(file, JSON.stringify(issues))
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { files: filesystem(folder) } }))
  })

  test('a call keeps a large result, and later commands ask it', async () => {
    const called = await proxy('call', 'files_read_text_file', `path=${file}`)
    expect(called.code, called.stderr).toBe(0)
    const handle = /^cache_id ([0-9a-z]{25}) /.exec(called.stdout)?.[1] ?? ''
    expect(handle).not.toBe('')

    const filtered = await proxy('filter', handle, 'state = open', 'aggregate=count')
    expect([filtered.code, filtered.stdout]).toEqual([0, expect.stringContaining('300 of 900')])
    const found = await proxy('search', 'last', 'number 77$')
    expect([found.code, found.stdout]).toEqual([0, expect.stringContaining('issue number 77')])
    const explored = await proxy('explore', 'last', '$[0]', 'max_depth=1', '--json')
    expect(JSON.parse(explored.stdout).content[0].text).toContain('1 record')
    await proxy('results', 'rename', handle, 'the', 'issues')
    await proxy('results', 'pin', handle)
    const kept = await proxy('results')
    expect(kept.stdout).toMatch(
      new RegExp(`^${handle} files_read_text_file .* · "the issues" · pinned · `, 'm'),
    )
    const unknown = await proxy('results', 'pin', '0'.repeat(25))
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Nothing is kept under 0')])
  })

  test('a call prints the whole result when it is asked to', async () => {
    const { code, stdout } = await proxy(
      'call',
      'files_read_text_file',
      JSON.stringify({ path: file }),
      '--whole',
    )
    expect(code).toBe(0)
    expect(stdout).toBe(`${readFileSync(file, 'utf8')}\n`)
  })

  test('tools are listed, and found by words', async () => {
    const listed = await proxy('tools')
    expect(listed.stdout).toMatch(/^files_list_directory {2}\S/m)
    const found = await proxy('tools', 'search', 'for', 'files')
    expect(found.stdout.split('\n')[0]).toMatch(/^files_search_files {2}/)
  })

  test('what fails says why and ends with 1', async () => {
    const unknown = await proxy('call', 'files_nothing', 'a=1')
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('files_nothing')])
    const failed = await proxy('call', 'files_read_text_file', `path=${join(folder, 'absent')}`)
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('ENOENT')])
    const mistaken = await proxy('call', 'files_read_text_file', 'absent')
    expect([mistaken.code, mistaken.stderr]).toEqual([2, expect.stringContaining('path, tail, head')])
  })
})

test('the script of completion has the commands and options of now', async () => {
  const { stdout } = await runProxy(['completion', 'bash'])
  expect(stdout).toMatch(/words='run .*--config/)
  expect(stdout).toContain("token) words='add list remove --expires --json'")
})
