/** What of the configuration changes while the proxy runs. All other settings stay what they were at the start. */
import { type Profile, profilesOf } from '../config/profiles.ts'
import type { Config } from '../config/schema.ts'
import { type KeepsStructured, keepsStructuredOf, toolListsOf } from './servers.ts'

export interface LiveSettings {
  readonly config: Pick<Config, 'settings' | 'servers'>
  /** What clients may choose by their path. */
  readonly profiles: readonly Profile[]
  readonly keepsStructured: KeepsStructured
  /** This configuration from now on. True: which tools may be used, or how they are listed, is not what it was. */
  take(next: Config): boolean
}

export function liveSettings(start: Config): LiveSettings {
  let toolLists = toolListsOf(start)
  const live = {
    config: start as LiveSettings['config'],
    profiles: profilesOf(start.modules),
    keepsStructured: keepsStructuredOf(start),
    take(next: Config) {
      live.config = { settings: start.settings, servers: next.servers }
      live.profiles = profilesOf(next.modules)
      live.keepsStructured = keepsStructuredOf(next)
      const before = toolLists
      toolLists = toolListsOf(next)
      return toolLists !== before
    },
  }
  return live
}
