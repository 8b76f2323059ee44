/**
 * The modules that come with the proxy, in the order in which the documentation lists them: the one place where a module is added. A
 * folder holds its options, its code and its README; the code is loaded when a configuration names the module.
 */
import type * as z from 'zod'
import { SHAPE } from '../config/modules.ts'
import type { ModuleDefinition } from '../module-runtime/module.ts'
import { blockOptions } from './block/options.ts'
import { logOptions } from './log/options.ts'
import { packageOptions } from './package/options.ts'
import { pinOptions } from './pin/options.ts'
import { quotaOptions } from './quota/options.ts'
import { redactOptions } from './redact/options.ts'
import { renameOptions } from './rename/options.ts'
import { rewriteOptions } from './rewrite/options.ts'
import { shapeOptions } from './shape/options.ts'
import { translateOptions } from './translate/options.ts'

export interface BuiltInModule {
  /** Its work, in a sentence for the documentation and for `status`. */
  readonly what: string
  readonly options: z.ZodObject
  /** Absent: a place in the list, and no code. */
  readonly load?: () => Promise<ModuleDefinition>
}

export const BUILT_IN: Readonly<Record<string, BuiltInModule>> = {
  log: {
    what: 'Writes messages of both directions to the log or a file, without secrets.',
    options: logOptions,
    load: async () => (await import('./log/index.ts')).log,
  },
  block: {
    what: 'Hides tools, prompts and resources: clients neither see nor use them.',
    options: blockOptions,
    load: async () => (await import('./block/index.ts')).block,
  },
  rename: {
    what: 'Gives tools, prompts and resources other names, titles and descriptions.',
    options: renameOptions,
    load: async () => (await import('./rename/index.ts')).rename,
  },
  rewrite: {
    what: 'Changes text in transit by rules: in results, in descriptions, in prompts.',
    options: rewriteOptions,
    load: async () => (await import('./rewrite/index.ts')).rewrite,
  },
  redact: {
    what: 'Strikes out secrets and personal data before anything is kept or sent.',
    options: redactOptions,
    load: async () => (await import('./redact/index.ts')).redact,
  },
  quota: {
    what: 'Limits calls of the tools of servers by a token bucket, per agent, server or tool.',
    options: quotaOptions,
    load: async () => (await import('./quota/index.ts')).quota,
  },
  package: {
    what: 'Presents chosen tools, prompts and resources of several servers as one. With a name it is a profile that clients choose.',
    options: packageOptions,
    load: async () => (await import('./package/index.ts')).bundle,
  },
  pin: {
    what: 'Holds back a tool when its definition changes, until a person approves it.',
    options: pinOptions,
    load: async () => (await import('./pin/index.ts')).pin,
  },
  translate: {
    what: 'Translates descriptions and results into a preferred language.',
    options: translateOptions,
    load: async () => (await import('./translate/index.ts')).translate,
  },
  [SHAPE]: {
    what: 'The place in the list at which large results are kept and previewed.',
    options: shapeOptions,
  },
}
