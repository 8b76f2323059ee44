/** The package as npm makes and installs it, in an empty folder. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connectClient } from './support/clients.ts'
import { run } from './support/command.ts'
import { filesystem } from './support/real-servers.ts'
import { handleOf, ROOT, temporaryDirectory, textOf } from './support/world.ts'

const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']

/** Files of the project that a page of it links to. */
function linkedFrom(page: string): string[] {
  const links = readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#]+)/g)
  return [...links].map(([, target = '']) => posix.join(posix.dirname(page), target))
}

interface Packed {
  filename: string
  files: { path: string; mode: number }[]
}

/** What npm does not install, since it is in the package: each with its licence. */
const BUNDLED = ['jsonpath-plus', 'jsep', '@jsep-plugin/assignment', '@jsep-plugin/regex'].map(
  (name) => `node_modules/${name}/LICENSE`,
)

/** Packs what the build left in `dist`. */
async function pack(into: string): Promise<Packed> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into]
  const { code, stdout, stderr } = await run('npm', args, { cwd: ROOT })
  expect(code, stderr).toBe(0)
  const [packed] = JSON.parse(stdout) as Packed[]
  if (packed === undefined) throw new Error(`npm pack said ${stdout}`)
  return packed
}

verifies(
  'S2.20 S3.1',
  'packed, installed and run with npx before a server it lists and calls that server’s tools',
  async () => {
    const folder = temporaryDirectory()
    const packed = await pack(folder)
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/main.js',
        'dist/bundle/index.js',
        'dist/index.d.ts',
        'mcp.json.example',
        'LICENSE',
        'README.md',
      ]),
    )
    const pages = ['README.md', ...paths.filter((path) => /^docs\/.*\.md$/.test(path))]
    const linked = pages.flatMap(linkedFrom)
    expect(linked).toContain('examples/modules/guard-paths/README.md')
    expect(paths).toEqual(expect.arrayContaining(linked))
    expect(paths).toContain('examples/modules/guard-paths/guard_paths.py')
    expect(paths).toEqual(expect.arrayContaining(BUNDLED))
    expect(paths.filter((path) => /^(?:src|test|scripts|benchmarks|\.)/.test(path))).toEqual([])
    // Nothing twice: the bundle holds all code.
    expect(paths.filter((path) => /^dist\/(?:(?!bundle\/|main\.js$).*\.js|.*\.map)$/.test(path))).toEqual([])

    const home = join(folder, 'empty')
    mkdirSync(home)
    const installed = await run(
      'npm',
      ['install', join(folder, packed.filename), '--engine-strict', '--prefix', home, ...QUIET],
      { cwd: home, limit: 400_000 },
    )
    expect(installed.code, installed.stderr).toBe(0)

    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const told = await run('npx', ['mcp-rlm-proxy', '--version'], { cwd: home })
    expect(told).toMatchObject({ code: 0, stdout: `${version}\n` })
    const help = await run('npx', ['mcp-rlm-proxy', '--help'], { cwd: home })
    expect(help.code).toBe(0)
    expect(help.stdout).toContain('mcp-rlm-proxy -- npx -y @modelcontextprotocol/server-filesystem .')
    expect(help.stdout).toMatch(/doctor \[options\] +check/)

    const script = `process.stdout.write(Object.keys(await import('mcp-rlm-proxy')).join(' '))`
    const embedded = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: home })
    expect(embedded).toMatchObject({ code: 0, stdout: expect.stringContaining('createGateway') })

    const wrapped = filesystem('.')
    const client = await connectClient('2.x', {
      command: 'npx',
      args: ['mcp-rlm-proxy', '--', wrapped.command, ...wrapped.args],
      cwd: home,
      env: { MCPPROXY_DATA_DIR: join(folder, 'data'), MCPPROXY_CONNECT_TIMEOUT_MS: '150000' },
    })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['proxy_filter', 'filesystem_directory_tree']))
    const tree = { name: 'filesystem_directory_tree', arguments: { path: join(home, 'node_modules', 'zod') } }
    const shaped = await client.callTool(tree)
    // Workers and all: the preview was made, and the kept result answers.
    const answer = await client.callTool({
      name: 'proxy_search',
      arguments: { cache_id: handleOf(shaped), pattern: '"package\\.json"|package\\.json' },
    })
    expect(textOf(answer)).toContain('package.json')
    // What only classic JSONPath has: the library that comes inside the package is found.
    const last = await client.callTool({
      name: 'proxy_filter',
      arguments: { cache_id: handleOf(shaped), path: '$[(@.length-1)]' },
    })
    expect(last.isError, textOf(last)).toBeFalsy()
    await client.close()
    expect(readdirSync(home).sort()).toEqual(['node_modules', 'package-lock.json', 'package.json'])
  },
)

interface Manifest {
  engines: { node: string }
  bundleDependencies: string[]
  dependencies: Record<string, string>
}

interface Locked {
  dev?: boolean
  inBundle?: boolean
  engines?: { node?: string }
}

/** Whether a range of npm, as packages write it in `engines`, holds for a version `[major, minor, patch]`. */
function holds(range: string, version: readonly number[]): boolean {
  return range.split('||').some((part) => {
    const [, sign = '', digits = ''] = /^\s*(>=|\^|~)?\s*([\d.]+)(?:\.x)?\s*$/.exec(part) ?? []
    const least = digits.split('.').map(Number)
    const at = least.findIndex((number, index) => number !== version[index])
    const reached = at < 0 || (version[at] ?? 0) > (least[at] ?? 0)
    const fixed = sign === '>=' ? 0 : sign === '~' ? 2 : sign === '^' ? 1 : least.length
    return digits !== '' && reached && (at < 0 || at >= fixed)
  })
}

test('the range of Node that the package declares holds for every dependency that npm checks', () => {
  const { engines, bundleDependencies, dependencies } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  ) as Manifest
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const [, ...least] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? []
  const version = [...least.map(Number), 0]
  const installed = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true)
  const refused = installed.filter(
    ([, { engines: wished, inBundle }]) => inBundle !== true && !holds(wished?.node ?? '>=0', version),
  )
  expect(version).toHaveLength(3)
  expect(installed.length).toBeGreaterThan(Object.keys(dependencies).length)
  expect(refused).toEqual([])
  // What is bundled runs on that Node (the tests of paths do), and asks for a newer one without need.
  expect(bundleDependencies).toEqual(['jsonpath-plus'])
  expect(packages['node_modules/jsonpath-plus']?.inBundle).toBe(true)
})

test.each([
  ['>=22.0.0', false],
  ['20 || >=22', true],
  ['^20.0.0 || >=22.0.0', true],
  ['>=20.18.1', true],
  ['>=20.19.1', false],
  ['>= 10.x', true],
  ['^18', false],
  ['~20.18.0', false],
  ['~20.19.0', true],
])('the range %s holds for 20.19.0: %s', (range, expected) =>
  expect(holds(range, [20, 19, 0])).toBe(expected),
)
