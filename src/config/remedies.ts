/** The next step for a server that does not work. */
import type { ServerConfig } from './servers.ts'

/** A server that starts may miss a file or a package as well: then its command was found. */
const NO_COMMAND = /the command `.*` was not found|spawn .* ENOENT|exited with code 127/

/** `message`: what went wrong, as the server or the transport says it. */
export function remedyFor(server: ServerConfig, message: string): string {
  if (/needs you to sign in/.test(message)) return `Run: mcp-rlm-proxy login ${server.name}`
  if ('url' in server) {
    if (/\b40[13]\b|unauthori[sz]ed|forbidden/i.test(message)) return 'Check the token in "headers".'
    return 'Is the server running, and is this its address?'
  }
  if (/npm (?:error|ERR!).*\b404\b/i.test(message))
    return 'npm does not know this package: check its name in "args".'
  if ('command' in server && NO_COMMAND.test(message)) {
    return `Is ${server.command} installed and on the PATH? Write its whole path otherwise.`
  }
  if (/working directory/.test(message)) return 'Check "cwd".'
  if (/time|did not (?:answer|connect)/i.test(message)) {
    return 'Run the command by hand; a first start may download something. Raise connect.timeoutMs if it is only slow.'
  }
  return 'Run the command by hand to see what it says; check "args" and "env".'
}
