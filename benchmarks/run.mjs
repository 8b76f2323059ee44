/** The one entry of the benchmarks: runs all of them, or those named, each in a process of its own; PERFORMANCE.md follows from what they record. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const BENCHMARKS = {
  answers: [
    'benchmarks/answers/run.mjs',
    'questions about large results: how many are answered, for how many tokens',
  ],
  expressions: [
    'benchmarks/answers/expressions/run.mjs',
    'questions that need something computed, each answered by one call',
  ],
  plain: [
    'benchmarks/answers/plain/run.mjs',
    'questions of callers who write one call without a path, over results of many kinds',
  ],
  previews: ['benchmarks/previews/run.mjs', 'what a preview costs, for each kind of result'],
  files: [
    'benchmarks/files/run.mjs',
    'PDF, Office files, archives and pictures through the file server: tokens',
  ],
  browser: [
    'benchmarks/browser/run.mjs',
    'twenty clicks on a large page: tokens of all snapshots, and the references of what is clicked',
  ],
  collections: [
    'benchmarks/collections/run.mjs',
    '1,214 records over 41 pages in one call, against a loop written by hand',
  ],
  engines: ['benchmarks/engines/run.mjs', 'each processor on 0.1 to 50 MB, against the obvious alternative'],
  memory: ['benchmarks/memory/run.mjs', 'bytes kept for each byte of a result'],
  overhead: ['benchmarks/overhead/run.mjs', 'what the proxy adds to a call'],
  retrieval: ['benchmarks/retrieval/run.mjs', 'tools found by questions in words'],
  dispatch: [
    'benchmarks/dispatch/run.mjs',
    'one tool for all: what a client reads, and what large results cost',
  ],
  code: ['benchmarks/code/run.mjs', 'what programs cost, and what they cost others'],
  start: ['benchmarks/start/run.mjs', 'how long a client waits for its tools after the start'],
  connect: [
    'benchmarks/connect/run.mjs',
    'eight clients with ten servers: one gateway for all against a proxy for each',
  ],
  replicas: [
    'benchmarks/replicas/run.mjs',
    'replicas behind a balancer: calls in a second, and what the shared store and idle sessions cost',
  ],
  modules: ['benchmarks/modules/run.mjs', 'what modules add to a call'],
  ordinary: ['benchmarks/ordinary.mjs', 'questions about results of ordinary size'],
}

const HELP = `npm run bench                          all benchmarks, then PERFORMANCE.md
npm run bench -- NAME [options]        one of them; its options are passed on (--help shows them)

${Object.entries(BENCHMARKS)
  .map(([name, [, what]]) => `  ${name.padEnd(10)} ${what}`)
  .join('\n')}
`

const [name, ...rest] = process.argv.slice(2)
if (name === '--help' || name === '-h') console.log(HELP)
else if (name === undefined) all()
else if (Object.hasOwn(BENCHMARKS, name)) one(name, rest)
else {
  console.error(`No benchmark is called ${name}.\n\n${HELP}`)
  process.exitCode = 2
}

function all() {
  for (const each of Object.keys(BENCHMARKS)) {
    if (!existsSync(BENCHMARKS[each][0])) continue
    console.log(`\n# ${each}`)
    if (run(BENCHMARKS[each][0], []) !== 0) process.exitCode = 1
  }
  run('scripts/performance.mjs', [])
}

function one(each, args) {
  process.exitCode = run(BENCHMARKS[each][0], args)
  if (process.exitCode === 0 && args.length === 0) run('scripts/performance.mjs', [])
}

function run(file, args) {
  return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status ?? 1
}
