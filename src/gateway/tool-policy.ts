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
  return (server, tool) => {
    // As its server calls it, as `naming.rename` does, and as clients see it.
    const names = [tool, `${server}/${tool}`, `${server}${separator}${tool}`]
    return permits([tool], own.get(server)) && permits(names, all)
  }
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
