import { filterParams } from '../processors/parameters.ts'
import { createQueryTool, type QueryToolOptions } from './query-tool.ts'
import type { ProxyTool } from './tool.ts'

/** Records by condition, order, group and field. */
export function proxyFilter(options: QueryToolOptions): ProxyTool {
  return createQueryTool(
    {
      name: 'proxy_filter',
      title: 'Filter a kept result',
      kind: 'filter',
      params: filterParams,
      description: `Get exactly the records and fields you need from a kept result (cache_id) or a fresh call (tool + arguments). \
Works on JSON, CSV, NDJSON and log lines. Counts are over everything, so count and aggregate here instead of reading rows.
Examples: {"cache_id":"…","fields":["id","title"],"where":["state = open","comments > 5"],"sort":"-comments","limit":10}
{"cache_id":"…","group_by":"state","aggregate":"count"} · {"cache_id":"…","path":"$.items[*].labels[*]","fields":["name"]}`,
    },
    options,
  )
}
