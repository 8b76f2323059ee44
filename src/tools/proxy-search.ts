import { searchParams } from '../processors/parameters.ts'
import { createQueryTool, type QueryToolOptions } from './query-tool.ts'
import type { ProxyTool } from './tool.ts'

/** Text by pattern, relevance or likeness. */
export function proxySearch(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_search',
      title: 'Search a kept result',
      kind: 'search',
      params: searchParams,
      description: `Find text in a kept result (cache_id) or a fresh call (tool + arguments). mode: regex (default, exact lines or \
JSON paths), bm25 (best passages for a question in words), fuzzy (tolerates typos), context (the paragraph or section round a match). \
The number of hits is always over everything.
Examples: {"cache_id":"…","pattern":"ERROR|FATAL","context_lines":2} · {"cache_id":"…","pattern":"how are tokens refreshed","mode":"bm25","top_k":3}`,
    },
    options,
  )
}
