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
      description: `The records and fields you need from a kept result (cache_id) or from a fresh call (tool + arguments). JSON, CSV, \
tables, logs. Count and sum here, not by reading rows: it is over everything.
{"cache_id":"…","where":["state = open","comments > 5"],"fields":["id","title"],"sort":"-comments","limit":10}`,
    },
    options,
  )
}
