/** The work of the admin interface: gathered from the parts of the gateway, for people. */

import { packageVersion } from '../../config/identity.ts'
import { remedyFor } from '../../config/remedies.ts'
import type { Config } from '../../config/schema.ts'
import { moduleDirectory } from '../../data/directory.ts'
import { approve, pinFileIn, readPins } from '../../data/pins.ts'
import { changeTokens, createToken, mayExist, readTokens } from '../../data/tokens.ts'
import type { Engine } from '../../engine/contract.ts'
import { compareTrials, netByTool } from '../../observe/holdout.ts'
import { callerOf, type Logger } from '../../observe/log.ts'
import { fingerprint, type Redactor } from '../../observe/redact.ts'
import type { Ledger } from '../../observe/savings.ts'
import { mergeRows, readLedger, type SavingsRow, totalsOf } from '../../observe/savings-report.ts'
import type { SharedSavings } from '../../observe/shared-savings.ts'
import { clientRule } from '../../protocol/client-rules.ts'
import { textsOf } from '../../protocol/content.ts'
import { LEGACY_VERSIONS } from '../../protocol/eras.ts'
import { ProxyError } from '../../protocol/errors.ts'
import type { Agent, Client } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { originOf } from '../../protocol/origin.ts'
import { PROXY_CODE, type ProxyTool } from '../../proxy/own-tools.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Entry, EntryInfo, Mark } from '../../store/store.ts'
import { stemOf, wordsOf, writtenWordsOf } from '../../text/words/words.ts'
import type { Upstreams } from '../../upstream/contract.ts'
import type * as api from './api.ts'
import { type Download, Refused, type Scope } from './api.ts'
import type { Calls } from './calls.ts'
import type { ConfigurationFile } from './configuration.ts'
import type { LogLines } from './log-lines.ts'
import type { ConsoleHost } from './options.ts'
import { PRICES } from './prices.ts'
import { toRows, writeRows } from './rows.ts'

/** A tool of a server as the console shows it. */
export interface LookedAt {
  /** As clients see it; of one that may not be used, what its server calls it. */
  readonly name: string
  readonly server: string
  readonly original: string
  readonly definition: JsonObject
  readonly enabled: boolean
}

export interface DeskParts {
  /** As it was started. */
  readonly config: Config
  /** The servers and settings of now. */
  live(): Pick<Config, 'servers' | 'settings'>
  readonly engine: Engine
  readonly resultStore: ResultStore
  readonly ledger: Ledger
  /** The savings of all replicas together. Absent: there is one. */
  readonly sharedSavings: SharedSavings | undefined
  readonly upstreams: Pick<Upstreams, 'status' | 'restart'>
  readonly calls: Calls
  readonly logLines: LogLines
  readonly logger: Logger
  readonly redactor: Redactor
  /** The connected clients, and since when they are. */
  readonly clients: ReadonlyMap<Client, number>
  readonly configuration: ConfigurationFile
  /** The file of the tokens of clients. */
  readonly tokenFile: string
  /** The three tools over what these stores hold. */
  questions(store: ResultStore): Promise<readonly ProxyTool[]>
  /** Runs programs over what this store holds, which call no tools. Absent: no programs are run. */
  programs: ((store: ResultStore) => { alone(): Promise<ProxyTool>; close(): Promise<void> }) | undefined
  tools(): Promise<readonly LookedAt[]>
  layers(): Omit<api.Modules['layers'][number], 'calls'>[]
  modules(): api.Modules['modules']
  signOut(server: string): Promise<unknown>
  /** The types of large results of a tool for an agent. */
  outputTypes(agent: Agent, definition: JsonObject): readonly string[]
  /** Settings for the results of a tool of a server. */
  resultSettings(server: string, tool: string): object
  /** The program that runs the gateway. Absent: it connects no clients. */
  readonly host: Pick<ConsoleHost, 'cards' | 'connect' | 'disconnect'> | undefined
  /** Tells the pages that a list changed. */
  changed(list: 'results'): void
  /** Where the page is. */
  url(): string | undefined
  readonly now: () => number
}

export type Desk = ReturnType<typeof createDesk>

/** The owner of what is too long for an answer to the console. */
const OWNER = { id: 'console', kind: 'principal' } as const
/** The one client over standard input. */
export const LOCAL = { id: 'local', kind: 'local' } as const
/** Rows of a filter that are given as data. */
const MOST_ROWS = 200
/** Characters of their JSON. */
const LONGEST_ROWS = 200_000
/** Tools of the table of savings, the costliest first. */
const MOST_TOOLS = 500

export function createDesk(parts: DeskParts) {
  const { engine, resultStore, ledger, upstreams, calls, clients, configuration, now, redactor } = parts
  const { settings, file } = parts.config
  const started = now()
  const counted = new WeakMap<JsonObject, number>()

  // Results.

  /** Everything of every owner that is known: those of what is in memory or pinned, and those of a proxy for one client. */
  async function kept(): Promise<(EntryInfo & { inMemory: boolean })[]> {
    const inMemory = resultStore.list()
    const held = new Set(inMemory.map(({ handle }) => handle))
    const owners = new Set([
      LOCAL.id,
      OWNER.id,
      ...inMemory.map(({ owner }) => owner),
      ...[...clients.keys()].map(({ agent }) => agent.id),
    ])
    const lists = await Promise.all([
      resultStore.pinned(),
      ...[...owners].map((id) => resultStore.recent({ id })),
    ])
    const all = new Map(
      lists.flat().map((info) => [info.handle, { ...info, inMemory: held.has(info.handle) }]),
    )
    return [...all.values()].sort((a, b) => b.created - a.created)
  }

  async function open(handle: string): Promise<Entry> {
    const info = (await kept()).find((one) => one.handle === handle)
    const entry = info && (await resultStore.get({ id: info.owner }, handle))
    if (entry === undefined)
      throw new Refused(
        404,
        'No result is kept under this cache_id.',
        'It expired or was removed: read the list again.',
      )
    return entry
  }

  /** The stores of all owners as one, for questions of people who may see everything. */
  const everyones: ResultStore = {
    ...resultStore,
    get: async (_, handle) => open(handle).catch(() => undefined),
    recent: async () => [],
  }

  const programs = parts.programs?.(everyones)
  const asker: Client = {
    id: 'console',
    agent: OWNER,
    era: 'legacy',
    info: { name: 'console' },
    capabilities: {},
    protocolVersion: LEGACY_VERSIONS[0],
    notify() {},
    ask: () => Promise.reject(new Error('the console answers no questions')),
  }

  /** Throws Refused where no server has this name. */
  function known(server: string): void {
    if (!upstreams.status().some((one) => one.server === server))
      throw new Refused(404, 'There is no server of this name.')
  }

  /** The names of the clients of each agent, connected now or before. */
  function namesOf(): Map<string, Set<string>> {
    const names = new Map<string, Set<string>>()
    for (const { agent, client } of [...[...clients.keys()].map(callerOf), ...calls.since(0, 100_000)])
      names.set(agent, (names.get(agent) ?? new Set()).add(client))
    return names
  }

  // Tools.

  async function tokensOf(definition: JsonObject): Promise<number> {
    const known = counted.get(definition)
    if (known !== undefined) return known
    const text = JSON.stringify(definition)
    const pieces = Array.from({ length: Math.ceil(text.length / 4_000) }, (_, at) =>
      text.slice(at * 4_000, (at + 1) * 4_000),
    )
    const sum = (await engine.countTokens(pieces)).reduce((all, one) => all + one, 0)
    counted.set(definition, sum)
    return sum
  }

  async function looked() {
    const tools = await parts.tools()
    return Promise.all(tools.map(async (tool) => ({ ...tool, tokens: await tokensOf(tool.definition) })))
  }

  /** A layer outside of the console is not timed: every call has passed it. */
  function withCalls(layers: ReturnType<DeskParts['layers']>): api.Modules['layers'] {
    const own = layers.findIndex(({ name }) => name === 'console')
    return layers.map((layer, at) => ({
      ...layer,
      calls: at <= own ? calls.total : (calls.hits.get(layer.name === 'router' ? 'server' : layer.name) ?? 0),
    }))
  }

  function linked(): NonNullable<DeskParts['host']> {
    if (parts.host === undefined)
      throw new Refused(
        409,
        'The program that runs this gateway connects no clients.',
        'Use: mcp-rlm-proxy init',
      )
    return parts.host
  }

  function limitsOf(server: string, tool: string): JsonObject {
    const { maxResponseSize, maxResponseTokens, wholeTokens, previewSize } = parts.live().settings
    const configured = parts.live().servers.find(({ name }) => name === server)
    return JSON.parse(
      JSON.stringify({
        maxResponseSize,
        maxResponseTokens,
        wholeTokens,
        previewSize,
        ...parts.resultSettings(server, tool),
        timeout: configured && configured.callTimeoutMs / 1000,
        quota: configured?.quota,
      }),
    )
  }

  function pinned() {
    const { modules } = parts.config
    return modules.flatMap((module) => {
      if (module.kind !== 'use' || module.use !== 'pin') return []
      const path = pinFileIn(moduleDirectory(settings.dataDir, module.name, file))
      return [{ module: module.name, path }]
    })
  }

  return {
    close: async () => programs?.close(),
    configuration,
    calls: (after: number, limit: number) => {
      const found = calls.since(after, limit)
      return { calls: found, total: calls.total, remembered: found.length }
    },
    call(id: number): api.CallDetail {
      const found = calls.detail(id)
      if (found === undefined)
        throw new Refused(404, 'This call is not remembered.', 'Raise console.calls to keep more of them.')
      return found
    },
    status(scope: Scope): api.Status {
      const url = parts.url()
      return {
        name: 'mcp-rlm-proxy',
        version: packageVersion(),
        scope,
        pid: process.pid,
        started,
        now: now(),
        transport: settings.transport,
        exposure: settings.exposure,
        ...(url !== undefined && { url }),
        ...(url !== undefined &&
          settings.transport === 'streamable-http' && { mcpUrl: new URL('/mcp', url).href }),
        ...(file !== undefined && { file }),
        residentBytes: process.memoryUsage.rss(),
        kept: resultStore.stats(),
      }
    },
    async savings(most: number): Promise<api.Savings> {
      const [report, past, others] = await Promise.all([
        ledger.report(),
        readLedger(settings.dataDir),
        parts.sharedSavings?.others(),
      ])
      const byDay = new Map<string, SavingsRow[]>()
      const trials = [...past.trials, ...report.trials]
      const serverOf = new Map(
        (await parts.tools().catch(() => [])).map(({ name, server }) => [name, server]),
      )
      for (const { day, tools } of [...(others ?? past.days), ...report.days])
        byDay.set(day, [...(byDay.get(day) ?? []), ...tools])
      const from = new Date(now() - (most - 1) * 86_400_000).toISOString().slice(0, 10)
      const days = [...byDay].filter(([day]) => day >= from).sort(([a], [b]) => (a < b ? -1 : 1))
      const rows = mergeRows(days.flatMap(([, tools]) => tools))
      const names = namesOf()
      return {
        totals: sums(totalsOf(rows)),
        days: days.map(([day, tools]) => ({ day, ...sums(totalsOf(tools)) })),
        tools: rows
          .sort((a, b) => b.originalTokens + b.deliveredTokens - a.originalTokens - a.deliveredTokens)
          .slice(0, MOST_TOOLS)
          .map(({ tool, kind, calls: times, originalTokens, deliveredTokens }) => ({
            tool,
            ...(kind === 'call' && { server: serverOf.get(tool) }),
            kind,
            calls: times,
            originalTokens,
            deliveredTokens,
          })),
        clients: report.agents.map(({ agent, ...rest }) => ({
          agent,
          names: [...(names.get(agent) ?? [])],
          ...sums(rest),
        })),
        unmeasuredCharacters: report.unmeasuredCharacters,
        ...(parts.sharedSavings && { replicas: others === undefined ? 'this one' : 'all' }),
        holdout: { everyNth: parts.live().settings.holdout, ...compareTrials(trials) },
        worse: netByTool(trials).filter(({ savedTokens }) => savedTokens < 0),
        prices: { ...PRICES, dollars: { ...PRICES.dollars, ...settings.console.prices } },
      }
    },
    async results(): Promise<api.Results> {
      const all = await kept()
      const names = namesOf()
      return {
        results: all.map((info) => ({
          handle: info.handle,
          tool: info.tool,
          arguments: redactor.fields(info.arguments),
          agent: fingerprint(info.owner),
          names: [...(names.get(fingerprint(info.owner)) ?? [])],
          bytes: info.size,
          ...(info.tokens !== undefined && { tokens: info.tokens }),
          ...(info.shape !== undefined && { shape: info.shape }),
          ...(info.standing !== undefined && { standing: info.standing }),
          created: info.created,
          lastAccessed: info.lastAccessed,
          uses: info.accessCount,
          until: info.lastAccessed + info.ttl,
          inMemory: info.inMemory,
          ...(info.label !== undefined && { label: info.label }),
          pinned: info.pinned === true,
        })),
        ...resultStore.stats(),
      }
    },
    async ask(handle: string, tool: string, args: JsonObject, signal: AbortSignal): Promise<api.Answer> {
      const entry = await open(handle)
      for (const key of ['tool', 'arguments', 'all', 'cache_id'])
        if (own(args, key) !== undefined)
          throw new Refused(
            400,
            `"${key}" cannot be used here: the console asks kept results, and calls no tool.`,
          )
      const asked = { cache_id: handle, ...args }
      const params = { name: tool, arguments: asked }
      const exchange = { method: 'tools/call', params, client: asker, agent: OWNER, signal, notify() {} }
      const question =
        tool === PROXY_CODE
          ? await programs?.alone()
          : (await parts.questions(everyones)).find(({ name }) => name === tool)
      const answered = await question?.call(asked, exchange)
      if (answered === undefined)
        throw new Refused(
          404,
          `There is no question ${tool}.`,
          'Programs are run unless code.enabled is false.',
        )
      const isError = answered.isError === true
      const answer = { text: textsOf(answered).join('\n'), isError, call: params }
      if (isError || tool !== 'proxy_filter') return answer
      const { limit: wanted, offset } = args
      const rows = await engine.read(
        [entry],
        {
          op: 'rows',
          kind: 'filter',
          params: args,
          offset: Number(offset) || 0,
          limit: Math.min(Number(wanted) || MOST_ROWS, MOST_ROWS),
          maxLength: LONGEST_ROWS,
        },
        signal,
      )
      return 'error' in rows
        ? answer
        : { ...answer, rows: JSON.parse(rows.json) as unknown[], total: rows.total }
    },
    async export(handle: string, format: 'json' | 'csv' | 'ndjson', signal: AbortSignal): Promise<Download> {
      const entry = await open(handle)
      const name = `${entry.tool.replaceAll(/[^\w.-]+/g, '-').slice(0, 60)}-${handle.slice(0, 6)}`
      if (format === 'json') {
        const whole = await engine.export(entry.content, false, signal)
        const ending = whole.format === 'text' ? 'txt' : 'json'
        return { name: `${name}.${ending}`, type: 'application/octet-stream', bytes: whole.content }
      }
      const rows = await toRows(engine, entry, signal)
      return { name: `${name}.${format}`, type: 'application/octet-stream', bytes: writeRows(rows, format) }
    },
    async mark(handle: string, { label, ...mark }: Mark): Promise<void> {
      const { owner } = await open(handle)
      const name = label?.trim()
      await resultStore.mark({ id: owner }, handle, {
        ...mark,
        ...(name !== undefined && { label: name === '' ? undefined : name }),
      })
      parts.changed('results')
    },
    async remove(handle: string): Promise<void> {
      const entry = await open(handle)
      await resultStore.remove({ id: entry.owner }, handle)
      parts.changed('results')
    },
    async servers(): Promise<api.Servers> {
      const { servers } = parts.live()
      const tools = await looked().catch(() => [])
      return {
        disabled: [...parts.config.disabled],
        servers: upstreams.status().map((one): api.Server => {
          const configured = servers.find(({ name }) => name === one.server)
          const { serverInfo, protocolVersion } = one.initialize ?? {}
          const info = isObject(serverInfo) ? serverInfo : {}
          const own = tools.filter(({ server }) => server === one.server)
          const { calls: times, errors, p50, p95 } = calls.figures({ server: one.server })
          const message = one.lastError === undefined ? undefined : redactor.text(one.lastError)
          const signIn = / sign in: open (https?:\/\/\S+) and call again/.exec(one.lastError ?? '')?.[1]
          return {
            name: one.server,
            state: one.state,
            transport: one.transport,
            ...(typeof info.version === 'string' && { version: info.version }),
            ...(typeof info.name === 'string' && { title: info.name }),
            ...(typeof protocolVersion === 'string' && {
              protocol: protocolVersion,
              era: LEGACY_VERSIONS.some((one) => one === protocolVersion) ? 'legacy' : 'modern',
            }),
            ...(one.upMs !== undefined && { upMs: one.upMs }),
            restarts: one.restarts ?? 0,
            ...(one.tools !== undefined && { tools: one.tools }),
            ...(own.length > 0 && { definitionTokens: own.reduce((sum, tool) => sum + tool.tokens, 0) }),
            ...(message !== undefined && {
              trouble: { message, ...(configured && { remedy: remedyFor(configured, message) }) },
            }),
            calls: times,
            errors,
            ...(p50 !== undefined && { p50 }),
            ...(p95 !== undefined && { p95 }),
            ...(configured?.quota && { quota: { ...configured.quota } }),
            signsIn: configured !== undefined && 'url' in configured,
            ...(signIn !== undefined && { signInAt: signIn }),
          }
        }),
      }
    },
    serverLog(server: string): api.ServerLog {
      known(server)
      return { lines: [...parts.logLines.of(server)] }
    },
    log: (after: number, limit: number): api.Log => ({ lines: [...parts.logLines.since(after, limit)] }),
    restart(server: string): void {
      known(server)
      upstreams.restart(server)
    },
    signOut: (server: string) => parts.signOut(server),
    async tools(query: string): Promise<api.Tools> {
      const all = await looked()
      const { indexTools, WEIGHTS } = await import('../../discovery/lexical.ts')
      const { tableOf } = await import('../../discovery/open-finder.ts')
      const { signatureOf } = await import('../../discovery/signature.ts')
      const scores =
        query.trim() === ''
          ? undefined
          : new Map(
              indexTools(all, WEIGHTS, { vectors: tableOf({ ...settings.index, logger: parts.logger }) })
                .search(query, 50)
                .map(({ index, score }) => [index, score]),
            )
      const found = all.flatMap((tool, at) => {
        const score = scores?.get(at)
        return scores && score === undefined ? [] : [{ ...tool, ...(score !== undefined && { score }) }]
      })
      return {
        definitionTokens: all.filter(({ enabled }) => enabled).reduce((sum, { tokens }) => sum + tokens, 0),
        tools: found
          .map(({ name, server, original, definition, tokens, enabled, score }) => {
            const { calls: times, meanTokens } = calls.figures({ tool: name })
            const { annotations, inputSchema, description } = definition
            const { outputSchema } = originOf(definition)?.said ?? definition
            const agents = [LOCAL, ...[...clients.keys()].map(({ agent }) => agent)]
            return {
              name,
              server,
              original,
              description: typeof description === 'string' ? description : '',
              signature: signatureOf(name, definition.inputSchema),
              ...(isObject(annotations) && { annotations }),
              ...(inputSchema !== undefined && { inputSchema }),
              ...(outputSchema !== undefined && { outputSchema }),
              tokens,
              calls: times,
              ...(meanTokens !== undefined && { meanTokens }),
              enabled,
              ...(score !== undefined && { score }),
              fits: fitsOf(query, definition),
              outputTypes: [...new Set(agents.flatMap((agent) => parts.outputTypes(agent, definition)))],
              limits: limitsOf(server, original),
            }
          })
          .sort((a, b) => (b.score ?? 0) - (a.score ?? 0)),
      }
    },
    enable: (server: string, tool: string, enabled: boolean) => configuration.enable(server, tool, enabled),
    pins(): api.Pins {
      return {
        held: pinned().flatMap(({ module, path }) => {
          const { held, pinned: accepted } = readPins(path)
          return Object.entries(held).map(([tool, { reason, hash, definition }]) => ({
            tool,
            module,
            reason,
            hash,
            before: parsed(Object.hasOwn(accepted, tool) ? accepted[tool]?.definition : undefined),
            after: parsed(definition),
          }))
        }),
      }
    },
    approve(tool: string, hash: string): void {
      const { approved } = pinned().reduce(
        (sum, { path }) => ({ approved: sum.approved + approve(path, [`${tool}@${hash}`]).approved.length }),
        { approved: 0 },
      )
      if (approved === 0)
        throw new Refused(
          409,
          'No tool is held back by this name and definition.',
          'Its definition may have changed: read the list again.',
        )
    },
    modules: (): api.Modules => ({
      layers: withCalls(parts.layers()),
      modules: parts.modules().map((one) => ({ ...one, message: redactor.text(one.message) })),
    }),
    clients(): api.Clients {
      const tokens = mayExist(parts.tokenFile) ? readTokens(parts.tokenFile) : []
      const times = new Map<string, number>()
      for (const { client, agent } of calls.since(0, 100_000)) {
        const key = `${agent} ${client}`
        times.set(key, (times.get(key) ?? 0) + 1)
      }
      return {
        sessions: [...clients].map(([client, since]) => {
          const { client: name, agent } = callerOf(client)
          const rule = clientRule(client.info)
          return {
            agent,
            kind: client.agent.kind,
            name,
            era: client.era,
            protocol: client.protocolVersion,
            ...(client.profile !== undefined && { profile: client.profile }),
            since,
            calls: times.get(`${agent} ${name}`) ?? 0,
            ...(rule && { rule: `${rule.client}: ${rule.shows}` }),
          }
        }),
        tokens: tokens.map(({ hash: _, ...entry }) => entry),
        tokenFile: parts.tokenFile,
      }
    },
    addToken({
      name,
      days,
      profiles,
    }: {
      name: string
      days?: number | undefined
      profiles?: string[] | undefined
    }) {
      const { token, entry } = createToken(name, {
        now: now(),
        expires: days === undefined ? undefined : now() + days * 86_400_000,
        profiles,
      })
      changeTokens(parts.tokenFile, (entries) => {
        if (entries.some((other) => other.name === name))
          throw new ProxyError('CONFIG_INVALID', `There is a token ${name} already.`, 'Choose another name.')
        return [...entries, entry]
      })
      return { id: entry.id, token }
    },
    removeToken(id: string): void {
      changeTokens(parts.tokenFile, (entries) => {
        if (!entries.some((entry) => entry.id === id))
          throw new ProxyError('CONFIG_INVALID', 'There is no such token.', 'Read the list again.')
        return entries.filter((entry) => entry.id !== id)
      })
    },
    async cards(): Promise<api.Cards> {
      return { cards: (await parts.host?.cards()) ?? [] }
    },
    connect: async (client: string) => defined(await linked().connect(client)),
    disconnect: async (client: string) => defined(await linked().disconnect(client)),
  }
}

/** Where words of a question stand in a definition: what a score by words is made of, told to people. */
function fitsOf(
  query: string,
  { name, description, inputSchema }: JsonObject,
): api.Tools['tools'][number]['fits'] {
  const asked = new Set(wordsOf(query))
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {}
  const fields = {
    name: String(name),
    description: typeof description === 'string' ? description : '',
    parameters: JSON.stringify(properties),
  }
  return Object.entries(fields).flatMap(([field, text]) => {
    const words = [...new Set(writtenWordsOf(text))].filter((word) => asked.has(stemOf(word)))
    return words.length === 0 ? [] : [{ field: field as keyof typeof fields, words }]
  })
}

function defined({ file, copy }: { file: string; copy: string | undefined }): api.ChangedFile {
  return { file, ...(copy !== undefined && { copy }) }
}

type Totals = ReturnType<typeof totalsOf>

function sums({
  calls,
  originalTokens,
  deliveredTokens,
  proxyToolTokens,
  definitionTokens,
  savedTokens,
}: Totals) {
  return {
    calls,
    originalTokens,
    deliveredTokens,
    ownTokens: proxyToolTokens + definitionTokens,
    savedTokens,
  }
}

function parsed(definition: string | undefined): unknown {
  if (definition === undefined) return null
  try {
    return JSON.parse(definition)
  } catch {
    return definition
  }
}
