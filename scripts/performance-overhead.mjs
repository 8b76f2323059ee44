/** The section of PERFORMANCE.md about what the proxy adds to calls, from benchmarks/results/overhead.json. */

const WAYS = {
  stdio: 'Client and server over standard input and output',
  http: 'Client and server over HTTP',
  bridge: 'Client over HTTP, server over standard input and output',
}
const FRONTS = { stdio: 'Client over standard input and output', http: 'Client over HTTP' }

export function overheadSection({ machine, plan, ways, starts }) {
  const sizes = plan.sizes.map((bytes) => `${bytes / 1_000_000} MB`)
  return `## What the proxy adds

The same client asks the same tiny server: directly; through a pipe that does nothing but parse, renumber and write every message (the least a
proxy in JavaScript can do); through this proxy as it comes, and with shaping switched off; and through published gateways. The client
parses every answer. A shaped answer is some 2 KB and its original is kept and indexed, so its time is that of reading it all.

${machine}; ${plan.rounds} rounds of ${plan.calls} calls one after the other and of ${plan.burst} with ${plan.inFlight} under way,
${plan.largeRounds} of each large result.

${Object.entries(ways)
  .map(([way, rows]) => `### ${WAYS[way]}\n\n${callTable(rows)}\n\n${largeTable(rows, plan.sizes, sizes)}\n`)
  .join('\n')}
### Start-up

From starting the process to the answer to \`initialize\`, and to \`tools/list\` after it. Cold: nothing is remembered of an earlier run.
The server itself is a Node program of 100 lines.

${Object.entries(starts)
  .map(([front, rows]) => `${FRONTS[front]}:\n\n${startTable(rows)}\n`)
  .join('\n')}`
}

function callTable(rows) {
  return table(
    ['1 KB calls', 'p50 ms', 'p95 ms', 'p99 ms', 'calls/s', 'p95 ms beside 10 MB', 'idle MiB', 'peak MiB'],
    Object.entries(rows).map(([name, row]) => [
      name,
      row.p50,
      row.p95,
      row.p99,
      row.perSecond.toLocaleString('en'),
      figure(row.besideP95),
      row.idleMiB ?? '',
      row.peakMiB ?? '',
    ]),
  )
}

function largeTable(rows, sizes, names) {
  return table(
    ['one result of', ...names.map((name) => `${name}, ms`)],
    Object.entries(rows).map(([name, { large }]) => [name, ...sizes.map((bytes) => figure(large[bytes]))]),
  )
}

function startTable(rows) {
  return table(
    ['', 'servers', 'initialize ms', 'tools/list ms'],
    rows.map(({ name, servers, warm, fault, initialized, listed }) => [
      `${name}${warm ? ', warm' : ''}`,
      servers,
      ...(fault === undefined
        ? [Math.round(initialized), Math.round(listed)]
        : [figure(`failed: ${fault}`), '']),
    ]),
  )
}

/** A number as it is read: whole milliseconds from ten on. A measurement that failed says why, in short. */
function figure(value) {
  if (typeof value === 'number') return value < 10 ? value : Math.round(value).toLocaleString('en')
  return String(value).replaceAll('|', '/').slice(0, 60)
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  )
}
