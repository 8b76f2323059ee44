/**
 * Work of several steps over real servers (filesystem, memory, SQLite), once with a call for each step and once as one program. The
 * steps: find a file, read it, count in it, read a graph, ask a database, join, compute, write a report.
 * Both write the same report. Tokens are what a model
 * writes (calls) and reads (replies).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSqlite } from '../../dist/discovery/catalogue/tools-file.js'
import { median } from '../lib/measure.mjs'
import { handleIn, openWorld, SERVERS } from './world.mjs'

const ORDERS = 20_000
const CUSTOMERS = 40
const REGIONS = ['north', 'south', 'east', 'west']
const ROUNDS = 5

const customer = (id) => `customer ${id}`

/** @returns {Promise<{ rounds: number, steps: object, program: object }>} each: trips, tokens, ms */
export async function measureChain() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-chain-'))
  const world = await openWorld({
    mcpServers: {
      files: SERVERS.files(folder),
      memory: SERVERS.memory(join(folder, 'memory.jsonl')),
      sql: SERVERS.sqlite(await makeDatabase(join(folder, 'targets.db'))),
    },
    code: { calls: 'all', timeoutMs: 120_000 },
  })
  try {
    writeFileSync(join(folder, 'orders-2026.csv'), orders())
    await world.request('tools/list', {})
    await must(world, 'memory_create_entities', { entities: graph() })
    const runs = { steps: [], program: [] }
    const reports = new Set()
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, run] of Object.entries({ steps: bySteps, program: byProgram })) {
        runs[name].push(await run(world, folder))
        reports.add(readFileSync(join(folder, 'report.json'), 'utf8'))
        rmSync(join(folder, 'report.json'))
      }
    if (reports.size !== 1) throw new Error(`the reports differ: ${[...reports].join(' ')}`)
    return { rounds: ROUNDS, steps: middle(runs.steps), program: middle(runs.program) }
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function middle(runs) {
  const of = (name) => Math.round(median(runs.map((run) => run[name])))
  return { trips: of('trips'), tokens: of('tokens'), ms: of('ms') }
}

async function must(world, name, args) {
  const reply = await world.call(name, args)
  if (reply.failed) throw new Error(`${name}: ${reply.text.slice(0, 500)}`)
  return reply
}

const SQL = 'SELECT region, target FROM targets ORDER BY region'
const QUESTION = {
  where: ['state = open'],
  group_by: 'customer',
  aggregate: 'sum(total) as total',
  limit: CUSTOMERS,
}

/** The calls of a model without programs. Reading the numbers out of replies and joining them is its own work, and costs nothing here. */
async function bySteps(world, folder) {
  const replies = []
  const call = async (name, args) => {
    const reply = await must(world, name, args)
    replies.push(reply)
    return reply.text
  }
  const path = (await call('files_search_files', { path: folder, pattern: 'orders*.csv' })).trim()
  const handle = handleIn(await call('files_read_text_file', { path }))
  await call('proxy_filter', { cache_id: handle, ...QUESTION })
  await call('memory_read_graph', {})
  await call('sql_execute_sql', { sql: SQL })
  await call('files_write_file', { path: join(folder, 'report.json'), content: JSON.stringify(expected()) })
  return sum(replies)
}

async function byProgram(world, folder) {
  const code = `const found = await tools.call('files_search_files', { path: ${JSON.stringify(folder)}, pattern: 'orders*.csv' })
const path = (found.content ?? found).trim()
const [file, graph, sql] = await Promise.all([
  tools.call('files_read_text_file', { path }),
  tools.call('memory_read_graph'),
  tools.call('sql_execute_sql', { sql: '${SQL}' }),
])
const region = new Map(graph.entities.map((one) => [one.name, one.observations[0]]))
const report = Object.fromEntries(sql.data.statements[0].rows.map((one) => [one.region, -one.target]))
const orders = doc(file.cache_id ?? await keep(file.content ?? file))
for (const one of await orders.group('customer', 'sum(total) as total', { where: 'state = open' })) report[region.get(one.customer)] += one.total
await tools.call('files_write_file', { path: ${JSON.stringify(join(folder, 'report.json'))}, content: JSON.stringify(report) })
return report`
  return sum([await must(world, 'proxy_code', { code })])
}

function sum(replies) {
  const of = (name) => replies.reduce((all, one) => all + one[name], 0)
  return { trips: replies.length, tokens: of('tokens'), ms: of('ms') }
}

const orderOf = (id) => ({
  customer: customer(id % CUSTOMERS),
  state: id % 3 === 0 ? 'open' : 'paid',
  total: (id * 7) % 100,
})

function orders() {
  const lines = Array.from({ length: ORDERS }, (_, id) => {
    const { customer, state, total } = orderOf(id)
    return `${id},${customer},${state},${total},order number ${id} as it was taken down`
  })
  return `id,customer,state,total,note\n${lines.join('\n')}\n`
}

function graph() {
  return Array.from({ length: CUSTOMERS }, (_, id) => ({
    name: customer(id),
    entityType: 'customer',
    observations: [REGIONS[id % REGIONS.length]],
  }))
}

const targetOf = (region) => 10_000 * (REGIONS.indexOf(region) + 1)

async function makeDatabase(file) {
  const database = (await loadSqlite())(file)
  database.exec('CREATE TABLE targets (region TEXT PRIMARY KEY, target REAL)')
  for (const region of REGIONS) database.run('INSERT INTO targets VALUES (?, ?)', [region, targetOf(region)])
  database.close()
  return file
}

/** By region: open orders less the target. */
function expected() {
  const report = Object.fromEntries(REGIONS.toSorted().map((region) => [region, -targetOf(region)]))
  for (let id = 0; id < ORDERS; id++) {
    const { customer: name, state, total } = orderOf(id)
    if (state === 'open') report[REGIONS[Number(name.split(' ')[1]) % REGIONS.length]] += total
  }
  return report
}
