/** The pool of connections to all HTTP servers, through a proxy where the environment names one. */
import type { Dispatcher } from 'undici'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * No limit to silence: a call may think for long and a stream of events lives for days; who waits has limits of its own. TCP
 * keep-alive finds out that a peer is gone. An idle connection is kept for undici's 4 seconds, or as long as the server says:
 * keeping it longer than the server does loses the call that is sent on it.
 */
const LIMITS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  // Milliseconds before the end a server names: on a busy machine a call takes its time from here to there.
  keepAliveTimeoutThreshold: 2000,
  connect: { keepAlive: true, keepAliveInitialDelay: 30_000 },
}

/**
 * Of requests that stand alone, minutes apart and each made once, as those of a sign-in are, none goes over a connection that
 * the other side may be about to close.
 */
const ALONE = { ...LIMITS, pipelining: 0 }

/** One for each set of proxies and kind of requests; idle connections end by themselves and keep no process alive. */
const dispatchers = new Map<string, Promise<Dispatcher>>()

/** What sends requests to this address; `alone`: each over a connection of its own. */
export function dispatcherFor(url: URL, environment: Environment, alone = false): Promise<Dispatcher> {
  const proxies = isLoopback(url) ? undefined : proxiesOf(environment)
  const key = JSON.stringify([proxies, alone])
  const known = dispatchers.get(key)
  if (known !== undefined) return known
  const limits = alone ? ALONE : LIMITS
  // Loaded here because only those who have a server with an address pay for it.
  const made = import('undici').then(({ Agent, EnvHttpProxyAgent }) =>
    proxies === undefined ? new Agent(limits) : new EnvHttpProxyAgent({ ...limits, ...proxies }),
  )
  dispatchers.set(key, made)
  return made
}

/** True for this machine: never behind a proxy, and nothing is gained by compression. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function proxiesOf(
  environment: Environment,
): { httpProxy?: string; httpsProxy?: string; noProxy: string } | undefined {
  const read = (name: string): string => environment[name] || environment[name.toUpperCase()] || ''
  const [httpProxy, httpsProxy, noProxy] = [read('http_proxy'), read('https_proxy'), read('no_proxy')]
  if (httpProxy === '' && httpsProxy === '') return undefined
  return { ...(httpProxy !== '' && { httpProxy }), ...(httpsProxy !== '' && { httpsProxy }), noProxy }
}
