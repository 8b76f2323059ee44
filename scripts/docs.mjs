/**
 * Writes the documentation as a site of static pages, with a search that runs in the page. Fails on a broken link.
 * Usage: node scripts/docs.mjs [FOLDER] (default: site)
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked } from 'marked'
import MiniSearch from 'minisearch'

const root = fileURLToPath(new URL('..', import.meta.url))
const SEARCH = {
  fields: ['title', 'text'],
  storeFields: ['title', 'page', 'url'],
  idField: 'url',
  searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 3 }, combineWith: 'AND' },
}

/** Builds the site. Returns its pages (paths from the folder) and the links that lead nowhere (`page: link`). */
export function buildSite(folder) {
  const sources = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.md'))
  const pages = new Map()
  // A page outside of docs/ joins the site when a page links to it.
  const reached = new Set(sources)
  for (const source of reached) {
    const page = source.endsWith('.md') ? pageOf(source) : codePage(source)
    pages.set(source, page)
    for (const { path } of page.links) if (isFile(path) && path !== source) reached.add(path)
  }
  const broken = [...pages.values()].flatMap(({ source, links }) =>
    links
      .filter(({ path, anchor }) => !isAsset(path) && !(pages.get(path)?.anchors.has(anchor) ?? false))
      .map(({ href }) => `${source}: ${href}`),
  )
  const menu = menuOf(pages.get('docs/index.md').html)
  rmSync(folder, { recursive: true, force: true })
  for (const page of pages.values()) write(folder, targetOf(page.source), layout(page, menu))
  for (const asset of new Set(
    [...pages.values()].flatMap(({ links }) => links.map(({ path }) => path)).filter(isAsset),
  )) {
    mkdirSync(dirname(join(folder, targetOf(asset))), { recursive: true })
    copyFileSync(join(root, asset), join(folder, targetOf(asset)))
  }
  const search = new MiniSearch(SEARCH)
  search.addAll(sources.flatMap((source) => sectionsOf(pages.get(source))))
  copyFileSync(join(root, 'node_modules/minisearch/dist/umd/index.js'), join(folder, 'minisearch.js'))
  write(
    folder,
    'search.js',
    `const INDEX = ${JSON.stringify(JSON.stringify(search))}\nconst OPTIONS = ${JSON.stringify(SEARCH)}\n${SCRIPT}`,
  )
  write(folder, 'style.css', STYLE)
  return { pages: [...pages.keys()].map(targetOf), broken }
}

const isAsset = (path) => /\.(?:svg|png)$/.test(path)

function isFile(path) {
  try {
    readFileSync(join(root, path))
    return !isAsset(path)
  } catch {
    return false
  }
}

/** Pages of docs/ are the root of the site. */
const targetOf = (source) =>
  source
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/(?<!\.svg|\.png)$/, '.html')

/** A page of Markdown: its HTML, the anchors in it, and its links to files of the project. */
function pageOf(source) {
  const anchors = new Set([''])
  const links = []
  const at = targetOf(source)
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens)
        return `<h${depth} id="${anchorOf(textOf(content), anchors)}">${content}</h${depth}>\n`
      },
    },
    walkTokens(token) {
      if ((token.type !== 'link' && token.type !== 'image') || /^[a-z][a-z+.-]*:/i.test(token.href)) return
      const [path, anchor = ''] = token.href.split('#')
      const to = path === '' ? source : posix.join(posix.dirname(source), path)
      links.push({ href: token.href, path: to, anchor })
      const target = to === source ? '' : posix.relative(posix.dirname(at), targetOf(to))
      token.href = anchor === '' ? target : `${target}#${anchor}`
    },
  })
  // Wide tables scroll by themselves, so that the page does not.
  const html = marked
    .parse(readFileSync(join(root, source), 'utf8'))
    .replaceAll(/<table>.*?<\/table>/gs, '<div class="wide" tabindex="0">$&</div>')
  return { source, html, anchors, links, title: textOf(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? source) }
}

/** A page that shows a program. */
function codePage(source) {
  const html = `<h1>${source}</h1>\n<pre><code>${escaped(readFileSync(join(root, source), 'utf8'))}</code></pre>`
  return { source, html, anchors: new Set(['']), links: [], title: source }
}

/** The anchor of a heading as GitHub makes it, so that links work in both places. */
function anchorOf(text, taken) {
  const plain = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  let anchor = plain
  for (let count = 1; taken.has(anchor); count++) anchor = `${plain}-${count}`
  taken.add(anchor)
  return anchor
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text) => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign])

function textOf(html) {
  const signs = Object.fromEntries(Object.entries(ENTITIES).map(([sign, entity]) => [entity, sign]))
  return html.replaceAll(/<[^>]+>/g, '').replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => signs[entity])
}

/** What the search knows: a document for each heading, with the text below it. */
function sectionsOf({ source, html, title }) {
  return html
    .split(/(?=<h[1-3] id=)/)
    .filter((part) => part.startsWith('<h'))
    .map((part) => {
      const [, id = '', heading = ''] = /^<h[1-3](?: id="([^"]*)")?>(.*?)<\/h/s.exec(part) ?? []
      return { title: textOf(heading), page: title, text: textOf(part), url: `${targetOf(source)}#${id}` }
    })
}

/** The rows of the table of the first page: a heading and its links. */
function menuOf(html) {
  const rows = [...html.matchAll(/<tr>\s*<td>(.*?)<\/td>\s*<td>(.*?)<\/td>/gs)]
  return rows.map(([, name, links]) => `<h2>${name}</h2>\n${links.replaceAll(', ', '\n')}`).join('\n')
}

function layout({ source, html, title }, menu) {
  const up = posix.relative(posix.dirname(targetOf(source)), '.')
  const base = up === '' ? '' : `${up}/`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – mcp-rlm-proxy</title>
<link rel="stylesheet" href="${base}style.css">
<header><a href="${base}index.html">mcp-rlm-proxy</a>
<input id="query" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"></header>
<ol id="found" aria-live="polite"></ol>
<details id="menu"><summary>Pages</summary><nav>${menu.replaceAll('href="', `href="${base}`)}</nav></details>
<main>${html}</main>
<script>const BASE = ${JSON.stringify(base)}; if (innerWidth > 800) document.getElementById('menu').open = true</script>
<script src="${base}minisearch.js"></script>
<script src="${base}search.js"></script>
</html>
`
}

const SCRIPT = `
const engine = MiniSearch.loadJSON(INDEX, OPTIONS)
const [query, found] = ['query', 'found'].map((id) => document.getElementById(id))
query.addEventListener('input', () => {
  const hits = engine.search(query.value).slice(0, 12)
  found.replaceChildren(...hits.map(({ title, page, url }) => {
    const link = document.createElement('a')
    link.href = BASE + url
    link.textContent = title === page ? title : page + ': ' + title
    const item = document.createElement('li')
    item.append(link)
    return item
  }))
})
`

const STYLE = `:root { color-scheme: light dark; --line: #8884; --shade: #8881 }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
header, #found { grid-column: 1 / -1 }
header { display: flex; gap: 1rem; align-items: center; padding: .7rem 1rem; border-bottom: 1px solid var(--line) }
header a { font-weight: 600; text-decoration: none; color: inherit }
#query { flex: 1; min-width: 0; max-width: 24rem; font: inherit; padding: .3rem .6rem }
#found { margin: 0; padding: 0 1rem 0 3rem }
#menu { padding: 1rem; border-right: 1px solid var(--line) }
nav h2 { font-size: .85rem; margin: 1rem 0 .2rem }
nav a { display: block; padding: .15rem 0 }
main { padding: 1rem; max-width: 60rem; min-width: 0; overflow-wrap: anywhere }
pre, .wide { overflow-x: auto }
pre { background: var(--shade); padding: .8rem; overflow-wrap: normal }
code { font-size: .9em }
table { border-collapse: collapse }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; overflow-wrap: normal; min-width: 6rem }
img { max-width: 100% }
@media (max-width: 800px) { body { display: block } #menu { border: 0; padding: .7rem 1rem } }
`

function write(folder, name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? join(root, 'site'))
  const { pages, broken } = buildSite(folder)
  for (const link of broken) console.error(`broken link in ${link}`)
  console.log(`docs: ${pages.length} pages in ${folder}, ${broken.length} broken links`)
  process.exitCode = broken.length > 0 ? 1 : 0
}
