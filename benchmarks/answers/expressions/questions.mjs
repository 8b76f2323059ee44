/**
 * Questions that need something computed: products, percentiles, buckets, windows, dates, parts of texts, pivots, differences. Each
 * with the one call that somebody writes who has read the preview and knows SQL, and with the answer by plain code.
 *
 * @typedef {object} Computed
 * @property {string} id
 * @property {string} group
 * @property {string} text
 * @property {string | string[]} data   names of the results asked of
 * @property {object} call              the parameters of `proxy_filter`, the handles aside
 * @property {import('../contract.mjs').Gold} gold
 * @property {string[]} columns         the columns of the reply that answer; for `table` the key and the figure
 */

const sum = (values) => values.reduce((total, value) => total + value, 0)
const mean = (values) => sum(values) / values.length
const millis = (text) => Date.parse(text)
const days = (from, to) => (millis(to) - millis(from)) / 86_400_000
const hours = (from, to) => (millis(to) - millis(from)) / 3_600_000

function groupsOf(records, by) {
  const groups = new Map()
  for (const record of records) {
    const key = by(record)
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  return groups
}

/** A figure for each group. */
function tableOf(records, by, figure) {
  return [...groupsOf(records, by)].map(([key, own]) => [key, figure(own)])
}

/** By a number, in the order of the records among equals. */
function ordered(records, by, descending = false) {
  return [...records].sort((one, other) => (by(one) - by(other)) * (descending ? -1 : 1))
}

/** Between the two values round the place, as PERCENTILE_CONT has it. */
function percentile(values, share) {
  const sorted = [...values].sort((one, other) => one - other)
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  return sorted[below] + ((sorted[below + 1] ?? sorted[below]) - sorted[below]) * (place - below)
}

function deviation(values) {
  const middle = mean(values)
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1))
}

function correlation(xs, ys) {
  const [mx, my] = [mean(xs), mean(ys)]
  const products = sum(xs.map((x, at) => (x - mx) * (ys[at] - my)))
  return products / Math.sqrt(sum(xs.map((x) => (x - mx) ** 2)) * sum(ys.map((y) => (y - my) ** 2)))
}

/** Texts by their characters. */
const alphabetically = (one, other) => (one < other ? -1 : one > other ? 1 : 0)

/**
 * All questions about the data of `dataOf`.
 * @returns {Computed[]}
 */
export function computedQuestions(data) {
  const { sales, days: daily, orders: shop, jobs, staff, monday, friday } = data
  const S = sales.records
  const D = daily.records
  const O = shop.orders
  const C = shop.customers
  const J = jobs.records
  const P = staff.records
  const questions = []
  const ask = (group, of, text, call, gold, columns = []) => {
    questions.push({ id: `${group} ${questions.length + 1}`, group, data: of, text, call, gold, columns })
  }
  const revenue = ({ price, units }) => price * units

  // Ratios and products.
  ask(
    'ratio',
    'sales',
    'Which five sales have the highest revenue (price times units)?',
    { fields: ['sale_id', 'price * units as revenue'], sort: '-price * units', limit: 5 },
    {
      list: ordered(S, revenue, true)
        .slice(0, 5)
        .map(({ sale_id }) => sale_id),
    },
    ['sale_id'],
  )
  ask(
    'ratio',
    'sales',
    'What is the revenue (price times units) of all sales together?',
    { aggregate: 'sum(price * units) as revenue' },
    { number: sum(S.map(revenue)) },
    ['revenue'],
  )
  ask(
    'ratio',
    'sales',
    'What is the revenue of each region?',
    { group_by: 'region', aggregate: 'sum(price * units) as revenue' },
    {
      table: tableOf(
        S,
        ({ region }) => region,
        (own) => sum(own.map(revenue)),
      ),
    },
    ['region', 'revenue'],
  )
  ask(
    'ratio',
    'sales',
    'How many sales have a cost of more than 90 % of the price?',
    { where: 'cost / price > 0.9', aggregate: 'count' },
    { number: S.filter(({ cost, price }) => cost / price > 0.9).length },
    ['count'],
  )
  ask(
    'ratio',
    'sales',
    'What is the mean price of a unit (revenue by units) for each product?',
    { group_by: 'product', aggregate: 'sum(price * units) / sum(units) as unit_price' },
    {
      table: tableOf(
        S,
        ({ product }) => product,
        (own) => sum(own.map(revenue)) / sum(own.map(({ units }) => units)),
      ),
    },
    ['product', 'unit_price'],
  )
  ask(
    'ratio',
    'sales',
    'What is the mean margin, (price - cost) / price?',
    { aggregate: 'avg((price - cost) / price) as margin' },
    { number: mean(S.map(({ price, cost }) => (price - cost) / price)) },
    ['margin'],
  )
  ask(
    'ratio',
    'days',
    'On which day was the share of visits that signed up the highest?',
    { fields: ['day', 'signups / visits as rate'], sort: '-signups / visits', limit: 1 },
    { value: ordered(D, ({ signups, visits }) => signups / visits, true)[0].day },
    ['day'],
  )
  ask(
    'ratio',
    'days',
    'How many days had a revenue of more than 1 for each visit and more than 100 sign-ups?',
    { where: ['revenue / visits > 1', 'signups > 100'], aggregate: 'count' },
    { number: D.filter(({ revenue: r, visits, signups }) => r / visits > 1 && signups > 100).length },
    ['count'],
  )
  ask(
    'ratio',
    'orders',
    'What part of the orders was returned, by coupon (where there is one)?',
    {
      path: 'orders',
      where: 'coupon is not null',
      group_by: 'coupon',
      aggregate: "avg(case when status = 'returned' then 1 else 0 end) as rate",
    },
    {
      table: tableOf(
        O.filter(({ coupon }) => coupon),
        ({ coupon }) => coupon,
        (own) => own.filter(({ status }) => status === 'returned').length / own.length,
      ),
    },
    ['coupon', 'rate'],
  )

  // Percentiles, deviations, buckets.
  ask(
    'percentile',
    'jobs',
    'What is the 95th percentile of the duration?',
    { aggregate: 'percentile(duration_ms, 95) as p' },
    {
      number: percentile(
        J.map(({ duration_ms }) => duration_ms),
        0.95,
      ),
    },
    ['p'],
  )
  ask(
    'percentile',
    'jobs',
    'What is the 90th percentile of the duration of each service?',
    { group_by: 'service', aggregate: 'p90(duration_ms) as p' },
    {
      table: tableOf(
        J,
        ({ service }) => service,
        (own) =>
          percentile(
            own.map(({ duration_ms }) => duration_ms),
            0.9,
          ),
      ),
    },
    ['service', 'p'],
  )
  ask(
    'percentile',
    'jobs',
    'What is the first quartile of the duration?',
    { aggregate: 'quantile(duration_ms, 0.25) as q' },
    {
      number: percentile(
        J.map(({ duration_ms }) => duration_ms),
        0.25,
      ),
    },
    ['q'],
  )
  ask(
    'percentile',
    'sales',
    'What is the standard deviation of the price?',
    { aggregate: 'stddev(price) as sd' },
    { number: deviation(S.map(({ price }) => price)) },
    ['sd'],
  )
  ask(
    'percentile',
    'jobs',
    'How many jobs are there in each band of 100 ms (by the start of the band)?',
    { group_by: 'floor(duration_ms / 100) * 100 as band', aggregate: 'count' },
    {
      table: tableOf(
        J,
        ({ duration_ms }) => Math.floor(duration_ms / 100) * 100,
        (own) => own.length,
      ),
    },
    ['band', 'count'],
  )
  ask(
    'percentile',
    'sales',
    'How many sales are there in each band of 10 of the price?',
    { group_by: 'bucket(price, 10) as band', aggregate: 'count' },
    {
      table: tableOf(
        S,
        ({ price }) => Math.floor(price / 10) * 10,
        (own) => own.length,
      ),
    },
    ['band', 'count'],
  )
  ask(
    'percentile',
    'jobs',
    'How many jobs were fast (below 100 ms), medium (below 400) or slow?',
    {
      group_by:
        "case when duration_ms < 100 then 'fast' when duration_ms < 400 then 'medium' else 'slow' end as speed",
      aggregate: 'count',
    },
    {
      table: tableOf(
        J,
        ({ duration_ms }) => (duration_ms < 100 ? 'fast' : duration_ms < 400 ? 'medium' : 'slow'),
        (own) => own.length,
      ),
    },
    ['speed', 'count'],
  )
  ask(
    'percentile',
    'sales',
    'How do price and units go together (correlation)?',
    { aggregate: 'corr(price, units) as r' },
    {
      number: correlation(
        S.map(({ price }) => price),
        S.map(({ units }) => units),
      ),
    },
    ['r'],
  )
  ask(
    'percentile',
    'sales',
    'How do price and cost go together in each region (correlation)?',
    { group_by: 'region', aggregate: 'corr(price, cost) as r' },
    {
      table: tableOf(
        S,
        ({ region }) => region,
        (own) =>
          correlation(
            own.map(({ price }) => price),
            own.map(({ cost }) => cost),
          ),
      ),
    },
    ['region', 'r'],
  )

  // Windows.
  const bySalary = (own) => ordered(own, ({ salary }) => salary, true)
  const firsts = (records, by, rank, count) =>
    [...groupsOf(records, by).values()].flatMap((own) => rank(own).slice(0, count))
  ask(
    'window',
    'staff',
    'Who are the two best paid of each department?',
    {
      where: 'row_number() over (partition by department order by salary desc) <= 2',
      fields: ['name', 'department', 'salary'],
    },
    { set: firsts(P, ({ department }) => department, bySalary, 2).map(({ name }) => name) },
    ['name'],
  )
  ask(
    'window',
    'sales',
    'Which sale of each region has the highest revenue?',
    {
      where: 'rank() over (partition by region order by price * units desc) = 1',
      fields: ['region', 'sale_id'],
    },
    {
      table: undefined,
      set: firsts(
        S,
        ({ region }) => region,
        (own) => ordered(own, revenue, true),
        1,
      ).map(({ sale_id }) => sale_id),
    },
    ['sale_id'],
  )
  ask(
    'window',
    'days',
    'What is the running sum of the sign-ups on the first six days?',
    { fields: ['day', 'sum(signups) over (order by day) as running'], limit: 6 },
    { list: D.slice(0, 6).map((_, at) => sum(D.slice(0, at + 1).map(({ signups }) => signups))) },
    ['running'],
  )
  ask(
    'window',
    'days',
    'By how much did the visits change from the day before, on the second to the sixth day?',
    { fields: ['day', 'visits - lag(visits) over (order by day) as change'], offset: 1, limit: 5 },
    { list: D.slice(1, 6).map(({ visits }, at) => visits - D[at].visits) },
    ['change'],
  )
  ask(
    'window',
    'days',
    'On which day did the visits grow most against the day before?',
    {
      fields: ['day', 'visits - lag(visits) over (order by day) as change'],
      sort: '-visits - lag(visits) over (order by day)',
      limit: 1,
    },
    {
      value: ordered(
        D.slice(1).map((one, at) => ({ ...one, change: one.visits - D[at].visits })),
        ({ change }) => change,
        true,
      )[0].day,
    },
    ['day'],
  )
  ask(
    'window',
    'days',
    'How many days had more visits than the day after?',
    { where: 'visits > lead(visits) over (order by day)', aggregate: 'count' },
    { number: D.filter(({ visits }, at) => at + 1 < D.length && visits > D[at + 1].visits).length },
    ['count'],
  )
  ask(
    'window',
    'staff',
    'Which place has each of the first five people by salary in the department (1 is the best paid)?',
    { fields: ['id', 'dense_rank() over (partition by department order by salary desc) as place'], limit: 5 },
    {
      list: P.slice(0, 5).map(
        ({ department, salary }) =>
          new Set(
            P.filter((other) => other.department === department && other.salary > salary).map(
              (other) => other.salary,
            ),
          ).size + 1,
      ),
    },
    ['place'],
  )
  ask(
    'window',
    'days',
    'What is the mean of the visits over three days (that one and the two before), on the third to the seventh day?',
    {
      fields: ['day', 'avg(visits) over (order by day rows between 2 preceding and current row) as smooth'],
      offset: 2,
      limit: 5,
    },
    { list: D.slice(2, 7).map((_, at) => mean(D.slice(at, at + 3).map(({ visits }) => visits))) },
    ['smooth'],
  )
  ask(
    'window',
    'staff',
    'Whose salary is more than 1.5 times the mean of the department?',
    { where: 'salary > 1.5 * avg(salary) over (partition by department)', fields: ['name'], limit: 90 },
    {
      set: P.filter(
        ({ department, salary }) =>
          salary >
          1.5 * mean(P.filter((other) => other.department === department).map((other) => other.salary)),
      ).map(({ name }) => name),
    },
    ['name'],
  )
  ask(
    'window',
    'sales',
    'What share of the revenue has each region?',
    { group_by: 'region', aggregate: 'sum(price * units) / sum(sum(price * units)) over () as share' },
    {
      table: tableOf(
        S,
        ({ region }) => region,
        (own) => sum(own.map(revenue)) / sum(S.map(revenue)),
      ),
    },
    ['region', 'share'],
  )
  ask(
    'window',
    'orders',
    'How many percent of all orders has each status, to two decimals?',
    { path: 'orders', group_by: 'status', aggregate: 'percent() as part' },
    {
      table: tableOf(
        O,
        ({ status }) => status,
        (own) => Math.round((10_000 * own.length) / O.length) / 100,
      ),
    },
    ['status', 'part'],
  )

  // Dates.
  const shipped = O.filter(({ shipped_at }) => shipped_at !== null)
  ask(
    'date',
    'orders',
    'How many days pass from placing to shipping, on average?',
    { path: 'orders', aggregate: "avg(date_diff('day', placed_at, shipped_at)) as days" },
    { number: mean(shipped.map((one) => days(one.placed_at, one.shipped_at))) },
    ['days'],
  )
  ask(
    'date',
    'orders',
    'How many orders took more than 7 days to be shipped?',
    { path: 'orders', where: "date_diff('day', placed_at, shipped_at) > 7", aggregate: 'count' },
    { number: shipped.filter((one) => days(one.placed_at, one.shipped_at) > 7).length },
    ['count'],
  )
  ask(
    'date',
    'orders',
    'What is the longest time from placing to delivery, in hours?',
    { path: 'orders', aggregate: "max(date_diff('hour', placed_at, delivered_at)) as hours" },
    {
      number: Math.max(
        ...O.filter(({ delivered_at }) => delivered_at).map((one) => hours(one.placed_at, one.delivered_at)),
      ),
    },
    ['hours'],
  )
  ask(
    'date',
    'orders',
    'What is the total of the orders of each month?',
    { path: 'orders', group_by: "date_trunc('month', placed_at) as month", aggregate: 'sum(total) as total' },
    {
      table: tableOf(
        O,
        ({ placed_at }) => placed_at.slice(0, 7),
        (own) => sum(own.map(({ total }) => total)),
      ),
    },
    ['month', 'total'],
  )
  ask(
    'date',
    'orders',
    'How many orders were placed in each quarter (1 to 4)?',
    { path: 'orders', group_by: "date_part('quarter', placed_at) as quarter", aggregate: 'count' },
    {
      table: tableOf(
        O,
        ({ placed_at }) => Math.ceil(Number(placed_at.slice(5, 7)) / 3),
        (own) => own.length,
      ),
    },
    ['quarter', 'count'],
  )
  ask(
    'date',
    'sales',
    'How many sales were there on Sundays?',
    { where: 'extract(dow from date) = 0', aggregate: 'count' },
    { number: S.filter(({ date }) => new Date(date).getUTCDay() === 0).length },
    ['count'],
  )
  ask(
    'date',
    'orders',
    'How many orders were shipped later than 3 days after they were placed?',
    { path: 'orders', where: "shipped_at > date_add(placed_at, 3, 'day')", aggregate: 'count' },
    { number: shipped.filter((one) => days(one.placed_at, one.shipped_at) > 3).length },
    ['count'],
  )
  ask(
    'date',
    'jobs',
    'How many jobs were there in each hour of the day from 0 to 3?',
    { where: 'hour(time) <= 3', group_by: "date_part('hour', time) as hour", aggregate: 'count' },
    {
      table: tableOf(
        J.filter(({ time }) => new Date(time).getUTCHours() <= 3),
        ({ time }) => new Date(time).getUTCHours(),
        (own) => own.length,
      ),
    },
    ['hour', 'count'],
  )
  ask(
    'date',
    'sales',
    'What is the revenue of each month, as 2024-01?',
    { group_by: "strftime('%Y-%m', date) as month", aggregate: 'sum(price * units) as revenue' },
    {
      table: tableOf(
        S,
        ({ date }) => date.slice(0, 7),
        (own) => sum(own.map(revenue)),
      ),
    },
    ['month', 'revenue'],
  )

  // Parts of texts.
  const part = (text, pattern) => pattern.exec(text)?.[1]
  ask(
    'text',
    'jobs',
    'Which five users (user=… in the message) have most jobs, and how many?',
    { group_by: "extract(message, 'user=(\\d+)', 1) as user", aggregate: 'count', sort: '-count', limit: 5 },
    {
      list: tableOf(
        J,
        ({ message }) => part(message, /user=(\d+)/),
        (own) => own.length,
      )
        .sort((one, other) => other[1] - one[1])
        .slice(0, 5)
        .map(([, count]) => count),
    },
    ['count'],
  )
  ask(
    'text',
    'jobs',
    'How many different jobs (job=… in the message) are there?',
    { aggregate: "count(distinct extract(message, 'job=(\\w+)', 1)) as jobs" },
    { number: new Set(J.map(({ message }) => part(message, /job=(\w+)/))).size },
    ['jobs'],
  )
  ask(
    'text',
    'jobs',
    'Which jobs (job=…) have both started and failed?',
    {
      where: ["state in ('started', 'failed')", 'states = 2'],
      group_by: "extract(message, 'job=(\\w+)', 1) as job",
      aggregate: 'count(distinct state) as states',
      limit: 90,
    },
    {
      set: [
        ...groupsOf(
          J.filter(({ state }) => state !== 'ended'),
          ({ message }) => part(message, /job=(\w+)/),
        ),
      ]
        .filter(([, own]) => new Set(own.map(({ state }) => state)).size === 2)
        .map(([job]) => job),
    },
    ['job'],
  )
  ask(
    'text',
    'jobs',
    'What is the mean of the figure after took= for each worker (worker-… at the end)?',
    {
      group_by: "extract(message, 'worker-(\\d+)', 1) as worker",
      aggregate: "avg(to_number(extract(message, 'took=(\\d+)', 1))) as took",
    },
    {
      table: tableOf(
        J,
        ({ message }) => part(message, /worker-(\d+)/),
        (own) => mean(own.map(({ message }) => Number(part(message, /took=(\d+)/)))),
      ),
    },
    ['worker', 'took'],
  )
  ask(
    'text',
    'jobs',
    'How many jobs are there for each first part of the path?',
    { group_by: "split_part(path, '/', 2) as root", aggregate: 'count' },
    {
      table: tableOf(
        J,
        ({ path }) => path.split('/')[1],
        (own) => own.length,
      ),
    },
    ['root', 'count'],
  )
  ask(
    'text',
    'monday',
    'What is the stock of each family (the first three letters of the sku)?',
    { group_by: 'substr(sku, 1, 3) as family', aggregate: 'sum(stock) as stock' },
    {
      table: tableOf(
        monday.records,
        ({ sku }) => sku.slice(0, 3),
        (own) => sum(own.map(({ stock }) => stock)),
      ),
    },
    ['family', 'stock'],
  )
  ask(
    'text',
    'orders',
    'How many customers are there for each domain of the email?',
    { path: 'customers', group_by: "split_part(email, '@', 2) as domain", aggregate: 'count' },
    {
      table: tableOf(
        C,
        ({ email }) => email.split('@')[1],
        (own) => own.length,
      ),
    },
    ['domain', 'count'],
  )
  ask(
    'text',
    'staff',
    'What are the first five people called, as initial and last name ("A. Smith")?',
    { fields: ["substr(name, 1, 1) || '. ' || split_part(name, ' ', 2) as short"], limit: 5 },
    { list: P.slice(0, 5).map(({ name }) => `${name[0]}. ${name.split(' ')[1]}`) },
    ['short'],
  )
  ask(
    'text',
    'staff',
    'What is the sum of the budgets ("$1,234.50")?',
    { aggregate: "sum(to_number(replace(replace(budget, '$', ''), ',', ''))) as budget" },
    { number: sum(P.map(({ budget }) => Number(budget.replace(/[$,]/g, '')))) },
    ['budget'],
  )
  ask(
    'text',
    'sales',
    'How many sales are there for each pair of region and product, written "North-lamp"? The five most frequent.',
    { group_by: "concat(region, '-', product) as pair", aggregate: 'count', sort: '-count', limit: 5 },
    {
      list: tableOf(
        S,
        ({ region, product }) => `${region}-${product}`,
        (own) => own.length,
      )
        .sort((one, other) => other[1] - one[1])
        .slice(0, 5)
        .map(([, count]) => count),
    },
    ['count'],
  )
  ask(
    'text',
    'monday',
    'How many things have a name of more than 18 characters that ends with an even digit?',
    { where: ['length(name) > 18', "right(name, 1) in ('0', '2', '4', '6', '8')"], aggregate: 'count' },
    { number: monday.records.filter(({ name }) => name.length > 18 && /[02468]$/.test(name)).length },
    ['count'],
  )
  ask(
    'text',
    'jobs',
    'How many jobs have a number at the end of the path that is divisible by 7?',
    { where: "to_number(split_part(path, '/', 4)) % 7 = 0", aggregate: 'count' },
    { number: J.filter(({ path }) => Number(path.split('/')[3]) % 7 === 0).length },
    ['count'],
  )

  // Pivots, choices, conditions on groups, lists.
  const ofStatus = (own, wanted) =>
    sum(own.filter(({ status }) => status === wanted).map(({ total }) => total))
  ask(
    'pivot',
    'orders',
    'What total was returned for each coupon (where there is one)?',
    {
      path: 'orders',
      where: 'coupon is not null',
      group_by: 'coupon',
      aggregate:
        "sum(case when status = 'paid' then total else 0 end) as paid, sum(case when status = 'returned' then total else 0 end) as returned",
    },
    {
      table: tableOf(
        O.filter(({ coupon }) => coupon),
        ({ coupon }) => coupon,
        (own) => ofStatus(own, 'returned'),
      ),
    },
    ['coupon', 'returned'],
  )
  ask(
    'pivot',
    'orders',
    'How many orders were cancelled for each coupon (where there is one)?',
    {
      path: 'orders',
      where: 'coupon is not null',
      group_by: 'coupon',
      aggregate: "count_if(status = 'cancelled') as cancelled",
    },
    {
      table: tableOf(
        O.filter(({ coupon }) => coupon),
        ({ coupon }) => coupon,
        (own) => own.filter(({ status }) => status === 'cancelled').length,
      ),
    },
    ['coupon', 'cancelled'],
  )
  ask(
    'pivot',
    'orders',
    'How many orders are there for each coupon, "none" where there is none?',
    { path: 'orders', group_by: "coalesce(coupon, 'none') as coupon", aggregate: 'count' },
    {
      table: tableOf(
        O,
        ({ coupon }) => coupon ?? 'none',
        (own) => own.length,
      ),
    },
    ['coupon', 'count'],
  )
  ask(
    'pivot',
    'orders',
    'What is the sum of totals less discounts?',
    { path: 'orders', aggregate: 'sum(total - coalesce(discount, 0)) as net' },
    { number: sum(O.map(({ total, discount }) => total - (discount ?? 0))) },
    ['net'],
  )
  ask(
    'pivot',
    'orders',
    'Which customers spent more than 300 for each order on average?',
    {
      path: 'orders',
      group_by: 'customer_id',
      aggregate: 'sum(total) / count(*) as each',
      where: 'each > 300',
      limit: 90,
    },
    {
      set: [...groupsOf(O, ({ customer_id }) => customer_id)]
        .filter(([, own]) => mean(own.map(({ total }) => total)) > 300)
        .map(([id]) => id),
    },
    ['customer_id'],
  )
  ask(
    'pivot',
    'orders',
    'How many different pairs of customer and coupon are there (where there is a coupon)?',
    {
      path: 'orders',
      where: 'coupon is not null',
      aggregate: "count(distinct customer_id || ' ' || coupon) as pairs",
    },
    {
      number: new Set(
        O.filter(({ coupon }) => coupon).map(({ customer_id, coupon }) => `${customer_id} ${coupon}`),
      ).size,
    },
    ['pairs'],
  )
  ask(
    'pivot',
    'orders',
    'What is the revenue of each family of items (the first three letters of the sku, quantity times unit price)?',
    {
      path: 'orders[*].items[*]',
      group_by: 'left(sku, 3) as family',
      aggregate: 'sum(quantity * unit_price) as revenue',
    },
    {
      table: tableOf(
        O.flatMap(({ items }) => items),
        ({ sku }) => sku.slice(0, 3),
        (own) => sum(own.map(({ quantity, unit_price }) => quantity * unit_price)),
      ),
    },
    ['family', 'revenue'],
  )
  ask(
    'pivot',
    'staff',
    'Who is the best paid of each department?',
    { group_by: 'department', aggregate: 'max_by(name, salary) as best' },
    { set: firsts(P, ({ department }) => department, bySalary, 1).map(({ name }) => name) },
    ['best'],
  )
  ask(
    'pivot',
    'staff',
    'What are the three highest salaries in Design?',
    { where: 'department = Design', sort: '-salary', fields: ['salary'], limit: 3 },
    {
      list: bySalary(P.filter(({ department }) => department === 'Design'))
        .slice(0, 3)
        .map(({ salary }) => salary),
    },
    ['salary'],
  )
  ask(
    'pivot',
    'sales',
    'What is the most frequent product of each region?',
    { group_by: 'region', aggregate: 'mode(product) as product' },
    {
      table: undefined,
      set: [
        ...new Set(
          [...groupsOf(S, ({ region }) => region).values()].map(
            (own) =>
              tableOf(
                own,
                ({ product }) => product,
                (some) => some.length,
              ).sort((one, other) => other[1] - one[1])[0][0],
          ),
        ),
      ],
    },
    ['product'],
  )

  // Differences between two results, and a list joined with itself.
  const byId = new Map(P.map((one) => [one.id, one]))
  const before = new Map(monday.records.map((one) => [one.sku, one]))
  const after = new Map(friday.records.map((one) => [one.sku, one]))
  ask(
    'difference',
    ['monday', 'friday'],
    'Which things came between Monday and Friday?',
    { join_on: 'only_in_second: sku', fields: ['sku'], limit: 90 },
    { set: [...after.keys()].filter((sku) => !before.has(sku)) },
    ['sku'],
  )
  ask(
    'difference',
    ['monday', 'friday'],
    'Which things went between Monday and Friday?',
    { join_on: 'only_in: sku', fields: ['sku'], limit: 90 },
    { set: [...before.keys()].filter((sku) => !after.has(sku)) },
    ['sku'],
  )
  ask(
    'difference',
    ['monday', 'friday'],
    'The price of how many things changed?',
    { join_on: 'changed: sku', where: 'field = price', aggregate: 'count' },
    {
      number: [...after.values()].filter(
        ({ sku, price }) => before.has(sku) && before.get(sku).price !== price,
      ).length,
    },
    ['count'],
  )
  ask(
    'difference',
    'staff',
    'Who earns more than their manager?',
    {
      where:
        'SELECT e.name FROM staff e JOIN staff m ON e.manager_id = m.id WHERE e.salary > m.salary LIMIT 90',
    },
    {
      set: P.filter(
        ({ manager_id, salary }) => manager_id !== null && salary > byId.get(manager_id).salary,
      ).map(({ name }) => name),
    },
    ['name'],
  )

  // Whole statements.
  const tierOf = new Map(C.map(({ id, tier }) => [id, tier]))
  const nameOf = new Map(C.map(({ id, name }) => [id, name]))
  ask(
    'statement',
    'sales',
    'Which three products have the highest revenue in the North?',
    {
      where:
        "SELECT product, SUM(price * units) AS revenue FROM sales WHERE region = 'North' GROUP BY product ORDER BY revenue DESC LIMIT 3",
    },
    {
      list: tableOf(
        S.filter(({ region }) => region === 'North'),
        ({ product }) => product,
        (own) => sum(own.map(revenue)),
      )
        .sort((one, other) => other[1] - one[1])
        .slice(0, 3)
        .map(([product]) => product),
    },
    ['product'],
  )
  ask(
    'statement',
    'sales',
    'Which products were sold in more than 45 sales, with how many units on average?',
    {
      sql: 'SELECT product, COUNT(*) AS n, AVG(units) AS units FROM sales GROUP BY product HAVING COUNT(*) > 45',
    },
    {
      table: tableOf(
        S,
        ({ product }) => product,
        (own) => own,
      )
        .filter(([, own]) => own.length > 45)
        .map(([product, own]) => [product, mean(own.map(({ units }) => units))]),
    },
    ['product', 'units'],
  )
  ask(
    'statement',
    'orders',
    'What total have the orders of each tier of customers?',
    {
      where:
        'SELECT c.tier, SUM(o.total) AS total FROM orders o JOIN customers c ON o.customer_id = c.id GROUP BY c.tier',
    },
    {
      table: tableOf(
        O,
        ({ customer_id }) => tierOf.get(customer_id),
        (own) => sum(own.map(({ total }) => total)),
      ),
    },
    ['tier', 'total'],
  )
  ask(
    'statement',
    'orders',
    'Who placed the five largest orders?',
    {
      where:
        'SELECT o.id, c.name, o.total FROM orders AS o INNER JOIN customers AS c ON o.customer_id = c.id ORDER BY o.total DESC LIMIT 5',
    },
    {
      list: ordered(O, ({ total }) => total, true)
        .slice(0, 5)
        .map(({ customer_id }) => nameOf.get(customer_id)),
    },
    ['name'],
  )
  ask(
    'statement',
    'jobs',
    'Which services have a mean duration above 250 ms among failed jobs?',
    {
      where:
        "SELECT service, ROUND(AVG(duration_ms), 1) AS mean FROM jobs WHERE state = 'failed' GROUP BY service ORDER BY mean DESC",
    },
    {
      list: tableOf(
        J.filter(({ state }) => state === 'failed'),
        ({ service }) => service,
        (own) => mean(own.map(({ duration_ms }) => duration_ms)),
      )
        .sort((one, other) => other[1] - one[1])
        .map(([service]) => service),
    },
    ['service'],
  )
  ask(
    'statement',
    'staff',
    'Which departments are there?',
    { where: 'SELECT DISTINCT department FROM staff ORDER BY department' },
    { list: [...new Set(P.map(({ department }) => department))].sort(alphabetically) },
    ['department'],
  )
  ask(
    'statement',
    'orders',
    'What is the second largest total of the paid orders?',
    { where: "SELECT total FROM orders WHERE status = 'paid' ORDER BY total DESC LIMIT 1 OFFSET 1" },
    {
      number: ordered(
        O.filter(({ status }) => status === 'paid'),
        ({ total }) => total,
        true,
      )[1].total,
    },
    ['total'],
  )
  ask(
    'statement',
    'sales',
    'How many sales of lamps and of sofas are there in each region?',
    {
      where:
        "SELECT region, COUNT(*) FILTER (WHERE product = 'lamp') AS lamps, COUNT(*) FILTER (WHERE product = 'sofa') AS sofas FROM sales GROUP BY region",
    },
    {
      table: tableOf(
        S,
        ({ region }) => region,
        (own) => own.filter(({ product }) => product === 'sofa').length,
      ),
    },
    ['region', 'sofas'],
  )

  return questions.map((question) => ({ ...question, gold: defined(question.gold) }))
}

function defined(gold) {
  return Object.fromEntries(Object.entries(gold).filter(([, value]) => value !== undefined))
}
