/** What people see and do of the gateways that `connect` starts: list them, their servers and their logs, and end them. */
import { setTimeout as wait } from 'node:timers/promises'
import { findFile } from '../config/find.ts'
import { type RunningGateway, runningGateways } from '../data/gateways.ts'
import { isGone } from '../data/process-notes.ts'
import type { Host, Invocation } from './program.ts'

/** Milliseconds in which a gateway ends: its results go to disk meanwhile. */
const END_MS = 15_000

/** Those of the configuration file that is meant; without `--config`, all of this user. */
export function gatewaysOf(host: Host, { config }: Invocation): RunningGateway[] {
  const running = runningGateways(host)
  if (config === undefined) return running
  const file = findFile({ path: config, ...host })
  return running.filter((one) => one.config === file)
}

/** Exit code 1 when one of them does not end. */
export async function stop(host: Host, invocation: Invocation): Promise<number> {
  const running = gatewaysOf(host, invocation)
  if (running.length === 0) host.stdout.write('No gateway runs in the background.\n')
  const ended = await Promise.all(running.map(end))
  for (const [
    at,
    {
      process: { pid },
      config,
    },
  ] of running.entries())
    host.stdout.write(`${ended[at] ? 'Ended' : 'Does not end'}: process ${pid}, ${config}\n`)
  return ended.every(Boolean) ? 0 : 1
}

async function end({ process: note }: RunningGateway): Promise<boolean> {
  process.kill(note.pid, 'SIGTERM')
  for (const until = Date.now() + END_MS; Date.now() < until; await wait(50)) if (isGone(note)) return true
  return false
}
