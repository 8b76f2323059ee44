/** PERFORMANCE.md from the recorded output of the benchmarks. `--check`: fails when the file is not what it would be. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { answersSection, plainSection } from './performance-answers.mjs'
import { browserSection } from './performance-browser.mjs'
import { clientsSection } from './performance-clients.mjs'
import { codeSection } from './performance-code.mjs'
import { collectionsSection } from './performance-collections.mjs'
import { connectSection } from './performance-connect.mjs'
import { dispatchSection } from './performance-dispatch.mjs'
import { enginesSection, memorySection } from './performance-engines.mjs'
import { filesSection } from './performance-files.mjs'
import { modulesSection } from './performance-modules.mjs'
import { ordinarySection } from './performance-ordinary.mjs'
import { overheadSection } from './performance-overhead.mjs'
import { previewsSection } from './performance-previews.mjs'
import { replicasSection } from './performance-replicas.mjs'
import { retrievalSection } from './performance-retrieval.mjs'
import { startSection } from './performance-start.mjs'

/** In the order of the page. A benchmark without a record has no section. */
const SECTIONS = {
  answers: answersSection,
  plain: plainSection,
  previews: previewsSection,
  files: filesSection,
  browser: browserSection,
  collections: collectionsSection,
  engines: enginesSection,
  memory: memorySection,
  overhead: overheadSection,
  start: startSection,
  connect: connectSection,
  replicas: replicasSection,
  code: codeSection,
  modules: modulesSection,
  ordinary: ordinarySection,
  retrieval: retrievalSection,
  dispatch: dispatchSection,
  clients: clientsSection,
}

const recorded = (name) => {
  const file = `benchmarks/results/${name}.json`
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

const sections = Object.entries(SECTIONS).flatMap(([name, section]) => {
  const results = recorded(name)
  return results === undefined ? [] : [section(results).trimEnd()]
})

const text = `# Performance

Generated from the recorded output of the benchmarks by \`npm run performance\`; \`npm run bench\` records it anew. Times are medians in
milliseconds; what is compared took turns in one run. Absolute figures depend on the machine, the comparison less so.

${sections.join('\n\n')}
`

if (process.argv.includes('--check')) {
  if (readFileSync('PERFORMANCE.md', 'utf8') !== text) {
    console.error('PERFORMANCE.md is not what the recorded benchmarks say: run npm run performance')
    process.exitCode = 1
  }
} else {
  writeFileSync('PERFORMANCE.md', text)
}
