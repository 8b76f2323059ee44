/** The section of PERFORMANCE.md about one tool for all, from benchmarks/results/dispatch.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

const DEFINITIONS = {
  set: 'tools',
  servers: 'servers',
  tools: 'number',
  direct: 'as their servers list them',
  passthrough: '`passthrough`',
  retrieve: '`retrieve`',
  dispatch: '`dispatch`',
  split: '`dispatch`, split',
}

const RESULTS = {
  bytes: 'bytes',
  inline: 'whole',
  preview: 'preview',
  file: '`resultToFile`',
  carried: 'handed on by the model',
  byReference: 'by `$from`',
  byPath: 'a part, by `path`',
  byFile: 'by `argumentsFile`',
}

export function dispatchSection({ definitions, published, results }) {
  return `## One tool for all

What a client reads before it asks anything, in tokens of o200k: the definitions of the tools that it is listed. The three real servers are the file,
memory and "everything" servers of the protocol's authors, started behind the proxy; the own set is that of the section on finding tools, whose
definitions are invented and shorter than those of many real servers; those from the registry are in \`benchmarks/dispatch/published.mjs\`. "Split": one call tool each for what reads, writes and destroys.
\`npm run bench -- dispatch --config FILE\` measures your own servers.

${table(published ? [...definitions, published] : definitions, DEFINITIONS)}

What a large result costs. A file of records is read by the real file server, behind the proxy in the exposure \`dispatch\`: whole, as its server gives it;
as a preview with a \`cache_id\`; as a file. Then it is written by the same server: by a model that reads all of it and writes all of it again; by a reference, all of it
or ten records; and as a file that holds the arguments. Calls and replies are counted, both; what was written was compared with what was read.

${table(results, RESULTS)}
`
}

function table(rows, columns) {
  const names = Object.keys(columns)
  return markdownTable([Object.values(columns), ...rows.map((row) => names.map((name) => shown(row[name])))])
}

function shown(value) {
  return typeof value === 'number' ? value.toLocaleString('en') : (value ?? '')
}
