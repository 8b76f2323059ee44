/** The section of PERFORMANCE.md about the start, from benchmarks/results/start.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

const STARTS = {
  first: 'first start of all',
  remembered: 'lists remembered',
  'slow before': 'the slow ones were slow in the run before',
}

export function startSection({ machine, rounds, rows }) {
  return `## From the start to the list of tools

Milliseconds from the start of the process to the answers of \`initialize\` and \`tools/list\`, medians of ${rounds} starts (the worst list in
brackets). A slow server answers nothing for 20 s. Codex asks its model after about a second, with the tools it has then. At the first
start of all, \`passthrough\` waits up to \`connect.listWaitMs\` (8 s), because most clients never ask for the list again. Measured on
${machine}.

${markdownTable([
  ['exposure', 'servers', 'slow', 'what is known', 'initialize', 'tools/list', 'tools'],
  ...rows.map(({ exposure, servers, slow, start, initialize, list, worst, tools }) => [
    exposure,
    String(servers),
    String(slow),
    STARTS[start],
    String(initialize),
    `${list} (${worst})`,
    String(tools),
  ]),
])}

\`npm run bench -- start\` records it.
`
}
