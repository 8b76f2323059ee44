import { expect } from 'vitest'
import { formatMetrics } from '../../../src/features/metrics/index.ts'
import { verifies } from '../../support/verifies.ts'

verifies('S4.39', 'metrics in the text format of Prometheus, names of servers as they are', () => {
  const text = formatMetrics([
    { name: 'calls_total', help: 'Calls.', type: 'counter', values: [{ value: 2 }] },
    {
      name: 'up',
      help: 'State.',
      type: 'gauge',
      values: [{ labels: { server: 'a"b\\c\nd', state: 'ready' }, value: 1 }],
    },
    { name: 'none', help: 'None.', type: 'gauge', values: [] },
  ])
  expect(text).toBe(
    [
      '# HELP mcp_rlm_proxy_calls_total Calls.',
      '# TYPE mcp_rlm_proxy_calls_total counter',
      'mcp_rlm_proxy_calls_total 2',
      '# HELP mcp_rlm_proxy_up State.',
      '# TYPE mcp_rlm_proxy_up gauge',
      'mcp_rlm_proxy_up{server="a\\"b\\\\c\\nd",state="ready"} 1',
      '# HELP mcp_rlm_proxy_none None.',
      '# TYPE mcp_rlm_proxy_none gauge',
      '',
    ].join('\n'),
  )
})
