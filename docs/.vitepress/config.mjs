/**
 * The documentation as a site. Pages of `docs/` are its root. Pages of the project that they link to (SECURITY.md, ARCHITECTURE.md) stand
 * below `project/`, and programs of `examples/` are shown as text.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Pages outside of `docs/` that the site has, below `project/`: PERFORMANCE.md and docs/performance.md are two pages. */
const PROJECT = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'PERFORMANCE.md', 'README.md', 'SECURITY.md']

const SHOWN = ['docs', 'examples', ...PROJECT]

/** Files that pages link to and that are no pages, by their path from the root of the project. */
const programs = new Set()

export default defineConfig({
  title: 'mcp-rlm-proxy',
  description: 'One connection to all your MCP servers. Large results stay outside the context of the model.',
  lang: 'en',
  srcDir: '..',
  outDir: '../site',
  cacheDir: '../node_modules/.cache/vitepress',
  srcExclude: readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !SHOWN.includes(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name)),
  rewrites: (page) => `${pageOf(page)}.md`,
  markdown: {
    anchor: { slugify: slugOf },
    // Braces are JSON here, not attributes.
    attrs: { disable: true },
    config: (markdown) => markdown.core.ruler.push('files', ({ tokens, env }) => linkFiles(tokens, env)),
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: menu(),
    outline: [2, 3],
    docFooter: { prev: false, next: false },
  },
  buildEnd({ outDir }) {
    for (const program of programs) {
      const to = join(outDir, `${program}.txt`)
      mkdirSync(dirname(to), { recursive: true })
      copyFileSync(join(root, program), to)
    }
  },
})

/** The anchor of a heading as GitHub makes it, so that links work in both places. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** Links lead to pages by their place on the site, and to other files of the project as text. */
function linkFiles(tokens, { path, realPath = path }) {
  const folder = posix.dirname(relative(root, realPath).split(sep).join('/'))
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const href = token.type === 'link_open' ? (token.attrGet('href') ?? '') : ''
    if (/^[a-z][a-z+.-]*:|^#|^$/i.test(href)) continue
    const [, to = '', anchor = ''] = /^([^#]*)(.*)$/.exec(href) ?? []
    const file = posix.join(folder, to)
    if (file.endsWith('.md')) token.attrSet('href', `/${pageOf(file)}${anchor}`)
    else if (existsSync(join(root, file))) {
      programs.add(file)
      token.attrSet('href', `/${file}.txt`)
      token.attrSet('target', '_blank')
    }
  }
}

/** The place of a page on the site. */
function pageOf(file) {
  return (PROJECT.includes(file) ? `project/${file}` : file.replace(/^docs\//, '')).replace(/\.md$/, '')
}

/** The rows of the table of the first page: a heading and its links. */
function menu() {
  const page = readFileSync(join(root, 'docs/index.md'), 'utf8')
  const rows = [...page.matchAll(/^\| ([^|]+) \| (\[.*) \|$/gm)]
  return rows.map(([, text, links]) => ({
    text: text[0].toUpperCase() + text.slice(1),
    items: [...links.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name, link]) => ({
      text: name,
      link: `/${pageOf(posix.join('docs', link))}`,
    })),
  }))
}
