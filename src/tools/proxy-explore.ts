import { exploreParams } from '../processors/parameters.ts'
import { createQueryTool, type QueryToolOptions } from './query-tool.ts'
import type { ProxyTool } from './tool.ts'

/** What is in it: types, fields, counts, ranges. */
export function proxyExplore(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_explore',
      title: 'Explore the structure of a kept result',
      kind: 'explore',
      params: exploreParams,
      description: `See the structure of a kept result (cache_id) or a fresh call (tool + arguments) without reading it: types, \
field names and how often they occur, counts, ranges, frequent values, sizes, samples. Zoom in with path.
Example: {"cache_id":"…","path":"$.items[*].user","max_depth":2}`,
    },
    options,
  )
}
