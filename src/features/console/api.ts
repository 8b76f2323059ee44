/** The answers of the admin interface. The page has its types from here, and the OpenAPI document its schemas. */
import * as z from 'zod'

/** `read` sees everything and changes nothing but for secrets, which it does not see. */
export type Scope = 'read' | 'admin'

/** A file in place of JSON. */
export interface Download {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** Why a request is refused, with what to do. */
export class Refused extends Error {
  readonly status: number
  readonly remedy: string | undefined

  constructor(status: number, message: string, remedy?: string) {
    super(message)
    this.status = status
    this.remedy = remedy
  }
}

const count = z.int().nonnegative()
/** Milliseconds since 1970. */
const moment = z.number()
const text = z.string()
/** Anything that JSON can say. */
const anything = z.unknown()
const object = z.record(z.string(), anything)

/** A server's or client's error, with what to do. */
const trouble = z.object({ message: text, remedy: text.optional() })

const totals = z.object({
  calls: count,
  originalTokens: count,
  deliveredTokens: count,
  /** The tokens of the answers of the proxy's own tools, and of its definitions: cost. */
  ownTokens: count,
  /** Original less delivered less own: below zero the proxy cost more than it saved. */
  savedTokens: z.int(),
})

const group = z.object({ calls: count, originalTokens: z.number(), costTokens: z.number() })

export const savings = z.object({
  totals,
  days: z.array(totals.extend({ day: text })),
  tools: z.array(
    z.object({
      tool: text,
      /** Absent: no server lists it now. */
      server: text.optional(),
      kind: z.enum(['call', 'proxy-tool', 'definitions']),
      calls: count,
      originalTokens: count,
      deliveredTokens: count,
    }),
  ),
  /** Of this run alone: past runs are kept by tool and day. */
  clients: z.array(totals.extend({ agent: text, names: z.array(text) })),
  unmeasuredCharacters: count,
  /** Of which replicas days, tools and totals are. Absent: there is one. */
  replicas: z.enum(['all', 'this one']).optional(),
  /** Calls with large results that got a preview, and calls that were held out and sent whole, past runs included. */
  holdout: z.object({
    /** The setting `holdout`; 0: none is held out now. */
    everyNth: count,
    previews: group,
    whole: group,
    /** The part of the cost of whole results that previews saved, and its 95 % interval. Absent: too few calls. */
    saved: z.object({ share: z.number(), low: z.number(), high: z.number() }).optional(),
  }),
  /** Tools with previews that cost more, with all that came after them, than whole results would have. */
  worse: z.array(z.object({ tool: text, calls: count, savedTokens: z.number() })),
  /** Dollars for a million input tokens by model. */
  prices: z.object({ source: text, date: text, dollars: z.record(text, z.number()) }),
})

export const call = z.object({
  id: count,
  at: moment,
  tool: text,
  server: text.optional(),
  client: text,
  /** Stands for the owner of what is kept. */
  agent: text,
  profile: text.optional(),
  /** A tool of the proxy's own made this call. */
  inner: z.boolean().optional(),
  ms: z.number(),
  /** `error`: the result says that it is one. `failed`: there was none. */
  status: z.enum(['ok', 'error', 'failed']),
  /** Characters, about. */
  asked: count,
  answered: count,
  originalTokens: count.optional(),
  deliveredTokens: count.optional(),
  /** The handle of the kept result. */
  handle: text.optional(),
})

export const calls = z.object({
  calls: z.array(call),
  /** Calls of this run, forgotten ones included. */
  total: count,
  remembered: count,
})

export const callDetail = z.object({
  call,
  arguments: object.nullable(),
  /** Absent: too long to be remembered, or there was none. */
  reply: z
    .array(
      z.object({
        clients: z.array(text),
        text,
        characters: count,
        /** The client cuts it at so many characters of JSON. */
        cutAt: count.optional(),
      }),
    )
    .optional(),
  message: text.optional(),
  /** Milliseconds from the beginning of the call. */
  timing: z.array(z.object({ part: text, server: text.optional(), from: z.number(), to: z.number() })),
  /** Ids of calls that asked what this one kept. */
  followUps: z.array(count),
})

export const result = z.object({
  handle: text,
  tool: text,
  arguments: object,
  agent: text,
  /** The clients that this agent was in this run. */
  names: z.array(text),
  bytes: count,
  tokens: count.optional(),
  shape: text.optional(),
  standing: text.optional(),
  created: moment,
  lastAccessed: moment,
  uses: count,
  /** When it leaves memory, unless it is used again or pinned. */
  until: moment,
  /** The name that a person gave it. */
  label: text.optional(),
  pinned: z.boolean(),
  inMemory: z.boolean(),
})

export const results = z.object({ results: z.array(result), entries: count, bytes: count })

export const answer = z.object({
  /** As a model would read it. */
  text,
  isError: z.boolean(),
  /** The same call as a model makes it. */
  call: z.object({ name: text, arguments: object }),
  /** Of a filter: its rows as data, at most 200. */
  rows: z.array(anything).optional(),
  total: count.optional(),
})

export const server = z.object({
  name: text,
  state: z.enum(['idle', 'connecting', 'ready', 'waiting', 'closed']),
  transport: text,
  version: text.optional(),
  title: text.optional(),
  protocol: text.optional(),
  era: z.enum(['legacy', 'modern']).optional(),
  /** Milliseconds for which it has been connected, and how often it was connected again in this run. */
  upMs: z.number().optional(),
  restarts: count,
  tools: count.optional(),
  definitionTokens: count.optional(),
  trouble: trouble.optional(),
  calls: count,
  errors: count,
  p50: z.number().optional(),
  p95: z.number().optional(),
  quota: z.object({ rps: z.number(), burst: z.number().optional() }).optional(),
  signsIn: z.boolean(),
  /** Where a person signs in, while the server waits for that. */
  signInAt: text.optional(),
})

export const logLine = z.object({ at: moment, level: z.enum(['debug', 'info', 'warn', 'error']), text })
export const serverLog = z.object({ lines: z.array(logLine) })

/** `line`: JSON, as the log has it. */
const loggedLine = z.object({ id: z.number(), line: text })
export const log = z.object({ lines: z.array(loggedLine) })

export const servers = z.object({ servers: z.array(server), disabled: z.array(text) })

export const tool = z.object({
  name: text,
  server: text,
  original: text,
  description: text,
  signature: text,
  annotations: object.optional(),
  inputSchema: anything.optional(),
  /** As its server says it; clients see it where `structured` is keep. */
  outputSchema: anything.optional(),
  tokens: count,
  calls: count,
  meanTokens: count.optional(),
  enabled: z.boolean(),
  score: z.number().optional(),
  /** Words of the question by where they stand in the definition. */
  fits: z.array(z.object({ field: z.enum(['name', 'description', 'parameters']), words: z.array(text) })),
  /** The types of large results, of all clients that are known, the latest first. */
  outputTypes: z.array(text),
  /** The bounds of its calls and results, by the names of settings. */
  limits: object,
})

export const tools = z.object({ tools: z.array(tool), definitionTokens: count })

export const pins = z.object({
  held: z.array(
    z.object({
      tool: text,
      module: text,
      reason: text,
      hash: text,
      /** Null: nothing was accepted before, or it is not known as text. */
      before: anything,
      after: anything,
    }),
  ),
})

export const modules = z.object({
  layers: z.array(
    z.object({
      name: text,
      kind: z.enum(['feature', 'layer', 'module']),
      what: text,
      /** Calls of this run that came to it: one that a layer further out has answered did not. */
      calls: count,
    }),
  ),
  modules: z.array(z.object({ name: text, what: text, mode: text, state: text, message: text })),
})

export const clients = z.object({
  sessions: z.array(
    z.object({
      agent: text,
      kind: text,
      name: text,
      era: text,
      protocol: text,
      profile: text.optional(),
      since: moment,
      calls: count,
      rule: text.optional(),
    }),
  ),
  tokens: z.array(
    z.object({
      id: text,
      name: text,
      created: text,
      expires: text.optional(),
      profiles: z.array(text).optional(),
    }),
  ),
  tokenFile: text,
})

const problem = z.object({
  severity: z.enum(['error', 'warning']),
  place: text,
  path: text,
  message: text,
  remedy: text,
})

export const configuration = z.object({
  /** Absent: a wrapped command, or an object in memory. Then nothing can be saved. */
  file: text.optional(),
  text,
  /** Of what was read: a file that is another by then is not written over. */
  hash: text,
  backups: z.array(z.object({ name: text, at: moment, bytes: count })),
})

export const checked = z.object({ problems: z.array(problem) })
export const saved = z.object({ problems: z.array(problem), hash: text, backup: text.optional() })

export const cards = z.object({
  cards: z.array(
    z.object({
      id: text,
      title: text,
      file: text,
      snippet: text,
      notes: z.array(text),
      connected: z.boolean(),
      canUndo: z.boolean(),
    }),
  ),
})

/** `copy`: the file as it was before. Absent: there was none. */
export const changedFile = z.object({ file: text, copy: text.optional() })

export const status = z.object({
  name: text,
  version: text,
  scope: z.enum(['read', 'admin']),
  pid: count,
  started: moment,
  now: moment,
  transport: text,
  exposure: text,
  url: text.optional(),
  /** Where clients connect over streamable HTTP. */
  mcpUrl: text.optional(),
  file: text.optional(),
  residentBytes: count,
  kept: z.object({ entries: count, bytes: count }),
})

export const done = z.object({ done: z.literal(true) })
export const token = z.object({ id: text, token: text })

/** The events of the stream: `calls` as they end, and the names of lists that changed. */
export type Event = { calls: Call[] } | { changed: ('servers' | 'tools' | 'results' | 'clients')[] }

export type Call = z.output<typeof call>
export type CallDetail = z.output<typeof callDetail>
export type Savings = z.output<typeof savings>
export type KeptResult = z.output<typeof result>
export type Results = z.output<typeof results>
export type Answer = z.output<typeof answer>
export type Server = z.output<typeof server>
export type LogLine = z.output<typeof logLine>
export type ServerLog = z.output<typeof serverLog>
export type LoggedLine = z.output<typeof loggedLine>
export type Log = z.output<typeof log>
export type Servers = z.output<typeof servers>
export type Tools = z.output<typeof tools>
export type Pins = z.output<typeof pins>
export type Modules = z.output<typeof modules>
export type Clients = z.output<typeof clients>
export type Configuration = z.output<typeof configuration>
export type Problems = z.output<typeof checked>
export type Cards = z.output<typeof cards>
export type ChangedFile = z.output<typeof changedFile>
export type Status = z.output<typeof status>
