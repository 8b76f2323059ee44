/**
 * What runs in the thread of a module file: answers the module protocol with the functions that the file exports. The file imports
 * nothing of the proxy: it exports `interceptors`, a list of what it offers, each with `invoke(params)`.
 */
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'

interface Offered {
  name: string
  invoke(params: unknown): unknown
}

interface Incoming {
  id?: number | string
  method?: string
  params?: { name?: string; protocolVersion?: string }
}

const port = parentPort
if (port === null) throw new Error('a module file runs in a thread of its own')
const { path } = workerData as { path: string }

/** Loaded once; what is wrong with the file is said to whoever asks. */
const offered: Promise<readonly Offered[]> = load()
offered.catch(() => {})

async function load(): Promise<readonly Offered[]> {
  const file = (await import(pathToFileURL(path).href)) as { interceptors?: unknown; default?: unknown }
  const found =
    file.interceptors ??
    (file.default as { interceptors?: unknown } | undefined)?.interceptors ??
    file.default
  if (!Array.isArray(found)) throw new Error(`${path} exports no list \`interceptors\``)
  for (const one of found as Partial<Offered>[]) {
    if (typeof one?.name !== 'string' || typeof one.invoke !== 'function')
      throw new Error(`${path} exports an interceptor without a name or without invoke()`)
  }
  return found as Offered[]
}

port.on('message', (text: string) => {
  const { id, method, params } = JSON.parse(text) as Incoming
  if (id === undefined || method === undefined) return
  answer(method, params).then(
    (result) => send({ id, result }),
    (error: unknown) =>
      send({ id, error: { code: -32603, message: error instanceof Error ? error.message : String(error) } }),
  )
})

function send(message: object): void {
  // Text, so that what a module gives is what JSON can hold, as on any other way to a module.
  port?.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }))
}

async function answer(method: string, params: Incoming['params']): Promise<unknown> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { extensions: { 'io.modelcontextprotocol/interceptors': {} } },
        serverInfo: { name: path, version: '0' },
      }
    case 'ping':
      return {}
    case 'interceptors/list':
      return { interceptors: (await offered).map(({ invoke: _, ...descriptor }) => descriptor) }
    case 'interceptor/invoke': {
      const one = (await offered).find(({ name }) => name === params?.name)
      if (!one) throw new Error(`there is no interceptor ${params?.name}`)
      return one.invoke(params)
    }
    default:
      throw new Error(`${method} is not known`)
  }
}
