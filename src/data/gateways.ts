/**
 * Gateways that run in the background: where each is reached, and which process it is. A gateway is for one configuration file, the
 * settings laid over it, and one version of this package. Loads no schema, so that `connect` starts fast.
 */
import { createHash } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { CONFIG_PATH_VARIABLE } from '../config/aliases.ts'
import { absolutePath } from '../config/find.ts'
import { packageVersion } from '../config/identity.ts'
import { hasCode, ProxyError } from '../protocol/errors.ts'
import { isGone, noteOfThis, type ProcessNote, readNote } from './process-notes.ts'

/** The facts that a place depends on. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  home: string
  temporary: string
  platform: string
}

/** Where a gateway is reached, and its files. */
export interface GatewayPlace {
  /** A Unix socket; on Windows a named pipe. */
  readonly socket: string
  /** Says which process it is, for as long as it runs. */
  readonly note: string
  /** The file with its standard error. */
  readonly log: string
}

/** A gateway that runs. */
export interface RunningGateway extends GatewayPlace {
  readonly process: ProcessNote
  /** The configuration file. */
  readonly config: string
  readonly version: string
}

/** Bytes of a socket's path that every system takes (sun_path of unix(7) has 108, of macOS 104, with the zero at the end). */
const LONGEST_SOCKET = 103

/** `flags`: settings of the command line, which the gateway is started with. Makes the folder, for this user alone. */
export function gatewayPlace(
  surroundings: Surroundings,
  config: string,
  flags: Readonly<Record<string, string | undefined>> = {},
): GatewayPlace {
  const { env, platform, temporary } = surroundings
  const settings = Object.entries({ ...env, MCPPROXY_DATA_DIR: dataDirOf(surroundings) }).filter(
    ([name, value]) => name.startsWith('MCPPROXY_') && value !== undefined && name !== CONFIG_PATH_VARIABLE,
  )
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  const what = [hostname(), realpathSync(config), packageVersion(), settings.sort(), given.sort()]
  const id = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16)
  const folder = gatewaysFolder(surroundings)
  makePrivate(folder)
  const own = join(folder, id)
  const files = { note: `${own}.json`, log: `${own}.log` }
  if (platform === 'win32') {
    const user = createHash('sha256').update(folder).digest('hex').slice(0, 16)
    return { ...files, socket: `\\\\.\\pipe\\mcp-rlm-proxy-${user}-${id}` }
  }
  if (Buffer.byteLength(`${own}.sock`) <= LONGEST_SOCKET) return { ...files, socket: `${own}.sock` }
  const near = join(temporary, `mcp-rlm-proxy-${process.getuid?.() ?? 0}`)
  makePrivate(near)
  return { ...files, socket: join(near, `${id}.sock`) }
}

/** The data directory that the environment names, which every gateway of this environment is told. */
export function dataDirOf({ env, cwd, home }: Surroundings): string | undefined {
  const { MCPPROXY_DATA_DIR: named = '' } = env
  return named === '' ? undefined : absolutePath(named, cwd, home)
}

/** A gateway is found before its configuration is read: what the file says of the data directory is not looked at. */
function gatewaysFolder(surroundings: Surroundings): string {
  return join(dataDirOf(surroundings) ?? join(surroundings.home, '.mcpproxy'), 'gateways')
}

/** A user who may enter the folder may speak to the gateway, so a folder that others own or can write to is refused. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { mode, uid } = statSync(folder)
  const user = process.getuid?.()
  if (user === undefined || (uid === user && (mode & 0o077) === 0)) return
  throw new ProxyError(
    'CONFIG_INVALID',
    `${folder} is open to other users.`,
    `Close it with: chmod 700 ${folder} (it must belong to you)`,
  )
}

/** All gateways of this user that run. Notes of processes that ended are left out. */
export function runningGateways(surroundings: Surroundings): RunningGateway[] {
  const folder = gatewaysFolder(surroundings)
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const running = name.endsWith('.json') ? readGateway(join(folder, name)) : undefined
    return running === undefined || isGone(running.process) !== false ? [] : [running]
  })
}

/** Undefined where no gateway says so, or where it has ended. */
export function gatewayAt({ note }: Pick<GatewayPlace, 'note'>): RunningGateway | undefined {
  const running = readGateway(note)
  return running === undefined || isGone(running.process) === true ? undefined : running
}

function readGateway(note: string): RunningGateway | undefined {
  try {
    const said = JSON.parse(readFileSync(note, 'utf8')) as Partial<RunningGateway>
    const { socket, log, config, version } = said
    const process = readNote(said.process)
    if (process === undefined || ![socket, log, config, version].every((one) => typeof one === 'string'))
      return undefined
    return { ...(said as RunningGateway), note, process }
  } catch {
    return undefined
  }
}

/**
 * Takes a place for this process. The note comes to be with its content, in one step, so of two gateways that start at once one has it.
 * Undefined: another process has it. The answer gives the place free again.
 */
export function takePlace(place: GatewayPlace, config: string): (() => void) | undefined {
  const own = `${place.note}.${process.pid}`
  const said: RunningGateway = { ...place, process: noteOfThis(), config, version: packageVersion() }
  writeFileSync(own, JSON.stringify(said), { mode: 0o600 })
  try {
    for (let tries = 0; tries < 5; tries++) {
      if (linked(own, place.note)) return () => rmSync(place.note, { force: true })
      if (gatewayAt(place) !== undefined) return undefined
      removeDead(place.note, `${own}.old`)
    }
    return undefined
  } finally {
    rmSync(own, { force: true })
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Another process may have removed the dead note, and written its own: what was moved away is looked at, and put back. */
function removeDead(note: string, aside: string): void {
  try {
    renameSync(note, aside)
    if (gatewayAt({ note: aside }) !== undefined) linkSync(aside, note)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(aside, { force: true })
  }
}
