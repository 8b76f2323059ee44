import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { SAMPLE } from '../../../src/cli/init.ts'
import { OPTION_NAMES } from '../../../src/config/aliases.ts'
import { jsonSchemaText, serversTable, settingsTable } from '../../../src/config/generate.ts'
import { readJsonc } from '../../../src/config/jsonc.ts'
import { loadConfig, parseConfig } from '../../../src/config/load-program.ts'
import { serverRows, settingRows } from '../../../src/config/options.ts'
import { isObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const root = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url))

describe('mcp.json.example', () => {
  verifies('S3.42', 'parses with the real schema, without a warning', () => {
    const { config, warnings } = loadConfig({ path: root('mcp.json.example'), cwd: '/', home: '/', env: {} })
    expect(warnings).toEqual([])
    expect(config.servers.map(({ name }) => name)).toEqual(['filesystem', 'memory'])
    expect(config.disabled).toEqual(['docs', 'tickets'])
  })

  verifies('S3.42', 'shows the defaults', () => {
    const { config } = loadConfig({ path: root('mcp.json.example'), cwd: '/', home: '/', env: {} })
    expect(config.settings).toEqual(parseConfig({}).settings)
  })

  test('and the sample that init writes does, too', () => {
    const { value } = readJsonc(SAMPLE, 'sample')
    const config = parseConfig(isObject(value) ? value : {})
    expect(config.servers).toMatchObject([{ name: 'filesystem', command: 'npx' }])
    expect(config.chosen).toEqual(['wholeTokens', 'previewSize'])
    expect(config.settings).toEqual(parseConfig({}).settings)
  })
})

describe('the configurations that the pages print', () => {
  const pages = readdirSync(root('docs'), { recursive: true, encoding: 'utf8' }).filter((page) =>
    page.endsWith('.md'),
  )
  const blocks = ['README.md', ...pages.map((page) => `docs/${page}`)]
    .flatMap((page) => [...readFileSync(root(page), 'utf8').matchAll(/^```jsonc?\n(.*?)^```/gms)])
    .map(([, block = '']) => block)
    .filter((block) => /^\s*(?:\/\/.*\n)?\{\s*"(?:mcpServers|modules|proxySettings)"/.test(block))

  test.each(blocks)('parse, and say so where they are a part of a file: %s', (block) => {
    const { value } = readJsonc(block.replace('{ … }', '{}'), 'page')
    if (!isObject(value)) throw new Error('no configuration')
    expect('mcpServers' in value || /^\/\/ a part of mcp\.json: /.test(block)).toBe(true)
  })

  test('there are some of each kind', () => {
    expect(blocks.filter((block) => block.includes('"mcpServers":')).length).toBeGreaterThan(3)
    expect(blocks.filter((block) => block.startsWith('// a part of')).length).toBeGreaterThan(0)
  })
})

describe('generated files', () => {
  test('is the same every time', () => {
    expect(jsonSchemaText()).toBe(jsonSchemaText())
    expect(settingsTable()).toBe(settingsTable())
  })

  test('mcp.schema.json is up to date', () => {
    expect(readFileSync(root('mcp.schema.json'), 'utf8')).toBe(jsonSchemaText())
  })

  describe('mcp.schema.json and modules', () => {
    const { properties } = JSON.parse(jsonSchemaText()) as { properties: { modules: object } }
    const isValid = new Ajv({ strict: false }).compile(properties.modules)

    verifies('S2.19', 'takes an entry as it may be written: options in it or in its config', () => {
      for (const entry of [
        { use: 'log' },
        { use: 'block', tools: ['a/*'], mode: 'audit', priority: 3 },
        { use: 'quota', rps: 3 },
        { use: 'quota', config: { rps: 3 } },
        { use: 'translate', to: 'de', url: 'http://127.0.0.1:5000/translate' },
        { use: 'rename', tools: { 'a/x': { name: 'y', title: 'Y' } } },
        { use: 'shape' },
        { path: './m.mjs', config: { any: ['thing'] } },
        { command: 'python3', args: ['m.py'], events: ['tools/call'] },
        { url: 'http://127.0.0.1:9000/mcp', failOpen: true },
      ])
        expect([entry, isValid([entry])]).toEqual([entry, true])
    })

    test('takes modules of an embedder, whatever their options are', () => {
      for (const entry of [
        { use: 'mine' },
        { use: 'mine', size: 3, config: { deep: {} }, url: 'x', failOpen: true },
      ])
        expect([entry, isValid([entry])]).toEqual([entry, true])
      expect(isValid([{ use: 'mine', mode: 'loud' }])).toBe(false)
    })

    test('refuses the same values as the proxy', () => {
      for (const entry of [
        {},
        { use: 'block', tools: 'a/*' },
        { use: 'quota' },
        { use: 'quota', config: { rps: 'many' } },
        { use: 'log', content: 'some' },
        { command: 3 },
        { command: 'x', phase: 'never' },
        { name: 'nothing else' },
      ])
        expect([entry, isValid([entry])]).toEqual([entry, false])
    })
  })

  test('the table names every option, its default and its environment variable', () => {
    const table = settingsTable()
    for (const { path, env } of settingRows()) {
      expect(table).toContain(`\`${path}\``)
      for (const name of env) expect(table).toContain(name)
    }
    expect(table).toContain('| `port` | `8000` | 0–65535 |')
    expect(serversTable()).toContain('| `timeout` | – | 1–86400 seconds |')
  })

  test.runIf(existsSync(root('docs/configuration.md')))(
    'the page on the configuration holds both tables',
    () => {
      const page = readFileSync(root('docs/configuration.md'), 'utf8')
      expect(page).toContain(settingsTable())
      expect(page).toContain(serversTable())
    },
  )
})

describe('names', () => {
  test('belong to options that exist, and every option with one value has a variable', () => {
    const several = [
      'results',
      'auth.issuers',
      'auth.requiredScopes',
      'naming.rename',
      'index.languages',
      'dispatch.allow',
      'dispatch.deny',
      'spill.allowDirs',
      'code.ask.headers',
      'bridge.tools',
      'console.prices',
      'telemetry.headers',
      'toolCache.tools',
    ]
    const rows = settingRows()
    const paths = rows.map(({ path }) => path)
    expect(Object.keys(OPTION_NAMES).filter((path) => !paths.includes(path))).toEqual([])
    expect(rows.filter(({ env }) => env.length === 0).map(({ path }) => path)).toEqual(several)
  })

  test('are used once', () => {
    const names = settingRows().flatMap(({ env, flag }) => (flag === undefined ? env : [...env, flag]))
    expect(new Set(names).size).toBe(names.length)
  })

  test('every option is described', () => {
    for (const { description } of [...settingRows(), ...serverRows()])
      expect(description).toMatch(/^.{10,}\.$/)
  })
})
