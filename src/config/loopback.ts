/** True for ways to serve that only programs of this user can reach. */
export function isLocal(transport: string): boolean {
  return transport === 'stdio' || transport === 'socket'
}

/** The names of this machine for itself, as `Host` and `Origin` spell them. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** An address as `Host` and `Origin` spell it: lower case, IPv6 short and in brackets. */
export function nameOfHost(host: string): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = nameOfHost(host)
  return LOOPBACK.includes(name) || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** True for addresses that a host on the way cannot answer for: https, and http to this machine. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, hash, username, password } = new URL(address)
  if (hash !== '' || username !== '' || password !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
