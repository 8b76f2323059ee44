/** The section of PERFORMANCE.md about collections in pages, from benchmarks/results/collections.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function collectionsSection({ machine, rounds, pages, records, rows }) {
  const number = (value) => value.toLocaleString('en')
  return `## All of a collection

${number(records)} records over ${pages} pages, of which the open ones are counted: one \`proxy_filter\` with \`all\`, against a loop written by hand that asks for one page after the other, directly and
through the proxy. Milliseconds, medians of ${rounds} rounds that take turns. The proxy asks for numbered pages four at a time, keeps them as one document and counts there; where the server answers
at once, that work is all there is. Measured on ${machine}.

${markdownTable([
  [
    'server takes for a page',
    'loop, direct',
    'loop through the proxy',
    'one call with all',
    'against the direct loop',
  ],
  ...rows.map(({ delay, loop, through, all, ratio }) => [
    `${delay} ms`,
    String(loop),
    String(through),
    String(all),
    `${ratio} ×`,
  ]),
])}

\`npm run bench -- collections\` records it.
`
}
