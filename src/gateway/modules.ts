/** The modules of a configuration: made, put into their order, and exchanged when the configuration is another one. */
import { moduleDirectory } from '../config/data-directory.ts'
import type { ExternalModule, ModuleConfig, UsedModule } from '../config/modules/entry.ts'
import { SHAPE } from '../config/modules/index.ts'
import type { Config } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import { createChange } from '../modules/change.ts'
import { guard } from '../modules/guard.ts'
import { BUILT_IN } from '../modules/index.ts'
import { methodFilter } from '../modules/methods.ts'
import type { Module, ModuleContext, ModuleDefinition, ModuleHealth } from '../modules/module.ts'
import { createStack, type Layer, type Stack } from '../modules/stack.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Logger } from '../telemetry/log.ts'
import { openLine } from './module-line.ts'

export interface ModulesParts {
  engine: Engine
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  /** Modules of the embedder, by `name`. */
  definitions: readonly ModuleDefinition[]
  /** What is listed may be something else. */
  listsChanged(): void
}

/** One of the list, as `status` and `doctor` show it. */
export interface ModuleStatus extends ModuleHealth {
  name: string
  /** `use: block`, `command: node`, `url: …`, `path: …`. */
  what: string
  mode: 'enforce' | 'audit'
}

export interface Modules {
  readonly stack: Stack
  status(): ModuleStatus[]
  /** The same, once each has had the time to start. */
  check(): Promise<ModuleStatus[]>
  /** These from now on. One that is the same stays as it is; nothing changes when one cannot be made. */
  configure(config: Config): Promise<void>
  close(): Promise<void>
}

/** A module at work. */
interface Running {
  /** What it was made of. */
  readonly written: string
  readonly config: ModuleConfig
  readonly layer: Layer
}

/** What only clients send: who wants nothing else needs to hear nothing of servers. */
const OF_CLIENTS = /^(?:tools|prompts|resources|completion|logging)\//

/** Rejects with ProxyError CONFIG_INVALID when one cannot be made. */
export async function openModules(config: Config, parts: ModulesParts): Promise<Modules> {
  const stack = createStack()
  const change = createChange(parts.engine)
  let running: readonly Running[] = []
  let order: readonly string[] = []

  async function make(module: ModuleConfig, dataDir: string): Promise<Running> {
    const written = JSON.stringify(module)
    const known = running.find((one) => one.written === written)
    if (known) return known
    const layer = module.kind === 'use' ? await use(module, dataDir) : await external(module)
    return { written, config: module, layer }
  }

  async function use(config: UsedModule, dataDir: string): Promise<Layer> {
    const { name } = config
    const definition = await definitionOf(config, parts.definitions)
    const logger = namedModule(parts.logger, name)
    const parsed = definition.options.safeParse(config.options)
    if (!parsed.success)
      throw new ProxyError(
        'CONFIG_INVALID',
        `The options of the module \`${name}\` are not valid: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
        'Correct them.',
      )
    const options = parsed.data
    const context: ModuleContext = {
      name,
      logger,
      now: parts.now,
      elapsed: parts.elapsed,
      dataDir: moduleDirectory(dataDir, name),
      change,
      listsChanged: parts.listsChanged,
    }
    const messages =
      typeof definition.messages === 'function' ? definition.messages(options) : definition.messages
    const module = await create(definition, options, context)
    return {
      name,
      wants: methodFilter(messages),
      hears:
        module.notify !== undefined ||
        messages === undefined ||
        messages.some((one) => !OF_CLIENTS.test(one)),
      module: guard(module, { ...config, logger }),
    }
  }

  async function external(config: ExternalModule): Promise<Layer> {
    const { name } = config
    const logger = namedModule(parts.logger, name)
    const { createExternal } = await import('../modules/external/external.ts')
    const { module, wants } = createExternal(config, {
      logger,
      now: parts.now,
      open: (events) => openLine(config, events, { logger, elapsed: parts.elapsed }),
    })
    // It watches over its own failures: an interceptor of it may fail open where another does not.
    return {
      name,
      wants,
      hears: true,
      module: guard(module, { name, mode: 'enforce', failOpen: false, timeoutMs: undefined, logger }),
    }
  }

  function put(all: readonly Running[], modules: readonly ModuleConfig[]): void {
    const at = modules.findIndex(isShape)
    const byName = new Map(all.map((one) => [one.config.name, one.layer]))
    const layers = (part: readonly ModuleConfig[]): Layer[] =>
      part.flatMap(({ name }) => {
        const layer = byName.get(name)
        return layer ? [layer] : []
      })
    stack.set(layers(modules.slice(0, Math.max(0, at))), layers(modules.slice(at + 1)))
    const names = modules.map((module) => (isShape(module) ? SHAPE : module.name))
    order = at < 0 ? [SHAPE, ...names] : names
  }

  async function configure({ modules, settings }: Pick<Config, 'modules' | 'settings'>): Promise<void> {
    const made: Running[] = []
    try {
      for (const module of modules) if (!isShape(module)) made.push(await make(module, settings.dataDir))
    } catch (error) {
      await closeAll(made.filter((one) => !running.includes(one)))
      throw error
    }
    const gone = running.filter((one) => !made.includes(one))
    const isSame =
      gone.length === 0 &&
      made.length === running.length &&
      made.every((one, index) => one === running[index])
    running = made
    const before = order.join('\n')
    const isFirst = order.length === 0
    put(made, modules)
    if (!isFirst && (!isSame || order.join('\n') !== before)) parts.listsChanged()
    await closeAll(gone)
  }

  const statusOf = ({ config: module }: Running, { state, message }: ModuleHealth): ModuleStatus => ({
    name: module.name,
    what: whatOf(module),
    mode: module.mode ?? 'enforce',
    state,
    message,
  })

  await configure(config)
  return {
    stack,
    status: () => running.map((one) => statusOf(one, one.layer.module.health?.() ?? WORKS)),
    check: () =>
      Promise.all(
        running.map(async (one) =>
          statusOf(one, (await one.layer.module.check?.()) ?? one.layer.module.health?.() ?? WORKS),
        ),
      ),
    configure,
    close: () => {
      stack.close()
      return closeAll(running)
    },
  }
}

const WORKS: ModuleHealth = { state: 'ok', message: '' }

function isShape(module: ModuleConfig): boolean {
  return module.kind === 'use' && module.use === SHAPE
}

async function definitionOf(
  { use, name }: UsedModule,
  definitions: readonly ModuleDefinition[],
): Promise<ModuleDefinition> {
  const own = definitions.find((definition) => definition.name === use)
  if (own) return own
  const load = Object.hasOwn(BUILT_IN, use) ? BUILT_IN[use as keyof typeof BUILT_IN] : undefined
  if (load) return load()
  throw new ProxyError(
    'CONFIG_INVALID',
    `The module \`${name}\` uses "${use}", which there is not.`,
    `There are: ${[...definitions.map((definition) => definition.name), ...Object.keys(BUILT_IN)].join(', ')}.`,
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

async function closeAll(all: readonly Running[]): Promise<void> {
  await Promise.all(all.map(({ layer }) => Promise.resolve(layer.module.close?.()).catch(() => {})))
}

function whatOf(module: ModuleConfig): string {
  if (module.kind === 'use') return `use: ${module.use}`
  const { reach } = module
  if ('path' in reach) return `path: ${reach.path}`
  // Arguments and the rest of an address may hold secrets.
  return 'command' in reach ? `command: ${reach.command}` : `url: ${new URL(reach.url).origin}`
}

function namedModule(logger: Logger, module: string): Logger {
  return {
    debug: (fields, message) => logger.debug({ module, ...fields }, message),
    info: (fields, message) => logger.info({ module, ...fields }, message),
    warn: (fields, message) => logger.warn({ module, ...fields }, message),
    error: (fields, message) => logger.error({ module, ...fields }, message),
  }
}
