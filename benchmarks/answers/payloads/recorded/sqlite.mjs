/** Rows of tables, by a SQLite server that npx brings: the installed packages, and customers with their orders from a seed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../../../lib/measure.mjs'
import { installedPackages } from './project.mjs'
import { withServer } from './server.mjs'

/** The server needs `node:sqlite`. Where Node is older, npx brings a newer one. */
const NEWER = Number.parseInt(process.versions.node, 10) < 24 ? ['-p', 'node@24'] : []
const SERVER = ['-y', '--prefer-offline', ...NEWER, '-p', '@bytebase/dbhub@1.4.0', 'dbhub']

export const name = 'sqlite'

/** @returns {Promise<{name: string, text: string}[]>} */
export async function record() {
  const directory = mkdtempSync(join(tmpdir(), 'benchmark-sqlite-'))
  try {
    const file = join(directory, 'shop.db')
    const args = [...SERVER, '--transport', 'stdio', '--dsn', `sqlite://${file}`]
    return await withServer({ command: 'npx', args }, async (call) => {
      for (const sql of statements()) await call('execute_sql', { sql })
      const rows = async (name, sql) => ({
        name: `sqlite-${name}.json`,
        text: await call('execute_sql', { sql }),
      })
      return [
        await rows('orders', 'SELECT * FROM orders ORDER BY id'),
        await rows('customers', 'SELECT * FROM customers ORDER BY id'),
        await rows('packages', 'SELECT * FROM packages ORDER BY name, version'),
        {
          name: 'sqlite-columns.json',
          text: await call('search_objects', { object_type: 'column', detail_level: 'full' }),
        },
      ]
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const CITIES = ['Porto', 'Lagos', 'Quito', 'Osaka', 'Turku', 'Pune', 'Izmir', 'Perth', 'Leeds', 'Accra']
const STATES = ['paid', 'paid', 'sent', 'sent', 'open', 'refunded']
const NOTES = ['leave at the door', 'gift wrap', 'call before delivery', 'fragile: two people to lift']

/** Statements of at most a few hundred rows each, the same ones every time but for the packages. */
function statements() {
  const random = seeded(5)
  const below = (limit) => Math.floor(random() * limit)
  const day = () => new Date(Date.UTC(2025, 0, 1 + below(500), below(24), below(60))).toISOString()
  const customers = Array.from({ length: 240 }, (_, n) => [
    n + 1,
    `Customer ${String.fromCharCode(65 + (n % 26))}${below(9000) + 1000}`,
    CITIES[below(CITIES.length)],
    ['free', 'team', 'enterprise'][Math.floor(random() * random() * 3)],
    below(10) === 0 ? null : day(),
  ])
  const orders = Array.from({ length: 1800 }, (_, n) => [
    50_000 + n,
    customers[Math.floor(random() * random() * customers.length)][0],
    STATES[below(STATES.length)],
    Math.round(random() ** 3 * 400_000) / 100,
    below(5) + 1,
    day(),
    below(12) === 0 ? NOTES[below(NOTES.length)] : null,
  ])
  const packages = installedPackages().map(({ name, entry }) => [
    name,
    entry.version,
    entry.license ?? null,
    entry.dev ? 1 : 0,
    entry.engines?.node ?? null,
    Object.keys(entry.dependencies ?? {}).length,
  ])
  return [
    'CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, plan TEXT, last_seen TEXT)',
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, state TEXT, total REAL, items INTEGER, placed_at TEXT, note TEXT)',
    'CREATE TABLE packages (name TEXT, version TEXT, license TEXT, dev INTEGER, node TEXT, dependencies INTEGER)',
    ...inserts('customers', customers),
    ...inserts('orders', orders),
    ...inserts('packages', packages),
  ]
}

function* inserts(table, rows) {
  for (let at = 0; at < rows.length; at += 300) {
    const values = rows.slice(at, at + 300).map((row) => `(${row.map(literal).join(', ')})`)
    yield `INSERT INTO ${table} VALUES ${values.join(', ')}`
  }
}

function literal(value) {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}
