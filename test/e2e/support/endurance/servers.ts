/** The servers of endurance tests: on standard streams, and over HTTP in one process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const script = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url))

/** As an entry of `mcpServers`. `gate`: a file that says, while it is there, what goes wrong at the handshake. */
export function pipeServer(gate = ''): { command: string; args: string[] } {
  return { command: process.execPath, args: [script('stdio.mjs'), gate] }
}

/** The numbers of open things at the server. */
export interface ServerState {
  sessions: number
  streams: number
  hanging: number
  sockets: number
  calls: number
}

export interface HttpServer {
  readonly child: ChildProcess
  readonly port: number
  /** As an entry of `mcpServers`. */
  entry(path: string): { url: string; oauth: false; timeout?: number }
  state(): Promise<ServerState>
  /** Breaks the next handshakes at a path. */
  break(path: string, kind: string, count: number): Promise<void>
  kill(): Promise<void>
}

/** Starts the server for the time of a test. `port` 0: any free one. */
export async function httpServer(port = 0): Promise<HttpServer> {
  const child = spawn(process.execPath, [script('http.mjs'), String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(kill)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const url = line.toString().trim()
  return {
    child,
    port: Number(new URL(url).port),
    entry: (path) => ({ url: url + path, oauth: false }),
    state: async () => (await (await fetch(`${url}/control/state`)).json()) as ServerState,
    async break(path, kind, count) {
      const body = JSON.stringify({ path, kind, count })
      await (await fetch(`${url}/control/handshake`, { method: 'POST', body })).text()
    },
    kill,
  }
}
