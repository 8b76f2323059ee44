/**
 * Runs the official conformance suite directly and through the built proxy, and compares:
 * `node test/conformance/run.mjs [--only legacy|modern|cross|client]… [--proxy dist/main.js] [--update]`, or, with a server of
 * somebody else that listens already, `… --server http://localhost:3000/mcp`.
 *
 * Ends with 1 when something is worse through the proxy and not in `known-failures.json`, or is in that file and does not happen.
 * `--update` writes that file again. Then run `npm run format`, and give each new entry its reason.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ownFaults, surprises, updated } from './known.mjs'
import { killAll } from './processes.mjs'
import { summary, table } from './report.mjs'
import { createRuns } from './runs.mjs'
import { loadSuite } from './suite.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const KNOWN = here('known-failures.json')

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    server: { type: 'string' },
    proxy: { type: 'string', default: here('../../dist/main.js') },
    update: { type: 'boolean' },
  },
})

const directory = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-conformance-'))
let known = JSON.parse(readFileSync(KNOWN, 'utf8'))
const problems = []
const totals = []

function leave(code) {
  killAll()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leave(1))

const print = (text) => process.stdout.write(`${text}\n`)

function folder(name) {
  const path = join(directory, name.replaceAll(' ', '-'))
  mkdirSync(path)
  return path
}

/** Columns at a time, of whatever group: a run mostly waits. */
const AT_ONCE = 4

/** Runs the columns of all groups; resolves to their results, which lie by group as the columns do. */
async function runAll(groups) {
  const results = groups.map(() => [])
  const waiting = groups
    .flatMap(({ columns }, group) => columns.map(([, run], at) => [group, at, run]))
    .values()
  const work = async () => {
    for (const [group, at, run] of waiting) results[group][at] = await run()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

function tell({ title, columns }, results) {
  const done = columns.map(([column], at) => [column, results[at]])
  totals.push(...done.map(([column, found]) => [`${title}, ${column}`, found]))
  print(`\n${title}; in parentheses what the revision does not require\n`)
  print(table(done))
  const [[first, direct], ...others] = done
  problems.push(...ownFaults(`${title}, ${first}`, direct))
  for (const [column, found] of others) {
    const run = `${title}, ${column}`
    if (options.update) known = updated(known, run, direct, found)
    else problems.push(...surprises(known, run, direct, found))
  }
}

try {
  const runs = createRuns(await loadSuite(), resolve(options.proxy), folder, options.server)
  const chosen = options.only ?? Object.keys(runs)
  const unknown = chosen.find((name) => !Object.hasOwn(runs, name))
  if (unknown !== undefined) throw new Error(`--only takes ${Object.keys(runs).join(', ')}, not ${unknown}`)
  const groups = chosen.flatMap((name) => runs[name])
  const results = await runAll(groups)
  for (const [at, group] of groups.entries()) tell(group, results[at])
  if (options.update) writeFileSync(KNOWN, `${JSON.stringify(known, null, 2)}\n`)
} catch (error) {
  problems.push(error.stack)
}
if (totals.length > 0) print(`\nScenarios that pass:\n${summary(totals)}`)
print(problems.length === 0 ? '\nAs expected.' : `\n${problems.join('\n')}`)
leave(problems.length === 0 ? 0 : 1)
