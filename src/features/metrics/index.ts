/** What whoever watches the proxy reads at `/metrics`: counts and states, no names but those of servers. */
import type { Ledger } from '../../observe/savings.ts'
import { LargeResult } from '../../protocol/content.ts'
import type { Middleware } from '../../protocol/exchange.ts'
import { limitsPassed } from '../../protocol/limits.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { Upstreams } from '../../upstream/contract.ts'

export interface MetricsParts {
  ledger: Ledger
  resultStore: ResultStore
  /** Milliseconds by a clock that nobody sets. */
  elapsed: () => number
}

export interface Metrics {
  /** Counts what goes through it. */
  readonly layer: Middleware
  text(upstreams: Upstreams): Promise<string>
}

const STATES = ['idle', 'connecting', 'ready', 'waiting', 'closed'] as const

export function createMetrics({ ledger, resultStore, elapsed }: MetricsParts): Metrics {
  const { layer, counts } = createCount()
  const began = elapsed()
  return {
    layer,
    async text(upstreams) {
      const { totals } = await ledger.report()
      const { entries, bytes } = resultStore.stats()
      return formatMetrics([
        counter('tool_calls_total', 'Tool calls that ended.', counts.calls),
        counter('tool_call_errors_total', 'Tool calls that ended in an error.', counts.failed),
        gauge('tool_calls_in_progress', 'Tool calls at work.', counts.underway),
        gauge('tokens_original', 'Tokens of all results as the servers sent them.', totals.originalTokens),
        gauge('tokens_delivered', 'Tokens of these results that went to models.', totals.deliveredTokens),
        gauge(
          'tokens_own',
          'Tokens of the proxy’s own answers and definitions.',
          totals.proxyToolTokens + totals.definitionTokens,
        ),
        gauge('tokens_saved', 'Original tokens less all others.', totals.savedTokens),
        gauge('kept_results', 'Results kept in memory.', entries),
        gauge('kept_bytes', 'Bytes of these results.', bytes),
        ...servers(upstreams),
        {
          name: 'limit_passed_total',
          help: 'How often a server or a client was refused something by a limit.',
          type: 'counter',
          values: [...limitsPassed()].map(([limit, value]) => ({ labels: { limit }, value })),
        },
        gauge('resident_memory_bytes', 'Memory of the process.', process.memoryUsage.rss()),
        gauge('uptime_seconds', 'Seconds since the start.', Math.floor((elapsed() - began) / 1000)),
      ])
    },
  }
}

function servers(upstreams: Upstreams): Metric[] {
  const status = upstreams.status()
  return [
    {
      name: 'server_state',
      help: '1 for the state that the connection to a server is in.',
      type: 'gauge',
      values: status.flatMap(({ server, state }) =>
        STATES.map((one) => ({ labels: { server, state: one }, value: one === state ? 1 : 0 })),
      ),
    },
    {
      name: 'server_tools',
      help: 'Tools that a server listed in this run.',
      type: 'gauge',
      values: status.flatMap(({ server, tools }) =>
        tools === undefined ? [] : [{ labels: { server }, value: tools }],
      ),
    },
  ]
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', values: [{ value }] }
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}

// Counts calls and what became of them, for whoever watches the proxy.

interface Counts {
  /** Calls that were answered or failed. */
  calls: number
  /** Of these: those whose result says that it is an error, and those that ended in one. */
  failed: number
  /** Calls at work now. */
  underway: number
}

/** The layer and its counts, which go on as it works. Outermost, so that it sees what goes out. */
function createCount(): { layer: Middleware; counts: Readonly<Counts> } {
  const counts: Counts = { calls: 0, failed: 0, underway: 0 }
  const layer: Middleware = {
    name: 'count',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      counts.underway++
      let failed = true
      try {
        const result = await next(exchange)
        failed = !(result instanceof LargeResult) && result.isError === true
        return result
      } finally {
        counts.underway--
        counts.calls++
        if (failed) counts.failed++
      }
    },
  }
  return { layer, counts }
}

// The state of the proxy in the text format of Prometheus, version 0.0.4.

interface Metric {
  name: string
  help: string
  /** `counter`: only ever grows. */
  type: 'counter' | 'gauge'
  values: readonly { labels?: Readonly<Record<string, string>>; value: number }[]
}

/** Every name gets the prefix `mcp_rlm_proxy_`. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics.map(formatMetric).join('')
}

function formatMetric({ name, help, type, values }: Metric): string {
  const full = `mcp_rlm_proxy_${name}`
  const lines = values.map(({ labels = {}, value }) => `${full}${formatLabels(labels)} ${value}\n`)
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/\r?\n|\r/g, '\\n')
}
