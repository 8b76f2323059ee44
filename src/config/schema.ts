/** The whole configuration: the file as people write it, and the complete, frozen form the proxy runs on. */
import * as z from 'zod'
import type { ModuleConfig } from './modules/entry.ts'
import { type ServerConfig, serverSchema } from './servers.ts'
import { type Settings, settingsSchema } from './settings.ts'

/** `mcp.json`. Keys of other programs beside these are allowed and ignored. */
export const fileSchema = z.object({
  mcpServers: z.record(z.string().min(1), serverSchema).meta({
    description:
      'The servers behind the proxy, by name. A file of Claude Desktop or Cursor can be used as it is.',
  }),
  proxySettings: settingsSchema.prefault({}).meta({ description: 'How the proxy itself works.' }),
})

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** Everything the proxy was told, checked and complete. Frozen through and through. */
export interface Config {
  /** The file it came from. Undefined: a wrapped command or an object in memory. */
  readonly file: string | undefined
  /** Servers to connect, in the order of the file. */
  readonly servers: readonly ServerConfig[]
  /** Names of servers that the file leaves out. */
  readonly disabled: readonly string[]
  readonly settings: DeepReadonly<Settings>
  /** The modules around an exchange, the one nearest to the client first. */
  readonly modules: readonly ModuleConfig[]
  /** Paths of the settings that somebody chose: `['transport', 'log.level']`. The others are defaults. */
  readonly chosen: readonly string[]
}

/** What modules are made of. */
export type ModulesConfig = Pick<Config, 'modules' | 'settings' | 'file'>
