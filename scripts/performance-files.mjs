/** The section of PERFORMANCE.md about files, from benchmarks/results/files.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

const HEADING = [
  'file',
  'bytes',
  'tokens without the proxy',
  'with it',
  'bytes sent',
  'a question, tokens',
  'right',
]

export function filesSection({ machine, rows }) {
  const number = (value) => value.toLocaleString('en')
  return `## Files

Files that \`read_media_file\` of \`@modelcontextprotocol/server-filesystem\` gives: what a model is sent (o200k; a file as the JSON that most clients make of it; a picture as
pixels / 750, after it is scaled to 1,568 on the longer side), and a question about what is inside. The model is shown a large picture at that size, so it costs what it did;
one provider refuses more than 5 MB. Measured on ${machine}.

${markdownTable([
  HEADING,
  ...rows.map(({ name, file, without, with: sent, question }) => [
    name,
    number(file),
    number(without.tokens),
    number(sent.tokens),
    `${number(without.bytes)} → ${number(sent.bytes)}`,
    question ? number(question.tokens) : '–',
    question ? (question.right ? 'yes' : 'no') : '–',
  ]),
])}

\`npm run bench -- files\` records it.
`
}
