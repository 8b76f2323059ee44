/** How the library speaks to each kind of store: one server, the master that Sentinel names, or a cluster. Nothing here connects again. */
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import type { Place, StoreAddress } from './address.ts'

/** A value that is sent. Answers hold Buffers for texts. */
export type Argument = string | Buffer

/** One connection, or one to each node of a cluster: as a whole it is there or lost. */
export interface Client {
  connect(): Promise<unknown>
  destroy(): void
  sendCommand(args: Argument[]): Promise<unknown>
  /** To each server that takes commands that write. */
  sendToEach(args: Argument[]): Promise<unknown>[]
  subscribe(channel: string, heard: (message: Buffer) => void, asBuffers: true): Promise<unknown>
}

/** Makes a client that is not connected yet. `lost`: a connection broke off, for this reason. */
export type MakeClient = (lost: (reason: unknown) => void) => Client

/** The part of the library that is used, as a program sees it that may not have it. */
interface Library {
  createClient(options: object): LibraryClient
  createCluster(options: object): LibraryCluster
  RESP_TYPES: { BLOB_STRING: number }
}

interface LibraryClient extends Omit<Client, 'sendToEach'> {
  on(event: 'error' | 'end', heard: (error?: unknown) => void): unknown
}

interface LibraryCluster extends Omit<LibraryClient, 'on' | 'sendCommand'> {
  readonly masters: readonly object[]
  nodeClient(node: object): Promise<LibraryClient>
  on(event: 'error' | 'node-error' | 'node-disconnect', heard: (error?: unknown) => void): unknown
  sendCommand(firstKey: Argument | undefined, isReadonly: boolean, args: Argument[]): Promise<unknown>
}

/** Rejects where the library is not installed. `handshakeMs`: what connecting to one server may take. */
export async function clientsOf(address: StoreAddress, handshakeMs: number): Promise<MakeClient> {
  const library = await load()
  const settings = {
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandOptions: { typeMapping: { [library.RESP_TYPES.BLOB_STRING]: Buffer } },
  }
  const { username, password, database, tls } = address
  // The caller makes a new client in place of a lost one: the library's own way would go on where a server accepts and never answers.
  const socket = { tls, connectTimeout: handshakeMs, reconnectStrategy: false }

  const server = (place: Place, lost: (reason: unknown) => void): LibraryClient => {
    const own = { username, password, database, socket: { ...socket, ...place } }
    const made = library.createClient({ ...settings, ...own })
    made.on('error', lost)
    made.on('end', lost)
    return made
  }

  const cluster: MakeClient = (lost) => {
    let reason: unknown
    const { commandOptions, ...defaults } = settings
    const made = library.createCluster({
      rootNodes: address.places.map((place) => ({ socket: place })),
      defaults: { ...defaults, username, password, socket },
      commandOptions,
    })
    // One of the nodes that were asked for the others is away: another one may answer.
    made.on('error', (error) => {
      reason = error
    })
    // The others could serve their own part, but then results would be shared or not as their names fall.
    made.on('node-error', lost)
    made.on('node-disconnect', lost)
    return {
      connect: () => made.connect().catch((error: unknown) => Promise.reject(reason ?? error)),
      destroy: () => made.destroy(),
      sendCommand: (args) => made.sendCommand(keyIn(args), false, args),
      sendToEach: (args) => made.masters.map(async (node) => (await made.nodeClient(node)).sendCommand(args)),
      subscribe: (channel, heard, asBuffers) => made.subscribe(channel, heard, asBuffers),
    }
  }

  /** Which Sentinel is asked first: the next one, where this one did not answer. */
  let turn = 0
  const sentinel: MakeClient = (lost) => {
    let used: LibraryClient | undefined
    const client = (): LibraryClient => {
      if (used === undefined) throw new Error('it is not connected')
      return used
    }

    async function askedAt(place: Place): Promise<Place | undefined> {
      const { sentinelUsername, sentinelPassword } = address
      const own = { username: sentinelUsername, password: sentinelPassword, socket: { ...socket, ...place } }
      const made = library.createClient({ ...settings, ...own })
      used = made
      made.on('error', () => {})
      try {
        await made.connect()
        const answer = await made.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.master])
        if (!Array.isArray(answer)) return undefined
        return { host: String(answer[0]), port: Number(String(answer[1])) }
      } finally {
        destroy(made)
      }
    }

    async function master(): Promise<Place> {
      let reason = ''
      for (const _ of address.places) {
        const place = address.places[turn % address.places.length] ?? address.places[0]
        turn++
        try {
          const found = await askedAt(place)
          if (found) {
            turn--
            return found
          }
          reason = `Sentinel at ${place.host}:${place.port} watches no master of the name ${address.master}`
        } catch (error) {
          reason = `Sentinel at ${place.host}:${place.port}: ${messageOf(error)}`
        }
      }
      throw new Error(reason)
    }

    let isDestroyed = false
    return {
      async connect() {
        const place = await master()
        if (isDestroyed) throw new Error('it was given up')
        used = server(place, lost)
        await used.connect()
      },
      destroy() {
        isDestroyed = true
        if (used) destroy(used)
      },
      sendCommand: (args) => client().sendCommand(args),
      sendToEach: (args) => [client().sendCommand(args)],
      subscribe: (channel, heard, asBuffers) => client().subscribe(channel, heard, asBuffers),
    }
  }

  const single: MakeClient = (lost) => {
    const made = server(address.places[0], lost)
    return Object.assign(made, { sendToEach: (args: Argument[]) => [made.sendCommand(args)] })
  }

  return { server: single, sentinel, cluster }[address.kind]
}

/** It may be closed already. */
export function destroy(client: Pick<Client, 'destroy'>): void {
  try {
    client.destroy()
  } catch {
    // It was closed already.
  }
}

/** Commands for any node of a cluster. The library sends `SCAN` to each in turn. */
const WITHOUT_KEY: ReadonlySet<string> = new Set(['PUBLISH', 'SCAN', 'TIME'])

/** The first key of a command: it says which node has it. All keys of one command of ours have one hash tag, or the library divides it. */
function keyIn(args: readonly Argument[]): Argument | undefined {
  const command = String(args[0])
  if (WITHOUT_KEY.has(command)) return undefined
  return command.startsWith('EVAL') ? args[3] : args[1]
}

const PACKAGE = '@redis/client'

/** Too large for everybody: loaded when a store has an address. */
async function load(): Promise<Library> {
  try {
    return (await import(PACKAGE)) as Library
  } catch {
    throw new ProxyError(
      'PACKAGE_MISSING',
      `A shared store needs the package ${PACKAGE}, which is not installed or cannot be loaded`,
      `Install it where mcp-rlm-proxy is installed: npm install ${PACKAGE} (with -g for a global installation)`,
    )
  }
}
