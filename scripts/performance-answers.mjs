/** The section of PERFORMANCE.md about answers, from benchmarks/results/answers.json. */
import { markdownTable, tablesOf } from '../benchmarks/answers/report.mjs'

export function answersSection(summary) {
  const { machine, payloads, questions, seed, policies } = summary
  const sizes = payloads.map(({ characters }) => characters)
  return `## Answers for tokens

${questions.toLocaleString('en')} questions about ${payloads.length} results of ${Math.min(...sizes).toLocaleString('en')} to ${Math.max(...sizes).toLocaleString('en')} characters:
results recorded from real servers, and generated ones (seed ${seed}); JSON minified and indented, NDJSON, CSV, logs, Markdown, HTML, text. Questions
and right answers are made by code that shares nothing with the product. A real server stands behind the real proxy; a scripted agent sees
the question and the replies, and answers, says that there is none, or says that it cannot tell. Two policies
(\`benchmarks/answers/systems/proxy/\`): *naive* writes the plain word, *expert* reads the preview and writes the exact query.${policies === undefined ? '' : ` Policies: ${policies}.`} Both, and the
product, were refined on payloads of this kind, with seeds below 1000; \`--seed\` and \`--payloads DIR\` judge them on what nobody looked at.

Beside it: *raw*, the whole result in the context and a reader without fault; *head*, its first 8,000 characters; *head-tail*, the first and
last 4,000; *grep*, the result in a file with grep and read; *chunks*, full-text search over chunks of 1,000 characters; *oracle*, a call that
names what is wanted and a reply that is the answer: the floor.

Tokens are o200k, of all calls and replies of a question, the fetch and its preview included; definitions of tools and instructions are a
figure of their own. Tokens per correct answer are all tokens over the correct answers. Intervals are bootstrapped by payload. ${machine}.

${tablesOf(summary)
  .map(({ title, cells }) => `### ${title}\n\n${markdownTable(cells)}`)
  .join('\n\n')}
`
}

/** The section about questions in one plain call, from benchmarks/results/plain.json. */
export function plainSection({ groups }) {
  const row = ({ data, questions, answered, share, perCorrect }) => [
    data,
    questions,
    answered,
    share,
    perCorrect,
  ]
  const cells = [['result', 'questions', 'answered', '%', 'tokens per correct answer'], ...groups.map(row)]
  return `## Questions in one plain call

Questions as somebody asks them who has read no more than the preview: one call, no path, fields by their last name, over results of twenty
kinds (\`benchmarks/answers/plain/\`). A question is answered where the one reply holds what plain code finds. Tokens are those of the preview
(or of the result, where it passes whole), the call and the reply. The product was refined on these questions.

${markdownTable(cells.map((line) => line.map(String)))}
`
}
