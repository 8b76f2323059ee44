/** Programs over real servers, through the built proxy: what takes six calls and more in one. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { everything, filesystem, memory } from './support/real-servers.ts'
import { handleOf, type RunningProxy, startProxy, temporaryDirectory, textOf } from './support/world.ts'

const CUSTOMERS = ['Ada', 'Bo', 'Cy', 'Di']
const REGIONS = ['north', 'south', 'north', 'east']
const ORDERS = 60_000

/** Orders as CSV, some 1.5 MB: more than a program is handed as a value. */
function orders(): string {
  const lines = Array.from(
    { length: ORDERS },
    (_, id) => `${id},${CUSTOMERS[id % 4]},${(id % 50) * 2},${id % 3 === 0 ? 'open' : 'paid'}`,
  )
  return `id,customer,total,state\n${lines.join('\n')}\n`
}

/** The right content of the report: the sum of open orders by region. */
function expected(): Record<string, number> {
  const sums: Record<string, number> = {}
  for (let id = 0; id < ORDERS; id++) {
    if (id % 3 !== 0) continue
    const region = REGIONS[id % 4] ?? ''
    sums[region] = (sums[region] ?? 0) + (id % 50) * 2
  }
  return sums
}

async function world(exposure: string): Promise<RunningProxy & { files: string; asked: string[] }> {
  const files = temporaryDirectory()
  writeFileSync(join(files, 'orders.csv'), orders())
  const proxy = await startProxy({
    servers: { files: filesystem(files), memory: memory(join(files, 'memory.jsonl')), everything },
    settings: { exposure, code: { enabled: true, calls: 'all', timeoutMs: 150_000 } },
    client: { capabilities: { elicitation: {} } },
  })
  const asked: string[] = []
  proxy.client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
    asked.push(message)
    return { action: 'accept' }
  })
  return { ...proxy, files, asked }
}

const program = (files: string): string => `
const [reader] = await tools.search('read a text file', 5)
await tools.call('memory_create_entities', { entities: ${JSON.stringify(
  CUSTOMERS.map((name, at) => ({ name, entityType: 'customer', observations: [REGIONS[at]] })),
)} })
const [graph, file] = await Promise.all([
  tools.call('memory_read_graph'),
  tools.call('files_read_text_file', { path: ${JSON.stringify(join(files, 'orders.csv'))} }),
])
const regionOf = new Map(graph.entities.map((one) => [one.name, one.observations[0]]))
const sums = {}
for (const { customer, total } of await file.group('customer', 'sum(total) as total', { where: 'state = open' })) {
  const region = regionOf.get(customer)
  sums[region] = (sums[region] ?? 0) + total
}
const all = await tools.call('everything_get-sum', { a: sums.north, b: sums.south })
const report = await keep(JSON.stringify(sums))
await tools.call('files_write_file', { path: ${JSON.stringify(join(files, 'report.json'))}, content: { $from: report } })
return { reader: reader.name, orders: await file.count(), sums, all }
`

test('a program finds a tool, asks three servers, joins, computes and writes by reference, in one call', async () => {
  const { call, files, asked } = await world('passthrough')
  const answer = await call('proxy_code', { code: program(files) })
  expect(answer.isError, textOf(answer)).toBeFalsy()
  const { sums, orders, reader, all } = JSON.parse(textOf(answer))
  expect(sums).toEqual(expected())
  expect(orders).toBe(ORDERS)
  expect(reader).toMatch(/^files_read/)
  expect(all).toContain(String((sums.north ?? 0) + (sums.south ?? 0)))
  expect(JSON.parse(readFileSync(join(files, 'report.json'), 'utf8'))).toEqual(sums)
  expect(asked.some((message) => message.includes('files_write_file'))).toBe(true)
})

test('in dispatch it is an action, and in retrieve it is listed', async () => {
  const dispatch = await world('dispatch')
  const kept = await dispatch.call('proxy-dispatch', {
    action: 'call',
    tool: 'files_read_text_file',
    arguments: { path: join(dispatch.files, 'orders.csv') },
  })
  const asked = { action: 'code', cache_id: handleOf(kept), code: 'return await d.count("state = open")' }
  expect(textOf(await dispatch.call('proxy-dispatch', asked))).toBe('=> 20000')
  const mistaken = await dispatch.call('proxy-dispatch', { action: 'code', code: 'return tolos' })
  expect(textOf(mistaken)).toContain('Did you mean tools')

  const retrieve = await world('retrieve')
  const { tools } = await retrieve.client.listTools()
  expect(tools.map(({ name }) => name)).toContain('proxy_code')
  expect(
    textOf(
      await retrieve.call('proxy_code', { code: 'return (await tools.search("sum of numbers"))[0].name' }),
    ),
  ).toBe('everything_get-sum')
})
