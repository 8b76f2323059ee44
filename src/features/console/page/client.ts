/** How the page speaks to the proxy: requests with the token, the stream of events, and what is read kept up to date. */
import { useEffect, useState } from 'preact/hooks'
import type { Call, Event, Status } from '../api.ts'

/** The props of a page. */
export interface PageProps {
  status: Status
  /** The words behind its name in the address. */
  place: readonly string[]
}

const API = '/admin/api'
const KEY = 'mcp-rlm-proxy-token'

/** The token came behind the sign for a place in the address, where no server sees it. It is taken away from there at once. */
export function takeToken(): string | undefined {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (given !== undefined) {
    sessionStorage.setItem(KEY, given)
    history.replaceState(null, '', `${location.pathname}#/`)
  }
  return sessionStorage.getItem(KEY) ?? undefined
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY)
}

/** Why the proxy refused something. */
export class Refusal extends Error {
  readonly status: number
  readonly remedy: string

  constructor(status: number, message: string, remedy = '') {
    super(message)
    this.status = status
    this.remedy = remedy
  }
}

async function send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
  let response: Response
  try {
    response = await fetch(API + path, {
      method,
      headers: {
        authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refusal(
      0,
      'The proxy does not answer.',
      'Check that it runs. Open the console again with: mcp-rlm-proxy console',
    )
  }
  if (response.ok) return response
  const said = (await response.json().catch(() => ({}))) as { error?: string; remedy?: string }
  throw new Refusal(response.status, said.error ?? `Status ${response.status}`, said.remedy)
}

export async function ask<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  return (await send(method, path, body)).json() as Promise<T>
}

/** Saves a file of the proxy. */
export async function download(path: string): Promise<void> {
  const response = await send('GET', path)
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'export'
  saveAs(name, await response.blob())
}

export function saveAs(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

// Events.

type Heard = (event: Event | 'connected' | 'lost') => void
const listeners = new Set<Heard>()
let live = false
/** Whether events come now. */
export const isLive = (): boolean => live
const tell: Heard = (event) => {
  live = event !== 'lost'
  for (const heard of listeners) heard(event)
}

export function useEvents(heard: Heard): void {
  useEffect(() => {
    listeners.add(heard)
    return () => void listeners.delete(heard)
  })
}

/** Reads the stream for as long as the page is there, and begins again when it ends. */
export async function follow(): Promise<never> {
  for (;;) {
    try {
      const response = await send('GET', '/events')
      tell('connected')
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        text += part.value
        const events = text.split('\n\n')
        text = events.pop() ?? ''
        for (const event of events) if (event.startsWith('data: ')) tell(JSON.parse(event.slice(6)) as Event)
      }
    } catch {
      // Told by what follows.
    }
    tell('lost')
    await new Promise((again) => setTimeout(again, 2_000))
  }
}

// Reading of routes.

export interface Read<T> {
  data: T | undefined
  error: Refusal | undefined
  again(): void
}

/** Reads a route, and again when one of these lists changed. The last answer stays until the next has come. */
export function useRead<T>(path: string, changes: readonly string[] = []): Read<T> {
  const [state, setState] = useState<{ path: string; data?: T; error?: Refusal }>({ path })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let left = false
    ask<T>('GET', path).then(
      (data) => !left && setState({ path, data }),
      (error: Refusal) => !left && setState((before) => ({ ...before, path, error })),
    )
    return () => {
      left = true
    }
  }, [path, turn])
  const again = () => setTurn((now) => now + 1)
  useEvents((event) => {
    if (event === 'connected' && (state.error || state.data)) again()
    else if (
      typeof event === 'object' &&
      'changed' in event &&
      event.changed.some((one) => changes.includes(one))
    )
      again()
  })
  return { data: state.data, error: state.error, again }
}

/** The calls that the page knows, the newest last. They outlive the pages, so that none is missed. */
const known: { calls: Call[]; loaded: boolean; loading: boolean; error: Refusal | undefined } = {
  calls: [],
  loaded: false,
  loading: false,
  error: undefined,
}
const MOST = 10_000
const watchers = new Set<() => void>()

async function load(): Promise<void> {
  if (known.loading) return
  known.loading = true
  try {
    const after = known.calls.at(-1)?.id ?? 0
    add((await ask<{ calls: Call[] }>('GET', `/calls?after=${after}&limit=${MOST}`)).calls)
    known.loaded = true
    known.error = undefined
  } catch (error) {
    known.error = error as Refusal
  } finally {
    known.loading = false
    for (const changed of watchers) changed()
  }
}

function add(calls: Call[]): void {
  const last = known.calls.at(-1)?.id ?? 0
  known.calls = [...known.calls, ...calls.filter(({ id }) => id > last)].slice(-MOST)
}

listeners.add((event) => {
  if (event === 'connected') void load()
  if (typeof event !== 'object' || !('calls' in event) || !known.loaded) return
  const last = known.calls.at(-1)?.id ?? 0
  // Calls that are missing between the two are fetched.
  if ((event.calls[0]?.id ?? 0) > last + 1) return void load()
  add(event.calls)
  for (const changed of watchers) changed()
})

export function useCalls(): Readonly<typeof known> {
  const [, setTurn] = useState(0)
  useEffect(() => {
    const changed = () => setTurn((now) => now + 1)
    watchers.add(changed)
    if (!known.loaded) void load()
    return () => void watchers.delete(changed)
  }, [])
  return known
}

// Where the page is.

/** The words behind `#/`: `['results', 'abc']`. */
export function usePlace(): string[] {
  const read = () => location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent)
  const [place, setPlace] = useState(read)
  useEffect(() => {
    const changed = () => setPlace(read())
    addEventListener('hashchange', changed)
    return () => removeEventListener('hashchange', changed)
  }, [])
  return place
}

export function go(...words: (string | number)[]): void {
  location.hash = `/${words.map((word) => encodeURIComponent(word)).join('/')}`
}
