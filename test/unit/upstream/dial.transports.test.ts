import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ServerOptions, TRANSPORTS } from '../../../src/upstream/dial.ts'
import { transportContract } from '../../contract/transport.ts'
import { httpServer, inProcessServer, stdioServer } from '../../support/upstream.ts'

type Start = (options?: JsonObject) => Promise<ServerOptions>

/** A fixture server over HTTP, reached at this path. */
const over =
  (path: string): Start =>
  async (options) => ({ url: `${(await httpServer(options)).url}${path}` })

/** Servers that run the contract over each entry of TRANSPORTS: the type checker asks for one that is missing. */
const servers: Record<keyof typeof TRANSPORTS, Readonly<Record<string, Start>>> = {
  command: {
    stdio: async (options) => stdioServer(options),
    'stdio, result first': async (options) => stdioServer({ ...options, order: 'result-first' }),
  },
  serve: { 'in-process': inProcessServer },
  url: { 'streamable HTTP, answers as streams': over('/mcp'), 'HTTP+SSE': over('/sse') },
}

for (const ways of Object.values(servers))
  for (const [name, start] of Object.entries(ways)) transportContract(name, start)
