/** The section of PERFORMANCE.md about clients that share a gateway, from benchmarks/results/connect.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function connectSection({ machine, rounds, clients, servers, rows }) {
  return `## ${clients} clients by \`connect\`

${clients} clients with ${servers} real servers (\`server-filesystem\`, \`server-memory\`, \`server-everything\`): a proxy for each client, against one gateway in the
background that all join. Processes are those after each client has called each server, with clients, workers and servers. Memory is the proportional set size of all of
them in MiB: \`idle\` before the first call, \`working\` after these calls. Times are milliseconds from the start of a client's process to its list of tools: of the first client, which starts
the gateway, of the second, and of the slowest of ${clients - 2} that start together. ${rounds === 1 ? 'One run' : `Medians of ${rounds} runs in turns`}, on a machine that did other work beside it, so times compare the rows alone. By default clients that can do the same
share the process of a server, unless it asks something of a client or has tools that keep a state (here \`server-everything\`, of which each client has its own). \`"instance"\` in a
server's entry sets it. Measured on ${machine}.

${markdownTable([
  ['clients come by', 'processes', 'idle', 'working', 'first', 'second', 'together'],
  ...rows.map(({ name, processes, idle, working, first, next, together }) =>
    [name, processes, idle, working, first, next, together].map(String),
  ),
])}

\`npm run bench -- connect\` records it.
`
}
