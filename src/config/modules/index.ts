/** The options of the modules that come with the proxy, by name. */
import { blockOptions } from './block.ts'
import type { ModuleOptions } from './entry.ts'
import { logOptions } from './log.ts'
import { packageOptions } from './package.ts'
import { pinOptions } from './pin.ts'
import { quotaOptions } from './quota.ts'
import { redactOptions } from './redact.ts'
import { renameOptions } from './rename.ts'
import { rewriteOptions } from './rewrite.ts'
import { shapeOptions } from './shape.ts'
import { translateOptions } from './translate.ts'

/** The place of shaping in the list. */
export const SHAPE = 'shape'

export const BUILT_IN_OPTIONS = {
  log: logOptions,
  block: blockOptions,
  rename: renameOptions,
  rewrite: rewriteOptions,
  redact: redactOptions,
  quota: quotaOptions,
  package: packageOptions,
  pin: pinOptions,
  translate: translateOptions,
  [SHAPE]: shapeOptions,
} as const

export const BUILT_IN_MODULES: readonly ModuleOptions[] = Object.entries(BUILT_IN_OPTIONS).map(
  ([name, options]) => ({
    name,
    options,
  }),
)
