import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadConfigOnUse } from '../../../src/config/load.ts'
import { type Loaded, type LoadRequest, loadConfig, parseConfig } from '../../../src/config/load-program.ts'
import { ProxyError } from '../../../src/protocol/errors.ts'
import { verifies } from '../../support/verifies.ts'

/** A directory with the file in it, gone after the test. */
function directory(file?: string, name = 'mcp.json'): string {
  const made = mkdtempSync(join(tmpdir(), 'config-test-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  if (file !== undefined) writeFileSync(join(made, name), file)
  return made
}

function load(file: string | object, request: Partial<LoadRequest> = {}): Loaded {
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  return loadConfig({ cwd: directory(text), home: '/home/someone', env: {}, ...request })
}

/** The error text that the user reads. */
function failure(file: string | object, request: Partial<LoadRequest> = {}): string {
  try {
    load(file, request)
  } catch (error) {
    if (error instanceof ProxyError) return error.text
  }
  throw new Error('the configuration was accepted')
}

const server = { command: 'node' }
const withSettings = (proxySettings: object): object => ({ mcpServers: { a: server }, proxySettings })

describe('reports problems with path, value and remedy', () => {
  verifies('S3.37', 'no file', () => {
    const cwd = directory()
    expect(() => loadConfig({ cwd, home: '/', env: {} })).toThrow(
      expect.objectContaining({ code: 'CONFIG_NOT_FOUND', message: `There is no mcp.json in ${cwd}.` }),
    )
    expect(() => loadConfig({ cwd, home: '/', env: {}, path: 'other.json' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_NOT_FOUND' }),
    )
  })

  verifies('S3.37', 'broken JSON: line, column, what is missing', () => {
    expect(failure('{\n  "mcpServers": {}\n  "proxySettings": {}\n}')).toContain(
      'mcp.json:3:3: a comma is missing\n    → Put "," before this.',
    )
    expect(failure('')).toContain('the file is empty')
    expect(failure('[]')).toContain('must be an object')
  })

  verifies('S3.37', 'missing: no servers, no command', () => {
    expect(failure({})).toContain('mcpServers is missing\n    → Add "mcpServers"')
    expect(failure({ mcpServers: { a: {} } })).toContain(
      'mcpServers.a has neither a command nor a url\n    → Add',
    )
  })

  verifies('S3.37', 'duplicate: a server, a setting in two spellings', () => {
    expect(failure('{"mcpServers": {"a": {"command": "x"},\n"a": {"command": "y"}}}')).toContain(
      'mcp.json:2:1: mcpServers.a is there twice\n    → Rename or remove one of the two.',
    )
    expect(failure({ mcpServers: { a: server }, servers: { a: server } })).toContain(
      'servers.a is there twice',
    )
    expect(failure(withSettings({ maxResponseSize: 900, max_response_size: 900 }))).toContain(
      'proxySettings.max_response_size says again what proxySettings.maxResponseSize says',
    )
  })

  verifies('S3.37', 'unknown: a warning with the nearest name, at every level', () => {
    const { warnings } = load({
      mcpServers: { a: { ...server, timeuot: 3 } },
      proxySetings: {},
      proxySettings: { maxRespnseSize: 900, naming: { prefx: 'never' } },
    })
    expect(warnings.map(({ path, remedy }) => [path, remedy])).toEqual([
      ['proxySetings', 'Did you mean "proxySettings"?'],
      ['proxySettings.maxRespnseSize', 'Did you mean "maxResponseSize"?'],
      ['proxySettings.naming.prefx', 'Did you mean "prefix"?'],
      ['mcpServers.a.timeuot', 'Did you mean "timeout"?'],
    ])
  })

  verifies('S3.37', 'wrong type and out of range: the value and what is allowed', () => {
    expect(failure('{"mcpServers": {"a": {"command": "x"}},\n"proxySettings": {"port": "abc"}}')).toContain(
      'mcp.json:2:27: proxySettings.port is "abc", but must be a whole number from 0 to 65535\n    → Write for example 8000',
    )
    expect(failure(withSettings({ port: '8000' }))).toContain('Write 8000 without quotes.')
    expect(failure(withSettings({ port: 70000 }))).toContain('is 70000, but must be')
    expect(failure(withSettings({ log: { level: 'loud' } }))).toContain('one of debug, info, warning, error')
    expect(failure(withSettings({ resetData: 'yes' }))).toContain('must be true or false')
    expect(failure({ mcpServers: { a: { command: 'x', args: 'y' } } })).toContain('must be a list of texts')
    expect(failure({ mcpServers: [] })).toContain('mcpServers is [], but must be an object')
    expect(failure({ mcpServers: { a: 5 } })).toContain('mcpServers.a is 5, but must be an object')
  })

  verifies(
    'S3.37 S1.30',
    'an unset variable that is for the server stays as it is written: a warning with path, variable, remedy',
    () => {
      const { config, warnings } = load(
        {
          mcpServers: { a: { ...server, args: ['${HERE}/x', '${GONE}'], env: { T: 'Bearer ${TOKEN}' } } },
        },
        { env: { HERE: '/here' } },
      )
      expect(config.servers).toMatchObject([{ args: ['/here/x', '${GONE}'], env: { T: 'Bearer ${TOKEN}' } }])
      expect(warnings).toMatchObject([
        { path: 'mcpServers.a.args[1]', severity: 'warning' },
        {
          path: 'mcpServers.a.env.T',
          message: expect.stringContaining('uses ${TOKEN}, which is not set in the environment'),
          remedy: expect.stringContaining('Set TOKEN'),
        },
      ])
    },
  )

  verifies('S3.37', 'any other unset variable: one error, however much else is wrong with the value', () => {
    const text = failure({ mcpServers: { a: { url: '${URL}' } }, proxySettings: { port: '${NO}' } })
    expect(text).toContain('mcpServers.a.url uses ${URL}, which is not set')
    expect(text).toContain('proxySettings.port uses ${NO}, which is not set in the environment\n    → Set NO')
    expect(text).toContain('2 errors')
  })

  verifies('S3.37', 'reports all problems at once', () => {
    const text = failure({
      mcpServers: { a: {}, b: { url: 'x' } },
      proxySettings: { port: -1, previewSize: true },
    })
    expect(text).toContain('4 errors')
  })

  verifies('S3.37', 'does not repeat values that may be secret', () => {
    const text = failure({
      mcpServers: {
        a: { command: 'x', env: { TOKEN: ['hush-hush'] } },
        b: { url: 'hush://hush-hush@x/?k=hush-hush' },
      },
    })
    expect(text).toContain('mcpServers.a.env.TOKEN is a list')
    expect(text).not.toContain('hush-hush')
  })

  test('features of other versions are not accepted silently', () => {
    const { warnings } = load({ mcpServers: { a: { command: 'x', concurrency: 3 } }, profiles: {} })
    expect(warnings.map(({ message }) => message)).toEqual([
      'is not known and is ignored: a profile is a module',
      'is not available in this version and is ignored',
    ])
  })
})

describe('files of other clients load unchanged', () => {
  verifies('S1.29 S1.2 S2.17', 'commands, arguments, environment and addresses', () => {
    const { config, warnings } = load(
      {
        mcpServers: {
          'api-prod': { url: 'http://localhost:8081/mcp' },
          docs: { url: 'http://localhost:8000/sse' },
          tools: {
            command: 'uvx',
            args: ['--from', 'some-package@git+https://example.org/x.git', 'some-server'],
            env: { COMPANY_TOKEN: '${COMPANY_TOKEN}', PORT: '9090' },
          },
        },
      },
      { env: { COMPANY_TOKEN: 't0ken' } },
    )
    expect(warnings).toEqual([])
    const basics = { callTimeoutMs: 120_000 }
    expect(config.servers).toEqual([
      { ...basics, name: 'api-prod', transport: 'auto', url: 'http://localhost:8081/mcp', headers: {} },
      { ...basics, name: 'docs', transport: 'auto', url: 'http://localhost:8000/sse', headers: {} },
      {
        ...basics,
        name: 'tools',
        transport: 'stdio',
        command: 'uvx',
        args: ['--from', 'some-package@git+https://example.org/x.git', 'some-server'],
        env: { COMPANY_TOKEN: 't0ken', PORT: '9090' },
        cwd: undefined,
      },
    ])
  })

  verifies(
    'S1.29 S1.30',
    'addresses without a type, and a program with a key from a variable that is not set yet',
    () => {
      const { config, warnings } = load({
        mcpServers: {
          'our-api': { url: 'http://localhost:8080/mcp' },
          'our-docs': { url: 'http://localhost:8000/sse' },
          'our-tools': { command: 'python', args: ['server.py'], env: { API_KEY: '${API_KEY}' } },
        },
      })
      expect(config.servers).toMatchObject([
        { name: 'our-api', transport: 'auto' },
        { name: 'our-docs', transport: 'auto' },
        { name: 'our-tools', command: 'python', args: ['server.py'], env: { API_KEY: '${API_KEY}' } },
      ])
      expect(warnings).toMatchObject([{ severity: 'warning', path: 'mcpServers.our-tools.env.API_KEY' }])
    },
  )

  verifies('S2.17', 'a VS Code file: servers, type, inputs, its variables, an env file', () => {
    const cwd = directory()
    writeFileSync(join(cwd, '.env'), 'FROM_FILE=1\nBOTH=file\n')
    writeFileSync(
      join(cwd, 'mcp.json'),
      `{ // comment
        "inputs": [{ "id": "key", "type": "promptString" }],
        "servers": {
          "one": { "type": "stdio", "command": "node", "args": ["\${workspaceFolder}/x.js", "\${input:key}"],
                   "env": { "A": "\${env:A}", "N": 5, "BOTH": "own", "GONE": null }, "envFile": ".env" },
          "two": { "type": "http", "url": "https://example.org/mcp" },
          "three": { "type": "sse", "url": "https://example.org/sse" },
        },
      }`,
    )
    const { config, warnings } = loadConfig({ cwd, home: '/', env: { A: 'a' } })
    expect(config.servers).toMatchObject([
      { args: [`${cwd}/x.js`, '${input:key}'], env: { A: 'a', N: '5', BOTH: 'own', FROM_FILE: '1' } },
      { transport: 'streamable-http' },
      { transport: 'sse' },
    ])
    expect(config.servers[0]).not.toHaveProperty('env.GONE')
    expect(warnings.map(({ path }) => path)).toEqual(['inputs', 'servers.one.args[1]'])
  })

  test('a disabled server needs no variables and no address', () => {
    const { config } = load({ mcpServers: { a: server, off: { disabled: true, url: '${NOT_SET}' } } })
    expect(config.servers.map(({ name }) => name)).toEqual(['a'])
    expect(config.disabled).toEqual(['off'])
  })
})

describe('settings', () => {
  verifies('S2.18', 'defaults are complete and frozen', () => {
    const { settings } = parseConfig({ mcpServers: {} })
    expect(settings).toMatchObject({
      exposure: 'passthrough',
      transport: 'stdio',
      host: '127.0.0.1',
      port: 8000,
      dataDir: '~/.mcpproxy',
      resetData: false,
      maxResponseSize: 8000,
      previewSize: 2000,
      maxErrorSize: 32000,
      enableAutoTruncation: true,
      cacheTTLSeconds: 300,
      cacheMaxEntries: 50,
      enableAgentIsolation: true,
      maxEntriesPerAgent: 20,
      maxMemoryPerAgent: 104857600,
      maxTotalAgents: 1000,
      naming: { prefix: 'always', separator: '_', maxLength: 60, charset: 'default', rename: {} },
      connect: { lazy: false, timeoutMs: 30000, listWaitMs: 8000, callTimeoutMs: 120000 },
      log: { level: 'info' },
    })
    expect(Object.isFrozen(settings) && Object.isFrozen(settings.naming)).toBe(true)
  })

  test('the command line wins over the environment, that over the file, that over the default', () => {
    const file = withSettings({ port: 1, maxResponseSize: 1000, log: { level: 'error' } })
    const env = { MCPPROXY_PORT: '2', MCPPROXY_MAX_RESPONSE_SIZE: '2000' }
    const { config } = load(file, { env, flags: { port: '3' } })
    expect(config.settings).toMatchObject({
      port: 3,
      maxResponseSize: 2000,
      log: { level: 'error' },
      host: '127.0.0.1',
    })
    expect([...config.chosen].sort()).toEqual(['log.level', 'maxResponseSize', 'port'])
  })

  verifies(
    'S1.36 S1.38 S1.39 S1.40 S1.42 S1.43 S1.44 S1.45',
    'every environment name of the older proxies',
    () => {
      const env = {
        MCPPROXY_TRANSPORT: 'streamable-http',
        MCPPROXY_HOST: '0.0.0.0',
        MCPPROXY_PORT: '9000',
        MCPPROXY_DATA_DIR: '/data',
        MCPPROXY_LOG_LEVEL: 'WARNING',
        MCPPROXY_LOG_FILE: '/log',
        MCPPROXY_RESET_DATA: 'true',
        MCPPROXY_TOOL_NAME_LIMIT: '50',
        MCPPROXY_CACHE_TTL: '60',
        MCPPROXY_LAZY: '1',
      }
      expect(load({ mcpServers: { a: server } }, { env }).config.settings).toMatchObject({
        transport: 'streamable-http',
        host: '0.0.0.0',
        port: 9000,
        dataDir: '/data',
        log: { level: 'warning', file: '/log' },
        resetData: true,
        naming: { maxLength: 50 },
        cacheTTLSeconds: 60,
        connect: { lazy: true },
      })
    },
  )

  verifies('S3.37', 'a bad value names the variable or the flag it came from', () => {
    const env = { MCPPROXY_PORT: '99999' }
    const text = failure({ mcpServers: { a: server } }, { env, flags: { transport: 'smoke' } })
    expect(text).toContain('environment variable MCPPROXY_PORT: proxySettings.port is 99999')
    expect(text).toContain('option --transport: proxySettings.transport is "smoke"')
  })

  test('other spellings of keys and words', () => {
    const { config } = load({
      mcp_servers: { a: { serverUrl: 'http://x/mcp', transport: 'HTTP' } },
      proxy_settings: {
        max_response_size: 900,
        cache_ttl_seconds: 9,
        'max response tokens': 500,
        logLevel: 'WARN',
      },
      mcplazy: true,
      onport: 9000,
    })
    expect(config.servers).toMatchObject([{ url: 'http://x/mcp', transport: 'streamable-http' }])
    expect(config.settings).toMatchObject({
      maxResponseSize: 900,
      cacheTTLSeconds: 9,
      maxResponseTokens: 500,
      log: { level: 'warning' },
      connect: { lazy: true },
      port: 9000,
    })
  })

  verifies('S4.2 S4.3 S4.5 S4.6 S4.7 S4.49', 'the names of the older dispatch proxy', () => {
    const servers = { mcpServers: { a: { command: 'x' } } }
    const seed = {
      mcpproxy: true,
      mcplazy: true,
      mcpproxythreshold: 51200,
      mcpproxytoon: true,
      mcpproxyallow: 'read_file, list_*',
      mcpproxydeny: ['delete_*'],
      useutils: true,
    }
    const { config, warnings } = load({ ...servers, ...seed, proxySettings: { utils: { root: '/data' } } })
    expect(warnings).toEqual([])
    expect(config.settings).toMatchObject({
      exposure: 'dispatch',
      connect: { lazy: true },
      spill: { threshold: 51200, format: 'toon' },
      dispatch: { allow: ['read_file', 'list_*'], deny: ['delete_*'] },
      utils: { enabled: true, root: '/data', write: false },
    })
    // Inside of proxySettings as well, and switched off by the word.
    const off = load({
      ...servers,
      proxySettings: { mcpproxy: false, mcpproxytoon: 'false', mcpproxyallow: ' ' },
    })
    expect(off.warnings).toEqual([])
    expect(off.config.settings).toMatchObject({ exposure: 'passthrough', spill: { format: 'json' } })
    expect(off.config.settings.dispatch.allow).toBeUndefined()
    expect(load(servers).config.settings).toMatchObject({
      exposure: 'passthrough',
      connect: { lazy: false },
      spill: { threshold: 0, format: 'json' },
      utils: { enabled: false },
    })
    expect(load({ ...servers, useutils: true }).config.settings.utils).toEqual({
      enabled: true,
      write: false,
    })
    expect(failure({ ...servers, mcpproxy: 'sometimes' })).toContain('mcpproxy is "sometimes"')
  })

  test('a server may have an exposure of its own', () => {
    const exposures = (settings: object, a: object, b: object = {}) => {
      const mcpServers = { a: { command: 'x', ...a }, b: { command: 'x', ...b } }
      const { config } = load({ mcpServers, proxySettings: settings })
      return [config.settings.exposure, ...config.servers.map(({ exposure }) => exposure)]
    }
    expect(exposures({}, {})).toEqual(['passthrough', undefined, undefined])
    expect(exposures({ exposure: 'dispatch' }, { exposure: 'passthrough' })).toEqual([
      'dispatch',
      'passthrough',
      undefined,
    ])
    // One that is to be hidden is; the others stay as they are.
    expect(exposures({}, { exposure: 'retrieve' })).toEqual(['retrieve', 'retrieve', 'passthrough'])
    const two = { a: { command: 'x', exposure: 'retrieve' }, b: { command: 'x', exposure: 'dispatch' } }
    expect(failure({ mcpServers: two })).toContain(
      'exposure is dispatch, but other tools are behind retrieve',
    )
  })

  verifies('S4.49', 'lists of tools of a server, and the short form of other clients', () => {
    const { config } = load({
      mcpServers: {
        a: { command: 'x', tools: { allow: ['read_*'], deny: ['read_secret'] } },
        b: { command: 'x', tools: ['*'] },
        c: { command: 'x' },
      },
    })
    expect(config.servers.map(({ tools }) => tools)).toEqual([
      { allow: ['read_*'], deny: ['read_secret'] },
      { allow: ['*'] },
      undefined,
    ])
  })

  test('a variable may stand for a number or a boolean', () => {
    const { config } = load(withSettings({ port: '${P:-7000}', resetData: '${R}' }), { env: { R: 'true' } })
    expect(config.settings).toMatchObject({ port: 7000, resetData: true })
  })

  test('a preview is never larger than what passes whole', () => {
    expect(parseConfig({ proxySettings: { maxResponseSize: 500 } }).settings.previewSize).toBe(500)
    const { config, warnings } = load(withSettings({ maxResponseSize: 500, previewSize: 600 }))
    expect(config.settings.previewSize).toBe(500)
    expect(warnings).toHaveLength(1)
  })

  test('a time limit in seconds for one server, in milliseconds for all', () => {
    const { config } = load({
      mcpServers: { a: { ...server, timeout: 3 }, b: server },
      proxySettings: { connect: { callTimeoutMs: 5000 } },
    })
    expect(config.servers.map(({ callTimeoutMs }) => callTimeoutMs)).toEqual([3000, 5000])
  })

  test('reports an unknown MCPPROXY_ variable', () => {
    const { warnings } = load({ mcpServers: { a: server } }, { env: { MCPPROXY_PROT: '1' } })
    expect(warnings).toMatchObject([{ remedy: 'Did you mean MCPPROXY_PORT?' }])
  })
})

describe('where the file is looked for', () => {
  verifies('S1.41', 'flag, environment, mcp.json, mcp_config.json', () => {
    const cwd = directory(JSON.stringify({ mcpServers: { last: server } }), 'mcp_config.json')
    const names = (request: Partial<LoadRequest> = {}): string[] =>
      loadConfig({ cwd, home: cwd, env: {}, ...request }).config.servers.map(({ name }) => name)
    expect(names()).toEqual(['last'])
    writeFileSync(join(cwd, 'mcp.json'), JSON.stringify({ mcpServers: { third: server } }))
    expect(names()).toEqual(['third'])
    writeFileSync(join(cwd, 'env.json'), JSON.stringify({ mcpServers: { second: server } }))
    const env = { MCPPROXY_CONFIG_PATH: '~/env.json' }
    expect(names({ env })).toEqual(['second'])
    writeFileSync(join(cwd, 'flag.json'), JSON.stringify({ mcpServers: { first: server } }))
    expect(names({ env, path: 'flag.json' })).toEqual(['first'])
  })
})

test('names of servers are data, whatever they are', () => {
  const { config } = load('{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}')
  expect(config.servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
})

verifies('S2.24', 'two tools cannot be given one name', () => {
  const rename = { 'a/x': 'find', 'b/x': 'look', 'b/y': 'find' }
  expect(failure(withSettings({ naming: { rename } }))).toContain(
    'proxySettings.naming.rename["b/y"] is "find", as "a/x" is called already\n    → Choose another name for one of them.',
  )
})

describe('loads the check of modules on use', () => {
  const modules = [{ use: 'block', tools: ['a/*'] }, { command: 'x' }]

  test.each([[undefined], [[]], [modules], [[{ use: 'blok' }]], [{ not: 'a list' }]])(
    'and nothing is read in another way: %j',
    async (written) => {
      const cwd = directory(JSON.stringify({ mcpServers: { a: server }, modules: written }))
      const request = { cwd, home: cwd, env: {} }
      const text = (error: unknown): unknown => (error instanceof ProxyError ? error.text : error)
      const onUse = await loadConfigOnUse(request).catch(text)
      let atOnce: unknown
      try {
        atOnce = loadConfig(request)
      } catch (error) {
        atOnce = text(error)
      }
      expect(onUse).toEqual(atOnce)
    },
  )
})
