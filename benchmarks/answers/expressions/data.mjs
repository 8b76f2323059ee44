/** Results to compute from, made from a seed: a shop, sales, days, a log of jobs, staff, and a stock on two days. */
import { vocabulary } from '../payloads/generated/vocabulary.mjs'
import { chance } from '../questions/random.mjs'

const DAY = 86_400
const START = Date.UTC(2024, 0, 1) / 1000
const REGIONS = ['North', 'South', 'East', 'West']
const PRODUCTS = ['lamp', 'chair', 'desk', 'shelf', 'sofa']
const DEPARTMENTS = ['Sales', 'Design', 'Support', 'Research']
const SERVICES = ['billing', 'search', 'auth', 'mail']

const range = (count, make) => Array.from({ length: count }, (_, at) => make(at))
const cents = (number) => Math.round(number * 100) / 100
const isoDay = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10)

/**
 * All results by name: their records, and the text that a server returns.
 * @param {number | string} seed
 * @returns {Record<string, { records: object[], text: string, [list: string]: object[] }>}
 */
export function dataOf(seed) {
  const random = chance(`expressions ${seed}`)
  const say = vocabulary(random)
  const json = (records) => ({ records, text: JSON.stringify(records) })
  const [monday, friday] = stocks(random, say)
  const shop = shopOf(random, say)
  return {
    sales: csv(sales(random)),
    days: csv(days(random)),
    orders: { records: shop.orders, ...shop, text: JSON.stringify(shop) },
    jobs: json(jobs(random, say)),
    staff: json(staff(random, say)),
    monday: json(monday),
    friday: json(friday),
  }
}

function csv(records) {
  const names = Object.keys(records[0])
  const lines = records.map((record) => names.map((name) => record[name] ?? '').join(','))
  return { records, text: `${[names.join(','), ...lines].join('\n')}\n` }
}

function sales(random) {
  return range(240, (at) => {
    const price = cents(5 + 90 * random.next())
    return {
      sale_id: `S-${1000 + at}`,
      date: isoDay(START + random.below(300) * DAY),
      region: random.pick(REGIONS),
      product: random.pick(PRODUCTS),
      units: random.between(1, 40),
      price,
      cost: cents(price * (0.5 + 0.48 * random.next())),
    }
  })
}

function days(random) {
  return range(400, (at) => {
    const visits = random.between(500, 4000)
    return {
      day: isoDay(START + at * DAY),
      visits,
      signups: Math.round(visits * (0.01 + 0.05 * random.next())),
      revenue: cents(visits * (0.2 + random.next())),
    }
  })
}

function shopOf(random, say) {
  const customers = range(40, (at) => ({
    id: `C-${100 + at}`,
    name: say.person(),
    email: `${say.noun()}${at}@${random.pick(['example.com', 'example.org', 'example.net'])}`,
    tier: random.pick(['gold', 'silver', 'basic']),
  }))
  const orders = range(160, (at) => {
    const placed = START + random.below(250 * DAY)
    const shipped = random.often(0.85) ? placed + random.between(3600, 9 * DAY) : undefined
    const delivered =
      shipped !== undefined && random.often(0.9) ? shipped + random.between(DAY, 6 * DAY) : undefined
    const items = random
      .shuffled(range(24, (nth) => `${random.pick(['LMP', 'CHR', 'DSK'])}-${200 + nth}`))
      .slice(0, random.between(1, 4))
      .map((sku) => ({ sku, quantity: random.between(1, 6), unit_price: cents(4 + 60 * random.next()) }))
    const total = cents(items.reduce((sum, { quantity, unit_price }) => sum + quantity * unit_price, 0))
    return {
      id: `O-${5000 + at}`,
      customer_id: random.pick(customers).id,
      status: random.pick(['paid', 'paid', 'paid', 'returned', 'cancelled']),
      placed_at: say.iso(placed),
      shipped_at: shipped === undefined ? null : say.iso(shipped),
      delivered_at: delivered === undefined ? null : say.iso(delivered),
      total,
      discount: random.often(0.4) ? cents(total * 0.3 * random.next()) : null,
      coupon: random.often(0.4) ? random.pick(['SPRING', 'FRIENDS', 'LATE']) : null,
      items,
    }
  })
  return { orders, customers }
}

function jobs(random, say) {
  const names = range(60, () => say.hex(6))
  return range(260, (at) => {
    const state = random.pick(['started', 'ended', 'failed'])
    const job = random.pick(names)
    const duration = Math.round(20 + 900 * random.next() ** 3)
    return {
      time: say.iso(START + at * 977),
      service: random.pick(SERVICES),
      path: `/${random.pick(['api', 'admin', 'static'])}/${say.noun()}/${random.between(1, 90)}`,
      state,
      duration_ms: duration,
      message: `job=${job} user=${random.between(1, 30)} ${state} after took=${duration} ms by worker-${random.between(1, 5)}`,
    }
  })
}

function staff(random, say) {
  const people = range(90, (at) => ({
    id: at + 1,
    name: `${say.person()} ${at + 1}`,
    department: random.pick(DEPARTMENTS),
    salary: 30_000 + 10 * random.below(6000),
    manager_id: at < 4 ? null : random.between(1, 4 + Math.floor(at / 3)),
    hired: isoDay(START - random.below(3000) * DAY),
    budget: `$${random.between(1, 9)},${say.digits(3)}.50`,
  }))
  return people
}

/** The stock of a shop on two days: some things came, some went, some changed. */
function stocks(random, say) {
  const before = range(130, (at) => ({
    sku: `${random.pick(['LMP', 'CHR', 'DSK', 'SFA'])}-${1000 + at}`,
    name: say.capital(`${say.phrase()} ${at}`),
    stock: random.between(0, 80),
    price: cents(3 + 120 * random.next()),
  }))
  const kept = before.filter(() => random.often(0.92))
  const after = kept.map((record) => ({
    ...record,
    ...(random.often(0.15) && { price: cents(record.price * 1.1 + 0.01) }),
    ...(random.often(0.3) && { stock: record.stock + random.between(1, 20) }),
  }))
  const came = range(9, (at) => ({
    sku: `NEW-${2000 + at}`,
    name: say.capital(`${say.phrase()} n${at}`),
    stock: random.between(1, 30),
    price: cents(3 + 120 * random.next()),
  }))
  return [before, random.shuffled([...after, ...came])]
}
