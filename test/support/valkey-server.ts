/** A real Valkey or Redis, started on loopback with a directory of its own. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { ownPort } from './own-port.ts'

/** The command of this machine. Undefined: none is installed. */
const SERVER = ['valkey-server', 'redis-server'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

if (SERVER === undefined)
  process.stderr.write(
    '\nSKIPPED: tests of the shared store need a server. Install one: apt-get install -y redis-server (or valkey-server)\n\n',
  )

/** `describe` where there is a server, else skipped. */
export const describeWithValkey = describe.skipIf(SERVER === undefined)

export interface ValkeyServer {
  readonly port: number
  /** Without credentials. */
  readonly url: string
  readonly child: ChildProcess
  /** One command by a connection of its own, as in a shell; the first line of the answer. */
  tell(...words: string[]): Promise<string>
  /** Starts it again at the same port, after it ended. */
  restart(): Promise<void>
  kill(): Promise<void>
  /** Ends it and removes its directory. */
  stop(): Promise<void>
}

/** `settings` as on the command line: `['--maxmemory', '10mb']`. */
export async function startValkey(settings: readonly string[] = []): Promise<ValkeyServer> {
  if (SERVER === undefined) throw new Error('no server is installed')
  const command = SERVER
  const directory = mkdtempSync(join(tmpdir(), 'valkey-'))
  const port = await ownPort()
  let child = start()

  function start(): ChildProcess {
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '']
    return spawn(command, [...own, '--loglevel', 'warning', ...settings], { stdio: 'ignore' })
  }

  async function answers(): Promise<void> {
    while (!/PONG|NOAUTH|NOPERM/.test(await tell('PING').catch(() => ''))) {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`)
      await sleep(20)
    }
  }

  function tell(...words: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.once('error', reject)
      socket.once('data', (data) => {
        resolve(String(data).split('\r\n')[0] ?? '')
        socket.destroy()
      })
      const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
      socket.write(`*${words.length}\r\n${parts.join('')}`)
    })
  }

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  await answers()
  return {
    port,
    url: `valkey://127.0.0.1:${port}`,
    get child() {
      return child
    },
    tell,
    async restart() {
      await kill()
      child = start()
      await answers()
    },
    kill,
    async stop() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
