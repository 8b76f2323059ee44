/**
 * Runs the official conformance suite against the fixture server, directly and through the built proxy, and compares:
 * `node test/conformance/run.mjs [--only legacy|modern] [--update]`. Ends with 1 when a scenario does worse through the
 * proxy and is not in `known-failures.json`, or is there and does not; `--update` writes that file anew (then `npm run format`).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { killAll, startServer } from './processes.mjs'
import { failuresOf, faultsOfFixture, surprises, table, updated } from './report.mjs'
import { runSuite } from './suite.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const KNOWN = here('known-failures.json')
const REVISIONS = { legacy: '2025-11-25', modern: '2026-07-28' }

/** A server that has nothing to do with the scenarios. */
const ANOTHER = { command: process.execPath, args: [here('../e2e/support/fixture-server.mjs'), 'another'] }

/** Runs through the proxy, by era: title and the servers next to the fixture. */
const THROUGH = {
  legacy: { 'through the proxy': {}, 'next to another': { another: ANOTHER } },
  modern: { 'through the proxy': {} },
}

const { values: options } = parseArgs({ options: { only: { type: 'string' }, update: { type: 'boolean' } } })
const eras = Object.keys(REVISIONS).filter((era) => options.only === undefined || options.only === era)
if (eras.length === 0) throw new Error(`--only takes ${Object.keys(REVISIONS).join(' or ')}`)

const directory = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-conformance-'))
const known = JSON.parse(readFileSync(KNOWN, 'utf8'))
const problems = []

function leave(code) {
  killAll()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leave(1))

const print = (text) => process.stdout.write(`${text}\n`)

/** A folder of its own for every run. */
function folder(...names) {
  const path = join(directory, names.join('-').replaceAll(' ', '-'))
  mkdirSync(path)
  return path
}

async function throughProxy(era, title, url, others) {
  const place = folder(era, title, 'proxy')
  const config = join(place, 'mcp.json')
  const proxySettings = {
    dataDir: join(place, 'data'),
    naming: { prefix: 'never' },
    log: { level: 'error' },
  }
  writeFileSync(config, JSON.stringify({ mcpServers: { fixture: { url }, ...others }, proxySettings }))
  const serve = ['--config', config, '--transport', 'streamable-http', '--port', '0']
  const proxy = await startServer(
    process.execPath,
    [here('../../dist/main.js'), ...serve],
    /(?<= at )http:\S+(?=\n)/,
  )
  try {
    // The scenario for DNS rebinding wants the name.
    return await runSuite(proxy.found.replace('127.0.0.1', 'localhost'), REVISIONS[era], folder(era, title))
  } finally {
    await proxy.end()
  }
}

async function runEra(era) {
  const fixture = await startServer(process.execPath, [here('server.mjs')], /^http:\S+(?=\n)/)
  try {
    const direct = await runSuite(fixture.found, REVISIONS[era], folder(era, 'direct'))
    problems.push(...faultsOfFixture(direct).map((fault) => `${era}: ${fault}`))
    const columns = [['direct', direct]]
    for (const [title, others] of Object.entries(THROUGH[era])) {
      columns.push([title, await throughProxy(era, title, fixture.found, others)])
    }
    print(`\n${era} (${REVISIONS[era]}); in parentheses what the revision does not require\n`)
    print(table(columns))
    for (const [title, through] of columns.slice(1)) judge(`${era}, ${title}`, direct, through)
  } finally {
    await fixture.end()
  }
}

function judge(run, direct, through) {
  const failures = failuresOf(direct, through)
  const listed = known[run] ?? {}
  print(`\n${run}: ${failures.size} scenarios do worse than directly`)
  if (options.update) known[run] = updated(failures, listed)
  else problems.push(...surprises(failures, listed).map((surprise) => `${run}: ${surprise}`))
}

try {
  for (const era of eras) await runEra(era)
  if (options.update) writeFileSync(KNOWN, `${JSON.stringify(known, null, 2)}\n`)
} catch (error) {
  problems.push(error.stack)
}
print(problems.length === 0 ? '\nAs expected.' : `\n${problems.join('\n')}`)
leave(problems.length === 0 ? 0 : 1)
