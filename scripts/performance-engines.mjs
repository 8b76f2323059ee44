/** The sections of PERFORMANCE.md about questions on large results and the memory they take, from benchmarks/results/{engines,memory}.json. */

const MB = 1_000_000

export function enginesSection({ machine, missing, documents, proxied }) {
  return `## Questions about large results

Each processor in one thread with the obvious alternative, in turns: a loop written by hand over the parsed data, V8's RegExp over the
lines or strings, MiniSearch, Levenshtein distances word by word, Fuse.js (up to 1 MB, it takes minutes beyond). Cold: from the
bytes to the first answer. First: with the document open, the first question of its kind, which makes the index for it. Warm: any later one.
All in milliseconds, medians; × is ours to the alternative, both warm.

${machine}.${missing.length > 0 ? ` Not installed: ${missing.join(', ')}.` : ''}

${documents.map(documentTables).join('\n\n')}

${proxied.length > 0 ? throughSection(proxied) : ''}`
}

function documentTables({ kind, bytes, rows, ranking, hostile }) {
  const parts = [
    `### ${size(bytes)} of ${kind === 'json' ? 'JSON' : 'log'}`,
    table(
      ['question', 'cold', 'first', 'warm', 'alternative', 'its cold', 'its warm', '×'],
      rows.flatMap(rowsOf),
    ),
  ]
  if (ranking) {
    const equal = ranking.filter((one) => one.equal).length
    parts.push(
      `The ten best passages are those of an index by wink for ${equal} of ${ranking.length} queries.`,
    )
  }
  if (hostile.length > 0) {
    const said = hostile.map(
      ({ pattern, ms, outcome }) => `\`${pattern.replaceAll('|', '\\|')}\` ${outcome} after ${figure(ms)} ms`,
    )
    parts.push(`Patterns that V8's RegExp would never finish: ${said.join('; ')}.`)
  }
  return parts.join('\n\n')
}

function rowsOf({ question, firstMs, systems }) {
  const { ours, ...others } = systems
  const mine = [question, ours.coldMs, firstMs, ours.warmMs]
  const alternatives = Object.entries(others)
  if (alternatives.length === 0) return [[...mine, '', '', '', '']]
  return alternatives.map(([name, { coldMs, warmMs }], nth) => [
    ...(nth === 0 ? mine : ['', '', '', '']),
    name,
    coldMs,
    warmMs,
    ours.warmMs / warmMs,
  ])
}

function throughSection(proxied) {
  const questions = [...new Set(proxied.flatMap(({ asked }) => asked.map(({ question }) => question)))]
  const time = ({ asked }, question) => asked.find((one) => one.question === question)?.roundTripMs ?? ''
  return `### Through the proxy

Round trips of a client over standard input and output, ${size(proxied[0].bytes)} each; the delay of the proxy's event loop while they were kept and asked about. Medians over several proxies, one after the other.

${table(
  ['', ...proxied.map(({ kind }) => (kind === 'json' ? 'JSON' : 'log'))],
  [
    ['the result itself, as a preview', ...proxied.map(({ previewMs }) => previewMs)],
    ...questions.map((question) => [question, ...proxied.map((one) => time(one, question))]),
    ['worst delay of the event loop', ...proxied.map(({ loop }) => loop.worst)],
    [
      'worst delay in each of the runs',
      ...proxied.map(({ loop }) => (loop.ofRuns ?? [loop.worst]).join(', ')),
    ],
    ['99th percentile of it', ...proxied.map(({ loop }) => loop.p99)],
  ],
)}
`
}

export function memorySection({ machine, documents, process: whole }) {
  const steps = documents[0].rows.map(({ after }) => after)
  const at = ({ rows }, after) => rows.find((row) => row.after === after)
  return `## Memory of kept results

Bytes on the heaps of the process and its worker and outside of them, beyond what they have without any result, for each byte of the
result, after collecting garbage. The bytes as the server sent them are 1 of it.

${machine}.

${table(
  ['after', ...documents.map(({ kind, bytes }) => `${size(bytes)} ${kind === 'json' ? 'JSON' : 'log'}`)],
  [
    ...steps.map((after) => [after, ...documents.map((one) => `${at(one, after)?.kept ?? ''} ×`)]),
    ['peak of the process, MB', ...documents.map(({ peakRss }) => Math.round(peakRss / MB))],
  ],
)}
${whole === undefined ? '' : processSection(whole)}`
}

function processSection({ listed, idle, results, bytes, after, peak, rest }) {
  return `
The process as the system counts it, with one server, in MB: ${listed} after the first list of tools, ${idle} idle, ${after} after ${results} results of 1
and 10 MB, ${bytes / MB} MB in all, each with two questions (${peak} at most), and ${rest} when nothing is asked for fifteen seconds. Of these bytes
the results themselves are ${bytes / MB} MB. What is parsed of them is bounded by their size: 32 MB for each of two workers, 12 MB at rest.
`
}

function size(bytes) {
  const megabytes = bytes / MB
  return `${megabytes < 1 ? megabytes.toFixed(1) : Math.round(megabytes)} MB`
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map(figure).join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  )
}

/** Whole milliseconds from ten on, otherwise two digits. */
function figure(value) {
  if (typeof value !== 'number') return String(value)
  return value >= 10 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)))
}
