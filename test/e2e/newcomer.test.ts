/** The first day of a new user, by the README and the pages that it links, with their own code. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { connectClient } from './support/clients.ts'
import { run } from './support/command.ts'
import { filesystem } from './support/real-servers.ts'
import { handleOf, ROOT, temporaryDirectory, textOf } from './support/world.ts'

const page = (name: string): string => readFileSync(join(ROOT, name), 'utf8')
const block = (name: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(page(name))?.[1] ?? ''
const MAIN = join(ROOT, 'dist/main.js')

test('wraps a server as the README says, and asks its questions about a large result', async () => {
  const [, after = ''] = /^\/\/ after\n(.*)$/m.exec(page('README.md')) ?? []
  const { command, args } = JSON.parse(after) as { command: string; args: string[] }
  expect([command, ...args.slice(0, 6)]).toEqual([
    'npx',
    '-y',
    'mcp-rlm-proxy',
    '--',
    'npx',
    '-y',
    '@modelcontextprotocol/server-filesystem',
  ])
  // The same command without a download.
  const server = filesystem(ROOT)
  const client = await connectClient('2.x', {
    command: process.execPath,
    args: [MAIN, '--', server.command, ...server.args],
    env: { MCPPROXY_DATA_DIR: temporaryDirectory() },
  })
  const { tools } = await client.listTools()
  const told = [...page('README.md').matchAll(/^\| `(proxy_\w+)` \|/gm)].map(([, name]) => name)
  expect(told).toHaveLength(4)
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(told))

  const path = join(ROOT, 'package-lock.json')
  const preview = await client.callTool({ name: 'filesystem_read_text_file', arguments: { path } })
  // The file grows with the project; the README says what it is about.
  const thousands = Number(/≈(\d+)k tokens/.exec(textOf(preview))?.[1])
  const said = Number(/The result has (\d+),000 tokens/.exec(page('README.md'))?.[1])
  expect(Math.abs(thousands - said) / thousands).toBeLessThan(0.15)
  const questions = [...page('README.md').matchAll(/^(proxy_\w+) +(\{.*\})$/gm)]
  expect(questions.length).toBeGreaterThanOrEqual(3)
  for (const [, name = '', written = ''] of questions) {
    const question = { ...JSON.parse(written), cache_id: handleOf(preview) }
    const answer = await client.callTool({ name, arguments: question })
    expect(answer.isError, textOf(answer)).toBeFalsy()
    expect(textOf(answer)).toMatch(/MIT|cpu|fastest-levenshtein/)
  }
  await client.close()
})

test('embeds the proxy with the program of the README', async () => {
  const home = temporaryDirectory()
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(ROOT, join(home, 'node_modules/mcp-rlm-proxy'), 'junction')
  const program = `${block('README.md', 'js')}\nconsole.log(gateway.status().length)\nawait gateway.close()\n`
  writeFileSync(join(home, 'program.mjs'), program)
  const told = await run(process.execPath, ['program.mjs'], {
    cwd: home,
    env: { HOME: home, USERPROFILE: home },
  })
  expect(told, told.stderr).toMatchObject({ code: 0, stdout: '1\n' })
})

test('adds the module that the page on writing modules shows', async () => {
  const home = temporaryDirectory()
  const server = filesystem(home)
  writeFileSync(join(home, 'note.txt'), 'a short note')
  writeFileSync(join(home, 'upper.mjs'), block('docs/writing-modules.md', 'js'))
  const config = { mcpServers: { files: server }, modules: [{ path: './upper.mjs', timeoutMs: 120_000 }] }
  writeFileSync(join(home, 'mcp.json'), JSON.stringify(config))
  const told = await run(
    process.execPath,
    [MAIN, 'call', 'files_read_text_file', `path=${join(home, 'note.txt')}`],
    {
      cwd: home,
      env: { MCPPROXY_DATA_DIR: join(dirname(home), 'data') },
    },
  )
  expect(told, told.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('A SHORT NOTE') })
})
