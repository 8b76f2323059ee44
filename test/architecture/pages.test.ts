/** The program takes all that the pages print: configurations, commands, programs, links. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { COMMANDS, commandsTable } from '../../src/cli/program.ts'
import { CONFIG_PATH_VARIABLE } from '../../src/config/aliases.ts'
import { jsonSchemaText, settingsTable } from '../../src/config/generate.ts'
import { readJsonc } from '../../src/config/jsonc.ts'
import { settingRows } from '../../src/config/options.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`),
]
const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Code blocks of the languages, with the page that they are on. */
function blocks(...languages: string[]): (readonly [page: string, code: string])[] {
  return PAGES.flatMap((page) =>
    [...read(page).matchAll(/^( *)```(\w+)\n(.*?)^ *```/gms)]
      .filter(([, , language = '']) => languages.includes(language))
      .map(
        ([, indent = '', , code = '']) =>
          [page, code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] as const,
      ),
  )
}

/** How the code of each language on the pages is tested. */
const TESTED: Record<string, string> = {
  json: 'below, by the schema',
  jsonc: 'below by the schema, and calls of tools in contract/pages and e2e/newcomer',
  sh: 'below, by the commands, options and packages that exist',
  console: 'below, by the commands and options that exist',
  js: 'below; programs run in contract/pages, e2e/newcomer and e2e/package',
  ts: 'below; the example that it repeats runs in e2e/package',
  toml: 'generated from the rules for clients',
  python: 'below, by the variables that exist',
  nginx: 'e2e/replicas',
  text: 'below, as JSON-RPC',
  '': 'contract/pages, unit/store/valkey',
}

test('every code block is in a language that a test reads', () => {
  const languages = PAGES.flatMap((page) =>
    [...read(page).matchAll(/^ *```(\w*)\n.*?^ *```$/gms)].map(([, name = '']) => name),
  )
  expect(new Set(languages)).toEqual(new Set(Object.keys(TESTED)))
})

test('a printed conversation is made of requests, and of answers to them', () => {
  const [[, conversation = ''] = []] = blocks('text')
  const messages = conversation
    .replaceAll(/\n {3}/g, '')
    .replaceAll('{…}', '{}')
    .trim()
    .split('\n')
    .map((line) => ({ from: line[0], ...(JSON.parse(line.slice(2)) as { id?: number; method?: string }) }))
  expect(messages.length).toBeGreaterThan(5)
  const asked = messages.filter(({ from, id }) => from === '>' && id !== undefined)
  const answered = messages.filter(({ from }) => from === '<')
  expect(answered.map(({ id }) => id)).toEqual(asked.map(({ id }) => id))
})

test('every variable of the proxy that a page names is one that it reads', () => {
  const known = new Set([CONFIG_PATH_VARIABLE, ...settingRows().flatMap(({ env }) => env)])
  const named = PAGES.flatMap((page) =>
    [...read(page).matchAll(/\bMCPPROXY_[A-Z_]*[A-Z]\b/g)].map(([name]) => name),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('every package that a block installs is one that is tested with, in that version', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  const installed = blocks('sh').flatMap(([, code]) =>
    [...code.replaceAll('\\\n', ' ').matchAll(/npm install ([^#\n]*)/g)].flatMap(([, names = '']) =>
      names.trim().split(/ +/),
    ),
  )
  expect(installed.length).toBeGreaterThan(5)
  for (const name of installed) {
    const [, bare = '', version = ''] = /^(@?[^@]+)(?:@(.*))?$/.exec(name) ?? []
    expect(devDependencies[bare], name).toMatch(new RegExp(`^${version}`))
  }
})

/** The values of a block: one, or those of its lines. Calls of tools and parts with `…` are no JSON. */
const isJson = (code: string): boolean =>
  /^\s*(?:\/\/.*\n\s*)*[{[]/.test(code) && !/[{,]\s*…|… *[}\]]/.test(code)

describe('settings on the pages', () => {
  const isValid = new Ajv({ strict: false }).compile(JSON.parse(jsonSchemaText()))
  const isModules = new Ajv({ strict: false }).compile(JSON.parse(jsonSchemaText()).properties.modules)
  // A page may print parts of the file without the brackets around them.
  const found = blocks('json', 'jsonc')
    .map(([page, code]) => [page, code.startsWith('"') ? `{ ${code} }` : code] as const)
    .filter(([, code]) => isJson(code))

  test('are there', () => expect(found.length).toBeGreaterThan(25))

  test.each(found)('of %s can be read, and the schema takes them: %s', (page, code) => {
    // Several lines may each be a value, before and after a change.
    const isLines = (code.match(/^\{/gm) ?? []).length > 1
    for (const text of isLines ? code.split('\n').filter((line) => line.startsWith('{')) : [code]) {
      const { value, problems = [] } = readJsonc(text, page) as { value?: object; problems?: unknown[] }
      expect([problems, typeof value]).toEqual([[], 'object'])
      if (value === undefined) continue
      // The page on clients prints their own files.
      if (page === 'docs/clients.md') continue
      if (['mcpServers', 'proxySettings', 'modules'].some((key) => key in value))
        expect(isValid({ mcpServers: {}, ...value }), JSON.stringify(isValid.errors)).toBe(true)
      else if ('use' in value || Array.isArray(value))
        expect(isModules([value].flat()), JSON.stringify(isModules.errors)).toBe(true)
    }
  })
})

describe('commands on the pages', () => {
  const flags = new Set([
    ...[...`${commandsTable()} ${settingsTable()}`.matchAll(/--[\w-]+/g)].map(([flag]) => flag),
    ...['--config', '--version', '--help', '--profile'],
  ])
  const lines = blocks('sh', 'console').flatMap(([page, code]) =>
    code
      .replaceAll('\\\n', ' ')
      .split('\n')
      .map((line) => line.split(' #')[0]?.trim() ?? '')
      .filter((line) => /(?:^|npx (?:-y )?|\$ |-- )mcp-rlm-proxy /.test(line) && !line.includes('docker'))
      .map((line) => [page, line] as const),
  )

  test('are there', () => expect(lines.length).toBeGreaterThan(12))

  test.each(lines)('of %s exist, with their options: %s', (_, line) => {
    const words = (/mcp-rlm-proxy (.*)$/.exec(line)?.[1] ?? '').split(/\s+/)
    const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words
    const [command = ''] = own
    if (command !== '' && !command.startsWith('-')) expect(COMMANDS).toContain(command)
    for (const word of own.filter((one) => one.startsWith('--')))
      expect([...flags]).toContain(word.split('=')[0])
  })

  test('scripts of the project that a page names exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: object }
    const named = PAGES.flatMap((page) => [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)])
    expect(named.map(([, script]) => script as string).filter((script) => !(script in scripts))).toEqual([])
  })
})

test.each(blocks('js', 'ts', 'mjs'))('the program of %s is one: %s', (_, code) => {
  // A program of a model is the body of a function.
  const text = /^return /m.test(code) ? `async function body() {\n${code}}` : code
  const { diagnostics = [] } = ts.transpileModule(text, {
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  expect(diagnostics.map(({ messageText }) => messageText)).toEqual([])
})

test('every page is reached from the list of pages, and each module has one', () => {
  const linked = (page: string): string[] =>
    [...read(page).matchAll(/\]\(([\w/-]+\.md)/g)].map(([, target]) => `docs/${target}`)
  const reached = new Set([
    'README.md',
    'docs/index.md',
    ...['index', 'modules'].flatMap((name) => linked(`docs/${name}.md`)),
  ])
  expect(PAGES.filter((page) => !reached.has(page))).toEqual([])
})

test('the links that install hold the entry of the pages', async () => {
  const { installLinks } = (await import(pathToFileURL(join(root, 'scripts/install-links.mjs')).href)) as {
    installLinks(): string
  }
  const links = installLinks()
  expect(read('docs/clients.md')).toContain(links)
  const [, shown = ''] = /^ *(\{ "mcpServers": \{ "proxy": .*)$/m.exec(read('README.md')) ?? []
  const entry = JSON.parse(shown).mcpServers.proxy
  expect(entry).toEqual({ command: 'npx', args: ['-y', 'mcp-rlm-proxy', '--config', '/path/to/mcp.json'] })
  const addresses = [...links.matchAll(/\((https:[^)]+)\)|`([^`]+)`/g)].map(
    ([, link, address]) => new URL(link ?? address ?? ''),
  )
  expect(addresses).toHaveLength(6)
  for (const address of addresses) {
    const url = new URL(address.searchParams.get('url') ?? address)
    if (url.protocol.startsWith('vscode')) {
      expect(url.pathname).toBe('mcp/install')
      expect(JSON.parse(decodeURIComponent(url.search.slice(1)))).toEqual({ name: 'proxy', ...entry })
    } else {
      expect(url.searchParams.get('name')).toBe('proxy')
      const config = Buffer.from(url.searchParams.get('config') ?? '', 'base64').toString()
      expect(JSON.parse(config)).toEqual(entry)
    }
  }
})
