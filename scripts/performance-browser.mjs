/** The section of PERFORMANCE.md about pages in a browser, from benchmarks/results/browser.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

const HEADING = [
  '@playwright/mcp',
  'snapshots',
  'tokens without the proxy',
  'with it',
  'questions, tokens',
  'reference had',
  'after a question',
  'right',
]

export function browserSection({ clicks, machine, rows }) {
  const shown = rows.map((row) => {
    const { version, asks, snapshots, whole, sent, questions, asked, had, right } = row
    const what = `${version}, ${asks ? 'a snapshot is asked for after each click' : 'each click answers with one'}`
    const cells = [
      what,
      snapshots,
      whole,
      sent,
      `${questions}, ${asked}`,
      had,
      questions,
      `${right} of ${clicks}`,
    ]
    return cells.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell))
  })
  return `## Pages in a browser

${clicks} clicks on a shop with 300 products, in Chromium, through \`@playwright/mcp\`: tokens of all snapshots (o200k). The reader is a program that knows what each control is
called. It takes the reference from what it was sent; where it was not told, it asks \`proxy_filter\` by the name. Right: the reference is that of the control on the page
at that moment. Measured on ${machine}.

${markdownTable([HEADING, ...shown])}

\`npm run bench -- browser\` records it. It installs both versions of the server in a folder of its own, and needs a Chromium.
`
}
