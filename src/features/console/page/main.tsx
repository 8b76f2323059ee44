/** The frame of the console: where to go, whether the proxy answers, and the page that was chosen. */
import { type ComponentType, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Status } from '../api.ts'
import { CallsPage } from './calls.tsx'
import {
  follow,
  forgetToken,
  isLive,
  type PageProps,
  takeToken,
  useEvents,
  usePlace,
  useRead,
} from './client.ts'
import { ConfigurationPage, ConnectPage } from './configuration.tsx'
import { Button, bytes, Empty, Loading, plural } from './parts.tsx'
import { ResultsPage } from './results.tsx'
import { SavingsPage } from './savings.tsx'
import { ModulesPage, ServersPage } from './servers.tsx'
import { ToolsPage } from './tools.tsx'

const PAGES: readonly { id: string; title: string; page: ComponentType<PageProps> }[] = [
  { id: 'savings', title: 'Savings', page: SavingsPage },
  { id: 'calls', title: 'Calls', page: CallsPage },
  { id: 'results', title: 'Results', page: ResultsPage },
  { id: 'servers', title: 'Servers', page: ServersPage },
  { id: 'tools', title: 'Tools', page: ToolsPage },
  { id: 'modules', title: 'Modules & clients', page: ModulesPage },
  { id: 'configuration', title: 'Configuration', page: ConfigurationPage },
  { id: 'connect', title: 'Connect', page: ConnectPage },
]

const THEMES = ['system', 'light', 'dark'] as const

function App() {
  const [id, ...place] = usePlace()
  const status = useRead<Status>('/status', ['results', 'servers'])
  const [live, setLive] = useState(false)
  const [theme, setTheme] = useState(() => localStorage.getItem('theme') ?? 'system')
  useEvents((event) => setLive(event !== 'lost'))
  useEffect(() => setLive(isLive()), [])
  useEffect(() => {
    document.documentElement.dataset.theme = theme
    localStorage.setItem('theme', theme)
  }, [theme])
  const chosen = PAGES.find((page) => page.id === id) ?? PAGES[0]
  useEffect(() => {
    document.title = `${chosen?.title} – mcp-rlm-proxy`
    // On a narrow screen the pages stand in one line, which scrolls.
    document.querySelector('nav a[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [chosen])
  // Keys 1 to 8 open the pages, unless something is written.
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isWriting = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return
      const page = PAGES[Number(event.key) - 1]
      if (page) location.hash = `/${page.id}`
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  if (status.error?.status === 401) return <NoToken />
  const Page = chosen?.page
  const next = THEMES[(THEMES.indexOf(theme as 'system') + 1) % THEMES.length] ?? 'system'
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the page
      </button>
      <div class="side">
        <p class="brand">
          mcp-rlm-proxy <span class="quiet">{status.data?.version}</span>
        </p>
        <nav aria-label="Pages">
          {PAGES.map((page, nth) => (
            <a
              key={page.id}
              href={`#/${page.id}`}
              aria-current={page === chosen ? 'page' : undefined}
              title={`Key ${nth + 1}`}
            >
              {page.title}
            </a>
          ))}
        </nav>
        <div class="foot">
          <p class={live ? 'live' : 'live lost'} role="status">
            {live ? 'Live' : 'Not connected'}
          </p>
          {status.data && (
            <div class="quiet">
              <p>{plural(status.data.kept.entries, 'result')} in memory</p>
              <p>{bytes(status.data.residentBytes)} in use</p>
              {status.data.scope === 'read' && <p>Read-only</p>}
            </div>
          )}
          <Button kind="plain" onClick={() => setTheme(next)}>{`Theme: ${theme}`}</Button>
        </div>
      </div>
      <main id="main" tabIndex={-1}>
        {Page && status.data ? <Page status={status.data} place={place} /> : <Loading error={status.error} />}
      </main>
    </>
  )
}

function NoToken() {
  forgetToken()
  return (
    <main id="main">
      <Empty title="The console needs its token">
        <p>
          Open it with <code>mcp-rlm-proxy console</code>, which adds the token to the address. The token is
          in the file <code>console-token</code> of the data directory. The file{' '}
          <code>console-read-token</code> has a token that may only read.
        </p>
      </Empty>
    </main>
  )
}

const app = document.getElementById('app')
if (app) {
  takeToken()
  render(<App />, app)
  void follow()
}
