/** The built command as a person meets it who made a mistake. */
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { place, runProxy } from './support/command.ts'
import { fixture } from './support/world.ts'

const f = fixture('f')
const servers = JSON.stringify({ f })

const mistakes: [what: string, file: string, says: (string | RegExp)[]][] = [
  ['JSON that breaks off', '{"mcpServers": {"f": ', [/mcp\.json:1:\d+/, '→']],
  ['a list instead of an object', '[1]', ['must be an object', 'Write { "mcpServers"']],
  ['no servers', '{}', ['mcpServers is missing', 'Add "mcpServers"']],
  ['a server that is a text', '{"mcpServers": {"f": "node"}}', ['mcpServers.f is "node"', '"command"']],
  ['a server without a command', '{"mcpServers": {"f": {}}}', ['mcpServers.f has neither', 'Add "command"']],
  [
    'a server with both',
    '{"mcpServers": {"f": {"command": "x", "url": "http://localhost/"}}}',
    ['mcpServers.f.url has both a command and a url', 'Keep the one'],
  ],
  [
    'a server twice',
    '{"mcpServers": {\n "f": {"command": "x"},\n "f": {"command": "y"}}}',
    ['mcp.json:3', 'mcpServers.f', 'twice', 'Rename or remove'],
  ],
  [
    'a number for a command',
    '{"mcpServers": {"f": {"command": 5}}}',
    ['mcpServers.f.command is', 'a number', 'must be a text'],
  ],
  [
    'a text for a number',
    `{"mcpServers": ${servers},\n "proxySettings": {"port": "abc"}}`,
    ['mcp.json:2', 'proxySettings.port is "abc"', 'a whole number from 0 to 65535', 'Write for example 8000'],
  ],
  [
    'a number that is too small',
    `{"mcpServers": ${servers}, "proxySettings": {"maxResponseSize": 3}}`,
    ['proxySettings.maxResponseSize is 3', 'a whole number from 200 to', '(characters)'],
  ],
  [
    'a word that is none of the few',
    `{"mcpServers": ${servers}, "proxySettings": {"transport": "carrier pigeon"}}`,
    ['proxySettings.transport is "carrier pigeon"', 'one of stdio, streamable-http, sse'],
  ],
  [
    'a variable that is not set',
    '{"mcpServers": {"f": {"command": "node", "cwd": "${NOT_SET_HERE}"}}}',
    ['mcpServers.f.cwd', 'NOT_SET_HERE', '→'],
  ],
]

verifies(
  'S3.37',
  'reports every mistake in the file with path, value and remedy on stderr and exits with 2',
  async () => {
    for (const [what, file, says] of mistakes) {
      const ran = await runProxy([], place({ 'mcp.json': file }))
      expect({ what, code: ran.code, stdout: ran.stdout }).toEqual({ what, code: 2, stdout: '' })
      for (const words of says)
        expect(ran.stderr, what).toMatch(words instanceof RegExp ? words : literally(words))
      expect(ran.stderr, what).not.toMatch(/\n +at .*:\d+/)
    }
  },
)

verifies('S3.37', 'reports mistakes outside the file with their source and exits with 2', async () => {
  const at = place({ 'mcp.json': `{"mcpServers": ${servers}}` })
  const cases: [string[], Record<string, string>, (string | RegExp)[]][] = [
    [
      ['--config', 'nope.json'],
      {},
      [/--config names .*nope\.json, which is not there/, 'mcp-rlm-proxy init'],
    ],
    [[], { MCPPROXY_PORT: 'abc' }, ['environment variable MCPPROXY_PORT', '"abc"', '0 to 65535']],
    [['--port', '70000'], {}, ['option --port', '70000', '0 to 65535']],
    [['--prot', '1'], {}, ['--prot', 'Did you mean --port']],
    [['doctr'], {}, ['"doctr" is neither a command', 'Did you mean doctor?']],
    [['--'], {}, ['no command after "--"']],
  ]
  for (const [args, env, says] of cases) {
    const ran = await runProxy(args, { ...at, env: { ...at.env, ...env } })
    expect({ args, code: ran.code, stdout: ran.stdout }).toEqual({ args, code: 2, stdout: '' })
    for (const words of says) expect(ran.stderr).toMatch(words instanceof RegExp ? words : literally(words))
  }
})

verifies(
  'S3.37',
  'reports all mistakes at once; an unknown key is a warning and the proxy runs',
  async () => {
    const bad = { port: 'x', previewSize: true, transport: 'y' }
    const all = await runProxy(
      [],
      place({ 'mcp.json': JSON.stringify({ mcpServers: { f }, proxySettings: bad }) }),
    )
    expect(all.code).toBe(2)
    for (const name of Object.keys(bad)) expect(all.stderr).toContain(`proxySettings.${name}`)
    const odd = {
      mcpServers: { f: { ...f, comand: 'x' } },
      proxySettings: { maxResponseSiz: 5 },
      mcpserver: {},
    }
    const ran = await runProxy([], place({ 'mcp.json': JSON.stringify(odd) }))
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toMatch(
      /maxResponseSiz is not known and is ignored.*Did you mean \\"maxResponseSize\\"/,
    )
    expect(ran.stderr).toMatch(/comand is not known and is ignored.*Did you mean \\"command\\"/)
    expect(ran.stderr).toMatch(/mcpserver is not known/)
  },
)

verifies('S3.37', 'doctor reports each check, and each failure with a remedy', async () => {
  const config = (entries: object, more = {}): string => JSON.stringify({ mcpServers: entries, ...more })
  const good = await runProxy(['doctor'], place({ 'mcp.json': config({ f }) }))
  expect(good.code, good.stdout + good.stderr).toBe(0)
  expect(good.stdout).toMatch(/^ok +f +f 1\.0\.0, 15 tools, \d+ ms$/m)

  const entries = {
    f,
    gone: { command: '/nonexistent/server' },
    dies: { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(4)'] },
    closed: { url: 'http://127.0.0.1:9/mcp' },
  }
  const bad = await runProxy(['doctor'], place({ 'mcp.json': config(entries) }))
  expect(bad.code).toBe(1)
  expect(bad.stdout).toMatch(/^ok +f /m)
  expect(bad.stdout).toMatch(/^BROKEN +gone .*not found/m)
  expect(bad.stdout).toMatch(/→ Is \/nonexistent\/server installed/)
  expect(bad.stdout).toMatch(/^BROKEN +dies .*exited with code 4: no licence/m)
  expect(bad.stdout).toMatch(/^BROKEN +closed /m)

  const broken = await runProxy(['doctor', '--json'], place({ 'mcp.json': config({ f: { command: 5 } }) }))
  expect(broken.code).toBe(2)
  expect(JSON.parse(broken.stdout)).toMatchObject({ ok: false })
  expect(broken.stdout).toContain('mcpServers.f.command')
})

function literally(words: string): RegExp {
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
}
