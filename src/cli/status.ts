/** Shows the layers around an exchange in their order, the modules that could be added, and what past runs saved. */
import { isLocal } from '../config/loopback.ts'
import { holdersOf } from '../config/modules.ts'
import { type Profile, profilesOf } from '../config/profiles.ts'
import type { Config } from '../config/schema.ts'
import { dataDirectory } from '../data/directory.ts'
import { runningGateways } from '../data/gateways.ts'
import { BUILT_IN } from '../features/modules.ts'
import type { LayerStatus, ModuleStatus } from '../gateway.ts'
import { type Comparison, compareTrials } from '../observe/holdout.ts'
import { createRedactor, secretsOf } from '../observe/redact.ts'
import { formatSavings, mergeRows, readLedger, type SavingsDay, totalsOf } from '../observe/savings-report.ts'
import { formatPlural, printable } from '../text/format.ts'
import type { Host, Invocation } from './host.ts'
import { settle, standing, withGateway } from './settle.ts'
import { columns } from './terminal.ts'

/** Starts the modules, and no server. Exit code 1 when one of them does not work. */
export async function status(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  const { layers, modules } = await standing(config, host)
  const redactor = createRedactor(secretsOf(holdersOf(config.modules)))
  const broken = modules
    .filter(({ state }) => state !== 'ok')
    .map((module) => ({ ...module, message: redactor.text(module.message) }))
  const used = new Set(config.modules.flatMap((module) => (module.kind === 'use' ? [module.use] : [])))
  const available = Object.entries(BUILT_IN).flatMap(([name, { what }]) =>
    used.has(name) ? [] : [{ name, what }],
  )
  const servers = config.servers.map(({ name }) => name)
  const profiles = profilesOf(config.modules)
  const background = runningGateways(host)
    .filter((one) => one.config === config.file)
    .map(({ process: { pid, born }, version, log }) => ({
      pid,
      since: new Date(born).toISOString(),
      version,
      log,
    }))
  host.stdout.write(
    json
      ? `${JSON.stringify({ layers, servers, profiles, modules, available, background }, null, 2)}\n`
      : [
          order(layers, servers),
          inBackground(background),
          choices(profiles),
          troubles(broken),
          others(available),
        ]
          .filter((part) => part !== '')
          .join('\n'),
  )
  return broken.length > 0 ? 1 : 0
}

function order(layers: readonly LayerStatus[], servers: readonly string[]): string {
  const rows = layers.map(({ name, kind, what }) => [name, kind, what] as const)
  return `client\n${columns(rows)}${servers.length === 0 ? 'no servers' : `servers: ${servers.join(', ')}`}\n`
}

function inBackground(gateways: readonly { pid: number; since: string; version: string }[]): string {
  if (gateways.length === 0) return ''
  const rows = gateways.map(({ pid, since, version }) => [
    `process ${pid}`,
    `version ${version}`,
    `since ${since}`,
  ])
  return `In the background, for clients that come by connect:\n${columns(rows)}`
}

function choices(profiles: readonly Profile[]): string {
  if (profiles.length === 0) return ''
  const rows = profiles.map(({ name, title = '', isDefault }) => [
    name,
    `/${name}${isDefault ? ', and for who chooses none' : ''}`,
    title,
  ])
  return `Profiles, by --profile or by the path (doctor counts their tools):\n${columns(rows)}`
}

function troubles(broken: readonly ModuleStatus[]): string {
  return broken
    .map(({ name, message }) => `The module ${name} does not work: ${printable(message)}\n`)
    .join('')
}

function others(available: readonly { name: string; what: string }[]): string {
  if (available.length === 0) return ''
  return `Not in use, and to be had in "modules":\n${columns(available.map(({ name, what }) => [name, what]))}`
}

// The savings of past runs, from the ledger in the data directory.

/** Tools shown in the table. */
const LARGEST = 15

export async function stats(host: Host, invocation: Invocation, json: boolean): Promise<number> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  const directory = dataDirectory(config, host.cwd, host.home)
  const { trials, ...kept } = await readLedger(directory)
  const { shared, isAway } = await ofReplicas(config, host)
  const days = shared ?? kept.days
  const compared = compareTrials(trials)
  const tools = mergeRows(days.flatMap((day) => day.tools))
  if (json) {
    const byDay = days.map(({ day, tools }) => ({ day, ...totalsOf(tools) }))
    host.stdout.write(
      `${JSON.stringify({ totals: totalsOf(tools), days: byDay, tools, holdout: compared }, null, 2)}\n`,
    )
    return 0
  }
  const [first, last] = [days[0]?.day, days.at(-1)?.day]
  if (isAway)
    host.stderr.write('The shared store cannot be reached: these are the savings of this machine alone.\n')
  const whose = shared === undefined ? '' : ', all replicas'
  if (first === undefined && shared !== undefined) host.stdout.write('No replica saved anything yet.\n')
  else if (first === undefined)
    host.stdout.write(`Nothing was saved yet: there is no ledger in ${directory}.\n`)
  else
    host.stdout.write(`${first} to ${last}${whose}\n${formatSavings(tools, LARGEST)}\n${heldOut(compared)}`)
  return 0
}

/** The savings of all replicas, where they share a store. */
async function ofReplicas(
  { settings, ...config }: Config,
  host: Host,
): Promise<{ shared: SavingsDay[] | undefined; isAway: boolean }> {
  const isShared =
    typeof settings.store !== 'string' && settings.sessions.key !== undefined && !isLocal(settings.transport)
  if (!isShared) return { shared: undefined, isAway: false }
  const alone = { ...config, servers: [], modules: [], settings }
  const shared = await withGateway(alone, host, (gateway) => gateway.savingsOfReplicas())
  return { shared, isAway: shared === undefined }
}

/** Nothing where no result was held out. */
function heldOut({ previews, whole, saved }: Comparison): string {
  if (whole.calls === 0) return ''
  const percent = (share: number): string => `${Math.round(100 * share)} %`
  const counts = `${formatPlural(previews.calls, 'large result')} with a preview, ${whole.calls} held out and sent whole`
  return saved === undefined
    ? `${counts}: too few to compare.\n`
    : `${counts}: previews and what came after them cost ${percent(saved.share)} less (95 % interval: ${percent(saved.low)} to ${percent(saved.high)}).\n`
}
