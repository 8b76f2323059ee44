import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createMetrics, formatMetrics } from '../../../src/features/metrics/index.ts'
import { LargeResult } from '../../../src/protocol/content.ts'
import type { Exchange } from '../../../src/protocol/exchange.ts'
import { calledNameIn } from '../../../src/proxy/own-tools.ts'
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

/** Metrics without a gateway: a call ends at what `at` says, after `ms`. */
function world(exposure: 'passthrough' | 'retrieve' = 'passthrough') {
  const rows = [
    { tool: 'shop_rows', kind: 'call', calls: 2, originalTokens: 500, deliveredTokens: 50 },
    { tool: 'gone', kind: 'call', calls: 1, originalTokens: 7, deliveredTokens: 7 },
    { tool: 'proxy_filter', kind: 'proxy-tool', calls: 1, originalTokens: 0, deliveredTokens: 20 },
  ]
  const totals = {
    originalTokens: 1,
    deliveredTokens: 1,
    proxyToolTokens: 1,
    definitionTokens: 1,
    savedTokens: 1,
  }
  const metrics = createMetrics({
    ledger: { report: async () => ({ totals, tools: rows }) } as never,
    resultStore: { stats: () => ({ entries: 3, bytes: 4_000 }) },
    shared: { work: () => ({ isUp: true, commands: 7, failures: 1, seconds: 0.5 }) },
    engine: { work: () => ({ workers: 2, running: 1, waiting: 5 }) },
    elapsed: () => 0,
    calledName: calledNameIn({ exposure }),
  })
  const server = { server: 'shop', state: 'ready', transport: 'stdio', tools: 4 } as const
  async function call(name: string, at?: [server: string, tool: string], result: object = { content: [] }) {
    const handler = metrics.layer.wrap(async (exchange: Exchange) => {
      if (at === undefined) return result as never
      exchange.onServed?.(at[0], { method: 'tools/call', params: { name: at[1] } }, result as never)
      return result as never
    }, {} as never)
    await handler({ method: 'tools/call', params: { name, arguments: { text: 'four' } } } as never).catch(
      () => {},
    )
  }
  return { metrics, call, text: () => metrics.text({ status: () => [server] }) }
}

test('calls are counted by the server and the tool that they ended at', async () => {
  const { metrics, call, text } = world()
  await call('shop_rows', ['shop', 'rows'], new LargeResult(new Uint8Array(new SharedArrayBuffer(9_000))))
  await call('shop_rows', ['shop', 'rows'], { content: [], isError: true })
  await call('proxy_filter')
  await call('made up by a client')
  const client = { era: 'legacy', agent: { kind: 'session' } } as never
  metrics.watching({ opened() {}, closed() {} } as never).opened(client)
  const said = await text()
  expect(said).toContain('mcp_rlm_proxy_calls_total{server="shop",tool="rows"} 2\n')
  expect(said).toContain('mcp_rlm_proxy_call_errors_total{server="shop",tool="rows"} 1\n')
  expect(said).toContain('mcp_rlm_proxy_calls_total{server="proxy",tool="proxy_filter"} 1\n')
  expect(said).toContain('mcp_rlm_proxy_calls_total{server="none",tool="(others)"} 1\n')
  expect(said).not.toContain('made up')
  expect(said).toMatch(/call_received_bytes_total\{server="shop",tool="rows"\} 90\d\d\n/)
  expect(said).toMatch(/call_asked_bytes_total\{server="shop",tool="rows"\} [1-9]/)
  expect(said).toContain('call_original_tokens_total{server="shop",tool="rows"} 500\n')
  expect(said).toContain('call_delivered_tokens_total{server="proxy",tool="proxy_filter"} 20\n')
  expect(said).toContain('call_original_tokens_total{server="none",tool="(others)"} 7\n')
  expect(said).toContain('call_duration_seconds_bucket{server="shop",tool="rows",le="+Inf"} 2\n')
  expect(said).toContain('call_duration_seconds_count{server="shop",tool="rows"} 2\n')
  expect(said).toContain('sessions{era="legacy",kind="session"} 1\n')
  expect(said).toContain('worker_tasks_waiting 5\n')
  expect(said).toContain('store_up 1\n')
  expect(said).toContain('store_command_failures_total 1\n')
  expect(said).toContain('store_command_seconds_total 0.5\n')
  // The same when it is read again.
  expect((await text()).match(/original_tokens_total.*rows.*/)?.[0]).toMatch(/ 500$/)
})

test('buckets of times grow, and the last holds every call', async () => {
  const { call, text } = world()
  for (let nth = 0; nth < 20; nth++) await call('shop_rows', ['shop', 'rows'])
  const buckets = [...(await text()).matchAll(/_bucket\{server="shop"[^}]*\} (\d+)/g)].map(([, value]) =>
    Number(value),
  )
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  expect(buckets.at(-1)).toBe(20)
})

test('a server with any number of tools takes a bounded number of series', async () => {
  const { call, text } = world()
  for (let nth = 0; nth < 300; nth++) await call(`shop_${nth}`, ['shop', String(nth)])
  const series = [...(await text()).matchAll(/^mcp_rlm_proxy_calls_total\{.*\} (\d+)$/gm)]
  expect(series.length).toBeLessThan(210)
  expect(series.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(300)
})

test('each expression of the dashboard names a metric that exists, with its labels', async () => {
  const { metrics, call, text } = world()
  await call('shop_rows', ['shop', 'rows'])
  metrics
    .watching({ opened() {}, closed() {} } as never)
    .opened({ era: 'legacy', agent: { kind: 'local' } } as never)
  const said = await text()
  const file = readFileSync(new URL('../../../docs/grafana.json', import.meta.url), 'utf8')
  const { panels, templating } = JSON.parse(file) as {
    panels: { title: string; targets: { expr: string }[] }[]
    templating: { list: { query: string | { query: string } }[] }
  }
  const expressions = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query])),
  ]
  expect(expressions.length).toBeGreaterThan(20)
  for (const expression of expressions) {
    const names = expression.match(/mcp_rlm_proxy_\w+/g) ?? []
    expect(names, expression).not.toEqual([])
    for (const name of names) {
      const lines = said.split('\n').filter((line) => new RegExp(`^(# TYPE )?${name}[ {]`).test(line))
      expect(lines, name).not.toEqual([])
      for (const [, label] of expression.matchAll(/(?:by \(|, )(server|tool|le|limit)\b/g))
        if (label !== 'limit') expect(lines.join('\n'), expression).toContain(`${label}="`)
    }
  }
})
