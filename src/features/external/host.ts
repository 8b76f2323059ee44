/**
 * The program in the process of a module file: answers the module protocol with the functions that the file exports. The file imports
 * nothing of the proxy: it exports `interceptors`, a list of what it offers, each with `invoke(params)`.
 */
import { pathToFileURL } from 'node:url'

interface Offered {
  name: string
  invoke(params: unknown): unknown
}

interface Incoming {
  id?: number | string
  method?: string
  params?: { name?: string; protocolVersion?: string }
}

const [, , path = ''] = process.argv

/** Standard output is for messages: what the file prints goes to standard error. */
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)

/** Loaded once; a fault of the file is reported to every caller. */
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

/** A line that has not ended yet. Split at line feeds alone: `readline` splits inside of texts as well. */
let begun: string[] = []
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const [first = '', ...others] = chunk.split('\n')
  begun.push(first)
  for (const next of others) {
    const line = begun.join('')
    begun = [next]
    if (line.trim() !== '') receive(line)
  }
})
// The proxy is gone.
process.stdin.on('end', () => process.exit(0))

function receive(line: string): void {
  const { id, method, params } = JSON.parse(line) as Incoming
  if (id === undefined || method === undefined) return
  answer(method, params).then(
    (result) => send({ id, result }),
    (error: unknown) =>
      send({ id, error: { code: -32603, message: error instanceof Error ? error.message : String(error) } }),
  )
}

function send(message: object): void {
  write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
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
