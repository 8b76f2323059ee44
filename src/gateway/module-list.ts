/** The modules in their order, and exchanged for others when the configuration is another one. */
import type { ModuleConfig } from '../config/modules/entry.ts'
import { SHAPE } from '../config/modules/index.ts'
import { profilesOf } from '../config/profiles.ts'
import type { ModulesConfig } from '../config/schema.ts'
import { stampOf } from '../config/stamp.ts'
import { counted } from '../modules/in-use.ts'
import type { Module, ModuleHealth } from '../modules/module.ts'
import type { PatternWatch } from '../modules/pattern-watch.ts'
import { createProfileGate } from '../modules/profile-gate.ts'
import type { Layer, Stack } from '../modules/stack.ts'
import type { Client } from '../protocol/exchange.ts'
import { later } from '../upstream/backoff.ts'
import { checkRenames } from './check-renames.ts'
import { createModuleMaker, type ModuleMakerParts } from './module-maker.ts'
import type { ModuleStatus, UnmatchedPattern } from './modules.ts'

export interface ModuleList {
  /** True: messages go another way from now on. Rejects with ProxyError CONFIG_INVALID, and then nothing has changed. */
  configure(config: ModulesConfig): Promise<boolean>
  status(): ModuleStatus[]
  check(): Promise<ModuleStatus[]>
  /** Looks for who was listed something last, and tells what nobody's lists had so far. */
  unmatched(): Promise<UnmatchedPattern[]>
  close(): Promise<void>
}

/** A module at work. */
interface Running {
  /** What it was made of. */
  readonly made: string
  readonly config: ModuleConfig
  readonly layer: Layer
  /** Resolves once nothing is under way in it. */
  idle(): Promise<void>
  /** Safe to call again. */
  close(): Promise<void>
}

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

  /** What is under way ends where it began. */
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

  /** Once for each configuration, and only when there is no server whose items it may mean. */
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
      checkRenames(config)
      const made: Running[] = []
      try {
        for (const module of modules) if (!isShape(module)) made.push(await start(module, config))
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
