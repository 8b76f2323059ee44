/** The text at `/metrics`, for people who watch the proxy: counts, times and states by server and tool, without names of clients and people. */
import type { Engine } from '../../engine/contract.ts'
import { lengthAbout } from '../../observe/log.ts'
import type { Ledger } from '../../observe/savings.ts'
import { LargeResult, type Result } from '../../protocol/content.ts'
import type { Client, Exchange, Middleware } from '../../protocol/exchange.ts'
import { limitsPassed } from '../../protocol/limits.ts'
import { type CalledName, EXPOSURE_NAMES, PROXY_TOOL_NAMES } from '../../proxy/own-tools.ts'
import type { Backend } from '../../server/legacy.ts'
import type { ResultStore } from '../../store/result-store.ts'
import type { SharedValues } from '../../store/valkey/values.ts'
import type { Upstreams } from '../../upstream/contract.ts'

export interface MetricsParts {
  ledger: Ledger
  resultStore: Pick<ResultStore, 'stats'>
  /** The store that proxies share. Absent: there is none. */
  shared?: Pick<SharedValues, 'work'> | undefined
  engine: Pick<Engine, 'work'>
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
  calledName?: CalledName | undefined
}

export interface Metrics {
  /** Counts what goes through it. Outside of the ledger, so that it sees what goes out. */
  readonly layer: Middleware
  /** The same backend, with its clients counted. */
  watching(backend: Backend): Backend
  text(upstreams: Pick<Upstreams, 'status'>): Promise<string>
}

const STATES = ['idle', 'connecting', 'ready', 'waiting', 'closed'] as const

export function createMetrics(parts: MetricsParts): Metrics {
  const { ledger, resultStore, shared, engine, elapsed } = parts
  const counts = createCounts(parts)
  const clients = new Set<Client>()
  const began = elapsed()
  return {
    layer: counts.layer,
    watching: (backend) => ({
      ...backend,
      opened(client) {
        clients.add(client)
        backend.opened(client)
      },
      closed(client) {
        clients.delete(client)
        backend.closed(client)
      },
    }),
    async text(upstreams) {
      const { totals, tools } = await ledger.report()
      const { entries, bytes } = resultStore.stats()
      const work = engine.work()
      return formatMetrics([
        counter('tool_calls_total', 'Tool calls that ended.', counts.calls),
        counter('tool_call_errors_total', 'Tool calls that ended in an error.', counts.errors),
        gauge('tool_calls_in_progress', 'Tool calls at work.', counts.underway),
        ...counts.byTool(tools),
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
        ...(shared ? storeMetrics(shared) : []),
        gauge('workers', 'Processes that answer questions.', work.workers),
        gauge('worker_tasks_running', 'Tasks at work in them.', work.running),
        gauge('worker_tasks_waiting', 'Tasks that wait for one of them.', work.waiting),
        sessions(clients),
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

function storeMetrics(shared: Pick<SharedValues, 'work'>): Metric[] {
  const { isUp, commands, failures, seconds } = shared.work()
  return [
    gauge('store_up', '1 while the shared store can be asked.', isUp ? 1 : 0),
    counter('store_commands_total', 'Commands to the shared store.', commands),
    counter('store_command_failures_total', 'Commands that were refused, or got no answer.', failures),
    counter('store_command_seconds_total', 'Time that these commands took together.', seconds),
  ]
}

function servers(upstreams: Pick<Upstreams, 'status'>): Metric[] {
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

function sessions(clients: ReadonlySet<Client>): Metric {
  const counted = new Map<string, { labels: Labels; value: number }>()
  for (const { era, agent } of clients) {
    const key = `${era} ${agent.kind}`
    const value = (counted.get(key)?.value ?? 0) + 1
    counted.set(key, { labels: { era, kind: agent.kind }, value })
  }
  return {
    name: 'sessions',
    help: 'Clients that are connected.',
    type: 'gauge',
    values: [...counted.values()],
  }
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', values: [{ value }] }
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', values: [{ value }] }
}

// Calls, by the server and the tool that they ended at.

interface Series {
  readonly labels: { readonly server: string; readonly tool: string }
  calls: number
  errors: number
  /** Calls that took at most as long as the bucket at this place says, and longer than the one before. */
  readonly buckets: number[]
  seconds: number
  asked: number
  received: number
  answered: number
  originalTokens: number
  deliveredTokens: number
}

/** The counted facts of each series, as the reader sees them. */
const COUNTED = [
  ['calls_total', 'calls', 'Calls of a tool that ended.'],
  ['call_errors_total', 'errors', 'Calls of a tool that ended in an error.'],
  ['call_asked_bytes_total', 'asked', 'Bytes of arguments, about.'],
  ['call_received_bytes_total', 'received', 'Bytes of results as servers sent them, about.'],
  ['call_answered_bytes_total', 'answered', 'Bytes of results as clients got them, about.'],
  ['call_original_tokens_total', 'originalTokens', 'Tokens of results as servers sent them.'],
  ['call_delivered_tokens_total', 'deliveredTokens', 'Tokens of results as models read them.'],
] as const

/** Seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** Tools that have a series of their own, the first that are called. The others of a server have one together. */
const MOST_TOOLS = 200
const OTHERS = '(others)'
/** Stands for the server of the proxy's own tools. */
const PROXY = 'proxy'
/** Stands for the server of calls that reached none: the name is unknown, or a result was remembered. */
const NONE = 'none'
const OWN_TOOLS = new Set([...PROXY_TOOL_NAMES, ...EXPOSURE_NAMES])

function createCounts({ calledName = ({ name }) => String(name) }: Pick<MetricsParts, 'calledName'>) {
  const all = new Map<string, Series>()
  /** By the name that clients call, which is the one in the ledger. */
  const byName = new Map<string, Series>()
  const counts = { calls: 0, errors: 0, underway: 0 }

  function seriesOf(server: string, tool: string): Series {
    const there = all.get(`${server} ${tool}`)
    if (there !== undefined) return there
    if (all.size >= MOST_TOOLS && tool !== OTHERS) return seriesOf(server, OTHERS)
    const fresh: Series = {
      labels: { server, tool },
      calls: 0,
      errors: 0,
      buckets: BUCKETS.map(() => 0),
      seconds: 0,
      asked: 0,
      received: 0,
      answered: 0,
      originalTokens: 0,
      deliveredTokens: 0,
    }
    all.set(`${server} ${tool}`, fresh)
    return fresh
  }

  const layer: Middleware = {
    name: 'count',
    methods: ['tools/call'],
    wrap: (next) => async (exchange) => {
      counts.underway++
      const began = performance.now()
      const name = calledName(exchange.params)
      let at = OWN_TOOLS.has(name) ? [PROXY, name] : undefined
      let received = 0
      /** The last result of a server, and its size: most are what the client gets. */
      let last: Result | undefined
      let lastSize = 0
      const onServed: Exchange['onServed'] = (server, request, result) => {
        exchange.onServed?.(server, request, result)
        at = [server, String(request.params?.name)]
        if (result === undefined) return
        last = result
        lastSize = sizeOf(result)
        received += lastSize
      }
      let result: Result | undefined
      try {
        // A request of a tool of the proxy to a server is a call of its own.
        result = await next(at === undefined ? { ...exchange, onServed } : exchange)
        return result
      } finally {
        const seconds = (performance.now() - began) / 1000
        const isError = result === undefined || (!(result instanceof LargeResult) && result.isError === true)
        const [server = NONE, tool = OTHERS] = at ?? []
        const series = seriesOf(server, tool)
        if (server !== NONE && (byName.has(name) || byName.size < MOST_TOOLS)) byName.set(name, series)
        counts.underway--
        counts.calls++
        series.calls++
        if (isError) {
          counts.errors++
          series.errors++
        }
        series.seconds += seconds
        const bucket = BUCKETS.findIndex((most) => seconds <= most)
        if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
        series.asked += lengthAbout(exchange.params.arguments)
        series.received += received
        series.answered += result === undefined ? 0 : result === last ? lastSize : sizeOf(result)
      }
    },
  }

  /** @param rows what the ledger has of each tool */
  function byTool(rows: Awaited<ReturnType<Ledger['report']>>['tools']): Metric[] {
    for (const series of all.values()) Object.assign(series, { originalTokens: 0, deliveredTokens: 0 })
    for (const { tool, kind, originalTokens, deliveredTokens } of rows) {
      const series = byName.get(tool) ?? seriesOf(kind === 'call' ? NONE : PROXY, OTHERS)
      series.originalTokens += originalTokens
      series.deliveredTokens += deliveredTokens
    }
    const series = [...all.values()]
    return [
      ...COUNTED.map(
        ([name, key, help]): Metric => ({
          name,
          help,
          type: 'counter',
          values: series.map((one) => ({ labels: one.labels, value: one[key] })),
        }),
      ),
      {
        name: 'call_duration_seconds',
        help: 'Time from a call to its result.',
        type: 'histogram',
        values: series.flatMap(histogramOf),
      },
    ]
  }

  return {
    layer,
    byTool,
    get calls() {
      return counts.calls
    },
    get errors() {
      return counts.errors
    },
    get underway() {
      return counts.underway
    },
  }
}

function histogramOf({ labels, buckets, calls, seconds }: Series): Value[] {
  let sum = 0
  const upTo = BUCKETS.map((le, at): Value => {
    sum += buckets[at] ?? 0
    return { suffix: '_bucket', labels: { ...labels, le: String(le) }, value: sum }
  })
  return [
    ...upTo,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: calls },
    { suffix: '_sum', labels, value: seconds },
    { suffix: '_count', labels, value: calls },
  ]
}

function sizeOf(result: Result): number {
  return result instanceof LargeResult ? result.bytes.byteLength : lengthAbout(result)
}

// The state of the proxy in the text format of Prometheus, version 0.0.4.

type Labels = Readonly<Record<string, string>>

interface Value {
  /** Of a histogram: what follows the name. */
  suffix?: '_bucket' | '_sum' | '_count'
  labels?: Labels
  value: number
}

interface Metric {
  name: string
  help: string
  /** `counter`: only ever grows. */
  type: 'counter' | 'gauge' | 'histogram'
  values: readonly Value[]
}

/** Every name gets the prefix `mcp_rlm_proxy_`. */
export function formatMetrics(metrics: readonly Metric[]): string {
  return metrics.map(formatMetric).join('')
}

function formatMetric({ name, help, type, values }: Metric): string {
  const full = `mcp_rlm_proxy_${name}`
  const lines = values.map(
    ({ suffix = '', labels = {}, value }) => `${full}${suffix}${formatLabels(labels)} ${value}\n`,
  )
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/\r?\n|\r/g, '\\n')
}
