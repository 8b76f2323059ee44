/** Payloads made from a seed: what the tools of common servers return, from 2 KB, too small to be worth a proxy, to 3 MB. */
import { chance } from '../questions/random.mjs'
import { access, events, logfmt, python, sales, syslog } from './generated/lines.mjs'
import { documentation, snapshot, wiki } from './generated/pages.mjs'
import { cluster, geo, issues, lockfile, metrics, openapi, settings, shop } from './generated/records.mjs'
import { vocabulary } from './generated/vocabulary.mjs'

const json = (value) => JSON.stringify(value)

/** Each file with how much of it is made: records, lines or sections. */
const FILES = [
  ['issues.json', 120, (...args) => json(issues(...args))],
  ['issues-few.json', 2, (...args) => json(issues(...args).items)],
  ['products.json', 900, (...args) => json(shop(...args).products)],
  ['orders.json', 900, (...args) => json(shop(...args).orders)],
  ['pods.json', 250, (...args) => json(cluster(...args))],
  ['pods-few.json', 5, (...args) => json(cluster(...args))],
  ['metrics.json', 1800, (...args) => json(metrics(...args))],
  ['places.geojson', 6000, (...args) => json(geo(...args))],
  ['settings.json', 40, (...args) => json(settings(...args))],
  ['settings-few.json', 3, (...args) => json(settings(...args))],
  ['interface.json', 40, (...args) => json(openapi(...args))],
  ['lock.json', 500, (...args) => json(lockfile(...args))],
  ['sales.csv', 4000, sales],
  ['sales-few.csv', 30, sales],
  ['events.ndjson', 12_000, events],
  ['application.log', 9000, python],
  ['application-few.log', 25, python],
  ['service.log', 3000, logfmt],
  ['messages.log', 5000, syslog],
  ['requests.log', 8000, access],
  ['wiki.md', 90, wiki],
  ['wiki-few.md', 4, wiki],
  ['manual.html', 60, documentation],
  ['page.txt', 150, snapshot],
]

/** Files that describe the same world share their chance: orders point to products. */
const WORLDS = { 'products.json': 'shop', 'orders.json': 'shop' }

/**
 * @param {{seed?: number | string, scale?: number}} [options] scale: how large, 1 as said above
 * @returns {{name: string, text: string}[]}
 */
export function generatedPayloads({ seed = 1, scale = 1 } = {}) {
  return FILES.map(([name, count, make]) => {
    const random = chance(`${seed} ${WORLDS[name] ?? name}`)
    return { name, text: make(Math.max(2, Math.round(count * scale)), random, vocabulary(random)) }
  })
}
