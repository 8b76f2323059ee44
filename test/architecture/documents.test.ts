import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Paths in backquotes: a known folder, then anything up to the closing quote. */
function pathsIn(text: string): string[] {
  const found = text.matchAll(
    /`((?:src|test|scripts|benchmarks)\/[^`\s*]*|\.dependency-cruiser\.cjs|mcp\.[a-z.]+)`/g,
  )
  return [...new Set([...found].map(([, path = '']) => path))]
}

verifies('S3.42', 'every path that the architecture names exists', () => {
  const paths = pathsIn(read('ARCHITECTURE.md'))
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md'])(
  'every path, script and page that %s names exists',
  (page) => {
    const text = read(page)
    // A user writes `mcp.json`.
    expect(pathsIn(text).filter((path) => path !== 'mcp.json' && !existsSync(join(root, path)))).toEqual([])
    const { scripts } = JSON.parse(read('package.json'))
    const named = [...text.matchAll(/npm (?:run (?:-s )?([\w:-]+)|(test))/g)].map(
      ([, script, short]) => script ?? short,
    )
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((name) => !Object.hasOwn(scripts, name as string))).toEqual([])
    const pages = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) => path)
    expect(pages.filter((path) => !existsSync(join(root, path)))).toEqual([])
  },
)

test('every file that it calls by its name alone exists, and every option that it names', () => {
  const text = read('ARCHITECTURE.md')
  const names = [...text.matchAll(/`([\w/-]+\.(?:ts|mjs|cjs))`/g)].map(([, name = '']) => name)
  const files = ['src', 'benchmarks'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `/${folder}/${path}`,
    ),
  )
  expect(names.length).toBeGreaterThan(30)
  const isThere = (name: string): boolean =>
    existsSync(join(root, name)) || files.some((file) => file.endsWith(`/${name}`))
  expect(names.filter((name) => !isThere(name))).toEqual([])

  const { properties } = JSON.parse(read('mcp.schema.json')).properties.proxySettings as Schema
  const options = [...text.matchAll(/`(\w+)\.(?!ts`)(\w+)`/g)].flatMap(([path, section = '', name = '']) => {
    const known = properties?.[section]?.properties
    return known === undefined ? [] : [{ path, isThere: name in known }]
  })
  expect(options.filter(({ isThere }) => !isThere)).toEqual([])
})

interface Schema {
  properties?: Record<string, Schema>
}

test('a path that does not exist would be seen', () => {
  expect(pathsIn('see `src/no-such/file.ts` and `test/x`')).toEqual(['src/no-such/file.ts', 'test/x'])
})

test('it and the README can be read in one sitting', () => {
  expect(Buffer.byteLength(read('ARCHITECTURE.md'))).toBeLessThanOrEqual(10 * 1024)
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(9 * 1024)
})

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((page) => page.endsWith('.md'))
    .map((page) => `docs/${page}`),
]

/** Headings of a page as links name them. */
function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('every link of %s leads to a file and a heading that exist', (page) => {
  const missing = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)].filter(
    ([, path = '', heading]) => {
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, target))) return true
      return heading !== undefined && !headingsOf(target).includes(heading)
    },
  )
  expect(missing.map(([link]) => link)).toEqual([])
})

test('no address of a registry is in it', () => {
  for (const name of ['README.md', 'ARCHITECTURE.md', 'package.json', 'package-lock.json']) {
    expect(read(name)).not.toMatch(/"resolved": "http/)
  }
})

test('what the architecture says a folder may import is what the check of layers holds it to', () => {
  const base = ['protocol', 'text', 'config', 'data', 'observe', 'services']
  const groups: Record<string, string[]> = {
    'the base': base,
    'all below': [
      ...base,
      ...['store', 'spill', 'discovery', 'upstream', 'server', 'documents', 'query', 'processors', 'engine'],
    ],
  }
  const said = new Map(
    [...read('ARCHITECTURE.md').matchAll(/^\| `src\/([\w-]+)\/` \|.*\| ([^|]+) \|$/gm)].map(
      ([, folder = '', cell = '']) => [
        folder,
        cell === 'nothing' ? [] : cell.split(', ').flatMap((name) => groups[name] ?? [name]),
      ],
    ),
  )
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
    forbidden: { name: string; to: { pathNot?: string } }[]
  }
  const held = new Map(
    forbidden.flatMap(({ name, to }) => {
      const [, folder] = /^layer-(.+)$/.exec(name) ?? []
      const [, folders = ''] = /^\^src\/\((.*)\)\/$/.exec(String(to.pathNot)) ?? []
      return folder === undefined ? [] : [[folder, folders.split('|').slice(1)] as const]
    }),
  )
  const sorted = (table: ReadonlyMap<string, readonly string[]>): Record<string, string[]> =>
    Object.fromEntries([...table].map(([folder, below]) => [folder, below.toSorted()]))
  expect(held.size).toBeGreaterThan(15)
  expect(sorted(said)).toEqual(sorted(held))
})
