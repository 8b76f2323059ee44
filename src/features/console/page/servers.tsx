/** The servers behind the proxy, and what stands between them and the clients. */
import { useEffect, useState } from 'preact/hooks'
import type { Clients, Modules, Server, ServerLog, Servers } from '../api.ts'
import { ask, type PageProps, type Refusal, useEvents, useRead } from './client.ts'
import {
  ago,
  Button,
  Code,
  Copy,
  clock,
  count,
  Empty,
  Field,
  Head,
  Loading,
  lasted,
  ms,
  plural,
  Sure,
  Table,
  Trouble,
} from './parts.tsx'

const STATES: Readonly<Record<Server['state'], string>> = {
  idle: 'Not started',
  connecting: 'Connecting',
  ready: 'Ready',
  waiting: 'Waiting to try again',
  closed: 'Closed',
}

export function ServersPage({ status }: PageProps) {
  const { data, error, again } = useRead<Servers>('/servers', ['servers'])
  const [refused, setRefused] = useState<Refusal>()
  const [soon, setSoon] = useState<ReturnType<typeof setTimeout>>()
  useEvents((event) => {
    if (typeof event !== 'object' || !('calls' in event) || soon !== undefined) return
    setSoon(
      setTimeout(() => {
        setSoon(undefined)
        again()
      }, 1_000),
    )
  })
  if (!data) return <Loading error={error} />
  const act = (path: string) =>
    ask('POST', path, {}).then(
      () => {
        setRefused(undefined)
        setTimeout(again, 300)
        setTimeout(again, 2_000)
      },
      (why: Refusal) => setRefused(why),
    )
  const broken = data.servers.filter(isBroken).length
  return (
    <>
      <Head
        title="Servers"
        about={`${plural(data.servers.length, 'server')}${broken > 0 ? `, ${broken} of them with an error` : ''}${data.disabled.length > 0 ? `; switched off: ${data.disabled.join(', ')}` : ''}.`}
      />
      <Trouble error={refused} />
      {data.servers.length === 0 ? (
        <Empty title="There are no servers">
          <p>
            Add one to <a href="#/configuration">the configuration</a>, or take over those of a client with{' '}
            <code>mcp-rlm-proxy import</code>.
          </p>
        </Empty>
      ) : (
        <ul class="cards">
          {data.servers.map((server) => (
            <li key={server.name} class="card">
              <div class="card-head">
                <h2>
                  <span class={`dot ${isBroken(server) ? 'failed' : server.state}`} /> {server.name}
                </h2>
                <span class={isBroken(server) ? 'bad' : 'quiet'}>{STATES[server.state]}</span>
              </div>
              <p class="quiet">
                {[
                  server.title,
                  server.version,
                  server.transport,
                  server.protocol && `MCP ${server.protocol} (${server.era})`,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
              {server.trouble && (
                <Trouble error={{ message: server.trouble.message, remedy: server.trouble.remedy ?? '' }} />
              )}
              <dl class="tiles">
                <Tile name="Tools" value={server.tools === undefined ? '–' : count(server.tools)} />
                <Tile
                  name="Definitions"
                  value={server.definitionTokens === undefined ? '–' : count(server.definitionTokens)}
                  unit={server.definitionTokens === undefined ? '' : 'tokens'}
                />
                <Tile
                  name="Calls"
                  value={count(server.calls)}
                  unit={server.errors > 0 ? plural(server.errors, 'error') : ''}
                />
                <Tile
                  name="Up"
                  value={server.upMs === undefined ? '–' : lasted(server.upMs)}
                  unit={server.restarts > 0 ? plural(server.restarts, 'restart') : ''}
                />
                <Tile name="Median (p50)" value={server.p50 === undefined ? '–' : ms(server.p50)} />
                <Tile name="95 % (p95)" value={server.p95 === undefined ? '–' : ms(server.p95)} />
                {server.quota && <Tile name="Quota" value={count(server.quota.rps)} unit="a second" />}
              </dl>
              {status.scope === 'admin' && (
                <div class="actions">
                  <Button onClick={() => act(`/servers/${encodeURIComponent(server.name)}/restart`)}>
                    Restart
                  </Button>
                  {server.signsIn && (
                    <Sure onClick={() => act(`/servers/${encodeURIComponent(server.name)}/sign-out`)}>
                      Sign out
                    </Sure>
                  )}
                  {server.signInAt && (
                    <a href={server.signInAt} target="_blank" rel="noreferrer">
                      Sign in
                    </a>
                  )}
                </div>
              )}
              {status.scope === 'admin' && <Log server={server.name} />}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The log of a server, read every two seconds while it is open. */
function Log({ server }: { server: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Log</summary>
      {isOpen && <Lines server={server} />}
    </details>
  )
}

function Lines({ server }: { server: string }) {
  const { data, error, again } = useRead<ServerLog>(`/servers/${encodeURIComponent(server)}/log`)
  useEffect(() => {
    const timer = setInterval(again, 2_000)
    return () => clearInterval(timer)
  }, [])
  if (!data) return <Loading error={error} />
  if (data.lines.length === 0) return <p class="quiet">The log has no line about this server.</p>
  const text = data.lines.map(({ at, level, text }) => `${clock(at)} ${level} ${text}`).join('\n')
  return <Code label={`Log of ${server}`} text={text} />
}

function isBroken({ state, trouble }: Server): boolean {
  return trouble !== undefined && state !== 'ready'
}

function Tile({ name, value, unit = '' }: { name: string; value: string; unit?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} {unit && <small>{unit}</small>}
      </dd>
    </div>
  )
}

export function ModulesPage({ status }: PageProps) {
  const modules = useRead<Modules>('/modules', ['servers'])
  const clients = useRead<Clients>('/clients', ['clients'])
  const [refused, setRefused] = useState<Refusal>()
  const [name, setName] = useState('')
  const [days, setDays] = useState('')
  const [profiles, setProfiles] = useState('')
  const [made, setMade] = useState<{ name: string; token: string }>()
  if (!modules.data || !clients.data) return <Loading error={modules.error ?? clients.error} />
  const { sessions, tokens, tokenFile } = clients.data
  const isAdmin = status.scope === 'admin'

  async function add(): Promise<void> {
    try {
      const wanted = profiles.split(/[\s,]+/).filter((one) => one !== '')
      const { token } = await ask<{ token: string }>('POST', '/tokens', {
        name,
        ...(days !== '' && { days: Number(days) }),
        ...(wanted.length > 0 && { profiles: wanted }),
      })
      setMade({ name, token })
      setName('')
      setDays('')
      setProfiles('')
      setRefused(undefined)
      clients.again()
    } catch (why) {
      setRefused(why as Refusal)
    }
  }

  return (
    <>
      <Head
        title="Modules & clients"
        about="The layers that a call passes, from the client to the servers, and the connected clients."
      />
      <section aria-labelledby="layers">
        <h2 id="layers">The way of a call</h2>
        <ol class="layers">
          <li class="end">client</li>
          {modules.data.layers.map((layer, at) => {
            const module =
              layer.kind === 'module'
                ? modules.data?.modules.find((one) => one.name === layer.name)
                : undefined
            return (
              <li key={at} class={layer.kind}>
                <span class="name">{layer.name}</span>
                <span class="quiet">
                  {layer.what.split('`').map((part, nth) => (nth % 2 ? <code key={nth}>{part}</code> : part))}
                </span>
                <span class="quiet">{plural(layer.calls, 'call')}</span>
                {module && (
                  <span class={module.state === 'ok' ? 'quiet' : 'bad'}>
                    {module.message || module.state}
                  </span>
                )}
              </li>
            )
          })}
          <li class="end">servers</li>
        </ol>
        {modules.data.modules.length === 0 && (
          <p class="quiet">
            No modules are configured. They redact, block, pin, translate and more: see{' '}
            <code>docs/modules.md</code>.
          </p>
        )}
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">Connected clients</h2>
        {sessions.length === 0 ? (
          <p class="quiet">
            No client is connected now. <a href="#/connect">Connect one.</a>
          </p>
        ) : (
          <Table
            caption="Connected clients"
            rows={sessions.map((session, at) => ({ ...session, at }))}
            keyOf={({ at }) => at}
            columns={[
              { name: 'Client', of: ({ name, agent }) => <span class="name">{name || agent}</span> },
              { name: 'Since', of: ({ since }) => ago(since, status.now) },
              { name: 'Calls', number: true, of: ({ calls }) => count(calls) },
              { name: 'Protocol', extra: true, of: ({ protocol, era }) => `${protocol} (${era})` },
              { name: 'Its model reads', extra: true, of: ({ rule }) => rule ?? 'content' },
              { name: 'Profile', extra: true, of: ({ profile }) => profile ?? '–' },
            ]}
          />
        )}
      </section>
      <section aria-labelledby="tokens">
        <h2 id="tokens">Tokens of clients over HTTP</h2>
        <Trouble error={refused} />
        {made && (
          <div class="note">
            <p>
              The token of {made.name}. It is shown this once: <code>{made.token}</code>
            </p>
            <Copy text={made.token} />
          </div>
        )}
        {tokens.length === 0 ? (
          <p class="quiet">
            There are none in {tokenFile}. The first one makes every HTTP gateway that uses this file ask for
            tokens from its next start on.
          </p>
        ) : (
          <Table
            caption="Tokens"
            rows={tokens}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Name', of: (token) => <span class="name">{token.name}</span> },
              { name: 'Made', of: ({ created }) => created.slice(0, 10) },
              { name: 'Expires', of: ({ expires }) => expires?.slice(0, 10) ?? 'never' },
              { name: 'Profiles', extra: true, of: ({ profiles }) => profiles?.join(', ') ?? 'all' },
              {
                name: 'Change',
                of: ({ id }) =>
                  isAdmin ? (
                    <Sure onClick={() => ask('DELETE', `/tokens/${id}`).then(clients.again, setRefused)}>
                      Remove
                    </Sure>
                  ) : (
                    '–'
                  ),
              },
            ]}
          />
        )}
        {isAdmin && (
          <form
            class="inline"
            onSubmit={(event) => {
              event.preventDefault()
              void add()
            }}
          >
            <Field label="Name of a new token">
              <input value={name} maxLength={64} onInput={(event) => setName(event.currentTarget.value)} />
            </Field>
            <Field label="Expires in days">
              <input
                type="number"
                min={1}
                max={3650}
                placeholder="never"
                value={days}
                onInput={(event) => setDays(event.currentTarget.value)}
              />
            </Field>
            <Field label="Profiles">
              <input
                placeholder="all"
                value={profiles}
                onInput={(event) => setProfiles(event.currentTarget.value)}
              />
            </Field>
            <button type="submit" class="usual" disabled={name.trim() === ''}>
              Make it
            </button>
          </form>
        )}
      </section>
    </>
  )
}
