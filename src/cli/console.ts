/** Opens the console: that of a proxy which runs, or of one that is started for it. */
import { notedConsoles } from '../data/consoles.ts'
import { dataDirectory } from '../data/directory.ts'
import { keptToken } from '../data/tokens.ts'
import { openBrowser } from '../services/browser.ts'
import type { Host, Invocation } from './host.ts'
import { settle } from './settle.ts'

/** How the console is opened. */
export interface Opening {
  /** Print the address alone. */
  readonly print: boolean
  /** With the token that may only read. */
  readonly readOnly: boolean
}

/**
 * Prints where the console of the proxy is that was started last, with its token, and shows it in a browser. Where none runs, one is
 * started, which serves until it is stopped.
 */
export async function openConsole(host: Host, invocation: Invocation, opening: Opening): Promise<number> {
  const { config } = await settle(host, invocation, { serversOptional: true })
  const directory = dataDirectory(config, host.cwd, host.home)
  const consoles = notedConsoles(directory)
  const [running] =
    invocation.config === undefined ? consoles : consoles.filter(({ file }) => file === config.file)
  if (running !== undefined) {
    show(host, running.url, directory, opening)
    return 0
  }
  host.stderr.write('No proxy serves its console now, so one is started; Ctrl-C ends it.\n')
  const { run } = await import('./run.ts')
  return run(
    host,
    {
      ...invocation,
      flags: { transport: 'streamable-http', port: '0', ...invocation.flags, console: 'true' },
    },
    (url) => show(host, url, directory, opening),
  )
}

function show(host: Host, url: string, directory: string, { print, readOnly }: Opening): void {
  const file = readOnly ? 'console-read-token' : 'console-token'
  const { token } = keptToken(directory, file, { of: 'the console' })
  // Behind the sign for a place in a page: no request, log or page that is visited next has it.
  const address = `${url}#token=${token}`
  host.stdout.write(`${address}\n`)
  if (print) return
  openBrowser(address, {
    environment: host.env,
    platform: host.platform,
    failed: () => host.stderr.write('No browser could be started: open the address yourself.\n'),
  })
}
