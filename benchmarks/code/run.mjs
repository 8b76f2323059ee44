/**
 * The cost of programs: the first one and later ones. How long the event loop of the proxy waits while eight programs compute until
 * their limit. The trips, tokens and time that one program saves over a call for each step. With --data also how many questions of a
 * published benchmark are answered.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { machine, median } from '../lib/measure.mjs'
import { measureChain } from './chain.mjs'
import { measureDaBench } from './dabench.mjs'
import { openWorld } from './world.mjs'

const RECORD = 'benchmarks/results/code.json'

const HELP = `npm run bench -- code [--rounds N] [--data DIR]

  --rounds N   proxies that are started (default 5)
  --data DIR   answers the questions of InfiAgent-DABench, and nothing else. DIR is the folder examples/DA-Agent/data of
               github.com/InfiAgent/InfiAgent (CC BY-NC 4.0, so it is not part of this repository)
  --wrong      with --data: shows what was answered wrong
  --help       this

A table goes to stdout. It measures dist/: npm run build first.`

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    data: { type: 'string' },
    wrong: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

/** Programs that compute at once, and milliseconds of each. */
const BOMBS = 8
const BOMB_MS = 3000
/** Programs after the first one. */
const LATER = 30

if (options.help) console.log(HELP)
else if (options.data !== undefined) await answer(options.data)
else await measure(Number(options.rounds))

/** Figures of other runs stay in the record. */
function record(measured) {
  const before = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {}
  writeFileSync(RECORD, `${JSON.stringify({ ...before, ...measured }, null, 2)}\n`)
}

async function answer(directory) {
  const { wrong, ...dabench } = await measureDaBench(directory)
  record({ dabench })
  console.table(dabench)
  if (options.wrong) console.log(wrong)
}

async function measure(rounds) {
  const runs = []
  for (let round = 0; round < rounds; round++) runs.push(await oneRound())
  const of = (name) => Math.round(median(runs.map((run) => run[name])) * 10) / 10
  const names = ['first', 'later', 'over', 'quiet', 'bombed']
  const costs = {
    machine: machine(),
    rounds,
    bombs: BOMBS,
    ...Object.fromEntries(names.map((name) => [name, of(name)])),
  }
  const chain = await measureChain()
  record({ ...costs, chain })
  console.table(costs)
  console.table({ 'a call for each step': chain.steps, 'one program': chain.program })
}

async function oneRound() {
  const { call, close } = await openWorld({ code: { cpuMs: BOMB_MS, machines: BOMBS } })
  const run = (code) => timed(() => call('proxy_code', { code }))
  const list = () => timed(() => call('proxy_explore', {}))
  await list()
  const first = await run('return 1')
  const later = []
  const plain = []
  for (let at = 0; at < LATER; at++) {
    later.push(await run('return 1'))
    plain.push(await list())
  }
  const quiet = await delayed(() => new Promise((resolve) => setTimeout(resolve, BOMB_MS)))
  const bombed = await delayed(() => Promise.all(Array.from({ length: BOMBS }, () => run('while (true) {}'))))
  await close()
  return { first, later: median(later), over: median(later) - median(plain), quiet, bombed }
}

/** Milliseconds that 99 of 100 turns of the event loop were late at most. */
async function delayed(work) {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  await work()
  monitor.disable()
  return monitor.percentile(99) / 1e6
}

async function timed(work) {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
