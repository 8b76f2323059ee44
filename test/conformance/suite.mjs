/** The official conformance suite of MCP: its scenarios for servers against one address, those for clients with one command. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './processes.mjs'

/** Its command line needs a newer Node than this project. */
const PACKAGES = ['-p', 'node@24', '-p', '@modelcontextprotocol/conformance@0.2.0-alpha.12']

/** Milliseconds for the download, for all server scenarios of a revision, and for one client scenario. */
const LIMITS = { install: 600_000, servers: 300_000, client: 60_000 }

/** Client scenarios at a time; each starts three processes. */
const AT_ONCE = 3

/** A folder of results: `{scenario}-{time}`; those of server scenarios begin with `server-`. */
const FOLDER = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/

/** A line of the list of scenarios that are run but not required: `  ✓ {scenario} ({reason})`. */
const NOT_SCORED = /^ {2}[✓✗] (\S+) \([\w-]+\)$/gm

/** The client scenarios in `list --requirements`: the required ones by name, the others with the leg they belong to. */
const REQUIRED_CLIENT = /(?<=^Client scenarios[^\n]*\n)(?: {2}- \S+\n)+/m
const OPTIONAL_CLIENT = /^ {4}- (\S+) \[client\]$/gm

/** Resolves to the suite, downloaded unless it was before. */
export async function loadSuite() {
  const script = 'command -v node && command -v conformance'
  const { output } = await runCommand('npx', ['-y', ...PACKAGES, '-c', script], {}, LIMITS.install)
  const [node, cli] = output.split('\n').filter((line) => line.startsWith('/'))
  if (cli === undefined) throw new Error(`The suite could not be had:\n${output}`)
  const run = (args, directory, limit) => runCommand(node, [cli, ...args], { cwd: directory }, limit)
  return {
    serverScenarios: (url, revision, directory) => serverScenarios(run, url, revision, directory),
    clientScenarios: (command, revision, directory) => clientScenarios(run, command, revision, directory),
  }
}

/**
 * Resolves to the results by scenario, in the order of the run. Each has the counts of checks that passed, failed and warned, the checks,
 * and the messages of failed ones. It also says whether the revision requires the scenario.
 */
async function serverScenarios(run, url, revision, directory) {
  const command = ['server', '--url', url, '--requirements', revision, '-o', directory]
  const { output } = await run(command, directory, LIMITS.servers)
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

/** The same for the scenarios in which the suite is the server and the command, given its address, the client. */
async function clientScenarios(run, command, revision, directory) {
  const { output } = await run(['list', '--requirements', revision], directory, LIMITS.client)
  const required = REQUIRED_CLIENT.exec(output)?.[0].match(/(?<=- )\S+/g) ?? []
  const optional = [...output.matchAll(OPTIONAL_CLIENT)].map(([, scenario]) => scenario)
  if (required.length === 0) throw new Error(`No client scenarios are required:\n${output}`)
  const names = [...required, ...optional]
  const results = new Map(names.map((name) => [name, undefined]))
  const waiting = names.values()
  const work = async () => {
    for (const name of waiting) {
      const place = join(directory, name.replaceAll('/', '-'))
      const result = await clientScenario(run, command, revision, name, place)
      results.set(name, { ...result, required: required.includes(name) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

async function clientScenario(run, command, revision, name, place) {
  mkdirSync(place)
  const wire = ['--spec-version', revision, '--force', '--timeout', String(LIMITS.client - 5000)]
  const args = ['client', '--command', command, '--scenario', name, ...wire, '-o', place]
  const { output, code } = await run(args, place, LIMITS.client)
  const file = resultsIn(place)
  const counts = count(file)
  // Also when all checks passed and the client then broke off.
  if (counts.failed === 0 && counts.warned === 0 && code !== 0) {
    return { ...counts, failed: 1, failures: [`The client broke off:\n${output.trim().slice(-2000)}`] }
  }
  return counts
}

/** The suite nests the folder when the name of the scenario has a slash. */
function resultsIn(place) {
  const found = readdirSync(place, { recursive: true }).find((path) => path.endsWith('checks.json'))
  return join(place, found ?? 'checks.json')
}

/** A scenario that breaks off writes no checks; one that writes none has shown nothing. Neither passes. */
export function count(file) {
  if (!existsSync(file)) return unproven('broke off')
  const checks = JSON.parse(readFileSync(file, 'utf8'))
  const of = (...statuses) => checks.filter(({ status }) => statuses.includes(status))
  const failures = of('FAILURE').map(
    ({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`,
  )
  if (of('SUCCESS', 'FAILURE', 'WARNING').length === 0) return unproven('made no checks')
  return {
    passed: of('SUCCESS').length,
    failed: failures.length,
    warned: of('WARNING').length,
    checks: [...new Set(of('SUCCESS', 'FAILURE', 'WARNING').map(({ id, name }) => `${id} ${name}`))],
    failures,
  }
}

function unproven(why) {
  return { passed: 0, failed: 1, warned: 0, checks: [], failures: [why] }
}
