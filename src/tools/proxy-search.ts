import { searchParams } from '../processors/parameters.ts'
import { createQueryTool, type QueryToolOptions } from './query-tool.ts'
import { sourceNames } from './source-params.ts'
import type { ProxyTool } from './tool.ts'

/** Text by pattern, relevance or likeness. */
export function proxySearch(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_search',
      title: 'Search a kept result',
      kind: 'search',
      params: searchParams,
      description: `Find text in a kept result (cache_id) or a fresh call (tool + arguments). Hits are counted over everything.
{"cache_id":"…","pattern":"ERROR|FATAL","context_lines":2} or {"cache_id":"…","pattern":"how are tokens refreshed","mode":"bm25"}`,
      explained: ['path', 'fields', 'exclude', 'offset', ...sourceNames],
    },
    options,
  )
}
