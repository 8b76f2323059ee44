/**
 * Runs every example against the packed package, in an empty folder with what the examples say that they need, and prints a table.
 * Needs the network. Usage: node scripts/examples.mjs [NODE…] (versions such as 20 and 24; default: the Node that runs this)
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const SERVER = '@modelcontextprotocol/server-filesystem'
const PACKAGE = 'node_modules/mcp-rlm-proxy'

/** The sum over the open orders of `shop.mjs`. */
const SUM = /\{\\?"sum\(total\)\\?":1497000\}/

/** The examples: how each is run, and what it then prints or answers. */
const EXAMPLES = {
  'big-file.mjs': [program('big-file.mjs', `${PACKAGE}/mcp.schema.json`), /\d+ of \d+ tokens/],
  'in-process.mjs': [program('in-process.mjs'), SUM],
  'ai-sdk.mjs': [program('ai-sdk.mjs'), SUM],
  'http.mjs': [listening('http.mjs'), SUM],
  'express.mjs': [listening('express.mjs'), SUM],
  'hono.mjs': [listening('hono.mjs'), SUM],
  'stamp.ts': [stamped, /"example\.com\/time":"\d{4}-/],
  'mask-email.mjs': [moduleOf('mask-email', 'note.txt'), /write to \[email\]/],
  'guard_paths.py': [moduleOf('guard-paths', '../note.txt'), /Refused by the module/],
  'embedding.md, a gateway': [snippet(0, 'console.log(gateway.status())\nawait gateway.close()'), /'files'/],
  'embedding.md, questions': [snippet(1), /900/],
}

/**
 * Runs the examples in `folder`, where the package and what the examples need are installed. `node`: the executable.
 * Returns a row for each: its name, its milliseconds, why it was `skipped`, and its `fault`.
 */
export async function runExamples(folder, node = process.execPath) {
  const examples = join(folder, PACKAGE, 'examples')
  for (const kind of ['embedding', 'explore', 'modules/mask-email', 'modules/guard-paths'])
    cpSync(join(examples, kind), folder, { recursive: true })
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(folder, 'note.txt'), 'write to me@example.org')
  writeFileSync(join(folder, 'orders.json'), JSON.stringify(Array.from({ length: 900 }, orderOf)))
  const env = {
    ...process.env,
    HOME: home,
    USERPROFILE: home,
    // A machine may be busy.
    MCPPROXY_CONNECT_TIMEOUT_MS: '150000',
  }
  const waiting = Object.entries(EXAMPLES)
  const rows = []
  await Promise.all([work(), work()])
  return rows

  async function work() {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, [run, expected]] = next
      const began = performance.now()
      const row = await outcomeOf(run, expected, { folder, node, env })
      rows.push({ name, ms: Math.round(performance.now() - began), ...row })
    }
  }
}

async function outcomeOf(run, expected, place) {
  try {
    const told = await run(place)
    if (told === undefined) return { skipped: 'install python3' }
    return expected.test(told) ? {} : { fault: told }
  } catch (error) {
    return { fault: String(error) }
  }
}

function orderOf(_, id) {
  return { id, state: id % 2 ? 'open' : 'sent', total: 2, note: 'refund' }
}

/** A program that ends by itself. */
function program(...args) {
  return async ({ folder, node, env }) => {
    const child = spawn(node, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [[code], out, err] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ])
    if (code !== 0) throw new Error(`ended with ${code}: ${out}${err}`)
    return out
  }
}

/** A program that prints its address and listens there until it is told to end. */
function listening(file) {
  return async ({ folder, node, env }) => {
    const child = spawn(node, [file, '0'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [address] = await once(createInterface({ input: child.stdout }), 'line')
      const page = await (await fetch(new URL('/', address))).text()
      if (page !== 'A page of my own\n') throw new Error(`the page is ${page}`)
      const question = { tool: 'shop_orders', where: ['state = open'], aggregate: 'sum(total)' }
      return await ask(new StreamableHTTPClientTransport(new URL(address)), 'proxy_filter', question)
    } finally {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    }
  }
}

/** The program in TypeScript, as JavaScript for a Node that cannot take the types away. */
async function stamped({ folder, node, env }) {
  const { outputText } = ts.transpileModule(readFileSync(join(folder, 'stamp.ts'), 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  writeFileSync(join(folder, 'stamp.mjs'), `${outputText}\nawait main()\n`)
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify(configOf({ node }, { use: 'stamp' })))
  const transport = new StdioClientTransport({ command: node, args: ['stamp.mjs'], cwd: folder, env })
  return ask(transport, 'files_read_text_file', { path: 'note.txt' })
}

/** A module by the configuration of its README, before the server of that README. */
function moduleOf(name, path) {
  return async (place) => {
    const readme = readFileSync(join(place.folder, PACKAGE, 'examples/modules', name, 'README.md'), 'utf8')
    const [, shown] = /^```json\n(.*?)^```/ms.exec(readme)
    const [entry] = JSON.parse(shown).modules
    if (entry.command !== undefined && spawnSync(entry.command, ['--version']).status !== 0) return undefined
    // Where this machine has what the page has elsewhere.
    const args = entry.args?.map((arg) => arg.replace('/opt/modules/', `${place.folder}/`))
    const config = configOf(place, { ...entry, ...(args && { args }), timeoutMs: 120_000 })
    writeFileSync(join(place.folder, `${name}.json`), JSON.stringify(config))
    const asked = ['call', 'files_read_text_file', `path=${path}`, '--config', `${name}.json`]
    return program(`${PACKAGE}/dist/main.js`, ...asked)(place).catch((error) => error.message)
  }
}

/** A block of the page on embedding, and lines that show that it works. */
function snippet(index, more = '') {
  return (place) => {
    const page = readFileSync(join(place.folder, PACKAGE, 'docs/embedding.md'), 'utf8')
    const [, code] = [...page.matchAll(/^```js\n(.*?)^```/gms)][index]
    const file = `embedding-${index}.mjs`
    writeFileSync(join(place.folder, file), `${code}\n${more}\n`)
    return program(file)(place)
  }
}

function configOf({ node }, module) {
  const files = { command: node, args: [`node_modules/${SERVER}/dist/index.js`, '.'] }
  return { mcpServers: { files }, modules: [module] }
}

/** One call of a tool by a client that connects for it. */
async function ask(transport, name, args) {
  const client = new Client({ name: 'examples', version: '1.0.0' })
  try {
    await client.connect(transport)
    return JSON.stringify(await client.callTool({ name, arguments: args }))
  } finally {
    await client.close()
  }
}

/** The packages that the examples say they need, for a major version of Node. */
function neededBy(folder, major) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.[mt][js]s?$/.test(file),
  )
  const names = files.flatMap((file) => {
    const said = readFileSync(join(folder, file), 'utf8')
    const all = /`npm install ([^`]+)`/.exec(said)?.[1].split(' ') ?? []
    const special = new RegExp(`on Node ${major} with \`([^\`]+)\``).exec(said)?.[1].split(' ') ?? []
    const isReplaced = (name) => special.some((other) => other.startsWith(`${name}@`))
    return [...all.filter((name) => !isReplaced(name)), ...special]
  })
  return new Set(names)
}

async function main(versions) {
  const work = mkdtempSync(join(tmpdir(), 'examples-'))
  const npm = (args, options) =>
    execFileSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32', ...options })
  try {
    const packed = npm(['pack', '--silent', '--pack-destination', work], { cwd: root })
      .trim()
      .split('\n')
      .at(-1)
    let faults = 0
    for (const version of versions) {
      const node = nodeOf(version)
      const folder = join(work, version)
      mkdirSync(folder)
      const needed = neededBy(join(root, 'examples'), Number.parseInt(version, 10))
      needed.delete('mcp-rlm-proxy')
      const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
      const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel', 'error']
      npm(['install', ...options, join(work, packed), SERVER, ...needed], { cwd: folder, env })
      console.log(
        `Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}, ${[...needed].join(' ')}`,
      )
      for (const { name, ms, skipped, fault } of await runExamples(folder, node)) {
        console.log(`  ${name.padEnd(26)} ${skipped === undefined ? `${ms} ms` : `skipped: ${skipped}`}`)
        if (fault === undefined) continue
        faults++
        console.error(fault)
      }
    }
    console.log(faults === 0 ? 'All examples ran.' : `${faults} did not do what they should.`)
    process.exitCode = faults === 0 ? 0 : 1
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The executable of a version of Node, which npx brings where it differs from this one. */
function nodeOf(version) {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath
  const asked = ['-y', '--prefer-offline', '-p', `node@${version}`, '-c', 'node -p process.execPath']
  return execFileSync('npx', asked, { encoding: 'utf8' }).trim()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const versions = process.argv.slice(2)
  await main(versions.length > 0 ? versions : [String(Number.parseInt(process.versions.node, 10))])
}
