import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const src = join(root, 'src')
const readmes = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('README.md'))
  .map((path) => join(src, path))

/** The files that a README in this folder names and that do not exist: paths and names in backquotes, and targets of links. */
function missingIn(text: string, folder: string): string[] {
  const fromRoot = [...text.matchAll(/`((?:src|test|scripts|benchmarks)\/[^`\s*]*)`/g)].map(
    ([, path = '']) => path,
  )
  const beside = [...text.matchAll(/`((?!src\/|test\/)[\w/-]+\.ts|[\w-]+\/)`/g)].map(([, path = '']) => path)
  const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) => path)
  return [
    ...fromRoot.filter((path) => !existsSync(join(root, path))),
    ...[...beside, ...linked].filter((path) => !existsSync(join(folder, path))),
  ]
}

const features = readdirSync(join(src, 'features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

test('there are features to check', () => expect(features.length).toBeGreaterThan(15))

test.each(features)('the feature %s has an index and a README that names its tests', (name) => {
  const folder = join(src, 'features', name)
  expect(existsSync(join(folder, 'index.ts'))).toBe(true)
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/\*\*Tests\.\*\* `test\//)
})

describe('READMEs of folders', () => {
  test.each(readmes.map((path) => path.slice(root.length)))('every path that %s names exists', (path) => {
    const folder = dirname(join(root, path))
    expect(missingIn(readFileSync(join(root, path), 'utf8'), folder)).toEqual([])
  })

  test('paths that do not exist are found', () => {
    const text = 'see `src/no/such.ts`, `no-such.ts`, `src/main.ts`, `no-such/` and [it](../no.md#there)'
    expect(missingIn(text, join(src, 'engine'))).toEqual([
      'src/no/such.ts',
      'no-such.ts',
      'no-such/',
      '../no.md',
    ])
  })
})
