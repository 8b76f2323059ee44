/**
 * npm run clients [-- [CLIENT…] [--proxy FOLDER] [--as before|after] [--scenarios main,ask,…] [--cache FOLDER] [--no-install]]
 * Runs real clients against the proxy with a scripted model. Each has its own home, an empty environment and dummy keys, and everything
 * is on the loopback. The replies to the model are read and written to benchmarks/results/clients.json; the record of other clients
 * and scenarios stays. `--proxy`: the root of another built version.
 */
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CLIENTS, snippet } from '../../dist/cli/clients.js'
import { clients } from './clients.mjs'
import { cacheFolder, install, installOf, nodeOf } from './install.mjs'
import { startModel } from './model.mjs'
import { askDirectly, readScenario, summary } from './reading.mjs'
import { scenarios } from './scenarios.mjs'

const LIMIT_MS = 180_000
const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
const results = join(root, 'benchmarks/results/clients.json')

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    proxy: { type: 'string', default: root },
    as: { type: 'string', default: 'after' },
    scenarios: { type: 'string', default: Object.keys(scenarios).join(',') },
    cache: { type: 'string' },
    'no-install': { type: 'boolean', default: false },
  },
})
const cache = resolve(cacheFolder(options.cache))
const names = positionals.length > 0 ? positionals : Object.keys(clients)
const chosen = options.scenarios.split(',')
for (const [words, known] of [
  [names, clients],
  [chosen, scenarios],
  [[options.as], { before: 1, after: 1 }],
]) {
  const stranger = words.find((word) => !Object.hasOwn(known, word))
  if (stranger !== undefined) {
    console.error(`"${stranger}" is not known. Write one of: ${Object.keys(known).join(', ')}`)
    process.exit(2)
  }
}
const proxyMain = join(resolve(options.proxy), 'dist/main.js')
if (!existsSync(proxyMain)) {
  console.error(`${options.proxy} has no built proxy. Run npm run build there.`)
  process.exit(2)
}

const failed = options['no-install'] ? {} : await install(cache, names, (line) => console.error(line))
const node = nodeOf(cache)
const recorded = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : { clients: {} }
recorded.proxy ??= {}
const direct = await withHome('direct', (home) =>
  askDirectly(serverOf(scenarios.main, home), environmentOf(home)),
)
recorded.proxy[options.as] = {
  definitionTokens: direct.definitionTokens,
  previewTokens: direct.previewTokens,
}

for (const name of names) {
  const row = clients[name]
  const { notRun, ...before } = recorded.clients[name] ?? {}
  const entry = { ...before, title: row.title, packages: row.npm ?? row.pip }
  recorded.clients[name] = entry
  const folder = installOf(cache, name)
  if (folder === undefined) {
    entry.notRun = plain(failed[name] ?? 'it is not installed')
    console.error(`${name}: not run: ${entry.notRun}`)
    continue
  }
  for (const scenario of chosen) {
    if (scenarios[scenario].settings && row.client === undefined) continue
    const started = Date.now()
    const read = await runOne(name, row, folder, scenario)
    const seconds = Math.round((Date.now() - started) / 1000)
    console.error(`${name} ${scenario}: ${read.notRun ? `not run: ${read.notRun}` : 'done'} (${seconds} s)`)
    // The client's own limits have nothing to do with the proxy.
    if (scenarios[scenario].proxy === false) entry[scenario] = read
    else entry[options.as] = { ...entry[options.as], [scenario]: read }
    save()
  }
}
save()
console.log(summary(recorded, options.as))

function save() {
  // In the order of the table, whatever was run last.
  const sorted = Object.fromEntries(
    Object.keys(clients).flatMap((name) => (recorded.clients[name] ? [[name, recorded.clients[name]]] : [])),
  )
  writeFileSync(results, `${JSON.stringify({ ...recorded, clients: sorted }, null, 2)}\n`)
}

/** The command of the server that a client is given: the proxy before the server of orders, or that server itself. */
function serverOf({ proxy = true, fillers = 0 }, home) {
  const orders = { command: node, args: [join(here, 'server.mjs'), String(fillers)] }
  if (!proxy) return orders
  const config = join(home, 'proxy.json')
  writeFileSync(config, JSON.stringify({ mcpServers: { orders } }))
  return { command: node, args: [proxyMain, '--config', config] }
}

async function withHome(label, use) {
  const home = join(cache, 'homes', label)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(join(home, 'work'), { recursive: true })
  return use(home)
}

function runOne(name, row, folder, scenarioName) {
  const scenario = scenarios[scenarioName]
  return withHome(`${name}-${scenarioName}`, async (home) => {
    // As on every day but the first: the proxy has been started with this configuration before.
    if (scenario.proxy !== false) await askDirectly(serverOf(scenario, home), environmentOf(home))
    const model = await startModel(scenario.steps, row)
    const server = serverOf(scenario, home)
    // As `mcp-rlm-proxy init --client` writes it, or with nothing but the command.
    const client = scenario.settings ? CLIENTS.find(({ id }) => id === row.client) : undefined
    const entry = (plain) => client?.write(server.command, server.args) ?? plain
    const context = {
      bin: (path) => join(folder, path),
      program: (file) => join(here, 'programs', file),
      node,
      home,
      work: join(home, 'work'),
      model: model.address,
      server,
      entry,
      toml: (plain) => snippet({ format: 'toml', key: 'mcp_servers' }, 'proxy', entry(plain)),
      approve: scenario.approve !== false,
    }
    for (const file of row.copies ?? []) copyFileSync(context.program(file), context.bin(file))
    for (const [path, text] of Object.entries(row.files?.(context) ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true })
      writeFileSync(join(home, path), text)
    }
    let output = ''
    try {
      for (const command of [...(row.before?.(context) ?? []), row.start(context)])
        output += await runCommand(command, context)
    } finally {
      endLeftovers(home)
      await model.close()
      // For the search for causes; the recorded results hold none of it.
      writeFileSync(join(home, 'output.txt'), output)
      writeFileSync(
        join(home, 'notes.json'),
        JSON.stringify({ ...model.notes, known: [...model.notes.known.values()] }, null, 1),
      )
    }
    return (
      readScenario(scenarioName, scenario, model.notes, direct) ?? {
        notRun: plain(output.trim().slice(-300)) || 'it asked the model nothing',
      }
    )
  })
}

/** All that a client finds in its environment, beside what its row adds. */
function environmentOf(home) {
  return {
    PATH: `${dirname(node)}:/usr/bin:/bin`,
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: '1',
    NO_COLOR: '1',
  }
}

/** Runs a command in a process group of its own, which is ended with it. Returns what it wrote. */
function runCommand({ command, args, env }, { home, work }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: work,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environmentOf(home), ...env },
    })
    let output = ''
    const end = (signal) => {
      try {
        process.kill(-child.pid, signal)
      } catch {} // The group is gone.
    }
    const limit = setTimeout(() => {
      output += `\nended after ${LIMIT_MS / 1000} s`
      end('SIGTERM')
      setTimeout(end, 3000, 'SIGKILL').unref()
    }, LIMIT_MS)
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    child.on('error', (error) => {
      output += error.message
    })
    child.on('close', () => {
      clearTimeout(limit)
      end('SIGTERM')
      resolve(output)
    })
  })
}

/** Ends what left the process group (a client's daemon): only processes of which HOME is the folder made for this run. */
function endLeftovers(home) {
  if (process.platform !== 'linux') return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`HOME=${home}`))
        process.kill(Number(pid), 'SIGTERM')
    } catch {} // It ended meanwhile, or belongs to another user.
  }
}

/** A reason without paths of this machine and without addresses, in one line. */
function plain(reason) {
  return reason
    .replaceAll(/https?:\/\/\S+/g, 'ADDRESS')
    .replaceAll(/(?:\/[\w.@+-]+){2,}/g, 'PATH')
    .replaceAll(/\s+/g, ' ')
    .slice(0, 300)
}
