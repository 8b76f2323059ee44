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

export function previewsSection({ seed, definitions, kinds }) {
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
`
}

function shown(value) {
  if (value === null) return ''
  return typeof value === 'number' ? value.toLocaleString('en') : value
}
