/** Makes a module of its entry in the configuration, and a layer of the module. */
import { moduleDirectory } from '../config/data-directory.ts'
import type { ExternalModule, ModuleConfig, UsedModule } from '../config/modules/entry.ts'
import type { ModulesConfig } from '../config/schema.ts'
import type { Engine } from '../engine/engine.ts'
import { createChange } from '../modules/change.ts'
import { guard } from '../modules/guard.ts'
import { BUILT_IN } from '../modules/index.ts'
import { methodFilter } from '../modules/methods.ts'
import type { Module, ModuleContext, ModuleDefinition } from '../modules/module.ts'
import { type PatternWatch, watchPatterns } from '../modules/pattern-watch.ts'
import { kindOfList } from '../modules/roster.ts'
import type { Layer } from '../modules/stack.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Client } from '../protocol/exchange.ts'
import { type Logger, withFields } from '../telemetry/log.ts'

export interface ModuleMakerParts {
  engine: Pick<Engine, 'change'>
  logger: Logger
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
  /** Modules of the embedder, by `name`. */
  definitions: readonly ModuleDefinition[]
  /** Names of the proxy's own tools. */
  ownTools: ReadonlySet<string>
  /** What is listed may be something else. */
  listsChanged(): void
  /** True when all that servers list is listed for this client. Absent: nobody knows, and patterns that fit nothing are not told of. */
  listsAll?(client: Client): boolean
}

/** Rejects with ProxyError CONFIG_INVALID when the module cannot be made. */
export type MakeModule = (module: ModuleConfig, whole: ModulesConfig) => Promise<Layer>

/** What only clients send: who wants nothing else needs to hear nothing of servers. */
const OF_CLIENTS = /^(?:tools|prompts|resources|completion|logging)\//

/** `listed`: a list went to a client, and there are patterns that nothing has fitted yet. */
export function createModuleMaker(parts: ModuleMakerParts, listed: () => void): MakeModule {
  const { now, elapsed, definitions, ownTools, listsChanged } = parts
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
    const context = { name, logger, now, elapsed, dataDir: directory, change, isOwnTool, listsChanged }
    const module = await create(definition, options, context)
    const patterns = definition.patterns?.(options) ?? []
    const layer = {
      name,
      wants: methodFilter(messages),
      hears:
        module.notify !== undefined ||
        messages === undefined ||
        messages.some((one) => !OF_CLIENTS.test(one)),
      module: guard(module, { ...config, logger }),
    }
    return patterns.length === 0 ? layer : watched(layer, watchPatterns(patterns, listed))
  }

  async function external(config: ExternalModule): Promise<Layer> {
    const { name } = config
    const logger = withFields(parts.logger, { module: name })
    const [{ createExternal }, { openLine }] = await Promise.all([
      import('../modules/external/external.ts'),
      import('./module-line.ts'),
    ])
    const { module, wants } = createExternal(config, {
      logger,
      now,
      open: (events) => openLine(config, events, { logger, elapsed }),
    })
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
      wrap(next) {
        const inside = watch.wrap(next)
        const handler = module.wrap?.(inside) ?? inside
        return (exchange) => (wants(exchange.method) ? handler(exchange) : inside(exchange))
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
  const load = Object.hasOwn(BUILT_IN, use) ? BUILT_IN[use as keyof typeof BUILT_IN] : undefined
  if (load) return load()
  throw new ProxyError(
    'CONFIG_INVALID',
    `The module \`${name}\` uses "${use}", which there is not.`,
    `There are: ${[...definitions.map((definition) => definition.name), ...Object.keys(BUILT_IN)].join(', ')}.`,
  )
}

function optionsOf({ name, options }: UsedModule, definition: ModuleDefinition): Record<string, unknown> {
  const parsed = definition.options.safeParse(options)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new ProxyError(
    'CONFIG_INVALID',
    `The options of the module \`${name}\` are not valid: ${wrong.join('; ')}`,
    'Correct them.',
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
