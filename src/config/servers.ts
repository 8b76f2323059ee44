/** `mcpServers`: the servers behind the proxy, in the form that Claude Desktop, Cursor and VS Code use. */

import * as z from 'zod'
import { type ResultSettings, resultPatterns } from '../features/shape/options.ts'
import type { Transport } from '../protocol/message.ts'
import { type OAuthSettings, oauthFaults, oauthSchema } from './auth-options.ts'
import { flag, integer, names, oneOf, rate, text } from './option.ts'

export type { ResultSettings }

/** One entry as written. `serverFaults` checks which keys go together, and its messages name the remedy. */
export const serverSchema = z.object({
  command: text('The program that is the server.').optional(),
  args: z.array(z.string()).meta({ description: 'Its arguments.' }).optional(),
  env: z
    .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .meta({ description: 'Environment variables for it, added to a safe few of your own.' })
    .optional(),
  envFile: text('A file with more environment variables, one NAME=value a line. `env` wins.').optional(),
  cwd: text('The directory in which it runs. Not set: the directory of the proxy.').optional(),
  url: text('The address of a server that runs elsewhere.').optional(),
  headers: z
    .record(z.string().min(1), z.string())
    .meta({ description: 'HTTP headers sent to it with every request.' })
    .optional(),
  oauth: oauthSchema.optional(),
  type: oneOf(
    ['stdio', 'streamable-http', 'sse'],
    'The transport. Not set: stdio for a command; for a url streamable HTTP, or SSE if the server speaks only that.',
    {
      spellings: {
        http: 'streamable-http',
        streamableHttp: 'streamable-http',
        streamable_http: 'streamable-http',
      },
    },
  ).optional(),
  timeout: integer('How long a call of its tools may take. Not set: `connect.callTimeoutMs`.', {
    unit: 'seconds',
    min: 1,
    max: 86_400,
  }).optional(),
  disabled: flag('Leave this server out.').default(false),
  instance: oneOf(
    ['session', 'auto', 'shared'],
    'session: a connection for each client. shared: one connection for all clients, for servers that remember nothing about a client. auto: clients of one owner with the same capabilities share the process of a server. Each gets its own process once the server asks a client for something (roots, sampling, elicitation). It also gets one once the server lists tools that keep a state between calls, like a browser. Not set: auto for clients that come by `connect`, otherwise session.',
  ).optional(),
  quota: z.object(rate('The most calls of its tools in a second, by all clients together.')).optional(),
  exposure: oneOf(
    ['passthrough', 'retrieve', 'dispatch'],
    'How the client sees its tools. passthrough: it lists them even if it hides those of other servers. Not set: `proxySettings.exposure` applies.',
  ).optional(),
  structured: oneOf(
    ['drop', 'keep'],
    'Whether its tools keep `outputSchema` and `structuredContent`. Not set: `proxySettings.structured` applies.',
  ).optional(),
  results: resultPatterns(
    'Settings for the results of its tools, by their names there: `{ "list_*": { "fields": ["id", "title"] } }`. `*` for any characters; the last pattern that fits wins.',
  ).optional(),
  tools: z
    .object({
      allow: names('Its tools that clients may use; `*` stands for any characters. Not set: all.').optional(),
      deny: names('Its tools that no client may use, even if `allow` names them.').optional(),
      structured: names(
        'Its tools that keep `outputSchema` and `structuredContent`, even if `structured` is drop. `*` stands for any characters.',
      ).optional(),
    })
    .optional(),
})

export type ServerEntry = z.output<typeof serverSchema>

/** The common members of the entries of all servers. */
export interface ServerBasics {
  readonly name: string
  /** Milliseconds a call may take. */
  readonly callTimeoutMs: number
  /** Undefined: as the way clients come says. */
  readonly instance?: 'session' | 'auto' | 'shared' | undefined
  /** Undefined: its tools may be called as often as anybody likes. */
  readonly quota?: { readonly rps: number; readonly burst?: number | undefined }
  /** Undefined: as the tools of the others are offered. */
  readonly exposure?: 'passthrough' | 'retrieve' | 'dispatch'
  /** Undefined: as the settings say. */
  readonly structured?: 'drop' | 'keep'
  /** Settings for results of its tools, by patterns for their names there. */
  readonly results?: Readonly<Record<string, ResultSettings>>
  /** Undefined: all its tools may be used. */
  readonly tools?: {
    readonly allow?: readonly string[] | undefined
    readonly deny?: readonly string[] | undefined
    /** Further servers that keep their output schema and structured content. */
    readonly structured?: readonly string[] | undefined
  }
}

/** A server that the proxy starts, over standard input and output. */
export interface StdioServer extends ServerBasics {
  readonly transport: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

/** A server over HTTP. */
export interface RemoteServer extends ServerBasics {
  /** `auto`: to be found out. */
  readonly transport: 'auto' | 'streamable-http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined: nothing was said; OAuth is tried when the server asks for it. */
  readonly oauth: OAuthSettings | undefined
}

/** A server of this process, which no file can name. */
export interface InProcessServer extends ServerBasics {
  readonly transport: 'in-process'
  /** Another for a server that is another, in every run the same. */
  readonly id: string
  /** Serves on a new connection. */
  serve(transport: Transport): unknown
}

/** An entry of `mcpServers`, complete. */
export type ServerConfig = StdioServer | RemoteServer | InProcessServer

/** Something wrong with an entry as a whole. `key` is where to point at; absent: at the entry itself. */
export interface ServerFault {
  key?: string | readonly string[]
  message: string
  remedy: string
}

/** Rules between the keys of one entry. */
export function serverFaults(entry: ServerEntry): ServerFault[] {
  const { command, url, type } = entry
  if (command !== undefined && url !== undefined) {
    return [{ key: 'url', message: 'has both a command and a url', remedy: 'Keep the one that is meant.' }]
  }
  if (command === undefined && url === undefined) {
    return [
      {
        message: 'has neither a command nor a url',
        remedy: 'Add "command" (a program to start) or "url" (a server that runs).',
      },
    ]
  }
  const faults: ServerFault[] = []
  if (command !== undefined && type !== undefined && type !== 'stdio') {
    faults.push({ key: 'type', message: `is ${type}, but the server is a command`, remedy: 'Remove "type".' })
  }
  if (url !== undefined) {
    if (type === 'stdio') {
      faults.push({ key: 'type', message: 'is stdio, but the server has a url', remedy: 'Remove "type".' })
    }
    if (!isHttp(url)) {
      faults.push({
        key: 'url',
        message: 'is not an http or https address',
        remedy: 'Write the whole address, for example "http://localhost:8000/mcp".',
      })
    }
  }
  if (entry.oauth !== undefined) {
    if (url === undefined) {
      faults.push({ key: 'oauth', message: 'is for servers with a url', remedy: 'Remove "oauth".' })
    }
    const found = oauthFaults(entry.oauth).map(({ key, ...fault }) => ({ key: ['oauth', key], ...fault }))
    faults.push(...found)
  }
  return faults
}

/** A valid entry in the form the rest of the proxy works with. `fileEnv` are the variables of its `envFile`. */
export function toServer(
  name: string,
  entry: ServerEntry,
  callTimeoutMs: number,
  fileEnv: Readonly<Record<string, string>>,
): ServerConfig {
  const { command, url, type, timeout, instance, quota, exposure, structured, results, tools } = entry
  const basics = {
    name,
    ...(instance && { instance }),
    callTimeoutMs: timeout === undefined ? callTimeoutMs : timeout * 1000,
    ...(quota && { quota }),
    ...(exposure && { exposure }),
    ...(structured && { structured }),
    ...(results && { results }),
    ...(tools && { tools }),
  }
  if (command !== undefined) {
    const written = Object.entries(entry.env ?? {}).filter(([, value]) => value !== null)
    const env = Object.fromEntries([
      ...Object.entries(fileEnv),
      ...written.map(([key, value]) => [key, String(value)] as const),
    ])
    return { ...basics, transport: 'stdio', command, args: entry.args ?? [], env, cwd: entry.cwd }
  }
  const transport = type === undefined || type === 'stdio' ? 'auto' : type
  return { ...basics, transport, url: url ?? '', headers: entry.headers ?? {}, oauth: entry.oauth }
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}
