/** Adding an upstream transport: a file that implements UpstreamTransport, and an entry in `src/upstream/dial.ts`. Nothing else. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../src/observe/log.ts'
import type { ServerOptions } from '../../../src/upstream/dial.ts'
import { client, exchange, textOf, toolCall } from '../../support/upstream.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
mkdirSync(join(root, '.tmp'), { recursive: true })
const copy = mkdtempSync(join(root, '.tmp', 'transport-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** A transport to a server that is nothing but the text its only tool answers. */
const PLANTED = `import type { JsonObject } from '../protocol/json.ts'
import type { JsonRpcMessage, Transport } from '../protocol/message.ts'
import type { ServerSettings, UpstreamTransport } from './transport.ts'

export interface EchoServer extends ServerSettings {
  echo: string
}

export class EchoTransport implements UpstreamTransport {
  readonly kind = 'echo'
  readonly local = true
  readonly failure = undefined
  onmessage: Transport['onmessage']
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  async start(): Promise<void> {}

  async send(message: JsonRpcMessage): Promise<void> {
    if (!('method' in message) || !('id' in message)) return
    const { id } = message
    const results: Record<string, JsonObject> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: this.#text }] },
    }
    setImmediate(() => this.onmessage?.({ jsonrpc: '2.0', id, result: results[message.method] ?? {} }))
  }

  async close(): Promise<void> {
    this.onclose?.()
  }
}
`

const ENTRY = `const echo: TransportEntry<EchoServer> = {
  kind: () => 'echo',
  secrets: () => ({}),
  dial: ({ echo }) => new EchoTransport(echo),
}

`

const TABLE = 'export const TRANSPORTS = { '
const MARK = '/** The transports, by the member'

beforeAll(() => {
  for (const folder of ['src', 'test']) cpSync(join(root, folder), join(copy, folder), { recursive: true })
  writeFileSync(join(copy, 'src/upstream/echo.ts'), PLANTED)
  const dial = readFileSync(join(root, 'src/upstream/dial.ts'), 'utf8')
  expect(dial).toContain(TABLE)
  expect(dial).toContain(MARK)
  writeFileSync(
    join(copy, 'src/upstream/dial.ts'),
    dial
      .replace(
        'import type { Later }',
        "import { type EchoServer, EchoTransport } from './echo.ts'\nimport type { Later }",
      )
      .replace(MARK, `${ENTRY}${MARK}`)
      .replace(TABLE, `${TABLE}echo, `),
  )
}, 60_000)

test('a planted transport works: its server is listed, called and named', async () => {
  const { createUpstreams } = (await import(
    /* @vite-ignore */ join(copy, 'src/upstream/pool.ts')
  )) as typeof import('../../../src/upstream/pool.ts')
  const pool = createUpstreams({
    servers: { docs: { echo: 'planted' } as unknown as ServerOptions },
    identity: 'drill',
    clientInfo: { name: 'drill', version: '1' },
    events: { changed() {}, notification() {} },
    logger: silentLogger,
  })
  try {
    const me = client()
    const [list] = await pool.list('tools', me, new AbortController().signal)
    expect(list?.items.map(({ name }) => name)).toEqual(['echo'])
    expect(textOf(await pool.request('docs', toolCall('echo'), exchange(me)))).toBe('planted')
    expect(pool.status()).toMatchObject([{ server: 'docs', state: 'ready', transport: 'echo' }])
  } finally {
    await pool.close()
  }
})

test('it is documented: ARCHITECTURE.md names the place', () => {
  expect(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')).toContain('`src/upstream/dial.ts`')
})

test('it is checked: it fits the layers, and the type checker knows its options and asks for its contract tests', () => {
  const layers = spawnSync(process.execPath, [join(root, 'scripts/layers.mjs'), copy], { encoding: 'utf8' })
  expect(layers.stderr).toBe('')
  expect(layers.status).toBe(0)
  writeFileSync(
    join(copy, 'test/use.ts'),
    `import type { ServerOptions } from '../src/upstream/dial.ts'
export const known: ServerOptions = { echo: 'x', timeoutMs: 1 }
// @ts-expect-error
export const unknown: ServerOptions = { ehco: 'x' }
`,
  )
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: true,
        rootDir: '.',
        declaration: false,
        sourceMap: false,
        incremental: false,
        tsBuildInfoFile: null,
        paths: { 'mcp-rlm-proxy': ['./src/index.ts'] },
      },
      files: ['test/use.ts', 'test/unit/upstream/dial.transports.test.ts'],
      include: [],
    }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', copy, '--pretty', 'false'], { encoding: 'utf8' })
  const told = stdout.split('\n').filter((line) => / error TS/.test(line))
  expect(told).toHaveLength(1)
  expect(told[0]).toContain('transports.test.ts')
  expect(told[0]).toContain("Property 'echo' is missing")
}, 180_000)
