/** The state of the proxy in the text format of Prometheus, version 0.0.4. */

export interface Metric {
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
