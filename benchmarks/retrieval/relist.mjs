/** How long a tool that a server adds cannot be found. `node benchmarks/retrieval/relist.mjs` prints it alone. */
import { fileURLToPath } from 'node:url'
import { withFolder, withProxy } from '../dispatch/world.mjs'
import { median } from '../lib/measure.mjs'
import { round } from './score.mjs'

const SERVER = fileURLToPath(new URL('growing-server.mjs', import.meta.url))
const SIZES = [1, 100, 1000]
const ROUNDS = 15
/** Not found after this time: not found at all. */
const LONGEST_MS = 30_000

/** The time from the end of the call in which the server added a tool to the answer that has it. The client asks again and again. */
export async function relist() {
  const rows = []
  for (const size of SIZES) {
    const times = await withFolder((folder) => timesOf(size, folder))
    rows.push({ tools: size, median: round(median(times)), worst: round(Math.max(...times)) })
  }
  return rows
}

function timesOf(size, folder) {
  const servers = { shelf: { command: process.execPath, args: [SERVER, String(size)] } }
  return withProxy({ folder, servers, settings: { exposure: 'retrieve' } }, async ({ call }) => {
    const find = async (query) =>
      JSON.parse((await call('retrieve_tools', { query })).text).tools.map(({ name }) => name)
    await find('add a tool')
    const times = []
    for (let turn = 0; turn < ROUNDS; turn++) {
      const word = `lantern${String.fromCharCode(97 + turn)}`
      await call('call_tool', { name: 'shelf_grow', arguments: { word } })
      const start = performance.now()
      while (!(await find(`polish the ${word}`)).includes(`shelf_polish_${word}`))
        if (performance.now() - start > LONGEST_MS) throw new Error(`${word} was not found`)
      times.push(performance.now() - start)
    }
    return times
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.table(await relist())
