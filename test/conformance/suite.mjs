/** The official conformance suite of MCP, run against one address. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './processes.mjs'

/** Its command line needs a newer Node than this project. */
const PACKAGES = ['-p', 'node@24', '-p', '@modelcontextprotocol/conformance@0.2.0-alpha.12']

/** Milliseconds for all scenarios of a revision, the download included. */
const LIMIT_MS = 600_000

/** A folder of results: `server-{scenario}-{time}`. */
const FOLDER = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/

/** A line of the list of scenarios that are run but not required: `  ✓ {scenario} ({reason})`. */
const NOT_SCORED = /^ {2}[✓✗] (\S+) \([\w-]+\)$/gm

/**
 * Resolves to the results by scenario, in the order of the run: counts of checks that passed, failed and warned, the
 * messages of those that failed, and whether the revision requires the scenario.
 */
export async function runSuite(url, revision, directory) {
  const command = ['conformance', 'server', '--url', url, '--requirements', revision, '-o', directory]
  const { output } = await runCommand(
    'npx',
    ['-y', ...PACKAGES, '--', ...command],
    { cwd: directory },
    LIMIT_MS,
  )
  if (!output.includes('=== SUMMARY ===')) throw new Error(`The suite did not run to its end:\n${output}`)
  const optional = new Set([...output.matchAll(NOT_SCORED)].map(([, scenario]) => scenario))
  const folders = readdirSync(directory).flatMap((folder) => {
    const scenario = FOLDER.exec(folder)?.[1]
    return scenario === undefined ? [] : [{ folder, scenario }]
  })
  const order = ({ scenario }) => output.indexOf(`scenario: ${scenario} ===`)
  return new Map(
    folders
      .sort((a, b) => order(a) - order(b))
      .map(({ folder, scenario }) => {
        const counts = count(join(directory, folder, 'checks.json'))
        return [scenario, { ...counts, required: !optional.has(scenario) }]
      }),
  )
}

/** A scenario that breaks off writes no checks. */
function count(file) {
  if (!existsSync(file)) return { passed: 0, failed: 1, warned: 0, failures: ['broke off'] }
  const checks = JSON.parse(readFileSync(file, 'utf8'))
  const of = (status) => checks.filter((check) => check.status === status)
  const failures = of('FAILURE').map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'failed'}`)
  return { passed: of('SUCCESS').length, failed: failures.length, warned: of('WARNING').length, failures }
}
