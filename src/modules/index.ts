/** The modules that come with the proxy. Each is loaded when a configuration names it. */
import type { BUILT_IN_OPTIONS, SHAPE } from '../config/modules/index.ts'
import type { ModuleDefinition } from './module.ts'

type Name = Exclude<keyof typeof BUILT_IN_OPTIONS, typeof SHAPE>

export const BUILT_IN: Readonly<Record<Name, () => Promise<ModuleDefinition>>> = {
  log: async () => any((await import('./log.ts')).log),
  block: async () => any((await import('./block.ts')).block),
  rename: async () => any((await import('./rename.ts')).rename),
  rewrite: async () => any((await import('./rewrite.ts')).rewrite),
  redact: async () => any((await import('./redact.ts')).redact),
  package: async () => any((await import('./package.ts')).bundle),
  pin: async () => any((await import('./pin.ts')).pin),
  translate: async () => any((await import('./translate.ts')).translate),
  quota: async () => any((await import('./quota.ts')).quota),
}

/** Options are parsed by the module's own schema before it is created, so one type of them does for all. */
function any(definition: unknown): ModuleDefinition {
  return definition as ModuleDefinition
}
