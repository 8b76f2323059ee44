/** The commands that ask the proxy as a client does, on the real file server. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Ran, runProxy } from './support/command.ts'
import { filesystem } from './support/real-servers.ts'
import { ROOT, temporaryDirectory } from './support/world.ts'

/** The commands of the first shell block behind some words of a page, each as its words. */
function linesOf(page: string, after: string): string[][] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8')
  const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(text.slice(text.indexOf(after))) ?? []
  return [...block.matchAll(/^(?:npx )?mcp-rlm-proxy (.*?)(?: +#.*)?$/gm)].map(([, line = '']) =>
    [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replaceAll(/["']/g, '')),
  )
}

describe('on the command line', () => {
  let folder: string
  let file: string
  const issues = Array.from({ length: 900 }, (_, id) => ({
    id,
    state: id % 3 === 0 ? 'open' : 'closed',
    title: id === 77 ? 'time out 77' : `issue number ${id}`,
  }))
  const proxy = (...words: string[]): Promise<Ran> =>
    runProxy(words, { cwd: folder, env: { HOME: folder, MCPPROXY_DATA_DIR: join(folder, 'data') } })

  beforeEach(() => {
    folder = temporaryDirectory()
    file = join(folder, 'issues.json')
    writeFileSync(file, JSON.stringify(issues))
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { files: filesystem(folder) } }))
  })

  test('the lines of the pages find a tool, call it, and ask, name and pin what is kept', async () => {
    const items = issues.map((issue) => ({ ...issue, author: `a${issue.id % 3}`, total: 2 }))
    writeFileSync(file, JSON.stringify({ items }))
    writeFileSync(join(folder, 'orders.json'), JSON.stringify(items))
    const told = []
    for (const words of [
      ...linesOf('commands.md', 'Ask from a shell'),
      ...linesOf('getting-started.md', 'from a shell'),
    ]) {
      const { code, stdout, stderr } = await proxy(...words.map((word) => word.replace('/data', folder)))
      expect(code, `${words.join(' ')}: ${stderr}`).toBe(0)
      told.push(stdout)
    }
    const handle = /^cache_id ([0-9a-z]{12}) /.exec(told[1] ?? '')?.[1] ?? ''
    expect(told).toEqual([
      expect.stringMatching(/^files_read_\w+ {2}/),
      expect.stringMatching(/^cache_id [0-9a-z]{12} /),
      expect.stringContaining('300 of 900'),
      expect.stringContaining('time out 77'),
      expect.stringContaining('900 records'),
      expect.stringContaining(handle),
      expect.any(String),
      expect.any(String),
      expect.stringMatching(/^cache_id [0-9a-z]{12} /),
      expect.stringContaining('600'),
    ])
    const kept = await proxy('results')
    expect(kept.stdout).toMatch(
      new RegExp(`^${handle} files_read_text_file .* · "orders of may" · pinned · `, 'm'),
    )
  })

  test('the lines of the pages that set a proxy up do what they say', async () => {
    const cursor = join(folder, '.cursor')
    mkdirSync(cursor)
    renameSync(join(folder, 'mcp.json'), join(cursor, 'mcp.json'))
    const told = []
    for (const words of [
      ...linesOf('getting-started.md', 'Put all servers behind one proxy'),
      ...linesOf('gateways.md', 'Tokens of the proxy'),
    ]) {
      const { code, stdout, stderr } = await proxy(...words)
      expect(code, `${words.join(' ')}: ${stderr}`).toBe(0)
      told.push(stdout)
    }
    expect(told).toEqual([
      expect.any(String),
      expect.stringMatching(/files/),
      expect.stringContaining('"mcp-rlm-proxy"'),
      expect.stringMatching(/^\S{30,}\n$/),
    ])
    expect(JSON.parse(readFileSync(join(folder, 'mcp.json'), 'utf8')).mcpServers.files).toEqual(
      filesystem(folder),
    )
    expect(linesOf('../README.md', 'To put all servers').slice(0, 2)).toEqual(
      linesOf('getting-started.md', 'Put all servers behind one proxy').slice(0, 2),
    )
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
    const unkept = await proxy('results', 'pin', '0'.repeat(25))
    expect([unkept.code, unkept.stderr]).toEqual([1, expect.stringContaining('Nothing is kept under 0')])
    const mistaken = await proxy('call', 'files_read_text_file', 'absent')
    expect([mistaken.code, mistaken.stderr]).toEqual([2, expect.stringContaining('path, tail, head')])
  })
})

test('the script of completion has the commands and options of now', async () => {
  const { stdout } = await runProxy(['completion', 'bash'])
  expect(stdout).toMatch(/words='run .*--config/)
  expect(stdout).toContain("token) words='add list remove --expires --json'")
})
