/**
 * How long a preview takes for each kind of result, in turns with the same result fetched directly. Also how long the questions after it
 * take: the first, and one more. With and without reading ahead of parsing.
 * Usage: node benchmarks/previews/times.mjs [--kinds json,csv] [--sizes 0.1,1,10] [--rounds N]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connect } from '../answers/client.mjs'
import { kept } from '../engines/data.mjs'
import { machine, median } from '../lib/measure.mjs'
import { KINDS, payloadOf } from './payloads.mjs'

const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('./server.mjs', import.meta.url))
const MB = 1_000_000
const WARM_UP = 2

/** Goals: times of fetching directly at 1 MB and more, milliseconds beyond it below that; milliseconds of the questions. */
export const GOALS = { ratio: 3, beyond: 10, first: 150, later: 30 }

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      kinds: { type: 'string', default: Object.keys(KINDS).join(',') },
      sizes: { type: 'string', default: '0.1,1,10' },
      rounds: { type: 'string' },
    },
  })
  const rows = await measureTimes({
    kinds: values.kinds.split(','),
    sizes: values.sizes.split(',').map(Number),
    ...(values.rounds && { rounds: Number(values.rounds) }),
  })
  console.log(machine())
  for (const row of rows) console.log(lineOf(row))
  for (const { kind, bytes, ahead, parsed } of await measureAhead())
    console.log(`${bytes / MB} MB ${kind}: read ahead of parsing ${ahead} ms, parsed ${parsed} ms`)
  for (const { kind, atOnce, rehearsed } of await measureSessions())
    console.log(
      `0.1 MB ${kind}, first of a session: ${atOnce.preview} + ${atOnce.first} ms at once, ${rehearsed.preview} + ${rehearsed.first} ms rehearsed`,
    )
}

/** @returns rows of medians in milliseconds */
export async function measureTimes({ kinds = Object.keys(KINDS), sizes = [0.1, 1, 10], rounds } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'previews-'))
  const direct = await connect('node', [SERVER], { cwd: folder })
  const proxied = await connect('node', [MAIN, '--', 'node', SERVER], { cwd: folder })
  const rows = []
  let number = 0
  try {
    for (const size of sizes)
      for (const kind of kinds) {
        const bytes = size * MB
        const times = { direct: [], preview: [], first: [], later: [] }
        const count = rounds ?? (size >= 10 ? 7 : 15)
        for (let round = -WARM_UP; round < count; round++) {
          const payload = { kind, bytes, number: ++number }
          const took = {
            direct: await timed(() => direct.call('get', payload)),
            ...(await throughProxy(proxied, payload)),
          }
          if (round >= 0) for (const [name, time] of Object.entries(took)) times[name].push(time)
        }
        rows.push(rowOf(kind, bytes, times))
      }
  } finally {
    await direct.close()
    await proxied.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return rows
}

/** The first look at a result, in one thread: read ahead of parsing, and parsed. @returns rows of medians in milliseconds */
export async function measureAhead() {
  const { digest } = await import('../../dist/engine/digest.js')
  const { createViews } = await import('../../dist/engine/views.js')
  const sizes = { maxResponseSize: 8000, maxErrorSize: 32_000, previewSize: 2000, always: false }
  const rows = []
  for (const kind of ['json', 'ndjson'])
    for (const bytes of [MB, 10 * MB]) {
      const payload = payloadOf(kind, bytes)
      let number = 0
      const look = (readAhead) => () => {
        const { content } = kept(payload(++number))
        const start = performance.now()
        digest(createViews(), { content, tool: 'big' }, { ...sizes, readAhead })
        return performance.now() - start
      }
      const [ahead, parsed] = [look(true), look(false)]
      const times = Array.from({ length: 9 }, () => [ahead(), parsed()]).slice(WARM_UP)
      rows.push({
        kind,
        bytes,
        ahead: Math.round(median(times.map(([one]) => one))),
        parsed: Math.round(median(times.map(([, other]) => other))),
      })
    }
  return rows
}

/**
 * The first result of a session, of 0.1 MB, and the first question about it. One session begins at once, the other after a quiet in which
 * the worker rehearses.
 * @returns rows of medians in milliseconds
 */
export async function measureSessions({ kinds = ['json', 'csv', 'log', 'markdown'], rounds = 5 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'))
  const rows = []
  try {
    for (const kind of kinds) {
      const quiets = { atOnce: 0, rehearsed: 3000 }
      const took = { atOnce: [], rehearsed: [] }
      for (let number = 1; number <= rounds; number++)
        for (const [name, quiet] of Object.entries(quiets)) {
          const client = await connect('node', [MAIN, '--', 'node', SERVER], { cwd: folder })
          try {
            await sleep(quiet)
            took[name].push(await throughProxy(client, { kind, bytes: MB / 10, number }))
          } finally {
            await client.close()
          }
        }
      const medianOf = (name, what) => Math.round(median(took[name].map((one) => one[what])))
      const timesOf = (name) => ({ preview: medianOf(name, 'preview'), first: medianOf(name, 'first') })
      rows.push({ kind, atOnce: timesOf('atOnce'), rehearsed: timesOf('rehearsed') })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return rows
}

async function throughProxy(client, payload) {
  const get = client.tools.find(({ name }) => name.endsWith('get')).name
  let reply
  const preview = await timed(async () => {
    reply = await client.call(get, payload)
  })
  const cacheId = /cache_id (\w+)/.exec(reply.text)?.[1]
  if (cacheId === undefined) throw new Error(`${payload.kind} was not kept: ${reply.text.slice(0, 200)}`)
  const ask = (most) => {
    const [tool, params] = KINDS[payload.kind].ask(most)
    return timed(async () => {
      const { text, isError } = await client.call(`proxy_${tool}`, { cache_id: cacheId, ...params })
      if (isError) throw new Error(`${payload.kind}: ${text}`)
    })
  }
  return { preview, first: await ask(950), later: await ask(990) }
}

async function timed(run) {
  const start = performance.now()
  await run()
  return performance.now() - start
}

function rowOf(kind, bytes, times) {
  const [direct, preview, first, later] = ['direct', 'preview', 'first', 'later'].map(
    (name) => Math.round(median(times[name]) * 10) / 10,
  )
  const ratio = Math.round((preview / direct) * 10) / 10
  const reached =
    (bytes < MB ? preview - direct <= GOALS.beyond : ratio <= GOALS.ratio) &&
    (bytes < 10 * MB || (first <= GOALS.first && later <= GOALS.later))
  return { kind, bytes, direct, preview, ratio, first, later, reached }
}

function lineOf({ kind, bytes, direct, preview, ratio, first, later, reached }) {
  const ms = (value) => `${value.toFixed(1)}`.padStart(7)
  return `${(bytes / MB).toString().padStart(4)} MB ${kind.padEnd(9)} direct ${ms(direct)}  preview ${ms(preview)} (${ratio.toFixed(1)} ×, +${(preview - direct).toFixed(0)} ms)  first ${ms(first)}  later ${ms(later)}${reached ? '' : '  ✗'}`
}
