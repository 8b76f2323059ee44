/** The section of PERFORMANCE.md about collections in pages, from benchmarks/results/collections.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function collectionsSection({ machine, rounds, pages, records, rows, cancelled }) {
  const number = (value) => value.toLocaleString('en')
  return `## All of a collection

${number(records)} records over ${pages} pages, of which the open ones are counted: one \`proxy_filter\` with \`all\`, against a loop written by hand that asks the server for one page after the
other, parses it and counts. Both use the client of the MCP SDK; the bare loop writes and reads lines of JSON by itself. Milliseconds, medians of ${rounds} rounds that take turns. The proxy asks for
numbered pages eight at a time, keeps them as one document, measures it and counts there; where the server answers at once, that work is all there is. Measured on ${machine}.

${markdownTable([
  ['server takes for a page', 'loop', 'bare loop', 'one call with all', 'against the loop'],
  ...rows.map(({ delay, loop, bare, all, ratio }) => [
    `${delay} ms`,
    String(loop),
    String(bare),
    String(all),
    `${ratio} ×`,
  ]),
])}

A call that is cancelled after ${cancelled.after} pages, with ${cancelled.delay} ms a page: the server was asked for ${cancelled.asked} pages, was told to stop ${cancelled.abandoned} of them, and ${
    cancelled.late <= 0
      ? 'was asked for none after the caller left'
      : `was asked for the last one ${cancelled.late} ms after the caller left`
  }.

\`npm run bench -- collections\` records it.
`
}
