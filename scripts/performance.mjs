/** PERFORMANCE.md from the recorded output of the benchmarks. `--check`: fails when the file is not what it would be. */
import { readFileSync, writeFileSync } from 'node:fs'
import { overheadSection } from './performance-overhead.mjs'

const recorded = (name) => JSON.parse(readFileSync(`benchmarks/results/${name}.json`, 'utf8'))
const { machine, rounds, rows } = recorded('ordinary')

const text = `# Performance

Generated from the recorded output of the benchmarks by \`npm run performance\`; \`npm run bench\` records it anew. Times are medians in
milliseconds; what is compared took turns in one run. Absolute figures depend on the machine, the comparison less so.

${overheadSection(recorded('overhead'))}
## Questions about results of ordinary size

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

if (process.argv.includes('--check')) {
  if (readFileSync('PERFORMANCE.md', 'utf8') !== text) {
    console.error('PERFORMANCE.md is not what the recorded benchmarks say: run npm run performance')
    process.exitCode = 1
  }
} else {
  writeFileSync('PERFORMANCE.md', text)
}
