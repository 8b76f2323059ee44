/** Settings for results as the gateway puts them together, without a configuration. */
import type { ResultSettings } from '../../src/config/servers.ts'
import type { ResultSettingsOf } from '../../src/proxy/feature.ts'

/** The same for every tool. */
export function settingsForAll(settings: ResultSettings): () => ResultSettingsOf {
  const { structured: _, ...others } = settings
  return () => Object.assign(() => settings, { differ: Object.keys(others).length > 0 })
}

/** Every tool keeps its structured content, or none does. */
export function keeping(keeps: boolean): () => ResultSettingsOf {
  return settingsForAll({ structured: keeps ? 'keep' : 'drop' })
}
