/**
 * The cost of modules: 0, 1, 4 and 8 of them, the proxy's own and programs, against a proxy without any. Candidates take turns in one run.
 * In one process before a router that answers at once, and through a real proxy over standard input and output.
 * Usage: node benchmarks/modules/run.mjs [--quick] (writes no file)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BUILT_IN } from '../../dist/features/modules.js'
import { machine, median } from '../lib/measure.mjs'
import { STDIO_SERVER } from '../overhead/candidates.mjs'
import { connect } from '../overhead/clients.mjs'
import { bare, builtIn, external, KILOBYTE, open, pipe, startTranslator } from './world.mjs'

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const plan = values.quick
  ? { rounds: 5, calls: 200, externalCalls: 20, proxyCalls: 50 }
  : { rounds: 21, calls: 300, externalCalls: 20, proxyCalls: 60 }

const folder = mkdtempSync(join(tmpdir(), 'modules-benchmark-'))
const translator = await startTranslator()
try {
  const all = Object.entries(builtIn(folder, translator.url)).filter(([name]) =>
    Object.hasOwn(BUILT_IN, name),
  )
  const entries = all.map(([, entry]) => entry)
  const four = ['block', 'rename', 'redact', 'quota'].map((name) => all.find(([other]) => other === name)[1])
  const report = { machine: machine(), plan, builtIn: [], external: [], proxy: [] }
  report.builtIn = await measure(plan.calls, {
    'no place for modules': undefined,
    'none configured': [],
    ...Object.fromEntries(all.map(([name, entry]) => [name, [entry]])),
    'log, contents of messages': [{ use: 'log', file: join(folder, 'contents.log'), content: 'all' }],
    'redact, in both directions': [{ use: 'redact', arguments: true }],
    '4: block, rename, redact, quota': four,
    [`8: ${all
      .slice(0, 8)
      .map(([name]) => name)
      .join(', ')}`]: entries.slice(0, 8),
  })
  const programs = (count) =>
    Array.from({ length: count }, (_, at) => ({ name: `program ${at}`, ...external() }))
  report.external = await measure(plan.externalCalls, {
    'none configured': [],
    'a pipe alone, one question': pipe(1),
    'a pipe alone, two questions': pipe(2),
    '1 program, mutation of results': [external()],
    '1 program, validation of calls': [external('request', 'validation')],
    '1 program, mutation of calls and results': [external('both')],
    '4 programs, mutation of results': programs(4),
    '8 programs, mutation of results': programs(8),
  })
  report.proxy = await throughProxy({
    'none configured': [],
    [`8: ${all
      .slice(0, 8)
      .map(([name]) => name)
      .join(', ')}`]: entries.slice(0, 8),
    '1 program, mutation of results': [external()],
  })
  if (values.quick) console.log(JSON.stringify(report, null, 1))
  else writeFileSync('benchmarks/results/modules.json', `${JSON.stringify(report, null, 2)}\n`)
} finally {
  translator.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Microseconds a call, and how many more than the first candidate of the same round. */
async function measure(calls, lists) {
  const worlds = []
  for (const [name, list] of Object.entries(lists))
    worlds.push({ name, world: await worldOf(list), times: [] })
  try {
    for (let round = -3; round < plan.rounds; round++) {
      for (const { world, times } of turned(worlds, round)) {
        const start = performance.now()
        await world.call(calls)
        if (round >= 0) times.push(((performance.now() - start) * 1000) / calls)
      }
    }
    return rows(worlds)
  } finally {
    await Promise.all(worlds.map(({ world }) => world.close()))
  }
}

/** Of a list of modules; undefined: of no place for any. Anything else is a world already. */
async function worldOf(list) {
  if (list === undefined) return bare()
  return Array.isArray(list) ? open(list) : list
}

/** Every round begins with another one. */
function turned(all, round) {
  const at = (round + all.length * 3) % all.length
  return [...all.slice(at), ...all.slice(0, at)]
}

function rows(worlds) {
  const [first] = worlds
  return worlds.map(({ name, times }) => ({
    modules: name,
    us: rounded(median(times)),
    more: rounded(median(times.map((time, at) => time - first.times[at]))),
  }))
}

function rounded(us) {
  return Number(us.toFixed(us < 100 ? 1 : 0))
}

/** Client, proxy and server are processes of their own. */
async function throughProxy(lists) {
  const worlds = []
  try {
    for (const [name, modules] of Object.entries(lists)) {
      const config = join(folder, `proxy-${worlds.length}.json`)
      const proxySettings = { dataDir: join(folder, `data-${worlds.length}`) }
      writeFileSync(config, JSON.stringify({ mcpServers: { files: STDIO_SERVER }, proxySettings, modules }))
      const client = await connect({
        way: 'stdio',
        command: process.execPath,
        args: ['dist/main.js', '--config', config],
      })
      worlds.push({ name, client, times: [] })
      worlds.at(-1).tool = (await client.handshake()).echo
    }
    for (let round = -3; round < plan.rounds; round++) {
      for (const { client, tool, times } of turned(worlds, round)) {
        const start = performance.now()
        for (let left = plan.proxyCalls; left > 0; left--)
          await client.request('tools/call', { name: tool, arguments: { text: KILOBYTE } })
        if (round >= 0) times.push(((performance.now() - start) * 1000) / plan.proxyCalls)
      }
    }
    return rows(worlds)
  } finally {
    await Promise.all(worlds.map(({ client }) => client.end()))
  }
}
