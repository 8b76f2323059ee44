/** Shows a person an address. No shell is involved: the address is an argument of a program. */
import { type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

/** The part of a child process that is used here. */
interface Started {
  on(event: 'error', listener: (error: Error) => void): unknown
  unref(): void
}

interface BrowserOptions {
  environment: Readonly<Record<string, string | undefined>>
  /** As `process.platform` tells it. */
  platform: string
  start?: (program: string, args: readonly string[], options: SpawnOptions) => Started
  /** The program could not be started. */
  failed(error: Error): void
}

/** Opens the address where a person is likely to see it. False: nothing was tried. */
export function openBrowser(url: string, options: BrowserOptions): boolean {
  const { environment, platform, start = spawn, failed } = options
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return false
  const command = browserCommand(environment, platform)
  if (command === undefined) return false
  const [program, ...args] = command
  // A browser that is started for the person outlives the proxy, and must not write to its output, which is a protocol's.
  const child = start(program, [...args, url], { stdio: 'ignore', detached: true, shell: false })
  child.on('error', failed)
  child.unref()
  return true
}

/** `BROWSER` when it is set; else what opens addresses on this system, where somebody sits in front of it. */
function browserCommand(
  environment: Readonly<Record<string, string | undefined>>,
  platform: string,
): [string, ...string[]] | undefined {
  const chosen = environment.BROWSER?.trim() ?? ''
  if (chosen !== '') {
    const [program = chosen, ...args] = existsSync(chosen) ? [chosen] : chosen.split(/\s+/)
    return program === 'none' ? undefined : [program, ...args]
  }
  const { SSH_CONNECTION: ssh, CI: ci, DISPLAY: x, WAYLAND_DISPLAY: wayland } = environment
  if (ssh || ci) return undefined
  if (platform === 'darwin') return ['open']
  // `start` is a word of the shell; this does the same with an address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return x || wayland ? ['xdg-open'] : undefined
}
