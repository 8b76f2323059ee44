/** The kept results, and a form that asks them as a model would. */
import { useEffect, useState } from 'preact/hooks'
import type { Answer, KeptResult, Results } from '../api.ts'
import { ask, download, go, type PageProps, type Refusal, useRead } from './client.ts'
import {
  ago,
  Button,
  bytes,
  Choice,
  Code,
  Copy,
  count,
  Empty,
  Field,
  Figures,
  Head,
  List,
  type ListColumn,
  Loading,
  lasted,
  plural,
  pretty,
  Sure,
  short,
  Table,
  Trouble,
} from './parts.tsx'

const ORDERS = {
  newest: (a: KeptResult, b: KeptResult) => b.created - a.created,
  largest: (a: KeptResult, b: KeptResult) => b.bytes - a.bytes,
  'used last': (a: KeptResult, b: KeptResult) => b.lastAccessed - a.lastAccessed,
  'ends first': (a: KeptResult, b: KeptResult) => endOf(a) - endOf(b),
} as const

/** When it leaves memory. */
const endOf = ({ pinned, until }: KeptResult): number => (pinned ? Number.POSITIVE_INFINITY : until)
const nameOf = ({ names, agent }: KeptResult): string => names.join(', ') || agent

export function ResultsPage({ place: [open], status }: PageProps) {
  const { data, error, again } = useRead<Results>('/results', ['results'])
  const [client, setClient] = useState('')
  const [order, setOrder] = useState<keyof typeof ORDERS>('newest')
  if (!data) return <Loading error={error} />
  const { results } = data
  const clients = [...new Set(results.map(nameOf))].sort()
  const shown = results
    .filter((one) => client === '' || !clients.includes(client) || nameOf(one) === client)
    .sort(ORDERS[order])
  return (
    <>
      <Head
        title="Results"
        about={
          results.length === 0
            ? ''
            : `${plural(results.length, 'result')} kept outside the context of models, ${bytes(data.bytes)} of them in memory.`
        }
      />
      {results.length === 0 ? (
        <Empty title="Nothing is kept now">
          <p>
            When a result is too large for a reply, the proxy keeps it and sends the model a preview with a
            cache_id. You can ask questions about kept results here, as the model does.
          </p>
        </Empty>
      ) : (
        <>
          <div class="filters">
            <Field label="Client">
              <select value={client} onChange={(event) => setClient(event.currentTarget.value)}>
                <option value="">all</option>
                {clients.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </Field>
            <Choice
              label="Order"
              value={order}
              of={Object.keys(ORDERS) as (keyof typeof ORDERS)[]}
              onChange={setOrder}
            />
          </div>
          <List
            page="results"
            label="Kept results"
            rows={shown}
            columns={LIST}
            idOf={({ handle }) => handle}
            open={open}
            title={(result) => result?.label ?? result?.tool ?? 'Result'}
            wide
            none={null}
          >
            {(_, id) => {
              // The filter hides it from the list alone.
              const result = results.find(({ handle }) => handle === id)
              return result ? (
                <Opened
                  result={result}
                  isAdmin={status.scope === 'admin'}
                  changed={again}
                  removed={() => {
                    go('results')
                    again()
                  }}
                />
              ) : (
                <Trouble
                  error={{
                    message: 'No result is kept under this cache_id.',
                    remedy: 'It expired or was removed. Make the call again.',
                  }}
                />
              )
            }}
          </List>
        </>
      )}
    </>
  )
}

const LIST: readonly ListColumn<KeptResult>[] = [
  {
    name: 'Result of',
    kind: 'grow',
    of: ({ tool, arguments: args, label, pinned }) => (
      <>
        {pinned && <span class="tag">pinned</span>}
        {label !== undefined && <strong>{label} </strong>}
        <span class="name">{tool}</span> <span class="quiet">{brief(args)}</span>
      </>
    ),
  },
  { name: 'What it is', kind: 'who', of: ({ shape }) => shape ?? '' },
  { name: 'Client', kind: 'who', of: nameOf },
  {
    name: 'Size',
    kind: 'number',
    of: ({ tokens, bytes: size }) => (tokens === undefined ? bytes(size) : `${short(tokens)} tok`),
  },
  { name: 'Kept', kind: 'number', of: ({ created }) => ago(created) },
  { name: 'Life', kind: 'time', of: lifeOf },
]

/** How long it stays in memory after its last use. */
function lifeOf({ pinned, until }: KeptResult): string {
  if (pinned) return 'pinned'
  return until > Date.now() ? lasted(until - Date.now()) : 'over'
}

function brief(args: Record<string, unknown>): string {
  return Object.entries(args)
    .slice(0, 4)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
    .slice(0, 160)
}

// The form: what each question takes, and how it is written.

interface Input {
  name: string
  label: string
  /** `lines`: a list, one a line. */
  kind: 'text' | 'lines' | 'number' | 'program' | readonly string[]
  hint?: string
}

const QUESTIONS: Readonly<Record<'explore' | 'filter' | 'search' | 'code', readonly Input[]>> = {
  explore: [
    { name: 'path', label: 'Where', kind: 'text', hint: '$.items[*].user' },
    { name: 'max_depth', label: 'Depth', kind: 'number', hint: '3' },
  ],
  filter: [
    {
      name: 'where',
      label: 'Where, one condition a line',
      kind: 'lines',
      hint: 'state = open\ncomments > 5',
    },
    { name: 'fields', label: 'Fields, one a line', kind: 'lines', hint: 'id\ntitle' },
    { name: 'group_by', label: 'Group by', kind: 'text', hint: 'state' },
    { name: 'aggregate', label: 'Compute', kind: 'text', hint: 'count' },
    { name: 'sort', label: 'Sort', kind: 'text', hint: '-comments' },
    { name: 'path', label: 'Path to the records', kind: 'text', hint: 'the main list' },
    { name: 'limit', label: 'At most', kind: 'number', hint: '50' },
  ],
  search: [
    { name: 'pattern', label: 'Pattern or words', kind: 'text', hint: 'ERROR|FATAL' },
    { name: 'mode', label: 'Mode', kind: ['regex', 'bm25', 'fuzzy', 'context'] },
    { name: 'path', label: 'Path', kind: 'text', hint: 'everywhere' },
    { name: 'context_lines', label: 'Lines around', kind: 'number', hint: '0' },
    { name: 'max_results', label: 'At most', kind: 'number', hint: '20' },
  ],
  code: [
    {
      name: 'code',
      label: 'Program in JavaScript; d is the result',
      kind: 'program',
      hint: 'return (await d.rows()).length',
    },
  ],
}
type Question = keyof typeof QUESTIONS
/** A program may ask a model, so only admins run one. */
const READING: readonly Question[] = ['explore', 'filter', 'search']

function argumentsOf(question: Question, written: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    QUESTIONS[question].flatMap(({ name, kind }): [string, unknown][] => {
      const text = written[name]?.trim() ?? ''
      if (text === '') return []
      if (kind === 'number') return [[name, Number(text)]]
      if (kind === 'lines')
        return [
          [
            name,
            text
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== ''),
          ],
        ]
      return [[name, text]]
    }),
  )
}

function Opened({
  result,
  isAdmin,
  changed,
  removed,
}: {
  result: KeptResult
  isAdmin: boolean
  changed: () => void
  removed: () => void
}) {
  const { handle, pinned } = result
  const [label, setLabel] = useState(result.label ?? '')
  const mark = (said: { pinned?: boolean; label?: string }) =>
    ask('PUT', `/results/${handle}`, said).then(() => {
      setError(undefined)
      changed()
    }, setError)
  const [question, setQuestion] = useState<Question>('explore')
  const [written, setWritten] = useState<Record<string, string>>({})
  const [answer, setAnswer] = useState<Answer>()
  const [error, setError] = useState<Refusal>()
  const [busy, setBusy] = useState(false)
  const args = argumentsOf(question, written)
  const call = { cache_id: handle, ...args }

  async function run(): Promise<void> {
    if (question === 'code' && args.code === undefined) return
    setBusy(true)
    try {
      setAnswer(
        await ask<Answer>('POST', `/results/${handle}/ask`, { tool: `proxy_${question}`, arguments: args }),
      )
      setError(undefined)
    } catch (refused) {
      setError(refused as Refusal)
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => void run(), [handle])
  const save = (format: string) => download(`/results/${handle}/export?format=${format}`).catch(setError)

  return (
    <>
      <Figures
        of={[
          {
            name: 'Size',
            value: result.tokens === undefined ? bytes(result.bytes) : short(result.tokens),
            note: result.tokens === undefined ? '' : `tokens · ${bytes(result.bytes)}`,
          },
          { name: 'Kept', value: ago(result.created), note: result.inMemory ? 'in memory' : 'on disk' },
          { name: 'Asked', value: count(result.uses), note: 'times' },
          {
            name: 'Life',
            value: lifeOf(result),
            note: pinned ? 'until it is unpinned' : 'in memory after its last use; then on disk',
          },
        ]}
      />
      <p class="quiet">
        {result.shape}
        {result.standing && ` · ${result.standing}`} · {nameOf(result)} · <code>{handle}</code>
      </p>
      <div class="actions">
        {['json', 'csv', 'ndjson'].map((format) => (
          <Button key={format} onClick={() => save(format)}>
            {format.toUpperCase()}
          </Button>
        ))}
        {isAdmin && (
          <>
            <Button onClick={() => mark({ pinned: !pinned })}>{pinned ? 'Unpin' : 'Pin'}</Button>
            <Sure onClick={() => ask('DELETE', `/results/${handle}`).then(removed, setError)}>Delete</Sure>
          </>
        )}
      </div>
      {isAdmin && (
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault()
            void mark({ label })
          }}
        >
          <Field label="Name">
            <input value={label} maxLength={100} onInput={(event) => setLabel(event.currentTarget.value)} />
          </Field>
          <button type="submit" class="usual" disabled={label.trim() === (result.label ?? '')}>
            Rename
          </button>
        </form>
      )}
      <form
        class="question"
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <Choice
          label="Question"
          value={question}
          of={isAdmin ? [...READING, 'code'] : READING}
          onChange={setQuestion}
        />
        <div class="fields">
          {QUESTIONS[question].map(({ name, label, kind, hint }) => {
            const value = written[name] ?? ''
            const onInput = (event: { currentTarget: { value: string } }) =>
              setWritten({ ...written, [name]: event.currentTarget.value })
            return (
              <Field
                key={`${question} ${name}`}
                label={label}
                wide={kind === 'lines' || kind === 'program' || name === 'pattern'}
              >
                {kind === 'lines' || kind === 'program' ? (
                  <textarea
                    rows={kind === 'lines' ? 2 : 8}
                    value={value}
                    placeholder={hint}
                    onInput={onInput}
                    spellcheck={false}
                  />
                ) : kind === 'text' ? (
                  <input value={value} placeholder={hint} onInput={onInput} spellcheck={false} />
                ) : kind === 'number' ? (
                  <input type="number" value={value} placeholder={hint} onInput={onInput} />
                ) : (
                  <select value={value} onChange={onInput}>
                    {kind.map((one) => (
                      <option key={one}>{one}</option>
                    ))}
                  </select>
                )}
              </Field>
            )
          })}
        </div>
        <div class="actions">
          <button type="submit" class="main" disabled={busy}>
            {busy ? 'Asking…' : 'Ask'}
          </button>
        </div>
      </form>
      <h3>The same call</h3>
      <Code label="The same call" text={`proxy_${question} ${JSON.stringify(call)}`} />
      <div class="actions">
        <Copy text={`proxy_${question} ${JSON.stringify(call)}`} />
      </div>
      <Trouble error={error} />
      {answer && (
        <>
          <h3>Answer</h3>
          <Grouped answer={answer} />
          <Code label="Answer" text={answer.text} />
          <p class="quiet">{count(answer.text.length)} characters, as a model would read them.</p>
        </>
      )}
    </>
  )
}

const MOST_BARS = 30

/** Rows of a grouping as bars: a name and a number. Others as a table. */
function Grouped({ answer: { rows = [], total = 0, call } }: { answer: Answer }) {
  const records = rows.filter(
    (row): row is Record<string, unknown> => typeof row === 'object' && row !== null && !Array.isArray(row),
  )
  const first = records[0]
  if (first === undefined) return null
  const names = Object.keys(first).slice(0, 8)
  const measure = names.findLast((name) => typeof first[name] === 'number')
  const say = (value: unknown) =>
    (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)).slice(0, 200)
  if (call.arguments.group_by !== undefined && measure !== undefined) {
    const label = names.filter((name) => name !== measure)
    const most = Math.max(...records.map((row) => Math.abs(Number(row[measure]) || 0)), 1)
    return (
      <ul class="bars" aria-label={`${measure} by ${label.join(', ')}`}>
        {records.slice(0, MOST_BARS).map((row, at) => (
          <li key={at}>
            <span class="name">{label.map((name) => say(row[name])).join(' · ')}</span>
            <span class="lane">
              <span
                class="span"
                style={{ width: `${(100 * Math.abs(Number(row[measure]) || 0)) / most}%` }}
              />
            </span>
            <span class="number">{count(Number(row[measure]) || 0)}</span>
          </li>
        ))}
        {records.length > MOST_BARS && <li class="quiet">and {count(total - MOST_BARS)} more</li>}
      </ul>
    )
  }
  return (
    <details>
      <summary>
        As a table:{' '}
        {records.length < total ? `${count(records.length)} of ${count(total)}` : plural(total, 'row')}
      </summary>
      <Table
        caption="Rows"
        rows={records.map((row, at) => ({ row, at }))}
        keyOf={({ at }) => at}
        columns={names.map((name) => ({
          name,
          number: typeof first[name] === 'number',
          of: ({ row }: { row: Record<string, unknown> }) => say(row[name]),
        }))}
      />
      <details>
        <summary>JSON</summary>
        <Code label="Rows as JSON" text={pretty(rows).slice(0, 40_000)} />
      </details>
    </details>
  )
}
