/** Ports for servers that come back to the one they had. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

/** The first port that the system gives out by itself, to listeners on port 0 and to connections. */
const GIVEN_OUT = '/proc/sys/net/ipv4/ip_local_port_range'
const FIRST = 10_240

/** A free port of 127.0.0.1 that the system gives to no other program while the server that had it is away. */
export async function ownPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = FIRST + Math.floor(Math.random() * (end() - FIRST))
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error('there is no free port')
}

function end(): number {
  try {
    return Math.max(FIRST + 1000, Number(readFileSync(GIVEN_OUT, 'utf8').split(/\s/)[0]))
  } catch {
    return 32_768
  }
}
