/** The site of the documentation, as `npm run docs` writes it. `npm run docs:browser` opens it in a browser. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/docs.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'site-'))
let built: { pages: string[]; broken: string[] }

beforeAll(async () => {
  built = (await import(pathToFileURL(script).href)).buildSite(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (name: string) => readFileSync(join(folder, name), 'utf8')

test('has a page for each page of the documentation, and no link that leads nowhere', () => {
  expect(built.broken).toEqual([])
  expect(built.pages).toEqual(expect.arrayContaining(['index.html', 'modules/redact.html', 'SECURITY.html']))
})

test('every page of the documentation is in the menu', () => {
  const menu = /<nav>(.*?)<\/nav>/s.exec(read('index.html'))?.[1] ?? ''
  const listed = [...menu.matchAll(/href="([^"]+)"/g)].map(([, link]) => link)
  const pages = built.pages.filter((page) => /^[\w-]+\.html$/.test(page) && page !== 'index.html')
  // Pages of the project that these pages link to.
  const outside = ['README.html', 'PERFORMANCE.html', 'LICENSE.html']
  expect(listed).toEqual(expect.arrayContaining(pages.filter((page) => !outside.includes(page))))
})

test('every page of a module is reached from the page on modules', () => {
  const modules = built.pages.filter((page) => page.startsWith('modules/'))
  expect(modules.length).toBeGreaterThan(8)
  for (const page of modules) expect(read('modules.html')).toContain(`href="${page}"`)
})

test('the search finds the section that answers', () => {
  const [, index = '', options = ''] =
    /^const INDEX = (.*)\nconst OPTIONS = (.*)\n/.exec(read('search.js')) ?? []
  const search = MiniSearch.loadJSON(JSON.parse(index), JSON.parse(options))
  expect(search.search('redact')[0]?.url).toBe('modules/redact.html#redact')
  expect(search.search('docker')[0]?.url).toMatch(/^operations\.html#/)
})
