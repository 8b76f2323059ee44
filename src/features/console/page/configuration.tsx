/** The configuration file, and how clients are connected. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Cards, ChangedFile, Configuration, Problems } from '../api.ts'
import { ask, type PageProps, type Refusal, useRead } from './client.ts'
import { type Schema, type Suggestion, suggestionsAt } from './completion.ts'
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
      <Editor text={text} onChange={setText} onCheck={() => void check()} />
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

const MOST_SHOWN = 8

/**
 * The text of the file. The values that may be written at the caret stand below it: arrows choose, Enter or Tab writes it, Escape closes.
 */
function Editor(props: { text: string; onChange: (text: string) => void; onCheck: () => void }) {
  const { text, onChange, onCheck } = props
  const { data: schema } = useRead<Schema>('/configuration/schema')
  const field = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState<number>()
  const [nth, setNth] = useState(0)
  const { from, all } =
    caret === undefined || !schema ? { from: 0, all: [] } : suggestionsAt(schema, text, caret)
  const shown = all.slice(0, MOST_SHOWN)
  const chosen = shown[Math.min(nth, shown.length - 1)]
  const close = () => setCaret(undefined)

  function write({ text: word }: Suggestion): void {
    const { current } = field
    if (!current || caret === undefined) return
    // A quote that an editor, or the person, has put behind the word goes with it.
    const [rest] = /^(?:[\w-]*")?/.exec(text.slice(caret)) as RegExpExecArray
    // The field changes at once: what is typed before the next frame stands behind the word.
    current.setRangeText(word, from, caret + rest.length, 'end')
    onChange(current.value)
    close()
  }

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
    const { key, ctrlKey, metaKey } = event
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (key === 's' && (ctrlKey || metaKey)) onCheck()
    else if (key === ' ' && ctrlKey) {
      setNth(0)
      setCaret(event.currentTarget.selectionStart)
    } else if (!chosen) return
    else if (step !== undefined)
      setNth((Math.min(nth, shown.length - 1) + step + shown.length) % shown.length)
    else if (key === 'Enter' || key === 'Tab') write(chosen)
    else if (key === 'Escape') close()
    else return
    event.preventDefault()
  }

  return (
    <>
      <Field label="mcp.json; comments are kept. Ctrl and the space bar show what may be written." wide>
        <textarea
          class="editor"
          ref={field}
          rows={24}
          spellcheck={false}
          value={text}
          aria-controls="suggestions"
          aria-activedescendant={chosen && `suggestion-${shown.indexOf(chosen)}`}
          onInput={(event) => {
            const { value, selectionStart } = event.currentTarget
            onChange(value)
            setNth(0)
            // While a word in quotes is written.
            setCaret(/"[\w-]*$/.test(value.slice(0, selectionStart)) ? selectionStart : undefined)
          }}
          onClick={close}
          onKeyDown={onKeyDown}
        />
      </Field>
      <div
        id="suggestions"
        class="suggestions"
        role="listbox"
        aria-label="What may be written here"
        tabIndex={-1}
      >
        {shown.map((one, at) => (
          <div
            key={one.name}
            id={`suggestion-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={one === chosen}
            onMouseDown={(event) => {
              event.preventDefault()
              write(one)
            }}
          >
            <code>{one.name}</code> <span class="quiet">{one.what}</span>
          </div>
        ))}
      </div>
    </>
  )
}

export function ConnectPage({ status }: PageProps) {
  const { data, error, again } = useRead<Cards>('/connect')
  const [said, setSaid] = useState('')
  const [refused, setRefused] = useState<Refusal>()
  const change = (method: 'POST' | 'DELETE', client: string, done: (copy: string) => string) =>
    ask<ChangedFile>(method, `/connect/${client}`).then(
      ({ file, copy }) => {
        setSaid(`${file} ${done(copy === undefined ? '' : ` What was there before lies in ${copy}.`)}`)
        setRefused(undefined)
        again()
      },
      (why: Refusal) => {
        setSaid('')
        setRefused(why)
      },
    )
  if (!data) return <Loading error={error} />
  const connected = data.cards.filter((card) => card.connected).length
  const isAdmin = status.scope === 'admin'
  return (
    <>
      <Head
        title="Connect"
        about={`How each client joins one gateway of this configuration in the background, or starts it. What a client has of its own stays in its file. On this machine ${connected === 0 ? 'no client starts' : `${plural(connected, 'client')} already ${connected === 1 ? 'starts' : 'start'}`} it.`}
      />
      {status.mcpUrl && (
        <p class="note">
          Clients that speak HTTP connect to <code>{status.mcpUrl}</code> <Copy text={status.mcpUrl} />
        </p>
      )}
      <Trouble error={refused} />
      {said !== '' && (
        <p class="note" role="status">
          {said}
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
          {data.cards.map(({ id, title, file, snippet, notes, connected: has, canUndo }) => (
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
                {isAdmin && !has && (
                  <Sure
                    onClick={() =>
                      change('POST', id, (copy) => `starts the proxy now. Restart ${title}.${copy}`)
                    }
                  >
                    Write it
                  </Sure>
                )}
                {isAdmin && canUndo && (
                  <Sure onClick={() => change('DELETE', id, (copy) => `is as it was.${copy}`)}>Put back</Sure>
                )}
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
