/** Modules of a configuration between a caller and a router that answers at once. Taken from dist/: build first. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../../dist/config/load-program.js'
import { createEngine, ENGINE_DEFAULTS } from '../../dist/engine/pool.js'
import { openModules } from '../../dist/gateway/modules.js'
import { createStack } from '../../dist/module-runtime/stack.js'
import { silentLogger } from '../../dist/observe/log.js'
import { withOrigin } from '../../dist/protocol/origin.js'
import { compose } from '../../dist/proxy/layers.js'

const INTERCEPTOR = fileURLToPath(new URL('./interceptor.mjs', import.meta.url))

/** About 1 KB of text, in the call and in its result: prose, numbers, a mail address now and then. */
export const KILOBYTE = Array.from(
  { length: 12 },
  (_, line) =>
    `${line}: order ${4711 + line} of 2026-11-22 was sent to the address that the customer gave, 12.50`,
)
  .join('\n')
  .slice(0, 1024)

const TOOL = 'files_echo'
const tools = [
  withOrigin(
    { name: TOOL, description: 'Gives its text back', inputSchema: { type: 'object' } },
    { server: 'files', name: 'echo' },
  ),
]

/** A program that speaks the module protocol and changes nothing. `phase`: the half of an exchange it asks for. */
export function external(phase = 'response', type = 'mutation') {
  return { command: process.execPath, args: [INTERCEPTOR, type, phase] }
}

/** The same program and messages without a proxy: what two processes cost that hand each other lines. `questions`: for each call. */
export function pipe(questions) {
  const child = spawn(process.execPath, [INTERCEPTOR, 'mutation', 'response'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const payload = { content: [{ type: 'text', text: KILOBYTE }] }
  const params = { name: 'idle', event: 'tools/call', phase: 'response', payload }
  let answered
  let id = 0
  createInterface({ input: child.stdout }).on('line', (line) => answered(JSON.parse(line)))
  const ask = () =>
    new Promise((resolve) => {
      answered = resolve
      child.stdin.write(
        `${JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'interceptor/invoke', params })}\n`,
      )
    })
  return {
    async call(times) {
      for (let left = times * questions; left > 0; left--) await ask()
    },
    async close() {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

/** One entry of the list for each built-in module, each with something to do for every call. */
export function builtIn(folder, translator) {
  return {
    log: { use: 'log', file: join(folder, 'messages.log') },
    block: { use: 'block', tools: ['files/delete*', 'files/write*'] },
    rename: { use: 'rename', tools: { 'files/echo': 'say_echo' } },
    rewrite: { use: 'rewrite', rules: [{ text: 'customer', with: 'client' }] },
    redact: { use: 'redact' },
    quota: { use: 'quota', rps: 1_000_000 },
    pin: { use: 'pin' },
    package: { use: 'package', title: 'Office', tools: ['files/*'] },
    translate: { use: 'translate', to: 'de', in: ['results'], url: translator },
  }
}

/** Answers as LibreTranslate does. */
export async function startTranslator() {
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { q } = JSON.parse(Buffer.concat(chunks))
    const text = JSON.stringify({ translatedText: q.map((one) => `[de] ${one}`) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}/translate`, close: () => server.close() }
}

/** The router answers lists and calls; what stands before it is made of these entries. */
export async function open(entries) {
  const folder = mkdtempSync(join(tmpdir(), 'modules-benchmark-'))
  const config = parseConfig({ mcpServers: {}, proxySettings: { dataDir: folder }, modules: entries })
  const engine = createEngine({ ...ENGINE_DEFAULTS, queryTimeout: config.settings.queryTimeoutMs })
  const elapsed = () => Math.floor(performance.now())
  const stack = createStack()
  const modules = await openModules(config, stack, {
    engine,
    logger: silentLogger,
    now: Date.now,
    elapsed,
    definitions: [],
    ownTools: new Set(),
    listsChanged() {},
  })
  await modules.check()
  const { handler, call } = around([stack.outer, stack.inner])
  await handler('tools/list')
  return {
    call,
    async close() {
      await modules.close()
      await engine.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** The same without any place for modules. */
export function bare() {
  return { ...around([]), async close() {} }
}

function around(layers) {
  const client = {
    id: 'client',
    agent: { id: 'client', kind: 'local' },
    era: 'legacy',
    info: {},
    capabilities: {},
    protocolVersion: '2025-11-25',
    notify() {},
  }
  const destination = { server: 'files', name: 'echo', definition: async () => tools[0] }
  const { handler: run } = compose(layers, async (exchange) => {
    if (exchange.method === 'tools/list') return { tools }
    if (exchange.admit) await exchange.admit(destination)
    return { content: [{ type: 'text', text: KILOBYTE }] }
  })
  const { signal } = new AbortController()
  const handler = (method, params = {}) =>
    run({ method, params, client, agent: client.agent, signal, notify() {} })
  const names = {}
  return {
    handler,
    /** So many calls, one after the other. */
    async call(times) {
      if (names.tool === undefined) {
        const { tools: listed } = await handler('tools/list')
        names.tool = listed[0].name
      }
      const params = { name: names.tool, arguments: { text: KILOBYTE } }
      for (let left = times; left > 0; left--) {
        const { isError, content } = await handler('tools/call', params)
        if (isError) throw new Error(content[0].text)
      }
    },
  }
}
