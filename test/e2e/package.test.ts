/** The package as npm makes and installs it, in an empty folder. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
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

/** Packs what the build left in `dist`, as `npm pack` does in the project, but in a copy: npm rewrites the manifest for a moment. */
async function pack(into: string): Promise<Packed> {
  const copy = join(into, 'project')
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  const { scripts, files } = manifest
  // All of `prepack` but the build.
  const prepack = scripts.prepack?.split(' && ').at(-1)
  const written = JSON.stringify({ ...manifest, scripts: { prepack, postpack: scripts.postpack } })
  const copied = [
    ...files.filter((file) => !file.startsWith('!')),
    'README.md',
    'LICENSE',
    'scripts/published.mjs',
  ]
  for (const file of copied) cpSync(join(ROOT, file), join(copy, file), { recursive: true })
  writeFileSync(join(copy, 'package.json'), written)
  const { code, stdout, stderr } = await run('npm', ['pack', '--json', '--pack-destination', into], {
    cwd: copy,
  })
  expect(code, stderr).toBe(0)
  expect(readFileSync(join(copy, 'package.json'), 'utf8')).toBe(written)
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
        'dist/bundle/THIRD-PARTY-LICENSES.txt',
        'dist/types/index.d.ts',
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
    expect(paths.filter((path) => /^(?:src|test|scripts|benchmarks|node_modules|\.)/.test(path))).toEqual([])
    // Nothing twice: the bundle holds all code, and one folder all types.
    expect(paths.filter((path) => /^dist\/(?!main\.js$|bundle\/|types\/)|\.map$/.test(path))).toEqual([])
    expect(paths.filter((path) => /^dist\/types\/.*(?<!\.d\.ts)$/.test(path))).toEqual([])

    const home = join(folder, 'empty')
    mkdirSync(home)
    const installed = await run(
      'npm',
      ['install', join(folder, packed.filename), '--engine-strict', '--prefix', home, ...QUIET],
      { cwd: home, limit: 400_000 },
    )
    expect(installed.code, installed.stderr).toBe(0)
    const { packages } = JSON.parse(
      readFileSync(join(home, 'node_modules/.package-lock.json'), 'utf8'),
    ) as Lock
    expect(Object.keys(packages).length).toBeLessThanOrEqual(MOST_PACKAGES)
    expect(sizeOf(join(home, 'node_modules'))).toBeLessThanOrEqual(MOST_BYTES)
    const scripts = Object.values(packages).filter(({ hasInstallScript }) => hasInstallScript === true)
    expect(scripts).toEqual([])

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
    const tree = {
      name: 'filesystem_directory_tree',
      arguments: { path: join(home, 'node_modules', 'mcp-rlm-proxy') },
    }
    const shaped = await client.callTool(tree)
    // Workers and all: the preview was made, and the kept result answers.
    const answer = await client.callTool({
      name: 'proxy_search',
      arguments: { cache_id: handleOf(shaped), pattern: '"package\\.json"|package\\.json' },
    })
    expect(textOf(answer)).toContain('package.json')
    // A path that only classic JSONPath can read: that library is in the bundle.
    const last = await client.callTool({
      name: 'proxy_filter',
      arguments: { cache_id: handleOf(shaped), path: '$[(@.length-1)]' },
    })
    expect(last.isError, textOf(last)).toBeFalsy()
    await client.close()
    await examplesRun(home)
    expect(readdirSync(home).sort()).toEqual(['node_modules', 'package-lock.json', 'package.json'])
  },
)

const { publishedManifest } = (await import(pathToFileURL(join(ROOT, 'scripts/published.mjs')).href)) as {
  publishedManifest(manifest: Manifest): Manifest
}

const { runExamples } = (await import(pathToFileURL(join(ROOT, 'scripts/examples.mjs')).href)) as {
  runExamples(folder: string): Promise<{ name: string; skipped?: string; fault?: string }[]>
}

/** Runs the examples, and the code of the page on embedding, in a folder that has the installed package and what they need. */
async function examplesRun(home: string): Promise<void> {
  const programs = join(home, '..', 'programs')
  const link = (target: string, name: string) =>
    symlinkSync(target, join(programs, 'node_modules', name), 'junction')
  mkdirSync(join(programs, 'node_modules'), { recursive: true })
  link(join(home, 'node_modules/mcp-rlm-proxy'), 'mcp-rlm-proxy')
  const needed = ['@ai-sdk', '@hono', '@modelcontextprotocol', '@types', 'ai', 'express', 'hono', 'zod']
  for (const name of needed) link(join(ROOT, 'node_modules', name), name)
  const rows = await runExamples(programs)
  expect(rows.length).toBeGreaterThan(10)
  expect(rows.filter(({ fault }) => fault !== undefined)).toEqual([])

  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const checked = await run(process.execPath, [tsc, ...flags, '--skipLibCheck', 'stamp.ts'], {
    cwd: programs,
  })
  expect(checked, checked.stdout).toMatchObject({ code: 0 })
}

/** The most that an installation may have: packages, and bytes of their files. */
const [MOST_PACKAGES, MOST_BYTES] = [10, 20e6]

interface Manifest {
  engines: { node: string }
  dependencies: Record<string, string>
  files: string[]
  scripts: Record<string, string>
}

interface Lock {
  packages: Record<string, { engines?: { node?: string }; hasInstallScript?: boolean; dependencies?: object }>
}

/** Bytes of all files in a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
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
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const [, ...least] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node) ?? []
  const version = [...least.map(Number), 0]
  const installed = Object.keys(publishedManifest(manifest).dependencies).map(
    (name) => packages[`node_modules/${name}`],
  )
  expect(version).toHaveLength(3)
  expect(installed).not.toEqual([])
  expect(installed.filter((locked) => !holds(locked?.engines?.node ?? '>=0', version))).toEqual([])
  // They bring no other packages.
  expect(installed.filter((locked) => locked?.dependencies !== undefined)).toEqual([])
})

test('the bundle names every package that it holds, with its version and its licence', () => {
  const told = readFileSync(join(ROOT, 'dist/bundle/THIRD-PARTY-LICENSES.txt'), 'utf8')
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>
  }
  const named = told.split(/^-{80}$/m).map((part) => /^\s*(\S+) (\S+) \((.+)\)\n\n(\S)/.exec(part))
  expect(named.filter((match) => match === null)).toEqual([])
  const versions = Object.fromEntries(named.map((match) => [match?.[1] ?? '', match?.[2]]))
  for (const [name, version] of Object.entries(versions))
    expect(
      Object.entries(packages)
        .filter(([place]) => place.endsWith(`node_modules/${name}`))
        .map(([, locked]) => locked.version),
    ).toContain(version)
  // The dependencies of the project are there, unless they are installed.
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
  const installed = publishedManifest(manifest).dependencies
  const bundled = Object.keys(manifest.dependencies).filter((name) => !(name in installed))
  expect(Object.keys(versions)).toEqual(expect.arrayContaining(bundled))
  expect(bundled).toHaveLength(7)
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
