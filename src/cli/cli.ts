/** From arguments to an exit code: 0 all well, 1 something failed, 2 the configuration or the command line is wrong. */
import { CommanderError } from 'commander'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { COMMANDS, createProgram, type Host } from './program.ts'
import { splitWrapped } from './settle.ts'

const EXIT = { ok: 0, failed: 1, configuration: 2 } as const

/** Runs one command. Errors go to standard error, as text for the person at the terminal. */
export async function runCli(host: Host, argv: readonly string[]): Promise<number> {
  let code: number = EXIT.ok
  try {
    const { own, wrapped } = await splitWrapped(host, argv, COMMANDS)
    const program = await createProgram(host, own, wrapped, (result) => {
      code = result
    })
    await program.parseAsync(own, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.configuration
    host.stderr.write(`${error instanceof ProxyError ? error.text : messageOf(error)}\n`)
    return error instanceof ProxyError && error.code.startsWith('CONFIG_') ? EXIT.configuration : EXIT.failed
  }
}
