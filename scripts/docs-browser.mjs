/**
 * Opens the site of the documentation in a headless Chromium. Every page is readable at 400 pixels. Every link of the site leads to a
 * page and a heading that exist. The search leads to a section.
 * Usage: npm run docs:browser (CHROMIUM: the path of the browser)
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { buildSite } from './docs.mjs'

const WIDTH = 400

/** The smallest letters of a text, in pixels. */
const SMALLEST = 14

const executablePath =
  process.env.CHROMIUM ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
    existsSync(path),
  )

if (executablePath === undefined) {
  console.log('docs:browser: skipped. Install chromium, or name a browser in CHROMIUM.')
} else {
  const folder = fileURLToPath(new URL('../site', import.meta.url))
  const { pages } = buildSite(folder)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const faults = []
  /** Of each opened page: its headings and links. */
  const opened = new Map()
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } })
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
    for (const name of pages) {
      await page.goto(pathToFileURL(join(folder, name)).href)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > WIDTH) faults.push(`${name}: ${width} pixels wide`)
      const { letters, ids, links } = await page.evaluate(() => ({
        letters: Math.min(
          ...[...document.querySelectorAll('main p, main li, main td')].map((one) =>
            Number.parseFloat(getComputedStyle(one).fontSize),
          ),
        ),
        ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
        links: [...document.links].map(({ href }) => href).filter((href) => href.startsWith('file:')),
      }))
      if (letters < SMALLEST) faults.push(`${name}: letters of ${letters} pixels`)
      opened.set(page.url(), { ids: new Set(ids), links })
    }
    for (const [address, { links }] of opened)
      for (const link of links) {
        const [path, anchor = ''] = link.split('#')
        const target = opened.get(path)
        const isThere = anchor === '' || target?.ids.has(decodeURIComponent(anchor))
        if (target === undefined ? !existsSync(fileURLToPath(path)) : !isThere)
          faults.push(`${address}: the link to ${link} leads nowhere`)
      }
    await page.goto(pathToFileURL(join(folder, 'modules/redact.html')).href)
    await page.fill('#query', 'docker')
    const first = page.locator('#found a').first()
    const title = await first.textContent()
    await first.click()
    await page.waitForURL(/#/)
    const shown = await page.evaluate(() => document.querySelector(':target')?.textContent ?? '')
    if (shown === '' || !title?.endsWith(shown)) faults.push(`search: "${title}" leads to "${shown}"`)
  } finally {
    await browser.close()
  }
  for (const fault of faults) console.error(fault)
  console.log(`docs:browser: ${pages.length} pages, ${faults.length} faults`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
