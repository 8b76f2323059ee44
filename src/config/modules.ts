/** `modules`: an entry of the list as written, whatever kind of module it names. */

import * as z from 'zod'
import { isObject } from '../protocol/json.ts'
import { flag, integer, oneOf, text } from './option.ts'

/** The members that any entry may have. */
const common = {
  name: text(
    'The name of the module in messages, in the log and in `doctor`. Not set: the proxy derives one from the entry.',
  ).optional(),
  mode: oneOf(
    ['enforce', 'audit'],
    'audit: the module sees everything but changes and refuses nothing. The log says what it would have done.',
    { spellings: { active: 'enforce' } },
  ).default('enforce'),
  failOpen: flag(
    'What happens to a message when the module fails or takes too long. true: the message passes unchanged. false: the proxy refuses it.',
  ).default(false),
  timeoutMs: integer('How long the module may work on a message.', {
    unit: 'milliseconds',
    min: 1,
    max: 600_000,
  }).optional(),
  priority: integer(
    'Lower ones stand nearer to the client. Modules of equal priority stand as they are listed.',
    {
      min: -2_147_483_648,
      max: 2_147_483_647,
    },
  ).default(0),
  disabled: flag('Leave this module out.').default(false),
} as const

/** An entry that names a module of the proxy or of its embedder; all other keys are options of that module. */
export const useSchema = z.object({
  use: text('The name of a built-in module.'),
  ...common,
})

/** An entry that names a module of somebody else. */
export const externalSchema = z.object({
  path: text('An ES module file. It runs in a process of its own.').optional(),
  command: text('A program that speaks the module protocol over its standard input and output.').optional(),
  args: z.array(z.string()).meta({ description: 'Its arguments.' }).optional(),
  env: z
    .record(z.string().min(1), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .meta({ description: 'Environment variables for it, added to a safe few of your own.' })
    .optional(),
  cwd: text('The directory in which it runs. Not set: the directory of the proxy.').optional(),
  url: text(
    'The address of a module that runs elsewhere and speaks the protocol over streamable HTTP.',
  ).optional(),
  headers: z
    .record(z.string().min(1), z.string())
    .meta({ description: 'HTTP headers sent to it with every request.' })
    .optional(),
  config: z
    .record(z.string(), z.unknown())
    .meta({
      description: 'The proxy passes this to the module with every message, unchanged.',
      allowed: 'an object { … }',
    })
    .optional(),
  events: z
    .array(z.string().min(1))
    .meta({
      description: 'Limits the messages that it gets to these. Not set: all messages that it asks for.',
    })
    .optional(),
  phase: oneOf(['request', 'response', 'both'], 'The part of an exchange that it gets.').default('both'),
  payload: oneOf(
    ['content', 'message'],
    'The form of a request that it gets. content: only the params. message: { method, params }.',
  ).default('content'),
  maxBytes: integer('The longest message that it gets. A longer message counts as a failure of the module.', {
    unit: 'bytes',
    min: 1024,
    max: 256 * 1024 * 1024,
  }).default(4 * 1024 * 1024),
  ...common,
  mode: common.mode.unwrap().optional(),
  failOpen: common.failOpen.unwrap().optional(),
})

export type ExternalEntry = z.output<typeof externalSchema>

/** The common members of the entries of all modules. */
export interface ModuleBasics {
  /** Unique in the list. */
  readonly name: string
  /** Milliseconds; undefined: the default of its kind. */
  readonly timeoutMs: number | undefined
  readonly priority: number
}

/** A module of the proxy's own or of its embedder. */
export interface UsedModule extends ModuleBasics {
  readonly kind: 'use'
  readonly use: string
  readonly mode: 'enforce' | 'audit'
  readonly failOpen: boolean
  /** Options as written, variables filled in. */
  readonly options: Readonly<Record<string, unknown>>
}

/** A module of somebody else. */
export interface ExternalModule extends ModuleBasics {
  readonly kind: 'external'
  /** Undefined: as the module says of itself. */
  readonly mode: 'enforce' | 'audit' | undefined
  readonly failOpen: boolean | undefined
  readonly reach:
    | { readonly path: string }
    | {
        readonly command: string
        readonly args: readonly string[]
        readonly env: Readonly<Record<string, string>>
        readonly cwd: string | undefined
      }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
  readonly config: Readonly<Record<string, unknown>> | undefined
  /** Undefined: all that it asks for. */
  readonly events: readonly string[] | undefined
  readonly phase: 'request' | 'response' | 'both'
  readonly payload: 'content' | 'message'
  readonly maxBytes: number
}

/** An entry of `modules`, complete. */
export type ModuleConfig = UsedModule | ExternalModule

/** The options of a module that `use` may name. */
export interface ModuleOptions {
  readonly name: string
  readonly options: z.ZodObject
}

/** The place of shaping in the list. */
export const SHAPE = 'shape'

// Secrets that entries of the list of modules may hold.

interface Holder {
  readonly env?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly url?: string
}

/** Variables, headers, addresses, and options that are texts: their names tell which of them are secrets. */
export function holdersOf(modules: readonly ModuleConfig[]): Holder[] {
  return modules.flatMap((module): Holder[] => {
    if (module.kind === 'external') return 'path' in module.reach ? [] : [module.reach]
    const { headers } = module.options
    return [{ env: textsOf(module.options), headers: isObject(headers) ? textsOf(headers) : {} }]
  })
}

function textsOf(object: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
