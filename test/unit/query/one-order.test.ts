/** One order: sorting, the smallest and largest value, and conditions read the values of a field in one way, which is the true one. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { aggregate } from '../../../src/processors/steps/group.ts'
import { sort } from '../../../src/processors/steps/sort.ts'
import { where } from '../../../src/processors/steps/where.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'

/** A text and the number that it stands for. */
type Case = fc.Arbitrary<readonly [text: string, place: number]>

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const two = (number: number): string => String(number).padStart(2, '0')
const integer = (min: number, max: number) => fc.integer({ min, max })
const day = fc.tuple(integer(2019, 2026), integer(0, 11), integer(1, 28))
const dates = (write: (year: number, month: number, day: number) => string): Case =>
  day.map(([year, month, date]) => [write(year, month, date), Date.UTC(year, month, date)])
const months = (write: (year: number, month: number) => string): Case =>
  fc
    .tuple(integer(2019, 2026), integer(0, 11))
    .map(([year, month]) => [write(year, month), year * 12 + month])
const quarters = (write: (year: number, quarter: number) => string): Case =>
  fc
    .tuple(integer(2019, 2026), integer(1, 4))
    .map(([year, quarter]) => [write(year, quarter), year * 4 + quarter])
const clocks = (write: (hour: number, minute: number) => string): Case =>
  fc.tuple(integer(0, 23), integer(0, 59)).map(([hour, minute]) => [write(hour, minute), hour * 60 + minute])
const amounts = (write: (number: number) => string, max = 100_000): Case =>
  integer(0, max).map((number) => [write(number), number])
const units = (factors: Readonly<Record<string, number>>, between = ''): Case =>
  fc
    .tuple(integer(1, 999), fc.constantFrom(...Object.entries(factors)))
    .map(([number, [unit, factor]]) => [`${number}${between}${unit}`, number * factor])
const words = (...all: string[]): Case =>
  integer(0, all.length - 1).map((place) => [all[place] as string, place])

const KINDS: Readonly<Record<string, Case>> = {
  'days of ISO 8601': dates((y, m, d) => `${y}-${two(m + 1)}-${two(d)}`),
  'days with names': dates((y, m, d) => `${d} ${MONTHS[m]} ${y}`),
  'days with ordinals': dates(
    (y, m, d) =>
      `${d}${['th', 'st', 'nd', 'rd'][d % 10 > 3 || (d > 10 && d < 14) ? 0 : d % 10]} of ${MONTHS[m]} ${y}`,
  ),
  'months between slashes': months((y, m) => `${two(m + 1)}/${y}`),
  'months with names': months((y, m) => `${MONTHS[m]} ${y}`),
  quarters: quarters((y, q) => `Q${q} ${y}`),
  'short quarters': quarters((y, q) => `${q}Q${y % 100}`),
  'times of 12 hours': clocks((h, m) => `${h % 12 || 12}:${two(m)} ${h < 12 ? 'AM' : 'PM'}`),
  'times of 24 hours': clocks((h, m) => `${two(h)}:${two(m)}`),
  prices: amounts((n) => `$${(n / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`),
  'prices with a decimal comma': amounts(
    (n) => `${(n / 100).toLocaleString('de-DE', { minimumFractionDigits: 2 })} €`,
  ),
  shares: amounts((n) => `${(n - 500) / 10}%`, 1_000),
  counts: amounts((n) => `${n.toLocaleString('en-US')} reviews`),
  'keys of issues': amounts((n) => `PROJ-${n}`, 3_000),
  sizes: units({ B: 1, KB: 1e3, MB: 1e6, GB: 1e9 }, ' '),
  'sizes of Kubernetes': units({ Ki: 1_024, Mi: 1_024 ** 2, Gi: 1_024 ** 3 }),
  durations: units({ ms: 1, s: 1e3, m: 6e4, h: 36e5 }),
  'durations in words': units({ seconds: 1e3, minutes: 6e4, hours: 36e5, days: 864e5 }, ' '),
  weights: units({ g: 1, kg: 1e3 }, ' '),
  versions: fc
    .tuple(integer(0, 3), integer(0, 20), integer(0, 20))
    .map(([one, other, last]) => [`v${one}.${other}.${last}`, (one * 100 + other) * 100 + last]),
  levels: words('DEBUG', 'INFO', 'WARN', 'ERROR'),
  grades: words('Low', 'Medium', 'High', 'Critical'),
  'names of months': words('January', 'February', 'March', 'April', 'May', 'June', 'July'),
}

const rowsOf = (values: readonly (string | null)[]) => fromValue(values.map((x, id) => ({ id, x })))
const idsOf = ({ content }: ReturnType<typeof sort.process>): number[] =>
  Array.from(content.rows().items, (row) => (row as { id: number }).id)

test.each(Object.entries(KINDS))('%s', (_, kind) => {
  const column = fc.tuple(
    fc.array(kind, { minLength: 12, maxLength: 30 }),
    fc.constantFrom('N/A', '-', null, undefined),
  )
  fc.assert(
    fc.property(column, fc.nat(), ([cases, odd], nth) => {
      const places = cases.map(([, place]) => place)
      const texts: (string | null)[] = cases.map(([text]) => text)
      const document = rowsOf(odd === undefined ? texts : [...texts, odd])
      const truth = places
        .map((_, id) => id)
        .sort((a, b) => (places[a] as number) - (places[b] as number) || a - b)
      const last = odd === undefined ? [] : [texts.length]
      expect(idsOf(sort.process(document, { sort: ['x'] }))).toEqual([...truth, ...last])

      const { content } = aggregate.process(document, { aggregate: ['min(x)', 'max(x)'] })
      const [ends] = content.rows().items as JsonObject[]
      const placeOf = (text: unknown) => places[texts.indexOf(text as string)]
      expect([placeOf(ends?.['min(x)']), placeOf(ends?.['max(x)'])]).toEqual([
        Math.min(...places),
        Math.max(...places),
      ])

      const bound = nth % texts.length
      const beyond = where.process(document, { where: [`x > "${texts[bound]}"`] })
      expect(idsOf(beyond)).toEqual(
        places.flatMap((place, id) => (place > (places[bound] as number) ? [id] : [])),
      )
    }),
    { numRuns: 20 },
  )
})

test('texts beside numbers come last either way, and are no largest value', () => {
  const document = rowsOf(['3', 'n/a', '12', '7', 'broken', '5'])
  expect(idsOf(sort.process(document, { sort: ['x'] }))).toEqual([0, 5, 3, 2, 4, 1])
  expect(idsOf(sort.process(document, { sort: ['-x'] }))).toEqual([2, 3, 5, 0, 4, 1])
  const { content } = aggregate.process(document, { aggregate: ['max(x)'] })
  expect(content.rows().items).toEqual([{ 'max(x)': '12' }])
})

test('a year is compared with days without marks and with seconds since 1970, and that is said', () => {
  const timed = (...texts: string[]) => fromValue(texts.map((made_at, id) => ({ id, made_at })))
  const days = timed('20230504', '20241231', '20250101')
  const later = where.process(days, { where: ['made_at > 2023'] })
  expect(idsOf(later)).toEqual([1, 2])
  expect(later.metadata.notes).toEqual(['`2023` read as a year: `made_at` holds times such as 20230504.'])
  // Numbers that are called otherwise stay numbers.
  expect(idsOf(where.process(rowsOf(['20230504', '20241231']), { where: ['x > 2023'] }))).toEqual([0, 1])
  const seconds = rowsOf(['1683158400.000100', '1735603200.000200'])
  expect(idsOf(where.process(seconds, { where: ['x >= 2024'] }))).toEqual([1])
  expect(idsOf(where.process(seconds, { where: ['year(x) = 2023'] }))).toEqual([0])
})

test('ages go by how old they are, and that is said', () => {
  const document = rowsOf(['2 hours ago', '3 days ago', '5 minutes ago'])
  const note = '`x` holds ages: the smallest is the newest.'
  const sorted = sort.process(document, { sort: ['x'] })
  expect(idsOf(sorted)).toEqual([2, 0, 1])
  expect(sorted.metadata.notes).toEqual([note])
  expect(where.process(document, { where: ['x < "1 day ago"'] }).metadata.notes).toEqual([note])
  expect(aggregate.process(document, { aggregate: ['max(x)'] }).metadata.notes).toContain(note)
})

const UNITS: Readonly<Record<string, Case>> = {
  sizes: units({ B: 1, KB: 1e3, MB: 1e6 }, ' '),
  'sizes of Kubernetes': units({ Ki: 1_024, Mi: 1_024 ** 2 }),
  weights: units({ g: 1, kg: 1e3 }, ' '),
  processors: fc.oneof(
    integer(1, 900).map((number): readonly [string, number] => [`${number}m`, number / 1_000]),
    integer(1, 12).map((number): readonly [string, number] => [String(number), number]),
  ),
  durations: units({ ms: 1, s: 1e3, m: 6e4 }),
  billions: fc
    .tuple(integer(101, 999), fc.constantFrom(['M', 1e6] as const, ['B', 1e9] as const))
    .map(([number, [unit, factor]]) => [`${number / 100}${unit}`, (number * factor) / 100]),
}

test.each(Object.entries(UNITS))('expressions compute with %s as the numbers that they are', (_, kind) => {
  const pairs = fc.array(fc.tuple(kind, kind), { minLength: 15, maxLength: 30 })
  fc.assert(
    fc.property(pairs, (cases) => {
      const document = fromValue(cases.map(([[cpu_a], [cpu_b]], id) => ({ id, cpu_a, cpu_b })))
      const truth = cases.map(([[, a], [, b]]) => ({ a, b }))
      const idsWhere = (holds: (one: { a: number; b: number }) => boolean): number[] =>
        truth.flatMap((one, id) => (holds(one) ? [id] : []))
      const asked = (condition: string): number[] => idsOf(where.process(document, { where: [condition] }))
      expect(asked('cpu_a > cpu_b')).toEqual(idsWhere(({ a, b }) => a > b))
      expect(asked('cpu_a > cpu_b * 2')).toEqual(idsWhere(({ a, b }) => a > b * 2))
      expect(asked('cpu_a / cpu_b < 1')).toEqual(idsWhere(({ a, b }) => a / b < 1))
      const { content } = aggregate.process(document, {
        aggregate: ['sum(abs(cpu_a - cpu_b))', 'sum(greatest(cpu_a, cpu_b))'],
      })
      const [row] = content.rows().items as JsonObject[]
      const sum = (of: (one: { a: number; b: number }) => number): number =>
        truth.reduce((all, one) => all + of(one), 0)
      const [apart, most] = [sum(({ a, b }) => Math.abs(a - b)), sum(({ a, b }) => Math.max(a, b))]
      expect(Number(row?.['sum(abs(cpu_a - cpu_b))']) / (apart || 1)).toBeCloseTo(apart && 1, 9)
      expect(Number(row?.['sum(greatest(cpu_a, cpu_b))']) / most).toBeCloseTo(1, 9)
    }),
    { numRuns: 20 },
  )
})

test('the unit that expressions compute in is told', () => {
  const document = fromValue(['5 MB', '20 KB'].map((size, id) => ({ id, size, price: `$${id + 1}.5M` })))
  const larger = where.process(document, { where: ['size * 2 > 1 MB'] })
  expect(idsOf(larger)).toEqual([0])
  expect(larger.metadata.notes).toEqual(['`1 MB` read as 1,000,000.', '`size` is computed with in bytes.'])
  expect(where.process(document, { where: ['price * 2 > 4000000'] }).metadata.notes).toBeUndefined()
})

test('times less times are in days, seconds or milliseconds, and are compared with spans', () => {
  const days = fromValue([
    { id: 0, start: '3/1/2024', end: '9/26/2024' },
    { id: 1, start: '3/14/2024', end: '3/20/2024' },
  ])
  const seconds = fromValue([
    { id: 0, started_at: 1_700_000_000, end_time: 1_700_600_000 },
    { id: 1, started_at: 1_700_000_000, end_time: 1_700_000_060 },
  ])
  const longer = where.process(days, { where: ['end - start > 30d'] })
  expect(idsOf(longer)).toEqual([0])
  expect(longer.metadata.notes).toContain('`end - start` is in days.')
  const lasted = where.process(seconds, { where: ['end_time - started_at > 1h'] })
  expect(idsOf(lasted)).toEqual([0])
  expect(lasted.metadata.notes).toContain('`end_time - started_at` is in seconds.')
})

test('a bound that is no amount of the field is refused, and a number is read in the unit that amounts are told in', () => {
  const weights = rowsOf(['12 kg', '3 g', '4 kg'])
  expect(String(where.process(weights, { where: ['x > heavy'] }).error)).toContain(
    '`heavy` is no amount such as `x` holds: "12 kg".',
  )
  const beyond = where.process(weights, { where: ['x > 5'] })
  expect(idsOf(beyond)).toEqual([0, 2])
  expect(beyond.metadata.notes).toEqual(['`5` read as 5 g.'])
  expect(idsOf(where.process(weights, { where: ['x > 0'] }))).toEqual([0, 1, 2])
  expect(String(where.process(rowsOf(['5 MB', '3 KB']), { where: ['x > big'] }).error)).toContain('no amount')
  const spans = rowsOf(['5 ms', '3 s'])
  const longer = where.process(spans, { where: ['x > 5'] })
  expect([idsOf(longer), longer.metadata.notes]).toEqual([[1], ['`5` read as 5 milliseconds.']])
  expect(idsOf(where.process(spans, { where: ['x > 0'] }))).toEqual([0, 1])
  const counted = aggregate.process(weights, { aggregate: ['count_if(x > 1 kg)'] })
  expect(counted.content.rows().items).toEqual([{ 'count_if(x > 1 kg)': 2 }])
})

test('windows and conditions beside a mean compute in units', () => {
  const document = fromValue([
    { id: 1, size: '5 MB', took: '90 s' },
    { id: 2, size: '20 KB', took: '2 h' },
    { id: 3, size: '1 GB', took: '5 m' },
  ])
  const run = (params: JsonObject) => {
    const { document: found, steps } = runPipeline(document, filterSteps, params)
    return {
      rows: found.rows().items as JsonObject[],
      notes: steps.flatMap(({ metadata }) => metadata.notes ?? []),
    }
  }
  const running = run({ fields: ['id', 'sum(size) over (order by id) as run'] })
  expect(running.rows.map(({ run }) => run)).toEqual([5_000_000, 5_020_000, 1_005_020_000])
  expect(running.notes).toContain('sum of `size` is in bytes.')
  const shares = run({ fields: ['id', 'took / sum(took) over () as share'] })
  expect(shares.rows.map(({ share }) => Number(share).toFixed(3))).toEqual(['0.012', '0.949', '0.040'])
  expect(run({ where: ['took > avg(took) * 2'] }).rows.map(({ id }) => id)).toEqual([2])
  expect(run({ where: ['took > avg(took)'] }).rows.map(({ id }) => id)).toEqual([2])
  expect(run({ where: ['size > avg(size)'] }).rows.map(({ id }) => id)).toEqual([3])
})

test('a sign may follow the sign of a currency', () => {
  const document = rowsOf(['$-12.50', '$3', '-$2'])
  expect(idsOf(sort.process(document, { sort: ['x'] }))).toEqual([0, 2, 1])
})

test('a bound in another unit of the same kind is converted', () => {
  expect(idsOf(where.process(rowsOf(['12.4 km', '3 km', '4.9 km']), { where: ['x > 5000 m'] }))).toEqual([0])
})

test('times with the name of their zone in brackets, and ones that were cut, are times', () => {
  const mails = rowsOf([
    'Wed, 04 Nov 2026 03:59:15 +0000 (UTC)',
    'Tue, 03 Nov 2026 06:12:25 +0100 (CET)',
    'Wed Nov 04 2026 05:58:15 GMT+0200 (Eastern European Standard Time)',
  ])
  expect(idsOf(sort.process(mails, { sort: ['x'] }))).toEqual([1, 2, 0])
  const cut = rowsOf(['2026-11-29T10:59:54.', '2026-11-29T10:20:54.'])
  expect(idsOf(where.process(cut, { where: ['x >= 2026-11-29T10:30:00'] }))).toEqual([0])
})

test('revisions of one version, and versions before it, are in their order', () => {
  const versions = ['5.4.0-42-generic', '5.4.0', '5.4.0-105-generic', '5.4.0-9-generic', '5.4.0.1']
  expect(idsOf(sort.process(rowsOf(versions), { sort: ['x'] }))).toEqual([3, 0, 2, 1, 4])
  const { content } = aggregate.process(rowsOf(versions), { aggregate: ['min(x)'] })
  expect(content.rows().items).toEqual([{ 'min(x)': '5.4.0-9-generic' }])
})

test('values that occur often count as often for how a field is read', () => {
  const often = Array.from({ length: 60 }, (_, at) => (at % 2 ? '5' : '10'))
  const document = rowsOf([...often, 'low', 'bad', 'err', 'odd'])
  const { content } = aggregate.process(document, { aggregate: ['max(x)'] })
  expect(content.rows().items).toEqual([{ 'max(x)': '10' }])
})

test('a text that is no amount changes no unit of the others, and codes are no amounts', () => {
  const { content } = aggregate.process(rowsOf(['300 g', '5 kg', '250 g', 'varies']), {
    aggregate: ['avg(x)'],
  })
  expect(content.rows().items).toEqual([{ 'avg(x)': 1850 }])
  const codes = rowsOf(['2A', '1B', '1A', '2B', '3B', '3A'])
  expect(idsOf(sort.process(codes, { sort: ['x'] }))).toEqual([2, 1, 0, 3, 5, 4])
  expect(idsOf(where.process(codes, { where: ['x > 2A'] }))).toEqual([3, 4, 5])
  expect(String(where.process(rowsOf(['5 km', '350 m']), { where: ['x > 1 mi'] }).error)).toContain(
    'no amount',
  )
})

test('a literal with a unit is in the unit that an expression computes in, and fields of several kinds keep their own', () => {
  const document = fromValue([
    { id: 0, w: '5 kg', size: '10 MB', took: '5 m' },
    { id: 1, w: '300 g', size: '20 MB', took: '10 s' },
    { id: 2, w: '1 kg', size: '1 MB', took: '1 m' },
  ])
  const asked = (condition: string) => idsOf(where.process(document, { where: [condition] }))
  expect(asked('w * 2 > 3 kg')).toEqual([0])
  expect(asked('took * 2 > 5 m')).toEqual([0])
  expect(asked('size / took > 1000')).toEqual([1])
})

test('seconds since 1970 beside dates are times, and small numbers are none', () => {
  const document = fromValue(
    ['2024-01-05T10:00:00Z', 1_704_500_000, 45_000, 1_704_400_000].map((x, id) => ({ id, x })),
  )
  expect(idsOf(sort.process(document, { sort: ['x'] }))).toEqual([3, 0, 1, 2])
})
