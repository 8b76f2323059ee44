/** The modules that come with the proxy. Each is loaded when a configuration names it. */
import type { BUILT_IN_OPTIONS, SHAPE } from '../config/modules/index.ts'
import type { ModuleDefinition } from './module.ts'

type Name = Exclude<keyof typeof BUILT_IN_OPTIONS, typeof SHAPE>

export const BUILT_IN: Readonly<Record<Name, () => Promise<ModuleDefinition>>> = {
  log: async () => (await import('./log.ts')).log,
  block: async () => (await import('./block.ts')).block,
  rename: async () => (await import('./rename.ts')).rename,
  rewrite: async () => (await import('./rewrite.ts')).rewrite,
  redact: async () => (await import('./redact.ts')).redact,
  package: async () => (await import('./package.ts')).bundle,
  pin: async () => (await import('./pin.ts')).pin,
  translate: async () => (await import('./translate.ts')).translate,
  quota: async () => (await import('./quota.ts')).quota,
}
