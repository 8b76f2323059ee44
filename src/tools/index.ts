import { proxyExplore } from './proxy-explore.ts'
import { proxyFilter } from './proxy-filter.ts'
import { proxySearch } from './proxy-search.ts'
import type { QueryToolOptions } from './query-tool.ts'
import type { ProxyTool } from './tool.ts'

/** The names of the tools below, known before they are made: each refuses to call another. */
export const PROXY_TOOL_NAMES: ReadonlySet<string> = new Set([
  'proxy_filter',
  'proxy_search',
  'proxy_explore',
])

/** The proxy's own tools, in the order in which they are listed. */
export function createProxyTools(options: QueryToolOptions): readonly ProxyTool[] {
  return [proxyFilter(options), proxySearch(options), proxyExplore(options)]
}
