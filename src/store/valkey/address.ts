/** The address of a shared store: one server, a master that Sentinel names, or a cluster. */

/** Where a server listens. */
export interface Place {
  readonly host: string
  readonly port: number
}

/** The parts of an address. */
export interface StoreAddress {
  /** `server`: one server. `sentinel`: `places` are of Sentinel, which names the master. `cluster`: `places` are some of its nodes. */
  readonly kind: 'server' | 'sentinel' | 'cluster'
  readonly places: readonly [Place, ...Place[]]
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
  /** The name of the master in Sentinel; empty for the other kinds. */
  readonly master: string
  /** How Sentinel itself is signed in to. */
  readonly sentinelUsername: string | undefined
  readonly sentinelPassword: string | undefined
  /** For people: without credentials. */
  readonly text: string
}

const FORM =
  /^(?:valkey|redis)(?<tls>s?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/
const HOST = /^(?<host>\[[\da-fA-F:.]+\]|[^\s:[\]]+)(?::(?<port>\d{1,5}))?$/
const DATABASE = /^\d{1,4}$/
const SERVER_PORT = 6379
const SENTINEL_PORT = 26_379
const SENTINEL_OPTIONS = new Set(['sentinel_username', 'sentinel_password'])

/** Throws RangeError with words that hold no part of the address: it may hold a password. */
export function readStoreAddress(url: string): StoreAddress {
  const parts = FORM.exec(url)?.groups
  if (parts === undefined)
    throw new RangeError(
      'write it as valkey://user:password@host:6379/0, valkey+sentinel://… or valkey+cluster://…',
    )
  const kind = parts.kind === 'sentinel' || parts.kind === 'cluster' ? parts.kind : 'server'
  const port = kind === 'sentinel' ? SENTINEL_PORT : SERVER_PORT
  const [first, ...rest] = (parts.hosts ?? '').split(',').map((text) => placeOf(text, port))
  if (first === undefined || (kind === 'server' && rest.length > 0))
    throw new RangeError(
      'several servers are Sentinel or a cluster: write valkey+sentinel:// or valkey+cluster://',
    )
  const [username, password] = credentialsOf(parts.user ?? '')
  const path = (parts.path ?? '').split('/')
  const master = kind === 'sentinel' ? decoded(path.shift() ?? '') : ''
  if (kind === 'sentinel' && master === '')
    throw new RangeError(
      'name the master that Sentinel watches: valkey+sentinel://host:26379,host2:26379/mymaster',
    )
  const [database = ''] = path
  if (path.length > 1 || !(database === '' || DATABASE.test(database)))
    throw new RangeError('end the address with the number of a database, or with none')
  if (kind === 'cluster' && Number(database) > 0) throw new RangeError('a cluster has the database 0 alone')
  const options = new URLSearchParams(parts.query ?? '')
  if ([...options.keys()].some((name) => kind !== 'sentinel' || !SENTINEL_OPTIONS.has(name)))
    throw new RangeError(
      'leave out what follows "?"; Sentinel takes sentinel_username and sentinel_password there',
    )
  const hosts = [first, ...rest].map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
  return {
    kind,
    places: [first, ...rest],
    tls: parts.tls === 's',
    username,
    password,
    database: Number(database),
    master,
    sentinelUsername: options.get('sentinel_username') ?? undefined,
    sentinelPassword: options.get('sentinel_password') ?? undefined,
    text: hosts.join(',') + (master === '' ? '' : `/${master}`),
  }
}

function placeOf(text: string, usual: number): Place {
  const { host, port = usual } = HOST.exec(text)?.groups ?? {}
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new RangeError('write each server as host:port, several with commas between them')
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

function credentialsOf(text: string): [username: string | undefined, password: string | undefined] {
  const colon = text.indexOf(':')
  const [username, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  return [decoded(username) || undefined, decoded(password) || undefined]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new RangeError('write % as %25, and other signs of user, password and names with % as well')
  }
}
