/** The documentation as a site: built, then opened in a real Chromium. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, sayWithoutBrowser } from './support/browser.ts'
import { ROOT, temporaryDirectory } from './support/world.ts'

sayWithoutBrowser('the site of the documentation')

/** Pixels: the width of a phone, and of the smallest letters of a text. */
const WIDTH = 400
const SMALLEST = 14

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

let folder: string
const ends: (() => void | Promise<void>)[] = []
beforeAll(async () => {
  folder = temporaryDirectory((end) => void ends.unshift(end))
  const vitepress = join(ROOT, 'node_modules/vitepress/bin/vitepress.js')
  // A link to a page that is not there fails the build.
  await promisify(execFile)(process.execPath, [vitepress, 'build', 'docs', '--outDir', folder], { cwd: ROOT })
})
afterAll(async () => {
  for (const end of ends) await end()
})

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    try {
      const path = decodeURIComponent(new URL(request.url ?? '', 'http://localhost').pathname)
      const bytes = readFileSync(join(folder, path.endsWith('/') ? `${path}index.html` : path))
      response.setHeader('content-type', TYPES[path.split('.').at(-1) ?? ''] ?? 'text/plain; charset=utf-8')
      response.end(bytes)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Seen {
  width: number
  letters: number
  ids: string[]
  links: string[]
}
const LOOK = `({
  width: document.documentElement.scrollWidth,
  letters: Math.min(...[...document.querySelectorAll('main p, main li, main td')].map((one) => parseFloat(getComputedStyle(one).fontSize))),
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  links: [...document.links].map(({ href }) => href),
})`

test('the site has each page, and the menu of the first page names each page of docs/', () => {
  const sources = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  const first = readFileSync(join(folder, 'index.html'), 'utf8')
  const menu = /<aside class="VPSidebar".*?<\/aside>/s.exec(first)?.[0] ?? ''
  for (const name of sources.map((source) => source.replace('.md', ''))) {
    expect(readdirSync(folder)).toContain(`${name}.html`)
    if (name !== 'index') expect(menu).toContain(`href="/${name}.html"`)
  }
  const modules = readdirSync(join(folder, 'modules'))
  expect(modules.length).toBeGreaterThan(8)
  for (const page of modules)
    expect(readFileSync(join(folder, 'modules.html'), 'utf8')).toContain(`/modules/${page}`)
})

test.skipIf(CHROMIUM === undefined)(
  'every page of the site is readable on a phone, every link leads to a page and a heading, and the search finds a section',
  async () => {
    const origin = await serve()
    const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
    onTestFinished(() => browser.close())
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } })
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.url()}: ${response.status()}`)
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
        faults.push(`${page.url()} asks ${request.url()}`)
    })
    /** Of each opened page: its headings. */
    const opened = new Map<string, ReadonlySet<string>>()
    const links = new Set<string>([`${origin}/index.html`])
    for (const link of links) {
      const address = link.replace(/#.*$/, '').replace(/\/$/, '/index.html')
      if (opened.has(address)) continue
      const answer = await page.goto(address)
      if (answer?.status() !== 200) faults.push(`${link} leads nowhere`)
      if (!address.endsWith('.html')) {
        opened.set(address, new Set())
        continue
      }
      const seen: Seen = await page.evaluate(LOOK)
      if (seen.width > WIDTH) faults.push(`${address}: ${seen.width} pixels wide`)
      if (seen.letters < SMALLEST) faults.push(`${address}: letters of ${seen.letters} pixels`)
      opened.set(address, new Set(seen.ids))
      for (const found of seen.links) if (found.startsWith(origin)) links.add(found)
    }
    for (const link of links) {
      const [address = '', anchor = ''] = link.replace(/\/(?=#|$)/, '/index.html').split('#')
      if (anchor !== '' && opened.get(address)?.has(decodeURIComponent(anchor)) !== true)
        faults.push(`no heading for ${link}`)
    }
    for (const name of [
      'getting-started',
      'modules/redact',
      'project/SECURITY',
      'examples/embedding/express.mjs.txt',
    ])
      expect([...opened.keys()].some((address) => address.startsWith(`${origin}/${name}`))).toBe(true)

    await page.goto(`${origin}/index.html`)
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click()
    await page.getByRole('searchbox').fill('redact')
    const first = page.locator('#localsearch-list a').first()
    await first.click()
    await page.waitForURL(/modules\/redact/)
    expect(faults).toEqual([])
  },
)
