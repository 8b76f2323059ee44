/**
 * Bytes that the process and its worker hold for each byte of a result. Measured after keeping it, after each kind of question, and after
 * its views are forgotten. Each document has its own process. And what a whole process holds: idle, after many results, at rest.
 * Usage: node benchmarks/memory/run.mjs [--quick] [--sizes 1,10,50]
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { machine } from '../lib/measure.mjs'
import { measureProcess } from './process.mjs'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, sizes: { type: 'string' } },
})
const MB = 1_000_000
const sizes = (values.sizes ?? (values.quick ? '10' : '1,10,50')).split(',').map((size) => Number(size) * MB)
const child = fileURLToPath(new URL('./child.mjs', import.meta.url))

const documents = []
for (const bytes of sizes) {
  for (const kind of ['json', 'log']) {
    documents.push(
      JSON.parse(execFileSync(process.execPath, [child, kind, String(bytes)], { encoding: 'utf8' })),
    )
    console.error(`${bytes / MB} MB of ${kind}: measured`)
  }
}
const whole = await measureProcess()
const report = { machine: machine(), process: whole, documents }
if (values.quick || values.sizes) {
  console.log(
    `the process: ${whole.listed} MB listed, ${whole.idle} idle, ${whole.after} after ${whole.results} results of ${whole.bytes / MB} MB in all (peak ${whole.peak}), ${whole.rest} at rest`,
  )
  for (const { kind, bytes, rows, peakRss } of documents) {
    console.log(`${(bytes / MB).toFixed(1)} MB of ${kind}, peak ${Math.round(peakRss / MB)} MB`)
    for (const { after, kept, heap, external, rss } of rows)
      console.log(`  after ${after}: kept ${kept} × (heap ${heap}, external ${external}), resident ${rss} ×`)
  }
} else writeFileSync('benchmarks/results/memory.json', `${JSON.stringify(report, null, 2)}\n`)
