/**
 * The processor time of the first look at a result, in one thread without transport, for each kind and size. It is in milliseconds of
 * `process.cpuUsage`, the least and the median. With `--against`, in turns with another build of the proxy.
 * Usage: node benchmarks/previews/looks.mjs [--against DIST] [--kinds json,csv] [--sizes 0.1,1,10] [--rounds N]
 */
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { kept } from '../engines/data.mjs'
import { machine, median } from '../lib/measure.mjs'
import { KINDS, payloadOf } from './payloads.mjs'

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    kinds: { type: 'string', default: Object.keys(KINDS).join(',') },
    sizes: { type: 'string', default: '0.1,1,10' },
    rounds: { type: 'string', default: '9' },
  },
})
const WARM_UP = 2
const OPTIONS = { maxResponseSize: 8000, maxErrorSize: 32_000, previewSize: 2000, always: false }

const own = fileURLToPath(new URL('../../dist', import.meta.url))
const builds = await Promise.all([own, ...(values.against ? [resolve(values.against)] : [])].map(load))
console.log(machine())
for (const size of values.sizes.split(',').map(Number))
  for (const kind of values.kinds.split(',')) {
    const payload = payloadOf(kind, size * 1_000_000)
    const times = builds.map(() => [])
    for (let round = -WARM_UP; round < Number(values.rounds); round++)
      for (const [index, look] of builds.entries()) {
        const time = look(kept(payload(round + WARM_UP + 1)).content)
        if (round >= 0) times[index].push(time)
      }
    const [now, before] = times.map((all) => ({ least: Math.min(...all), median: median(all) }))
    const told = ({ least, median }) => `${least.toFixed(1).padStart(6)} (median ${median.toFixed(1)}) ms`
    const gain = before ? `  before ${told(before)}  ${(before.least / now.least).toFixed(1)} ×` : ''
    console.log(`${String(size).padStart(4)} MB ${kind.padEnd(9)} ${told(now)}${gain}`)
  }

/** A function that looks at a result as this build does, and answers the milliseconds. */
async function load(folder) {
  const at = (file) => pathToFileURL(`${folder}/engine/${file}.js`).href
  const [{ digest }, { createViews }] = await Promise.all([import(at('digest')), import(at('views'))])
  return (content) => {
    const views = createViews()
    const start = process.cpuUsage()
    digest(views, { content, tool: 'get' }, OPTIONS, undefined, 'name')
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  }
}
