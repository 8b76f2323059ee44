/** The section of PERFORMANCE.md about programs, from benchmarks/results/code.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function codeSection({ machine, rounds, bombs, first, later, over, quiet, bombed, chain, dabench }) {
  return `## Programs

What \`proxy_code\` costs for a program that does nothing, and how late the event loop of the proxy is (p99) while ${bombs} programs
compute without end. Medians of ${rounds} proxies. Measured on ${machine}.

${markdownTable([
  ['what', 'milliseconds'],
  ['first program of a proxy', String(first)],
  ['a later one', String(later)],
  ['of that, over a call that lists what is kept', String(over)],
  ['event loop, nothing runs', String(quiet)],
  [`event loop, ${bombs} programs compute`, String(bombed)],
])}
${chain === undefined ? '' : chainPart(chain)}
\`npm run bench -- code\` records it.
${dabench === undefined ? '' : questionsPart(dabench)}`
}

function chainPart({ rounds, steps, program }) {
  return `
Find a file, read it, count in it, read a graph, ask a database, join, write a report: over the servers filesystem, memory and SQLite, medians of ${rounds} times. Tokens are
those that a model writes and reads; the time is that of the calls, without the model's.

${markdownTable([
  ['', 'calls of the model', 'tokens', 'milliseconds'],
  ...[
    ['a call for each step', steps],
    ['one program', program],
  ].map(([name, { trips, tokens, ms }]) => [name, String(trips), String(tokens), String(ms)]),
])}
`
}

function questionsPart({ questions, asked, right, tokens, raw, read, unread }) {
  return `
Questions of InfiAgent-DABench about CSV files for which a program could be written by rule: ${asked} of ${questions}. Right: ${right}. Tokens of an answer, with the
preview and the program: ${tokens}; of the file: ${raw}. The rules were written after a reading of one half of the questions, which a seed chooses: there ${read.right} of ${read.asked}
are right, in the other half ${unread.right} of ${unread.asked}. Before anybody looked at what was wrong in the other half it was 35 of 40; then two answers were mended, and three
questions lost their program. \`npm run bench -- code --data DIR\` records it.
`
}
