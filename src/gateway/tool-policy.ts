/** Which tools may be used, by the lists of each server and those for all. */
import type { Config } from '../config/schema.ts'
import { fitsGlob } from '../text/glob.ts'
import type { Permits } from '../upstream/tool-filter.ts'

export interface ToolLists {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** Undefined: there are no lists, and all may be used. What both lists name is denied. */
export function permitsOf({ servers, settings }: Pick<Config, 'servers' | 'settings'>): Permits | undefined {
  const own = new Map(servers.flatMap(({ name, tools }) => (isSet(tools) ? [[name, tools]] : [])))
  const all = settings.dispatch
  if (own.size === 0 && !isSet(all)) return undefined
  const { separator } = settings.naming
  return (server, tool) => permits([tool], own.get(server)) && permits(namesFor(server, tool, separator), all)
}

/** As its server calls it, as `naming.rename` does, and as clients see it. */
function namesFor(server: string, tool: string, separator: string): string[] {
  return [tool, `${server}/${tool}`, `${server}${separator}${tool}`]
}

/** A pattern of these lists that fits no tool. */
export interface UnmatchedTool {
  /** Whose list it stands in; absent: in the one for all. */
  readonly server?: string
  /** `tools.deny` of a server, `dispatch.allow` for all. */
  readonly option: string
  readonly pattern: string
}

/** What fits none of these tools, by server. Of servers that are not among them nothing is said. */
export function unmatchedTools(
  { servers, settings }: Pick<Config, 'servers' | 'settings'>,
  listed: ReadonlyMap<string, readonly string[]>,
): UnmatchedTool[] {
  const { separator } = settings.naming
  const all = [...listed].flatMap(([server, tools]) =>
    tools.flatMap((tool) => namesFor(server, tool, separator)),
  )
  const missing = (lists: ToolLists = {}, names: readonly string[], prefix: string, server?: string) =>
    (['allow', 'deny'] as const).flatMap((list) =>
      (lists[list] ?? [])
        .filter((pattern) => !names.some((name) => fitsGlob(name, pattern)))
        .map((pattern) => ({
          option: `${prefix}.${list}`,
          pattern,
          ...(server !== undefined && { server }),
        })),
    )
  return [
    ...servers.flatMap(({ name, tools }) => {
      const own = listed.get(name)
      return own === undefined ? [] : missing(tools, own, 'tools', name)
    }),
    ...missing(settings.dispatch, all, 'dispatch'),
  ]
}

/** The same text for the same lists of the same servers that are listed. */
export function toolListsOf({ servers, settings }: Pick<Config, 'servers' | 'settings'>): string {
  const { allow, deny } = settings.dispatch
  return JSON.stringify([
    allow,
    deny,
    servers.flatMap(({ name, tools, exposure }) => (tools || exposure ? [[name, tools, exposure]] : [])),
  ])
}

function permits(names: readonly string[], lists: ToolLists = {}): boolean {
  const fits = (pattern: string): boolean => names.some((name) => fitsGlob(name, pattern))
  return (lists.allow === undefined || lists.allow.some(fits)) && !lists.deny?.some(fits)
}

function isSet(lists: ToolLists | undefined): lists is ToolLists {
  return lists?.allow !== undefined || lists?.deny !== undefined
}
