/** `import --into` and `--undo` with files as the documentation of each client shows them: what is not a server stays, undo restores every byte. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { changeClientFile, undoClientFile } from '../../../src/cli/client-files.ts'
import { CLIENTS, clientCalled, readClientFile, serversIn } from '../../../src/cli/clients.ts'
import { isObject } from '../../../src/protocol/json.ts'
import { runs } from '../../support/runs.ts'
import { world } from './support.ts'

/** By client: a file, the servers in it, and texts that must be in it afterwards. */
const FILES: Record<string, { text: string; servers: string[]; stays: string[] }> = {
  // modelcontextprotocol.io, "Connect to local MCP servers".
  'claude-desktop': {
    text: '{\n  "mcpServers": {\n    "filesystem": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "@modelcontextprotocol/server-filesystem",\n        "/Users/username/Desktop"\n      ]\n    }\n  },\n  "preferences": { "quickEntryShortcut": "off" }\n}',
    servers: ['filesystem'],
    stays: ['"preferences": { "quickEntryShortcut": "off" }'],
  },
  // code.claude.com/docs, "MCP installation scopes".
  'claude-code': {
    text: '{\n  "mcpServers": {\n    "shared-server": {\n      "command": "/path/to/server",\n      "args": [],\n      "env": {}\n    },\n    "api-server": {\n      "type": "http",\n      "url": "${API_BASE_URL:-https://api.example.com}/mcp",\n      "headers": { "Authorization": "Bearer ${API_KEY}" }\n    }\n  }\n}\n',
    servers: ['shared-server', 'api-server'],
    stays: [],
  },
  // cursor.com/docs/context/mcp, with tabs and Windows line ends as an editor leaves them.
  cursor: {
    text: '{\r\n\t"mcpServers": {\r\n\t\t"server-name": {\r\n\t\t\t"command": "npx",\r\n\t\t\t"args": ["-y", "mcp-server"],\r\n\t\t\t"env": { "API_KEY": "value" }\r\n\t\t}\r\n\t}\r\n}\r\n',
    servers: ['server-name'],
    stays: ['\r\n\t"mcpServers": {'],
  },
  // code.visualstudio.com/docs/copilot/reference/mcp-configuration: JSON with comments.
  vscode: {
    text: '{\n  // Asked for once, and kept by VS Code.\n  "inputs": [\n    { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },\n  ],\n  "servers": {\n    // https://github.com/ppl-ai/modelcontextprotocol/\n    "perplexity": {\n      "type": "stdio",\n      "command": "npx",\n      "args": ["-y", "server-perplexity-ask"],\n      "env": { "PERPLEXITY_API_KEY": "${input:perplexity-key}" }\n    }\n  }\n}\n',
    servers: ['perplexity'],
    stays: ['// Asked for once, and kept by VS Code.', '"id": "perplexity-key"'],
  },
  // docs.windsurf.com, "Cascade MCP integration".
  windsurf: {
    text: '{\n  "mcpServers": {\n    "github": {\n      "command": "npx",\n      "args": ["-y", "@modelcontextprotocol/server-github"],\n      "env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "<TOKEN>" },\n      "disabledTools": ["push_files"]\n    },\n    "remote-http-mcp": { "serverUrl": "https://example.com/mcp" }\n  }\n}',
    servers: ['github', 'remote-http-mcp'],
    stays: [],
  },
  // github.com/openai/codex, docs/config.md.
  codex: {
    text: '# Which model.\nmodel = "gpt-5-codex"\nnotify = [\n  "python3",\n  "/path/notify.py",\n]\n\n[mcp_servers.context7]\ncommand = "npx" # with Node\nargs = ["-y", "@upstash/context7-mcp"]\n\n[mcp_servers.context7.env]\nMY_ENV_VAR = "MY_ENV_VALUE"\n\n[mcp_servers."figma remote"]\nurl = "https://mcp.figma.com/mcp"\nbearer_token_env_var = "FIGMA_OAUTH_TOKEN"\n\n[profiles.o3]\nmodel = "o3" # a comment that stays\n',
    servers: ['context7', 'figma remote'],
    stays: ['# Which model.', '[profiles.o3]\nmodel = "o3" # a comment that stays'],
  },
  // github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md.
  gemini: {
    text: '{\n  "theme": "GitHub",\n  "mcpServers": {\n    "pythonTools": {\n      "command": "python",\n      "args": ["-m", "my_mcp_server", "--port", "8080"],\n      "cwd": "./mcp-servers/python",\n      "env": { "API_KEY": "${EXTERNAL_API_KEY}" },\n      "timeout": 15000,\n      "includeTools": ["safe_tool"]\n    },\n    "httpServer": { "httpUrl": "http://localhost:3000/mcp", "timeout": 5000 }\n  }\n}\n',
    servers: ['pythonTools', 'httpServer'],
    stays: ['"theme": "GitHub"'],
  },
  // opencode.ai/docs/mcp-servers: JSON with comments.
  opencode: {
    text: '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "my-local-mcp-server": {\n      "type": "local",\n      // Or ["bun", "x", "my-mcp-command"]\n      "command": ["npx", "-y", "my-mcp-command"],\n      "enabled": true,\n      "environment": { "MY_ENV_VAR": "{env:MY_ENV_VAR}" },\n    },\n  },\n  "tools": { "my-mcp*": false }, // a comment that stays\n}\n',
    servers: ['my-local-mcp-server'],
    stays: ['"tools": { "my-mcp*": false }, // a comment that stays'],
  },
}

function written(client: string, text: string) {
  const w = world()
  const row = clientCalled(client)
  const path = row.files(w.host).at(row.target) ?? ''
  const inHome = !relative(w.host.home, path).startsWith('..')
  w.write(inHome ? `~/${relative(w.host.home, path)}` : relative(w.host.cwd, path), text)
  const names = (): string[] => {
    const { value } = readClientFile(row, readFileSync(path, 'utf8'), path)
    return isObject(value) ? serversIn(row, value, w.host.cwd).map(({ name }) => name) : []
  }
  return { w, path, names }
}

describe.each(Object.entries(FILES))('%s', (client, { text, servers, stays }) => {
  test('--into puts the proxy in the place of the servers, and --undo restores every byte', async () => {
    const { w, path, names } = written(client, text)
    expect(names()).toEqual(servers)
    expect(await w.cli('import', client, '--into', '-o', 'all.json')).toBe(0)
    expect(names()).toEqual(['proxy'])
    const changed = readFileSync(path, 'utf8')
    for (const part of [...stays, 'connect', '--as', client, join(w.host.cwd, 'all.json')])
      expect(changed).toContain(part)
    expect(Object.keys(JSON.parse(readFileSync(join(w.host.cwd, 'all.json'), 'utf8')).mcpServers)).toEqual(
      servers,
    )
    expect(w.out()).toMatch(/\.\d{4}-\d\d-\d\dT[\d-]+Z\.before-mcp-rlm-proxy/)

    expect(await w.cli('import', client, '--undo')).toBe(0)
    expect(readFileSync(path).equals(Buffer.from(text))).toBe(true)
    expect(await w.cli('import', client, '--undo')).toBe(1)
    // And again: the proxy's file has all of these servers.
    expect(await w.cli('import', client, '--into', '-o', 'all.json')).toBe(0)
    expect(names()).toEqual(['proxy'])
  })
})

test('what a person changed after --into is kept beside the file by --undo', async () => {
  const { w, path } = written('cursor', FILES.cursor?.text ?? '')
  await w.cli('import', 'cursor', '--into')
  writeFileSync(path, 'mine')
  await w.cli('import', 'cursor', '--undo')
  const kept = readdirSync(dirname(path)).filter((name) => name.endsWith('.undone'))
  expect(kept.map((name) => readFileSync(join(dirname(path), name), 'utf8'))).toEqual(['mine'])
})

test('a server stays in its file where another client uses its name for something else', async () => {
  const { w, path, names } = written(
    'cursor',
    '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}',
  )
  w.write(
    '~/.codeium/windsurf/mcp_config.json',
    '{"mcpServers": {"a": {"command": "z"}, "c": {"command": "v"}}}',
  )
  expect(await w.cli('import', '--into')).toBe(0)
  expect(names()).toEqual(['proxy'])
  const other = join(w.host.home, '.codeium/windsurf/mcp_config.json')
  expect(Object.keys(JSON.parse(readFileSync(other, 'utf8')).mcpServers)).toEqual(['a', 'proxy'])
  expect(path).not.toBe(other)
})

test.each([
  ['codex', 'mcp_servers = { a = { command = "x" } }\n'],
  ['codex', '[mcp_servers]\na.command = "x"\n'],
  ['codex', '[mcp_servers.a]\ncommand = """\n[other]\n"""\n'],
  ['cursor', '{"mcpServers": {"a": {"command": "x"}, "proxy": 1}}'],
])('a file of %s that cannot be changed without a loss stays as it is: %s', async (client, text) => {
  const { w, path } = written(client, text)
  expect(await w.cli('import', client, '--into')).toBe(1)
  expect(w.err()).toContain('It was not changed.')
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect(readdirSync(dirname(path)).filter((name) => name.includes('before'))).toEqual([])
})

test('a file that is not UTF-8 stays as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'mcp.json')
  const bytes = Buffer.concat([
    Buffer.from('{"mcpServers": {}, "x": "'),
    Buffer.from([0xff]),
    Buffer.from('"}'),
  ])
  writeFileSync(path, bytes)
  expect(() => changeClientFile(clientCalled('cursor'), path, [], {}, new Date())).toThrow('is not UTF-8')
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

const names = fc
  .string({ minLength: 1, maxLength: 8 })
  .filter((name) => name !== 'proxy' && name !== '__proto__')
const blank = fc.constantFrom('', ' ', '\n', '\r\n\t', ' /* { "a": [ */ ', ' // }\n')

test('whatever a file holds, either the servers leave and undo restores every byte, or it stays as it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const json = CLIENTS.filter(({ format }) => format === 'json')
  fc.assert(
    fc.property(
      fc.constantFrom(...json),
      fc.uniqueArray(names, { maxLength: 4 }),
      fc.dictionary(
        names,
        fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
        { maxKeys: 3 },
      ),
      fc.array(blank, { minLength: 6, maxLength: 6 }),
      fc.boolean(),
      (client, servers, others, [a, b, c, d, e, f], mark) => {
        const entries = servers.map(
          (name) => `${b}${JSON.stringify(name)}${c}:${JSON.stringify(client.write('run', ['x']))}${d}`,
        )
        const rest = Object.entries(others).filter(([key]) => key !== client.key)
        const members = [
          `${JSON.stringify(client.key)}:${a}{${entries.join(',')}}`,
          ...rest.map(([key, value]) => `${e}${JSON.stringify(key)}:${JSON.stringify(value, null, 2)}`),
        ]
        const text = `${mark ? '\uFEFF' : ''}${f}{${members.join(',')}}${a}`
        const path = join(folder, `${Math.random()}.json`)
        writeFileSync(path, text, { mode: 0o640 })
        const without = servers.map((name) => ({ map: [client.key], name }))
        try {
          changeClientFile(client, path, without, { command: 'proxy' }, new Date())
        } catch {
          expect(readFileSync(path, 'utf8')).toBe(text)
          return
        }
        expect(statSync(path).mode & 0o777).toBe(0o640)
        const { value } = readClientFile(client, readFileSync(path, 'utf8'), path)
        expect(value).toEqual({ ...Object.fromEntries(rest), [client.key]: { proxy: { command: 'proxy' } } })
        undoClientFile(path, new Date())
        expect(readFileSync(path, 'utf8')).toBe(text)
      },
    ),
    { numRuns: runs(100) },
  )
})
