/** The calls as they are made, and each of them with what its model read. */
import { useMemo, useState } from 'preact/hooks'
import type { Call, CallDetail } from '../api.ts'
import { csvOf } from '../csv.ts'
import { type PageProps, saveAs, useCalls, useRead } from './client.ts'
import {
  Button,
  Choice,
  Code,
  Copy,
  clock,
  count,
  Empty,
  Field,
  Head,
  List,
  type ListColumn,
  Loading,
  ms,
  percent,
  plural,
  pretty,
  short,
} from './parts.tsx'

const STATES = ['all', 'ok', 'errors'] as const

export function CallsPage({ place: [open], status }: PageProps) {
  const { calls, loaded, error } = useCalls()
  const [words, setWords] = useState('')
  const [server, setServer] = useState('')
  const [client, setClient] = useState('')
  const [state, setState] = useState<(typeof STATES)[number]>('all')
  const [least, setLeast] = useState(0)
  const shown = useMemo(() => {
    const wanted = words.toLowerCase()
    return calls
      .filter(
        (call) =>
          (wanted === '' || call.tool.toLowerCase().includes(wanted)) &&
          (server === '' || call.server === server) &&
          (client === '' || call.client === client) &&
          (state === 'all' || (state === 'ok') === (call.status === 'ok')) &&
          call.answered >= least,
      )
      .reverse()
  }, [calls, words, server, client, state, least])
  const namesOf = (key: 'server' | 'client') => [...new Set(calls.flatMap((call) => call[key] ?? []))].sort()

  if (!loaded) return <Loading error={error} />
  return (
    <>
      <Head
        title="Calls"
        about={
          calls.length === 0
            ? ''
            : `${plural(shown.length, 'call')}, the newest first. New ones come by themselves.`
        }
      >
        <Button onClick={() => exportCsv(shown)} disabled={shown.length === 0}>
          CSV
        </Button>
        <Button onClick={() => saveAs('calls.json', new Blob([pretty(shown)]))} disabled={shown.length === 0}>
          JSON
        </Button>
      </Head>
      {calls.length === 0 ? (
        <Empty title="No call has been made since the proxy started">
          <p>Ask your agent for something that needs a tool. Its calls appear here as they end.</p>
        </Empty>
      ) : (
        <>
          <div class="filters">
            <Field label="Tool">
              <input
                type="search"
                placeholder="part of a name"
                value={words}
                onInput={(event) => setWords(event.currentTarget.value)}
              />
            </Field>
            <Pick label="Server" value={server} of={namesOf('server')} onChange={setServer} />
            <Pick label="Client" value={client} of={namesOf('client')} onChange={setClient} />
            <Field label="At least">
              <select value={least} onChange={(event) => setLeast(Number(event.currentTarget.value))}>
                <option value={0}>any size</option>
                <option value={1_000}>1,000 characters</option>
                <option value={5_000}>5,000 characters</option>
                <option value={50_000}>50,000 characters</option>
              </select>
            </Field>
            <Choice label="Outcome" value={state} of={STATES} onChange={setState} />
          </div>
          <List
            page="calls"
            label="Calls"
            rows={shown}
            columns={LIST}
            idOf={({ id }) => String(id)}
            open={open}
            title={(call) => call?.tool ?? 'Call'}
            none={
              <Empty title="No call fits these filters">
                <Button
                  onClick={() => {
                    setWords('')
                    setServer('')
                    setClient('')
                    setState('all')
                    setLeast(0)
                  }}
                >
                  Show all
                </Button>
              </Empty>
            }
          >
            {(_, id) => <Detail id={id} mcpUrl={status.mcpUrl} />}
          </List>
        </>
      )}
    </>
  )
}

const LIST: readonly ListColumn<Call>[] = [
  { name: 'Time', kind: 'time', of: ({ at }) => clock(at) },
  {
    name: 'Tool',
    kind: 'grow',
    of: ({ tool, status, inner }) => (
      <>
        <span class={`dot ${status}`} title={WORDS[status]} />
        <span class="name">{tool}</span>
        {status !== 'ok' && <span class="bad"> {WORDS[status]}</span>}
        {inner && <span class="quiet"> for a tool of the proxy</span>}
      </>
    ),
  },
  { name: 'Client', kind: 'who', of: ({ client }) => client },
  { name: 'Took', kind: 'number', of: ({ ms: took }) => ms(took) },
  {
    name: 'Tokens',
    kind: 'number',
    of: ({ originalTokens, deliveredTokens, answered }) =>
      originalTokens !== undefined && deliveredTokens !== undefined && originalTokens > deliveredTokens ? (
        <span title={`${count(originalTokens)} as the server sent it, ${count(deliveredTokens)} delivered`}>
          <s>{short(originalTokens)}</s> {short(deliveredTokens)}
        </span>
      ) : (
        <span class="quiet" title="not shaped; characters">{`${short(answered)} ch`}</span>
      ),
  },
]

const WORDS = { ok: 'ok', error: 'error', failed: 'failed' } as const

function Pick(props: { label: string; value: string; of: string[]; onChange: (value: string) => void }) {
  return (
    <Field label={props.label}>
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        <option value="">all</option>
        {props.of.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </Field>
  )
}

function Detail({ id, mcpUrl }: { id: string; mcpUrl: string | undefined }) {
  const { data, error } = useRead<CallDetail>(`/calls/${encodeURIComponent(id)}`)
  return data ? <Told detail={data} mcpUrl={mcpUrl} /> : <Loading error={error} />
}

function Told({ detail, mcpUrl }: { detail: CallDetail; mcpUrl: string | undefined }) {
  const { call, arguments: args, reply, message, timing, followUps } = detail
  const [nth, setNth] = useState(0)
  const seen = reply?.[nth]
  const saved = (call.originalTokens ?? 0) - (call.deliveredTokens ?? 0)
  const given = args ?? {}
  return (
    <>
      <dl class="facts">
        <dt>When</dt>
        <dd>{new Date(call.at).toLocaleString('en-GB')}</dd>
        <dt>Client</dt>
        <dd>
          {call.client} <span class="quiet">{call.agent}</span>
          {call.profile && <span class="quiet"> · profile {call.profile}</span>}
        </dd>
        {call.server && (
          <>
            <dt>Server</dt>
            <dd>{call.server}</dd>
          </>
        )}
        <dt>Outcome</dt>
        <dd class={call.status === 'ok' ? '' : 'bad'}>{WORDS[call.status]}</dd>
        {saved > 0 && (
          <>
            <dt>Saved</dt>
            <dd>
              {count(saved)} tokens ({percent(saved, call.originalTokens ?? 0)})
            </dd>
          </>
        )}
        {call.handle && (
          <>
            <dt>Kept</dt>
            <dd>
              <a href={`#/results/${call.handle}`}>{call.handle}</a>
            </dd>
          </>
        )}
      </dl>
      <h3>Arguments</h3>
      {args === null ? (
        <p class="quiet">The call had no arguments, or they were too long to be remembered.</p>
      ) : (
        <Code label="Arguments" text={pretty(args)} />
      )}
      <div class="actions">
        <Copy text={pretty(given)}>JSON</Copy>
        {mcpUrl && <Copy text={curlOf(mcpUrl, call.tool, given)}>curl</Copy>}
        <Copy text={`mcp-rlm-proxy call ${quoted(call.tool)} ${quoted(JSON.stringify(given))}`}>Command</Copy>
      </div>
      <h3>As the model read it</h3>
      {message !== undefined && <Code label="Error" text={message} />}
      {reply === undefined && message === undefined && (
        <p class="quiet">The reply was too long to be remembered: {count(call.answered)} characters.</p>
      )}
      {reply && reply.length > 1 && (
        <fieldset class="choice wrap">
          <legend class="hidden">Client</legend>
          {reply.map(({ clients }, at) => (
            <Button key={clients.join()} kind="plain" pressed={at === nth} onClick={() => setNth(at)}>
              {clients.join(', ')}
            </Button>
          ))}
        </fieldset>
      )}
      {seen && (
        <>
          <Code label="Reply" text={seen.text === '' ? '(nothing)' : seen.text} />
          <p class="quiet">
            {count(seen.characters)} characters. Secrets are hidden here; the model read them.
            {seen.cutAt !== undefined && ` This client cuts it at ${count(seen.cutAt)} characters of JSON.`}
          </p>
        </>
      )}
      <h3>Timing</h3>
      <Waterfall timing={timing} total={call.ms} />
      {followUps.length > 0 && (
        <>
          <h3>Later calls that used this result</h3>
          <ul>
            {followUps.map((id) => (
              <li key={id}>
                <a href={`#/calls/${id}`}>Call {id}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A name as a header may say it (MCP 2026-07-28, "Value Encoding"). */
function headerOf(name: string): string {
  if (/^[!-~]+$/.test(name)) return name
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}?=`
}

/** One request of the revision without sessions. A proxy that wants a token of clients gets the one in the variable. */
function curlOf(url: string, name: string, args: object): string {
  const version = '2026-07-28'
  const meta = 'io.modelcontextprotocol/'
  const _meta = {
    [`${meta}protocolVersion`]: version,
    [`${meta}clientInfo`]: { name: 'curl', version: '1' },
    [`${meta}clientCapabilities`]: {},
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${version}`,
    'Mcp-Method: tools/call',
    `Mcp-Name: ${headerOf(name)}`,
  ].map((header) => ` -H ${quoted(header)}`)
  return `curl -s ${quoted(url)}${headers.join('')} -H "Authorization: Bearer $MCP_TOKEN" -d ${quoted(JSON.stringify(body))}`
}

/** A bar for each part; what it took itself, without what stands further in, is the figure. */
function Waterfall({ timing, total }: { timing: CallDetail['timing']; total: number }) {
  const width = Math.max(total, 0.01)
  return (
    <ol class="waterfall">
      {timing.map(({ part, server, from, to }, at) => {
        const next = timing.slice(at + 1).find((one) => one.from >= from && one.to <= to)
        const own = to - from - (next ? next.to - next.from : 0)
        return (
          <li key={at}>
            <span class="part">{server === undefined ? part : `server ${server}`}</span>
            <span class="lane">
              <span
                class={server === undefined ? 'span' : 'span server'}
                style={{
                  marginLeft: `${(100 * from) / width}%`,
                  width: `${Math.max(0.4, (100 * (to - from)) / width)}%`,
                }}
              />
            </span>
            <span class="number">{ms(Math.max(0, own))}</span>
          </li>
        )
      })}
      <li>
        <span class="part">all</span>
        <span class="lane" />
        <span class="number">{ms(total)}</span>
      </li>
    </ol>
  )
}

const COLUMNS = [
  'id',
  'at',
  'tool',
  'server',
  'client',
  'agent',
  'status',
  'ms',
  'asked',
  'answered',
  'originalTokens',
  'deliveredTokens',
  'handle',
] as const

function exportCsv(calls: readonly Call[]): void {
  const rows = calls.map((call) => ({ ...call, at: new Date(call.at).toISOString() }))
  saveAs('calls.csv', new Blob([csvOf(rows, COLUMNS)], { type: 'text/csv' }))
}
