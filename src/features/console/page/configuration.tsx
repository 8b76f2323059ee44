/** The configuration file, and how clients are connected. */
import { useEffect, useState } from 'preact/hooks'
import type { Cards, Configuration, Problems } from '../api.ts'
import { ask, type PageProps, type Refusal, useRead } from './client.ts'
import {
  ago,
  Button,
  Code,
  Copy,
  Difference,
  Empty,
  Field,
  Head,
  Loading,
  plural,
  Sure,
  Table,
  Trouble,
} from './parts.tsx'

export function ConfigurationPage({ status }: PageProps) {
  const { data, error, again } = useRead<Configuration>('/configuration')
  const [text, setText] = useState<string>()
  const [problems, setProblems] = useState<Problems['problems']>()
  const [refused, setRefused] = useState<Refusal>()
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (data && text === undefined) setText(data.text)
  }, [data])
  if (error?.status === 403)
    return (
      <>
        <Head title="Configuration" />
        <Empty title="This token may only read">
          <p>
            The file may hold secrets. Open the console with <code>mcp-rlm-proxy console</code> to see and
            change it.
          </p>
        </Empty>
      </>
    )
  if (!data || text === undefined) return <Loading error={error} />
  if (data.file === undefined)
    return (
      <>
        <Head title="Configuration" />
        <Empty title="This proxy has no file">
          <p>
            It wraps a command, or a program started it without a file. Start it with{' '}
            <code>--config mcp.json</code> to change the configuration here.
          </p>
        </Empty>
      </>
    )
  const isChanged = text !== data.text

  async function act(work: () => Promise<string>): Promise<void> {
    try {
      setSaid(await work())
      setRefused(undefined)
    } catch (why) {
      setSaid('')
      setRefused(why as Refusal)
    }
  }
  const check = () =>
    act(async () => {
      const found = (await ask<Problems>('POST', '/configuration/check', { text })).problems
      setProblems(found)
      return found.length === 0 ? 'The check found no problem.' : ''
    })
  const write = (work: () => Promise<{ backup?: string; problems: Problems['problems'] }>) =>
    act(async () => {
      const { backup, problems: found } = await work()
      setProblems(found)
      setText(undefined)
      again()
      return backup === undefined
        ? 'The file is unchanged.'
        : `Saved. The proxy takes it over. The backup is ${backup}.`
    })
  return (
    <>
      <Head
        title="Configuration"
        about={`${data.file}${status.transport === 'stdio' ? '' : `, served over ${status.transport}`}`}
      >
        <Button onClick={check}>Check</Button>
        <Button
          kind="main"
          disabled={!isChanged}
          onClick={() => write(() => ask('PUT', '/configuration', { text, hash: data.hash }))}
        >
          Save
        </Button>
      </Head>
      <Trouble error={refused} />
      {said !== '' && (
        <p class="note" role="status">
          {said}
        </p>
      )}
      {problems && problems.length > 0 && (
        <ul class="problems">
          {problems.map(({ severity, place, path, message, remedy }) => (
            <li key={`${place} ${message}`} class={severity}>
              <p>
                <code>{place}</code> {path} {message}
              </p>
              <p class="remedy">{remedy}</p>
            </li>
          ))}
        </ul>
      )}
      <Field label="mcp.json; comments are kept" wide>
        <textarea
          class="editor"
          rows={24}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 's' && (event.ctrlKey || event.metaKey)) {
              event.preventDefault()
              void check()
            }
          }}
        />
      </Field>
      {isChanged && (
        <section aria-labelledby="change">
          <h2 id="change">What would change</h2>
          <Difference label="What would change" before={data.text} after={text} />
          <Button onClick={() => setText(data.text)}>Undo</Button>
        </section>
      )}
      <section aria-labelledby="backups">
        <h2 id="backups">Backups</h2>
        {data.backups.length === 0 ? (
          <p class="quiet">
            There are no backups yet. Each change that you save here makes one beside the file.
          </p>
        ) : (
          <Table
            caption="Backups"
            rows={data.backups}
            keyOf={({ name }) => name}
            columns={[
              { name: 'File', of: ({ name }) => <span class="name">{name}</span> },
              { name: 'Age', of: ({ at }) => ago(at) },
              {
                name: 'Change',
                of: ({ name }) => (
                  <Sure onClick={() => write(() => ask('POST', '/configuration/rollback', { name }))}>
                    Put back
                  </Sure>
                ),
              },
            ]}
          />
        )}
      </section>
    </>
  )
}

export function ConnectPage({ status }: PageProps) {
  const { data, error } = useRead<Cards>('/connect')
  if (!data) return <Loading error={error} />
  const connected = data.cards.filter((card) => card.connected).length
  return (
    <>
      <Head
        title="Connect"
        about={`How each client starts this proxy in place of its servers. On this machine ${connected === 0 ? 'no client starts' : `${plural(connected, 'client')} already ${connected === 1 ? 'starts' : 'start'}`} it.`}
      />
      {status.transport !== 'stdio' && status.url && (
        <p class="note">
          Clients that speak HTTP connect to <code>{new URL('/mcp', status.url).href}</code>{' '}
          <Copy text={new URL('/mcp', status.url).href} />
        </p>
      )}
      {data.cards.length === 0 ? (
        <Empty title="This gateway has no list of clients">
          <p>
            The command shows them: <code>mcp-rlm-proxy init --client claude-code</code>
          </p>
        </Empty>
      ) : (
        <ul class="cards">
          {data.cards.map(({ id, title, file, snippet, notes, connected: has }) => (
            <li key={id} class="card">
              <div class="card-head">
                <h2>{title}</h2>
                {has && <span class="tag">connected</span>}
              </div>
              <p class="quiet">
                <code>{file}</code>
              </p>
              <Code label={`Entry for ${title}`} text={snippet} />
              <div class="actions">
                <Copy text={snippet} />
                <Copy text={`mcp-rlm-proxy init --client ${id} --write`}>Copy command that writes it</Copy>
              </div>
              {notes.map((note) => (
                <p key={note} class="quiet">
                  {note}
                </p>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
