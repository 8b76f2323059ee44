/** The modules in their order, and exchanged for others when the configuration is another one. */
import { type ExternalModule, type ModuleConfig, SHAPE, type UsedModule } from '../config/modules.ts'
import { profilesOf } from '../config/profiles.ts'
import type { ModulesConfig } from '../config/schema.ts'
import { stampOf } from '../config/watch.ts'
import { moduleDirectory } from '../data/directory.ts'
import type { Engine } from '../engine/contract.ts'
import { BUILT_IN } from '../features/modules.ts'
import { createChange } from '../module-runtime/change.ts'
import { guard } from '../module-runtime/guard.ts'
import {
  type Module,
  type ModuleContext,
  type ModuleDefinition,
  type ModuleHealth,
  methodFilter,
} from '../module-runtime/module.ts'
import { type PatternWatch, watchPatterns } from '../module-runtime/patterns.ts'
import { counted, type Layer, type Stack } from '../module-runtime/stack.ts'
import { type Logger, withFields } from '../observe/log.ts'
import { messageOf, ProxyError, RPC, RpcError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { kindOfList } from '../protocol/lists.ts'
import { localBuckets, type OpenBuckets } from '../protocol/rate.ts'
import type { OpenSharedMap } from '../protocol/shared-map.ts'
import { didYouMean } from '../text/words/edit-distance.ts'
import { later } from '../upstream/backoff.ts'
import type { ModuleStatus, UnmatchedPattern } from './contract.ts'

export interface ModuleList {
  /** True: messages go another way from now on. Rejects with ProxyError CONFIG_INVALID, and then nothing has changed. */
  configure(config: ModulesConfig): Promise<boolean>
  status(): ModuleStatus[]
  check(): Promise<ModuleStatus[]>
  /** Looks for the client that got a list last, and reports what no list has had so far. */
  unmatched(): Promise<UnmatchedPattern[]>
  close(): Promise<void>
}

/** A module at work. */
interface Running {
  /** The options that it was made of. */
  readonly made: string
  readonly config: ModuleConfig
  readonly layer: Layer
  /** Resolves once nothing is under way in it. */
  idle(): Promise<void>
  /** Safe to call again. */
  close(): Promise<void>
}

/** Milliseconds that a module of a file may take for its first start before the proxy goes on without its word. */
const FIRST_START_MS = 10_000
/** Milliseconds from a list that a client gets to a look at patterns: servers come up, and what was remembered of them is renewed. */
const LOOK_MS = 10_000

export function createModuleList(stack: Stack, parts: ModuleMakerParts): ModuleList {
  const make = createModuleMaker(parts, lookLater)
  let stopWaiting: (() => void) | undefined
  /** Modules of which the log has told. */
  const told = new Set<PatternWatch>()
  let running: readonly Running[] = []
  let order = ''
  let hadProfiles = false
  /** Modules that are no longer in the list, and still at work. */
  const leaving = new Set<Running>()

  async function start(config: ModuleConfig, whole: ModulesConfig): Promise<Running> {
    const made = madeOf(config)
    const known = running.find((one) => one.made === made)
    if (known) return known
    const layer = await make(config, whole)
    // One that holds nothing can be let go at any time.
    if (layer.module.close === undefined) return { made, config, layer, idle: nothing, close: nothing }
    const { module, idle } = counted(layer.module)
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      closing ??= closed(module)
      return closing
    }
    return { made, config, layer: { ...layer, module }, idle, close }
  }

  /** Clients may have chosen a profile of a configuration of before. */
  function gate(modules: readonly ModuleConfig[]): readonly Layer[] {
    const names = new Set(profilesOf(modules).map(({ name }) => name))
    hadProfiles ||= names.size > 0
    if (!hadProfiles) return []
    return [{ name: 'profiles', wants: () => true, hears: true, module: createProfileGate(names) }]
  }

  function put(all: readonly Running[], modules: readonly ModuleConfig[]): void {
    const layers = new Map(all.map((one) => [one.config.name, one.layer]))
    const segment = (part: readonly ModuleConfig[]): Layer[] =>
      part.flatMap(({ name }) => layers.get(name) ?? [])
    const at = modules.findIndex(isShape)
    const outer = segment(modules.slice(0, Math.max(0, at)))
    stack.set([...gate(modules), ...outer], segment(modules.slice(at + 1)))
  }

  /** A call that is under way ends where it began. */
  async function letGo(one: Running): Promise<void> {
    leaving.add(one)
    await one.idle()
    await one.close()
    leaving.delete(one)
  }

  function lookLater(): void {
    if (parts.listsAll === undefined || running.every(({ layer }) => !layer.watch || told.has(layer.watch)))
      return
    stopWaiting ??= later(LOOK_MS, () => {
      stopWaiting = undefined
      void tellAll()
    })
  }

  async function tellAll(): Promise<void> {
    for (const { config, layer } of running) if (layer.watch) await tell(config.name, layer.watch)
  }

  /** Once for each configuration, and only when no server has items that it may mean. */
  async function tell(module: string, watch: PatternWatch): Promise<void> {
    const { listsAll = () => false, logger } = parts
    let client: Client | undefined
    const isWorth = (asking: Client): boolean => {
      client = asking
      return listsAll(asking)
    }
    if (told.has(watch) || !(await watch.look(isWorth)) || client === undefined || !listsAll(client)) return
    told.add(watch)
    const patterns = watch.left().map(({ option, pattern }) => `${option}: ${pattern}`)
    if (patterns.length > 0)
      logger.warn({ module, patterns }, 'patterns of a module fit nothing that servers list')
  }

  return {
    async configure(config) {
      const { modules } = config
      if (modules.some((module) => module.kind === 'use' && module.use === 'rename'))
        (await import('../features/rename/index.ts')).checkRenames(config)
      const made: Running[] = []
      try {
        for (const module of modules) if (!isShape(module)) made.push(await start(module, config))
        await Promise.all(made.map((one) => (running.includes(one) ? undefined : loaded(one))))
      } catch (error) {
        await Promise.all(made.filter((one) => !running.includes(one)).map((one) => one.close()))
        throw error
      }
      const gone = running.filter((one) => !made.includes(one))
      const wasOrder = order
      const isOther = gone.length > 0 || made.length > running.length
      order = JSON.stringify(modules.map(({ name }) => name))
      running = made
      put(made, modules)
      for (const one of gone) void letGo(one)
      told.clear()
      for (const { layer } of made) layer.watch?.reset()
      return isOther || order !== wasOrder
    },
    status: () => running.map((one) => statusOf(one, one.layer.module.health?.())),
    check: () =>
      Promise.all(
        running.map(async (one) => {
          const { module } = one.layer
          return statusOf(one, (await module.check?.()) ?? module.health?.())
        }),
      ),
    async unmatched() {
      const all = await Promise.all(
        running.map(async ({ config: { name }, layer: { watch } }) => {
          await watch?.look()
          return (watch?.left() ?? []).map((pattern) => ({ module: name, ...pattern }))
        }),
      )
      return all.flat()
    },
    async close() {
      stopWaiting?.()
      await Promise.all([...running, ...leaving].map((one) => one.close()))
    },
  }
}

/**
 * A file that cannot be loaded is an error of the configuration, whatever `failOpen` says, which is about faults at work. Rejects with
 * ProxyError CONFIG_INVALID. Programs and services may come up later than the proxy: they are waited for with each message.
 */
async function loaded({ config, layer }: Running): Promise<void> {
  if (config.kind !== 'external' || !('path' in config.reach)) return
  const { path } = config.reach
  const missing = stampOf(path) === undefined ? 'there is no such file' : undefined
  const why = missing ?? (await troubleOf(layer.module))
  if (why === undefined) return
  throw new ProxyError(
    'CONFIG_INVALID',
    `The module \`${config.name}\` cannot be loaded from ${path}: ${why}`,
    'Correct its "path" or the file, or write "disabled": true into its entry to go on without it.',
  )
}

/** Undefined: it works, or has not started in time. */
async function troubleOf(module: Module): Promise<string | undefined> {
  let stop = (): void => {}
  const late = new Promise<undefined>((resolve) => {
    stop = later(FIRST_START_MS, () => resolve(undefined))
  })
  const health = await Promise.race([module.check?.(), late]).finally(() => stop())
  return health?.state === 'failed' ? health.message : undefined
}

/** A file is another module when it was written since: what it says is known only when it is loaded. */
function madeOf(config: ModuleConfig): string {
  const isFile = config.kind === 'external' && 'path' in config.reach
  return JSON.stringify([config, isFile ? stampOf(config.reach.path) : undefined])
}

function isShape(module: ModuleConfig): boolean {
  return module.kind === 'use' && module.use === SHAPE
}

async function nothing(): Promise<void> {}

/** Whatever it does on its way out, the others go on. */
async function closed(module: Module): Promise<void> {
  try {
    await module.close?.()
  } catch {}
}

function statusOf({ config }: Running, health: ModuleHealth | undefined): ModuleStatus {
  const { state = 'ok', message = '' } = health ?? {}
  return { name: config.name, what: whatOf(config), mode: config.mode ?? 'enforce', state, message }
}

function whatOf(module: ModuleConfig): string {
  if (module.kind === 'use') return `use: ${module.use}`
  const { reach } = module
  if ('path' in reach) return `path: ${reach.path}`
  // Arguments and the rest of an address may hold secrets.
  return 'command' in reach ? `command: ${reach.command}` : `url: ${new URL(reach.url).origin}`
}

// Makes a module of its entry in the configuration, and a layer of the module.

export interface ModuleMakerParts {
  engine: Pick<Engine, 'change'>
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
  /** Modules of the embedder, by `name`. */
  definitions: readonly ModuleDefinition[]
  /** Names of the proxy's own tools. */
  ownTools: ReadonlySet<string>
  /** Absent: they are of this process. */
  buckets?: OpenBuckets
  /** Absent: replicas have nothing in common. */
  maps?: OpenSharedMap | undefined
  /** The lists may differ now. */
  listsChanged(): void
  /** True when all that servers list is listed for this client. Absent: unknown, and patterns that fit nothing are not reported. */
  listsAll?(client: Client): boolean
}

/** Rejects with ProxyError CONFIG_INVALID when the module cannot be made. */
type MakeModule = (module: ModuleConfig, whole: ModulesConfig) => Promise<Layer>

/** The methods that only clients send: a module that wants nothing else needs to hear nothing of servers. */
const OF_CLIENTS = /^(?:tools|prompts|resources|completion|logging)\//

/** `listed`: a list went to a client, and there are patterns that nothing has fitted yet. */
function createModuleMaker(parts: ModuleMakerParts, listed: () => void): MakeModule {
  const {
    now,
    elapsed,
    definitions,
    ownTools,
    listsChanged,
    maps,
    buckets: open = localBuckets(elapsed),
  } = parts
  const isOwnTool = (tool: string): boolean => ownTools.has(tool)
  const change = createChange(parts.engine)

  async function used(config: UsedModule, { settings, file }: ModulesConfig): Promise<Layer> {
    const { name } = config
    const definition = await definitionOf(config, definitions)
    const options = optionsOf(config, definition)
    const logger = withFields(parts.logger, { module: name })
    const messages =
      typeof definition.messages === 'function' ? definition.messages(options) : definition.messages
    const directory = moduleDirectory(settings.dataDir, name, file)
    const buckets: ModuleContext['buckets'] = (rate) => open(`module ${name}`, rate)
    const clocks = { now, elapsed }
    const shared = maps?.(`module ${name}`)
    const own = { name, logger, dataDir: directory, buckets, shared }
    const context = { ...own, ...clocks, change, isOwnTool, listsChanged }
    const module = await create(definition, options, context)
    const patterns = definition.patterns?.(options) ?? []
    const layer = {
      name,
      wants: methodFilter(messages),
      hears:
        module.notify !== undefined ||
        messages === undefined ||
        messages.some((one) => !OF_CLIENTS.test(one)),
      module: guard(module, { ...config, seesObjects: definition.seesObjects, logger }),
    }
    return patterns.length === 0 ? layer : watched(layer, watchPatterns(patterns, listed))
  }

  async function external(config: ExternalModule): Promise<Layer> {
    const { name } = config
    const logger = withFields(parts.logger, { module: name })
    const { openExternal } = await import('../features/external/index.ts')
    const { module, wants } = openExternal(config, { logger, now, elapsed })
    // It watches over its own failures: an interceptor of it may fail open where another does not.
    return {
      name,
      wants,
      hears: true,
      module: guard(module, { name, mode: 'enforce', failOpen: false, timeoutMs: undefined, logger }),
    }
  }

  return (module, whole) => (module.kind === 'use' ? used(module, whole) : external(module))
}

/** With what looks from its place which of its patterns mean anything. */
function watched(layer: Layer, watch: PatternWatch): Layer {
  const { module, wants } = layer
  return {
    ...layer,
    watch,
    wants: (method) => wants(method) || kindOfList(method) !== undefined,
    module: {
      ...module,
      wrap(next, inside) {
        const watched = watch.wrap(next, inside)
        const handler = module.wrap?.(watched, inside) ?? watched
        return (exchange) => (wants(exchange.method) ? handler(exchange) : watched(exchange))
      },
    },
  }
}

async function definitionOf(
  { use, name }: UsedModule,
  definitions: readonly ModuleDefinition[],
): Promise<ModuleDefinition> {
  const own = definitions.find((definition) => definition.name === use)
  if (own) return own
  const load = Object.hasOwn(BUILT_IN, use) ? BUILT_IN[use]?.load : undefined
  if (load) return load()
  const names = [...definitions.map((definition) => definition.name), ...builtInNames]
  throw new ProxyError(
    'CONFIG_INVALID',
    `The entry \`${name}\` of "modules" says "use": "${use}", but no module has that name.${didYouMean(use, names)}`,
    `Write one of these after "use": ${names.join(', ')}.`,
  )
}

function optionsOf({ name, options }: UsedModule, definition: ModuleDefinition): Record<string, unknown> {
  const parsed = definition.options.safeParse(options)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new ProxyError(
    'CONFIG_INVALID',
    `The options of the module \`${name}\` are not valid: ${wrong.join('; ')}`,
    'Correct these options in its entry of "modules".',
  )
}

async function create(
  definition: ModuleDefinition,
  options: Record<string, unknown>,
  context: ModuleContext,
): Promise<Module> {
  try {
    return await definition.create(options, context)
  } catch (error) {
    if (error instanceof ProxyError) throw error
    throw new ProxyError(
      'CONFIG_INVALID',
      `The module \`${context.name}\` cannot be made: ${messageOf(error)}`,
      'Correct its options, or remove it.',
    )
  }
}

/** The entries that are more than a place in the list. */
const builtInNames = Object.entries(BUILT_IN).flatMap(([name, { load }]) => (load ? [name] : []))

/**
 * Stands before all other modules where there are, or were, profiles. A client gets nothing once its profile was removed: without the
 * limits of the profile it would get everything.
 */
function createProfileGate(names: ReadonlySet<string>): Module {
  const isThere = (profile: string | undefined): boolean => profile === undefined || names.has(profile)
  return {
    wrap: (next) => async (exchange) => {
      const { profile } = exchange.client
      if (isThere(profile)) return next(exchange)
      throw new RpcError(RPC.invalidRequest, `The profile ${profile} is no longer there: connect again`)
    },
    notify: (next) => (notice) => (isThere(notice.client.profile) ? next(notice) : undefined),
    reaches: (_server, profile) => isThere(profile),
  }
}
