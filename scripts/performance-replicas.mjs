/** The section of PERFORMANCE.md about replicas over one store, from benchmarks/results/replicas.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function replicasSection({ machine, rounds, calls, clients, large, rows, idle }) {
  const [{ perSecond: base }] = rows
  return `## Replicas over one store

${clients} clients of 2025-11-25 behind nginx, which sends each request to the next replica; the server is one process over HTTP. Small calls: ${calls.toLocaleString('en')} of 100 characters, ${clients} at a
time. Large ones: ${large.calls} results of ${large.bytes / 1e6} MB that become previews, ${large.atOnce} at a time, and then a question about each. Times are milliseconds, medians of ${rounds} runs in turns. Clients, balancer,
store, server and all replicas share one machine (${machine}), so more replicas cannot answer more calls here: the table shows what they cost. On machines of
their own each replica has its own processors.

${markdownTable([
  [
    'replicas',
    'small calls a second',
    '× the first',
    'p50',
    'p99',
    'large results a second',
    'p50',
    'p99',
    'a question, p50',
  ],
  ...rows.map(({ name, perSecond, p50, p99, largePerSecond, largeP50, largeP99, askP50 }) =>
    [
      name,
      Math.round(perSecond),
      (perSecond / base).toFixed(2),
      p50,
      p99,
      largePerSecond,
      largeP50,
      largeP99,
      askP50,
    ].map(String),
  ),
])}

The cost of idle sessions at one replica: memory of the replica and bytes in the store for each (below zero where other things left meanwhile), milliseconds to open one (32 at a time), and a small call
beside them. Everything about a session is sealed into its id. The store has an entry only for sessions with a log level or subscriptions.

${markdownTable([
  ['idle sessions', 'KB of the replica each', 'bytes in the store each', 'to open one', 'a call, p50'],
  ...idle.map(({ sessions, kbEach, storeBytesEach, openMs, callP50 }) =>
    [sessions.toLocaleString('en'), kbEach, storeBytesEach, openMs, callP50].map(String),
  ),
])}

\`npm run bench -- replicas\` records it.
`
}
