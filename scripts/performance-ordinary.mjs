/** The section of PERFORMANCE.md about questions on results of ordinary size, from benchmarks/results/ordinary.json. */

export function ordinarySection({ machine, rounds, rows }) {
  return `## Questions about results of ordinary size

What a proxy tool adds over the least a program could do with the text in hand. The baseline reads the text again at every question; the
engine reads it once, in a worker thread, and answers with a bounded, counted reply.

${machine}; ${rounds} rounds.

| question | result | baseline | baseline ms | ours ms | added ms | first question ms |
|---|---:|---|---:|---:|---:|---:|
${rows
  .map(
    (row) =>
      `| ${row.question} | ${row.bytes.toLocaleString('en')} B | ${row.baseline} | ${row.baselineMs} | ${row.engineMs} | ${row.addedMs} | ${row.firstQuestionMs ?? ''} |`,
  )
  .join('\n')}

The first question of a process also starts the worker and loads the tokenizer.
`
}
