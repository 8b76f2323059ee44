import { proxyExplore } from './proxy-explore.ts'
import { proxyFilter } from './proxy-filter.ts'
import { proxySearch } from './proxy-search.ts'
import type { QueryToolOptions } from './query-tool.ts'
import type { ProxyTool } from './tool.ts'

/** The proxy's own tools, in the order in which they are listed. */
export function createProxyTools(options: QueryToolOptions): readonly ProxyTool[] {
  return [proxyFilter(options), proxySearch(options), proxyExplore(options)]
}
