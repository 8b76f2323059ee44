import { exploreParams } from '../processors/parameters.ts'
import { createQueryTool, type QueryToolOptions } from './query-tool.ts'
import { sourceNames } from './source-params.ts'
import type { ProxyTool } from './tool.ts'

/** What is in it: types, fields, counts, ranges. */
export function proxyExplore(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_explore',
      title: 'Explore a kept result',
      kind: 'explore',
      params: exploreParams,
      description: `The structure of a kept result (cache_id) or a fresh call (tool + arguments): fields with types, presence, ranges and \
frequent values.
{"cache_id":"…","path":"$.items[*].user"}`,
      explained: ['path', 'offset', ...sourceNames],
    },
    options,
  )
}
