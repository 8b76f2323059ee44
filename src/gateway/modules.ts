/**
 * The modules of a configuration. Their code is loaded when the first is listed, so a configuration without modules does not pay for them.
 */
import type { ModulesConfig } from '../config/schema.ts'
import type { Stack } from '../module-runtime/stack.ts'
import type { ModuleStatus, UnmatchedPattern } from './contract.ts'
import type { ModuleList, ModuleMakerParts } from './module-list.ts'

export interface Modules {
  status(): ModuleStatus[]
  /** The same, once each has had the time to start. */
  check(): Promise<ModuleStatus[]>
  /** Patterns that fitted nothing of what was listed so far, and of what is listed now for who was listed something last. */
  unmatched(): Promise<UnmatchedPattern[]>
  /**
   * These from now on, one configuration after the other. One that is the same stays as it is; nothing changes when one cannot be made.
   * A call that is under way ends where it began: a module that is gone is closed when nothing is in it any more.
   */
  configure(config: ModulesConfig): Promise<void>
  close(): Promise<void>
}

/** Fills `stack` with the modules of the configuration. Rejects with ProxyError CONFIG_INVALID when one cannot be made. */
export async function openModules(
  config: ModulesConfig,
  stack: Stack,
  parts: ModuleMakerParts,
): Promise<Modules> {
  let list: ModuleList | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function put(next: ModulesConfig): Promise<boolean> {
    if (list === undefined && next.modules.length === 0) return false
    list ??= (await import('./module-list.ts')).createModuleList(stack, parts)
    return list.configure(next)
  }

  await put(config)
  return {
    status: () => list?.status() ?? [],
    check: async () => list?.check() ?? [],
    unmatched: async () => list?.unmatched() ?? [],
    configure(next) {
      const done = last.then(async () => {
        if (!(await put(next))) return
        parts.logger.info(
          { modules: next.modules.map(({ name }) => name) },
          'the modules are these from now on',
        )
        parts.listsChanged()
      })
      last = done.catch(() => {})
      return done
    },
    async close() {
      stack.close()
      await last
      await list?.close()
    },
  }
}
