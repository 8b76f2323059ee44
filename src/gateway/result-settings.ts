/** The settings for the results of one tool. This one place joins the settings for all tools, for a server and for a tool. */
import type { Config } from '../config/schema.ts'
import type { ResultSettings } from '../features/shape/options.ts'
import type { ResultSettingsOf } from '../proxy/feature.ts'
import { fitsGlob } from '../text/patterns/glob.ts'

/**
 * A server's own settings win over those of `proxySettings.results`. Within one of them each setting is taken from the last pattern that
 * fits and has it.
 */
export function resultSettingsOf({
  servers,
  settings,
}: Pick<Config, 'servers' | 'settings'>): ResultSettingsOf {
  const own = new Map(servers.map((server) => [server.name, server]))
  const known = new Map<string, ResultSettings>()
  const { separator } = settings.naming

  function resolve(server: string, tool: string): ResultSettings {
    const { structured, tools, results } = own.get(server) ?? {}
    const names = [tool, `${server}/${tool}`, `${server}${separator}${tool}`]
    const keeps = tools?.structured?.some((pattern) => fitsGlob(tool, pattern)) === true
    return {
      structured: settings.structured,
      ...fitting(settings.results, names),
      ...(structured && { structured }),
      ...(keeps && { structured: 'keep' }),
      ...fitting(results, [tool]),
    }
  }

  const of = (server: string, tool: string): ResultSettings => {
    const key = `${server}\n${tool}`
    const found = known.get(key) ?? resolve(server, tool)
    known.set(key, found)
    return found
  }
  const differ = [settings.results, ...servers.map(({ results }) => results)].some(
    (patterns = {}) => Object.keys(patterns).length > 0,
  )
  return Object.assign(of, { differ })
}

function fitting(
  patterns: Readonly<Record<string, ResultSettings>> = {},
  names: readonly string[],
): ResultSettings {
  const found = Object.entries(patterns).filter(([pattern]) => names.some((name) => fitsGlob(name, pattern)))
  return Object.assign({}, ...found.map(([, result]) => result))
}
