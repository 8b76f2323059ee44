/** The section of PERFORMANCE.md about finding tools, from benchmarks/results/retrieval.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function retrievalSection({ machine, tools, kinds, replies, weights, adaptive, batching, times }) {
  return `## Finding tools

${tools} tools of 23 servers and labelled questions about them, by words alone. Recall (R@1, R@5, R@10) is the part of the right tools that is
among the first; MRR looks at the first right one. "Left empty" counts the questions that no tool answers and that got none. The thesaurus
was written with the failures of the first half in view, not with those of the second.

${table(kinds, { kind: 'questions', questions: 'number', r1: 'R@1', r5: 'R@5', r10: 'R@10', mrr: 'MRR', unanswerable: 'no tool answers', empty: 'left empty' })}

A reply of ${replies.tools} tools, each with its signature, score and first sentence, has ${replies.median} tokens of o200k in the median, ${replies.p95} in the 95th
percentile, ${replies.largest} at most; the definitions of the same tools have ${replies.definitionsMedian} in the median.

What the fields of a definition are worth:

${table(weights, { weights: 'weights', r1: 'R@1', r5: 'R@5', mrr: 'MRR', empty: 'left empty' })}

As many tools as the scores deserve, against always five:

${table(adaptive, { limit: 'limit', found: 'right tools found', tools: 'tools, mean', tokens: 'tokens, median' })}

Questions that need two tools, asked as one and as two of a batch:

${table(batching, { way: 'asked as', found: 'right tools found', tools: 'tools, mean', tokens: 'tokens, median' })}

5,000 tools (${machine}); the ratio is to cutting the same definitions into words by a plain loop:

${table(times, { what: 'what', median: 'median', ratio: 'ratio', p95: '95th percentile' })}
`
}

function table(rows, columns) {
  const names = Object.keys(columns)
  return markdownTable([Object.values(columns), ...rows.map((row) => names.map((name) => shown(row[name])))])
}

function shown(value) {
  if (value === null || value === undefined) return ''
  return typeof value === 'number' ? value.toLocaleString('en') : value
}
