/** The section of PERFORMANCE.md about real clients, from benchmarks/results/clients.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

const HEADING = ['client', 'definitions', 'large result', 'questions', 'small results', 'all', 'answered']

export function clientsSection({ clients }) {
  const rows = Object.values(clients).map((entry) => {
    const [before, after] = [entry.before?.main, entry.after?.main]
    if (entry.notRun || (!before?.tokens && !after?.tokens))
      return [entry.title, 'not run', '', '', '', '', '']
    const shown = (of) => [before, after].map((main) => (main?.tokens ? of(main) : '?')).join(' → ')
    const kinds = ['definitions', 'large', 'questions', 'small']
    return [
      entry.title,
      ...kinds.map((kind) => shown(({ tokens }) => tokens[kind].toLocaleString('en'))),
      shown(({ tokens }) => kinds.reduce((sum, kind) => sum + tokens[kind], 0).toLocaleString('en')),
      shown(({ answered }) => `${answered} of 3`),
    ]
  })
  return `## What real clients hand to their model

Tokens of o200k that the model of each client got in the same session, before and after previews went out as text alone: a large
result (1,437 records), three questions about it, five small results; and the definitions of the proxy's own tools, with what searches for tools gave. A
scripted model asked; where it saw no handle it could ask no question, so that fewer tokens are no saving there: "answered" tells. The clients
and their versions are in [docs/clients.md](docs/clients.md).

${markdownTable([HEADING, ...rows])}

\`npm run clients\` runs them; it installs some 3 GB.
`
}
