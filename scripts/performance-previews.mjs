/** The section of PERFORMANCE.md about previews, from benchmarks/results/previews.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

const HEADING = [
  'kind',
  'results',
  'pass whole',
  'bytes, median',
  'tokens, median',
  'preview tokens, median',
  'largest',
  'bytes per token',
]

export function previewsSection({ seed, definitions, kinds, times }) {
  const all = Object.values(definitions).reduce((sum, tokens) => sum + tokens, 0)
  const rows = kinds.map((row) =>
    [row.kind, row.results, row.whole, row.bytes, row.tokens, row.median, row.max, row.bytesPerToken].map(
      shown,
    ),
  )
  return `## What a preview costs

What comes back in place of a result over the limit, in tokens of o200k: the payloads of the section on answers (seed ${seed}), each fetched once
through the proxy with the settings as they come. Bytes and tokens are those of the results that were shaped; bytes per token are those of all.

${markdownTable([HEADING, ...rows])}

The proxy's own definitions, once in a session: ${all.toLocaleString('en')} tokens (${Object.entries(
    definitions,
  )
    .map(([name, tokens]) => `${name} ${tokens}`)
    .join(', ')}).
${times === undefined ? '' : timesSection(times)}`
}

const MB = 1_000_000

/** The time of a preview of each kind, beside fetching the result directly. */
function timesSection({ machine, rows, ahead, sessions }) {
  const ms = (value) => (value >= 10 ? Math.round(value) : value)
  const times = rows.map(({ kind, bytes, direct, preview, ratio, first, later, reached }) =>
    [
      `${bytes / MB} MB ${kind}`,
      ms(direct),
      ms(preview),
      `${ratio} ×`,
      ms(first),
      ms(later),
      reached ? 'yes' : 'no',
    ].map(shown),
  )
  const gains = ahead.map(({ kind, bytes, ...both }) =>
    [`${bytes / MB} MB ${kind}`, both.ahead, both.parsed, `${(both.parsed / both.ahead).toFixed(1)} ×`].map(
      shown,
    ),
  )
  const starts = sessions.map(({ kind, atOnce, rehearsed }) =>
    [kind, atOnce.preview, rehearsed.preview, atOnce.first, rehearsed.first].map(shown),
  )
  return `
### How long it takes

Milliseconds, medians of turns on one machine (${machine}): the result fetched from its server directly, the same through the proxy as a
preview, the first question about it at once, and one more. The goals: a preview of 0.1 MB in 10 ms more than directly, of 1 MB and 10 MB in 3
times as long; at 10 MB the first question in 150 ms and the next in 30 ms.

${markdownTable([['result', 'directly', 'as a preview', 'times', 'first question', 'next', 'goals reached'], ...times])}

Lists of records in JSON and NDJSON are read ahead of parsing, while they arrive. The first look at them in one thread, read so and parsed, in
milliseconds:

${markdownTable([['result', 'read ahead', 'parsed', 'gain'], ...gains])}

The first result of a session, of 0.1 MB, and the first question about it, in milliseconds: at once after the list of tools, and three seconds
later, when the worker has rehearsed:

${markdownTable([['result', 'preview, at once', 'rehearsed', 'question, at once', 'rehearsed'], ...starts])}
`
}

function shown(value) {
  if (value === null) return ''
  return typeof value === 'number' ? value.toLocaleString('en') : value
}
