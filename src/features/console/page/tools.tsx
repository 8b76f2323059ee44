/** The tools of the servers: found, measured, switched on and off, and tools that are held back. */
import { useEffect, useState } from 'preact/hooks'
import type { Pins, Tools } from '../api.ts'
import { ask, type PageProps, type Refusal, useRead } from './client.ts'
import {
  Button,
  Code,
  count,
  Difference,
  Empty,
  Field,
  Head,
  List,
  type ListColumn,
  Loading,
  plural,
  pretty,
  Trouble,
} from './parts.tsx'

type Tool = Tools['tools'][number]

export function ToolsPage({ place: [open], status }: PageProps) {
  const [words, setWords] = useState('')
  const [query, setQuery] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words), 200)
    return () => clearTimeout(timer)
  }, [words])
  const { data, error, again } = useRead<Tools>(`/tools?query=${encodeURIComponent(query)}`, ['tools'])
  const pins = useRead<Pins>('/pins', ['tools'])
  const [refused, setRefused] = useState<Refusal>()
  if (!data) return <Loading error={error} />
  const isAdmin = status.scope === 'admin'
  const change = ({ server, original, enabled }: Tool) =>
    ask('PUT', `/tools/${encodeURIComponent(server)}/${encodeURIComponent(original)}`, {
      enabled: !enabled,
    }).then(
      () => {
        setRefused(undefined)
        // The proxy reads its file a moment after it was written.
        for (const later of [600, 2_000]) setTimeout(again, later)
      },
      (why: Refusal) => setRefused(why),
    )
  const approve = (tool: string, hash: string) =>
    ask('POST', '/pins/approve', { tool, hash }).then(() => {
      pins.again()
      again()
    }, setRefused)
  const held = pins.data?.held ?? []
  return (
    <>
      <Head
        title="Tools"
        about={`The definitions have ${count(data.definitionTokens)} tokens. A client reads them before it asks anything.`}
      />
      <Trouble error={refused} />
      {held.length > 0 && (
        <section aria-labelledby="held">
          <h2 id="held">Held back: {plural(held.length, 'tool')}</h2>
          {held.map(({ tool, reason, hash, before, after }) => (
            <article key={`${tool} ${hash}`} class="card">
              <div class="card-head">
                <h3>{tool}</h3>
                <span class="bad">{reason}</span>
              </div>
              <Difference
                label={`What ${tool} says now`}
                before={before === null ? '' : pretty(before)}
                after={pretty(after)}
              />
              {isAdmin && (
                <div class="actions">
                  <Button kind="main" onClick={() => approve(tool, hash)}>
                    Approve the new definition
                  </Button>
                </div>
              )}
            </article>
          ))}
        </section>
      )}
      <Field label="Find tools, as retrieve_tools does" wide>
        <input
          type="search"
          placeholder="what the tool is for: read a file, list issues"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </Field>
      <List
        page="tools"
        label="Tools"
        rows={data.tools}
        columns={query === '' ? LIST : [...LIST, SCORE]}
        idOf={idOf}
        open={open}
        title={(tool) => tool?.name ?? 'Tool'}
        none={
          <Empty title={query === '' ? 'No server lists a tool' : 'No tool fits these words'}>
            <p>
              {query === '' ? (
                <a href="#/servers">See the state of the servers.</a>
              ) : (
                'Scores come from names, descriptions and parameters. Try other words.'
              )}
            </p>
          </Empty>
        }
      >
        {(tool) =>
          tool ? (
            <Opened tool={tool} query={query} change={isAdmin ? change : undefined} />
          ) : (
            <p class="quiet">This tool is not in the list. Other words may find it.</p>
          )
        }
      </List>
    </>
  )
}

const idOf = ({ server, original }: Tool) => `${server}/${original}`

const LIST: readonly ListColumn<Tool>[] = [
  {
    name: 'Tool',
    kind: 'grow',
    of: (tool) => (
      <>
        <span class={tool.enabled ? 'name' : 'name off'}>{tool.name}</span> <Marks tool={tool} />
        <span class="quiet">{tool.description.split('\n')[0]}</span>
      </>
    ),
  },
  { name: 'Server', kind: 'who', of: ({ server }) => server },
  { name: 'Calls', kind: 'time', of: ({ calls }) => count(calls) },
  { name: 'Definition', kind: 'number', of: ({ tokens }) => `${count(tokens)} tok` },
]
const SCORE: ListColumn<Tool> = { name: 'Score', kind: 'number', of: ({ score }) => score?.toFixed(2) ?? '' }

function Opened({
  tool,
  query,
  change,
}: {
  tool: Tool
  query: string
  change: ((tool: Tool) => void) | undefined
}) {
  return (
    <>
      <p class="text">{tool.description || 'This tool has no description.'}</p>
      <Code label="Signature" text={tool.signature} />
      <p class="quiet">
        Server {tool.server}, there called {tool.original}. {plural(tool.calls, 'call')} in this run
        {tool.meanTokens !== undefined && `, ${count(tool.meanTokens)} tokens each as the server sent them`}.
      </p>
      {tool.score !== undefined && (
        <p class="quiet">
          {`Score ${tool.score.toFixed(2)} for “${query}”: 1 fits best. ${
            tool.fits.length === 0
              ? 'No word of the question stands in the definition. It has words that are spelt alike, or that mean something near.'
              : `Of the question, these words stand in ${tool.fits
                  .map(({ field, words }) => `the ${field}: ${words.join(', ')}`)
                  .join(
                    '; in ',
                  )}. A word in the name counts most, rare words count more, and words that mean something near count, too.`
          }`}
        </p>
      )}
      {change && <Button onClick={() => change(tool)}>{tool.enabled ? 'Switch off' : 'Switch on'}</Button>}
      <h3>What its results looked like</h3>
      {tool.outputTypes.length === 0 ? (
        <p class="quiet">No large result of this tool was seen yet.</p>
      ) : (
        <Code label="Output types" text={tool.outputTypes.join('\n')} />
      )}
      <h3>Limits</h3>
      <p class="quiet">
        {Object.entries(tool.limits)
          .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(' · ')}
      </p>
      {Object.keys(tool.annotations ?? {}).length > 0 && (
        <>
          <h3>Annotations</h3>
          <p class="quiet">
            {Object.entries(tool.annotations ?? {})
              .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
              .join(' · ')}
          </p>
        </>
      )}
      <h3>Input schema</h3>
      <Code label="Input schema" text={pretty(tool.inputSchema ?? {})} />
      {tool.outputSchema !== undefined && (
        <>
          <h3>Output schema of the server</h3>
          <Code label="Output schema of the server" text={pretty(tool.outputSchema)} />
        </>
      )}
    </>
  )
}

const MARKS = { readOnlyHint: 'reads', destructiveHint: 'destroys', openWorldHint: 'open world' } as const

function Marks({ tool: { annotations = {}, enabled } }: { tool: Tool }) {
  const said = Object.entries(MARKS).filter(([hint]) => annotations[hint] === true)
  return (
    <>
      {said.map(([hint, word]) => (
        <span key={hint} class="tag">
          {word}
        </span>
      ))}
      {!enabled && <span class="tag bad">off</span>}
    </>
  )
}
