/** The section of PERFORMANCE.md about what modules add to a call, from benchmarks/results/modules.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function modulesSection({ machine, plan, builtIn, external, proxy }) {
  return `## What modules add

A call of 1 KB with a result of 1 KB, in microseconds; "more" is the median of what it takes longer than the first row of its table, round
by round. The first two tables are taken in one process, before a router that answers at once; the third through a real proxy and a real server
over standard input and output. Each of the proxy's own modules has something to look for in every call. Programs answer that there
is nothing to change, so that what is measured is the way to them and back.

${machine}; ${plan.rounds} rounds of ${plan.calls} calls, of ${plan.externalCalls} with programs, of ${plan.proxyCalls} through a proxy; all take turns.

${table('Modules of the proxy', builtIn)}

${table('Programs', external)}

${table('Through a proxy', proxy)}
`
}

function table(title, rows) {
  return markdownTable([
    [title, 'µs', 'more'],
    ...rows.map(({ modules, us, more }) => [modules, us.toLocaleString('en'), more.toLocaleString('en')]),
  ])
}
