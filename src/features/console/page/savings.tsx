/** The savings of the proxy, with its own cost taken off. */
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { Savings } from '../api.ts'
import { type PageProps, useEvents, useRead } from './client.ts'
import {
  Choice,
  count,
  Empty,
  Figures,
  Head,
  Loading,
  percent,
  plural,
  Share,
  short,
  Table,
} from './parts.tsx'

const RANGES = { '7 days': 7, '30 days': 30, '90 days': 90, All: 400 } as const

function money(tokens: number, price: number): string {
  const dollars = (tokens / 1e6) * price
  return `$${dollars.toFixed(Math.abs(dollars) < 10 ? 2 : 0)}`
}

export function SavingsPage(_: PageProps) {
  const [range, setRange] = useState<keyof typeof RANGES>('30 days')
  const { data, error, again } = useRead<Savings>(`/savings?days=${RANGES[range]}`)
  const [chosen, setChosen] = useState(() => localStorage.getItem('model') ?? '')
  const choose = (one: string) => {
    setChosen(one)
    localStorage.setItem('model', one)
  }
  const [soon, setSoon] = useState<ReturnType<typeof setTimeout>>()
  useEvents((event) => {
    // Counts need no reading at each call.
    if (typeof event !== 'object' || !('calls' in event) || soon !== undefined) return
    setSoon(
      setTimeout(() => {
        setSoon(undefined)
        again()
      }, 2_000),
    )
  })
  if (!data) return <Loading error={error} />
  const { totals, days, tools, clients, unmeasuredCharacters, holdout, prices } = data
  const model = Object.hasOwn(prices.dollars, chosen) ? chosen : (Object.keys(prices.dollars)[0] ?? '')
  const worse = [
    ...days
      .filter(({ savedTokens }) => savedTokens < 0)
      .map(({ day, savedTokens }) => ({ what: day, by: -savedTokens })),
    ...clients
      .filter(({ savedTokens }) => savedTokens < 0)
      .map(({ agent, names, savedTokens }) => ({ what: names.join(', ') || agent, by: -savedTokens })),
    ...data.worse.map(({ tool, calls, savedTokens }) => ({
      what: `${tool}, in ${plural(calls, 'large result')} with what was asked about them`,
      by: -savedTokens,
    })),
  ]
  const servers = byServer(tools)
  const called = tools.filter(({ kind }) => kind === 'call')
  const own = tools.filter(({ kind }) => kind !== 'call')
  return (
    <>
      <Head
        title="Savings"
        about="Tokens that did not go through a model, less the tokens that the proxy itself costs."
      >
        <Choice
          label="Days"
          value={range}
          of={Object.keys(RANGES) as (keyof typeof RANGES)[]}
          onChange={setRange}
        />
      </Head>
      {totals.calls === 0 && totals.ownTokens === 0 ? (
        <Empty title="No call has been made yet">
          <p>
            Connect a client to the proxy (<a href="#/connect">Connect</a>) and let it call a tool with a
            large result. The tokens that the preview saved are counted here.
          </p>
        </Empty>
      ) : (
        <>
          <Figures
            of={[
              {
                name: 'Saved',
                value: short(totals.savedTokens),
                note: `tokens · ${percent(totals.savedTokens, totals.originalTokens)} · ${money(totals.savedTokens, prices.dollars[model] ?? 0)}`,
              },
              {
                sign: '=',
                name: 'As servers sent it',
                value: short(totals.originalTokens),
                note: `tokens in ${plural(totals.calls, 'call')}`,
              },
              {
                sign: '−',
                name: 'Delivered',
                value: short(totals.deliveredTokens),
                note: `tokens · ${percent(totals.deliveredTokens, totals.originalTokens)}`,
              },
              {
                sign: '−',
                name: 'Own cost',
                value: short(totals.ownTokens),
                note: 'answers and definitions',
              },
            ]}
          />
          <section aria-labelledby="by-day">
            <h2 id="by-day">By day</h2>
            <Days days={days} range={RANGES[range]} />
            <details>
              <summary>As a table</summary>
              <Table
                caption="Tokens by day"
                rows={[...days].reverse()}
                keyOf={({ day }) => day}
                columns={[
                  { name: 'Day', of: ({ day }) => day },
                  { name: 'Calls', number: true, extra: true, of: ({ calls }) => count(calls) },
                  { name: 'Original', number: true, of: (row) => count(row.originalTokens) },
                  { name: 'Delivered', number: true, of: (row) => count(row.deliveredTokens) },
                  { name: 'Own cost', number: true, extra: true, of: (row) => count(row.ownTokens) },
                  { name: 'Saved', number: true, of: ({ savedTokens }) => <Signed value={savedTokens} /> },
                ]}
              />
            </details>
          </section>
          <section aria-labelledby="by-tool">
            <h2 id="by-tool">By tool</h2>
            {called.length === 0 ? (
              <p class="quiet">No tool of a server was called in these days.</p>
            ) : (
              <Table
                caption="Tokens by tool"
                rows={called}
                keyOf={({ tool }) => tool}
                columns={[
                  { name: 'Tool', of: ({ tool }) => <span class="name">{tool}</span> },
                  { name: 'Calls', number: true, of: ({ calls }) => count(calls) },
                  {
                    name: 'Original',
                    number: true,
                    extra: true,
                    of: ({ originalTokens }) => count(originalTokens),
                  },
                  {
                    name: 'Delivered',
                    number: true,
                    extra: true,
                    of: ({ deliveredTokens }) => count(deliveredTokens),
                  },
                  {
                    name: 'Saved',
                    number: true,
                    of: (row) => count(row.originalTokens - row.deliveredTokens),
                  },
                  {
                    name: 'Share',
                    extra: true,
                    of: ({ originalTokens, deliveredTokens }) => (
                      <Share
                        part={originalTokens - deliveredTokens}
                        of={originalTokens}
                        label={`${percent(originalTokens - deliveredTokens, originalTokens)} saved`}
                      />
                    ),
                  },
                ]}
              />
            )}
          </section>
          {servers.length > 0 && (
            <section aria-labelledby="by-server">
              <h2 id="by-server">By server</h2>
              <Table
                caption="Tokens by server"
                rows={servers}
                keyOf={({ server }) => server}
                columns={[
                  { name: 'Server', of: ({ server }) => <span class="name">{server}</span> },
                  { name: 'Calls', number: true, of: ({ calls }) => count(calls) },
                  { name: 'Original', number: true, extra: true, of: (row) => count(row.originalTokens) },
                  { name: 'Delivered', number: true, extra: true, of: (row) => count(row.deliveredTokens) },
                  {
                    name: 'Saved',
                    number: true,
                    of: (row) => count(row.originalTokens - row.deliveredTokens),
                  },
                ]}
              />
            </section>
          )}
          <section aria-labelledby="by-client">
            <h2 id="by-client">By client, in this run</h2>
            {clients.length === 0 ? (
              <p class="quiet">No client has been connected since the proxy started.</p>
            ) : (
              <Table
                caption="Tokens by client"
                rows={clients}
                keyOf={({ agent }) => agent}
                columns={[
                  {
                    name: 'Client',
                    of: ({ agent, names }) => <span class="name">{names.join(', ') || agent}</span>,
                  },
                  { name: 'Calls', number: true, of: ({ calls }) => count(calls) },
                  { name: 'Original', number: true, extra: true, of: (row) => count(row.originalTokens) },
                  { name: 'Delivered', number: true, extra: true, of: (row) => count(row.deliveredTokens) },
                  { name: 'Own cost', number: true, extra: true, of: ({ ownTokens }) => count(ownTokens) },
                  { name: 'Saved', number: true, of: ({ savedTokens }) => <Signed value={savedTokens} /> },
                ]}
              />
            )}
          </section>
          <section aria-labelledby="own">
            <h2 id="own">The proxy’s own cost</h2>
            {own.length === 0 ? (
              <p class="quiet">Nothing so far.</p>
            ) : (
              <Table
                caption="Own cost"
                rows={own}
                keyOf={({ tool, kind }) => `${kind} ${tool}`}
                columns={[
                  {
                    name: 'What',
                    of: ({ tool }) => (
                      <span class="name">
                        {tool === '(definitions)' ? 'definitions and instructions' : tool}
                      </span>
                    ),
                  },
                  { name: 'Times', number: true, of: ({ calls }) => count(calls) },
                  { name: 'Tokens', number: true, of: ({ deliveredTokens }) => count(deliveredTokens) },
                ]}
              />
            )}
            {worse.length > 0 && (
              <p class="note">
                The proxy cost more than it saved:{' '}
                {worse
                  .slice(0, 8)
                  .map(({ what, by }) => `${what} (${count(by)} tokens)`)
                  .join(', ')}
                . In a short session with small results, the definitions of the proxy’s tools cost more than
                previews save.
              </p>
            )}
            {data.replicas !== undefined && (
              <p class="quiet">
                {data.replicas === 'all'
                  ? 'Totals, days and tools are of all replicas; clients are of this one.'
                  : 'The shared store cannot be reached: all figures are of this replica alone.'}
              </p>
            )}
            {unmeasuredCharacters > 0 && (
              <p class="quiet">
                {count(unmeasuredCharacters)} characters are not counted yet. These figures leave them out.
              </p>
            )}
          </section>
          <section aria-labelledby="holdout">
            <h2 id="holdout">Against whole results</h2>
            <Held holdout={holdout} />
          </section>
          <section aria-labelledby="money">
            <h2 id="money">Money by model</h2>
            <Table
              caption="Money by model"
              rows={Object.entries(prices.dollars)}
              keyOf={([model]) => model}
              columns={[
                {
                  name: 'Model',
                  of: ([one]) => (
                    <label class="pick">
                      <input type="radio" name="model" checked={one === model} onChange={() => choose(one)} />{' '}
                      {one}
                    </label>
                  ),
                },
                {
                  name: 'Dollars for a million input tokens',
                  number: true,
                  of: ([, price]) => String(price),
                },
                { name: 'Saved', number: true, of: ([, price]) => money(totals.savedTokens, price) },
              ]}
            />
            <p class="quiet">
              Prices without caches and discounts, of {prices.date}, from {prices.source}. Write yours as{' '}
              <code>console.prices</code>. The figure at the top uses the model that is marked.
            </p>
          </section>
        </>
      )}
    </>
  )
}

function byServer(tools: Savings['tools']) {
  const servers = new Map<
    string,
    { server: string; calls: number; originalTokens: number; deliveredTokens: number }
  >()
  for (const { kind, server = 'not listed now', calls, originalTokens, deliveredTokens } of tools) {
    if (kind !== 'call') continue
    const sum = servers.get(server) ?? { server, calls: 0, originalTokens: 0, deliveredTokens: 0 }
    sum.calls += calls
    sum.originalTokens += originalTokens
    sum.deliveredTokens += deliveredTokens
    servers.set(server, sum)
  }
  return [...servers.values()].sort((a, b) => b.originalTokens - a.originalTokens)
}

/** Large results with previews against large results that passed whole. */
function Held({ holdout: { everyNth, previews, whole, saved } }: { holdout: Savings['holdout'] }) {
  const share = (part: number) => `${Math.abs(Math.round(100 * part))} %${part < 0 ? ' more' : ''}`
  const rows = [
    { name: 'Preview, and what came after it', ...previews },
    { name: 'Whole, held out', ...whole },
  ]
  return (
    <>
      {saved ? (
        <p>
          Previews and what came after them cost{' '}
          <strong>{`${share(saved.share)}${saved.share < 0 ? '' : ' less'}`}</strong>
          {` than whole results (95 % interval: ${share(saved.low)} to ${share(saved.high)}${saved.high < 0 ? '' : ' less'}).`}
        </p>
      ) : (
        <p class="quiet">
          {everyNth === 0 && whole.calls === 0
            ? 'No result is held out. With holdout in proxySettings every n-th large result passes whole, into the context of the model, and is compared here.'
            : 'Five results of each kind are needed to compare them.'}
        </p>
      )}
      {whole.calls > 0 && (
        <Table
          caption="Previews against whole results"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Large results', of: ({ name }) => name },
            { name: 'Calls', number: true, of: ({ calls }) => count(calls) },
            {
              name: 'As servers sent them',
              number: true,
              extra: true,
              of: (row) => count(row.originalTokens),
            },
            { name: 'Cost in all', number: true, of: (row) => count(row.costTokens) },
            {
              name: 'For each token sent',
              number: true,
              of: (row) => (row.costTokens / Math.max(1, row.originalTokens)).toFixed(2),
            },
          ]}
        />
      )}
    </>
  )
}

function Signed({ value }: { value: number }) {
  return <span class={value < 0 ? 'bad' : ''}>{value < 0 ? `−${count(-value)}` : count(value)}</span>
}

// The chart of days.

const DAY_MS = 86_400_000
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
/** Pixels of the chart, and of a label of a day. */
const HEIGHT = 190
const LABEL = 84
/** The width of a bar by its place, and at most, in pixels. */
const BAR = uPlot.paths.bars?.({ size: [0.8, 42] })

/** Each day of the range, also the ones on which nothing was called; at least two weeks where all of them are wanted. */
function calendar(days: Savings['days'], range: number): (Savings['days'][number] | { day: string })[] {
  const known = new Map(days.map((day) => [day.day, day]))
  const last = Math.max(Date.now(), ...days.map(({ day }) => Date.parse(day)))
  const first = days[0] === undefined ? last : Date.parse(days[0].day)
  const length = range < RANGES.All ? range : Math.max(14, Math.floor((last - first) / DAY_MS) + 1)
  return Array.from({ length }, (_, nth) => {
    const day = dayOf(last - (length - 1 - nth) * DAY_MS)
    return known.get(day) ?? { day }
  })
}

/** A number that reads well, as does its half: the first such one that is not smaller. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return ([1, 1.5, 2, 3, 4, 6, 8, 10].find((by) => by * unit >= value) ?? 10) * unit
}

/** A colour of the theme. */
const colour = (name: string) => () =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)

/** Bars stand on one ground: each is drawn over the part of a taller one that is not its own. */
function barsOf(days: ReturnType<typeof calendar>): uPlot.AlignedData {
  const known = days.map((day) => ('calls' in day ? day : undefined))
  const spent = known.map((day) => day && day.deliveredTokens + day.ownTokens)
  return [
    days.map((_, nth) => nth),
    known.map((day, nth) => day && Math.max(day.originalTokens, spent[nth] ?? 0)),
    spent,
    known.map((day) => day?.deliveredTokens),
  ]
}

/** A bar a day: what was delivered and what the proxy cost, below what was saved. The figures stand in a table below. */
function Days({ days, range }: { days: Savings['days']; range: number }) {
  const place = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<number | null | undefined>()
  const shown = calendar(days, range)
  const most = roundUp(
    Math.max(1, ...days.map((day) => Math.max(day.originalTokens, day.deliveredTokens + day.ownTokens))),
  )
  const drawn = JSON.stringify([shown, most])
  useEffect(() => {
    const { current } = place
    if (!current) return
    const axis = { stroke: colour('quiet'), font: '12px system-ui, sans-serif', ticks: { show: false } }
    const chart = new uPlot(
      {
        width: Math.max(240, current.clientWidth),
        height: HEIGHT,
        padding: [10, 18, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false }, points: { show: false } },
        scales: { x: { time: false, range: [-0.5, shown.length - 0.5] }, y: { range: [0, most] } },
        axes: [
          {
            ...axis,
            space: LABEL,
            size: 26,
            incrs: [1, 2, 3, 7, 14, 30, 60],
            grid: { show: false },
            values: (_, ticks) => ticks.map((nth) => shown[nth]?.day.slice(5) ?? ''),
          },
          {
            ...axis,
            size: 52,
            splits: [0, most / 2, most],
            grid: { stroke: colour('line'), width: 1 },
            values: (_, ticks) => ticks.map(short),
          },
        ],
        series: [
          {},
          ...['accent-soft', 'mid', 'accent'].map(
            (name): uPlot.Series => ({
              fill: colour(name),
              width: 0,
              ...(BAR && { paths: BAR }),
              points: { show: false },
            }),
          ),
        ],
        hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx)] },
      },
      barsOf(shown),
      current,
    )
    const resized = new ResizeObserver(() =>
      chart.setSize({ width: Math.max(240, current.clientWidth), height: HEIGHT }),
    )
    resized.observe(current)
    const repaint = () => chart.redraw()
    const themed = new MutationObserver(repaint)
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', repaint)
    return () => {
      resized.disconnect()
      themed.disconnect()
      dark.removeEventListener('change', repaint)
      chart.destroy()
    }
  }, [drawn])
  const day = shown[pointed ?? -1]
  return (
    <figure class="chart">
      <div
        ref={place}
        role="img"
        aria-label={`Tokens by day, at most ${short(most)}. The table below has the figures.`}
      />
      <figcaption class="legend">
        <span class="key bar-saved">saved</span>
        <span class="key bar-own">own cost</span>
        <span class="key bar-delivered">delivered</span>
        <span class="quiet">
          {day && 'calls' in day
            ? `${day.day}: ${count(day.originalTokens)} original, ${count(day.deliveredTokens)} delivered, ${count(day.ownTokens)} own, ${count(day.savedTokens)} saved`
            : (day?.day ?? '')}
        </span>
      </figcaption>
    </figure>
  )
}
