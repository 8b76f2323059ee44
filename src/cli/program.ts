/** The command line as it is declared. Every command's code is loaded when it is used, so `--version` is quick. */

import { homedir, tmpdir } from 'node:os'
import { Command, Option } from 'commander'
import { flagName, OPTION_NAMES } from '../config/aliases.ts'
import { packageVersion } from '../config/identity.ts'
import type { Config } from '../config/schema.ts'
import type { Gateway, GatewayParts } from '../gateway.ts'
import { ProxyError } from '../protocol/errors.ts'

/** What every command is told. */
export interface Invocation {
  /** `--config`. */
  config: string | undefined
  /** Settings given as flags, texts by flag name. */
  flags: Readonly<Record<string, string | undefined>>
  /** The command to wrap, with its arguments. Undefined: there is none. */
  wrapped: readonly string[] | undefined
}

/** The names that are commands. Any other first word is a program to wrap. */
export const COMMANDS: readonly string[] = [
  'run',
  'doctor',
  'status',
  'stats',
  'init',
  'import',
  'login',
  'logout',
  'token',
  'pins',
  'help',
]

/** `wrapped` is the command to wrap; `done` gets the exit code. */
export async function createProgram(
  host: Host,
  argv: readonly string[],
  wrapped: readonly string[] | undefined,
  done: (code: number) => void,
): Promise<Command> {
  const descriptions = await settingDescriptions(argv)
  const program = new Command('mcp-rlm-proxy')
    .description(
      'One connection to all your MCP servers. Large results stay outside the model: it gets a preview and asks for the part it needs.',
    )
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .option(
      '-c, --config <file>',
      'the configuration; without it $MCPPROXY_CONFIG_PATH, ./mcp.json, ./mcp_config.json',
    )
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
    })
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .addHelpText('after', HELP)
  const options = Object.entries(OPTION_NAMES).flatMap(([path, { flag }]) =>
    flag === undefined ? [] : [new Option(flag, descriptions.get(path) ?? '')],
  )
  for (const option of options) program.addOption(option)

  const invocation = (): Invocation => ({
    config: program.opts().config as string | undefined,
    flags: Object.fromEntries(
      options.map((option) => [
        flagName(option.flags),
        textOf(program.getOptionValue(option.attributeName())),
      ]),
    ),
    wrapped,
  })

  program
    .command('run', { isDefault: true })
    .description('serve (the default)')
    .action(async () => {
      const { run } = await import('./run.ts')
      done(await run(host, invocation()))
    })
  program
    .command('doctor')
    .description('check the configuration and every server, and say how to mend what is broken')
    .option('--json', 'print the findings as JSON')
    .action(async (options: { json?: boolean }) => {
      const { doctor } = await import('./doctor.ts')
      done(await doctor(host, invocation(), options.json === true))
    })
  program
    .command('status')
    .description(
      'show what stands around every call, from the client to the servers, and what else is to be had',
    )
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: boolean }) => {
      const { status } = await import('./status.ts')
      done(await status(host, invocation(), options.json === true))
    })
  program
    .command('stats')
    .description('show what past runs saved')
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: boolean }) => {
      const { stats } = await import('./stats.ts')
      done(await stats(host, invocation(), options.json === true))
    })
  program
    .command('init')
    .description('write a first mcp.json, or show what to put into a client')
    .argument('[file]', "the proxy's configuration, or the name of a client as for --client", 'mcp.json')
    .option('--client <name>', 'show the entry that starts the proxy in this client, with its settings')
    .option('--write', "add that entry to the client's file")
    .action(async (file: string, options: { client?: string; write?: boolean }) => {
      const [{ init, initClient }, { CLIENTS, clientCalled }] = await Promise.all([
        import('./init.ts'),
        import('./clients.ts'),
      ])
      const isClient = options.client === undefined && CLIENTS.some(({ id }) => id === file)
      const client = isClient ? file : options.client
      if (client === undefined && options.write === true) {
        throw new ProxyError('CONFIG_INVALID', '--write needs a client.', 'Name it with --client.')
      }
      if (client === undefined) return done(init(host, file))
      done(initClient(host, clientCalled(client), isClient ? 'mcp.json' : file, options.write === true))
    })
  program
    .command('import')
    .description('make an mcp.json of the servers a client already has')
    .argument('[client]', 'codex, cursor, vscode, …; all of them when absent')
    .option('-o, --out <file>', 'write a new file; without it the result is printed')
    .action(async (client: string | undefined, options: { out?: string }) => {
      const { importClients } = await import('./import.ts')
      done(importClients(host, client, options.out))
    })
  program
    .command('login')
    .description('sign in to a server in the browser, and keep the tokens')
    .argument('<server>', 'its name in the configuration')
    .action(async (server: string) => {
      const { login } = await import('./login.ts')
      done(await login(host, invocation(), server))
    })
  program
    .command('logout')
    .description('forget the tokens of a server')
    .argument('<server>', 'its name in the configuration')
    .action(async (server: string) => {
      const { logout } = await import('./login.ts')
      done(await logout(host, invocation(), server))
    })
  addTokenCommands(program, host, invocation, done)
  addPinCommands(program, host, invocation, done)
  for (const command of program.commands) pointToGlobalOptions(command)
  return program
}

function pointToGlobalOptions(command: Command): void {
  command.addHelpText('after', '\nGlobal options: see mcp-rlm-proxy --help')
  for (const inner of command.commands) pointToGlobalOptions(inner)
}

function addPinCommands(
  program: Command,
  host: Host,
  invocation: () => Invocation,
  done: (code: number) => void,
): void {
  const pins = program
    .command('pins')
    .description('show and approve the tools that the module pin holds back')
  pins
    .command('list', { isDefault: true })
    .description('show which tools are held back, why, and what is another than before')
    .option('--json', 'print them as JSON, with whole definitions')
    .action(async (options: { json?: boolean }) => {
      const { listPins } = await import('./pins.ts')
      done(await listPins(host, invocation(), options.json === true))
    })
  pins
    .command('approve')
    .description('accept what they say of themselves now')
    .argument('[server/tool...]', 'which; with @ and the beginning of a hash: only what pins list showed')
    .option('--all', 'all that are held back')
    .action(async (names: string[], options: { all?: boolean }) => {
      const { approvePins } = await import('./pins.ts')
      done(await approvePins(host, invocation(), names, options.all === true))
    })
}

function addTokenCommands(
  program: Command,
  host: Host,
  invocation: () => Invocation,
  done: (code: number) => void,
): void {
  const token = program
    .command('token')
    .description('make, list and remove the tokens with which clients connect over HTTP')
  token
    .command('add')
    .description(
      'make a token and print it; only its hash is kept. With --profile it opens that profile alone',
    )
    .argument('<name>', 'whose it is')
    .option('--expires <when>', '12h, 90d, 8w, 1y or a date; without it the token does not expire')
    .action(async (name: string, options: { expires?: string }) => {
      const { addToken } = await import('./token.ts')
      done(await addToken(host, invocation(), name, options.expires))
    })
  token
    .command('list')
    .description('show whose tokens there are')
    .option('--json', 'print them as JSON')
    .action(async (options: { json?: boolean }) => {
      const { listTokens } = await import('./token.ts')
      done(await listTokens(host, invocation(), options.json === true))
    })
  token
    .command('remove')
    .description('end a token')
    .argument('<name|id>', 'which')
    .action(async (which: string) => {
      const { removeToken } = await import('./token.ts')
      done(await removeToken(host, invocation(), which))
    })
}

/** A flag without a value is `true` when it is there. */
function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** The schema is loaded only when help is wanted: it is what takes time. */
async function settingDescriptions(argv: readonly string[]): Promise<Map<string, string>> {
  if (!argv.some((word) => ['-h', '--help', 'help'].includes(word))) return new Map()
  const { settingRows } = await import('../config/options.ts')
  return new Map(
    settingRows().map((row) => [
      row.path,
      row.default === undefined ? row.description : `${row.description} (default: ${String(row.default)})`,
    ]),
  )
}

const HELP = `
The configuration is the mcp.json you know from Claude Desktop, Cursor or VS Code; such a file works unchanged.
The command line wins over the environment (MCPPROXY_PORT, …), that over the file, that over the defaults.

Examples:
  mcp-rlm-proxy init                              write a first mcp.json
  mcp-rlm-proxy import claude-desktop -o mcp.json take over the servers of a client
  mcp-rlm-proxy init --client codex               show what to put into a client in their place
  mcp-rlm-proxy doctor                            does every server work?
  mcp-rlm-proxy status                            what is done to a call, and in which order?
  mcp-rlm-proxy                                   serve one local client over standard input and output
  mcp-rlm-proxy --transport streamable-http       serve many clients at http://127.0.0.1:8000/mcp
  mcp-rlm-proxy --profile notes                   serve a chosen part of the servers; over HTTP it is at …/mcp/notes
  mcp-rlm-proxy -- npx -y @modelcontextprotocol/server-filesystem .
                                                  wrap a single server, without a file

In your client, put the proxy in place of the servers:
  { "mcpServers": { "proxy": { "command": "npx", "args": ["-y", "mcp-rlm-proxy", "--config", "/path/to/mcp.json"] } } }`

// The world a command runs in, handed in so that tests can build their own.

export interface Host {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  home: string
  /** Directory for temporary files. */
  temporary: string
  /** As `process.platform` tells it: where clients keep their files depends on it. */
  platform: string
  /** Whether somebody sits at standard input. */
  terminal?: boolean
  stdout: { write(text: string): unknown }
  /** `isTTY`: somebody looks at it. */
  stderr: { write(text: string): unknown; readonly isTTY?: boolean }
  /** Milliseconds, for latencies. */
  now: () => number
  /** Events of the process: signals and what nobody caught. */
  events: ProcessEvents
  exit(code: number): void
  createGateway(config: Config, parts: GatewayParts): Promise<Gateway>
}

export interface ProcessEvents {
  on(event: string, listener: (reason: unknown) => void): unknown
  off(event: string, listener: (reason: unknown) => void): unknown
}

/** Whoever reads the output may have read enough (`… | head`): that is no failure, and no stack trace. */
function writeOut(text: string): boolean {
  if (!watched) {
    watched = true
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      process.exit()
    })
  }
  return process.stdout.write(text)
}
let watched = false

/** The real one. The gateway is loaded when a command first needs it. */
export function processHost(): Host {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    temporary: tmpdir(),
    platform: process.platform,
    terminal: process.stdin.isTTY === true,
    stdout: { write: writeOut },
    stderr: process.stderr,
    now: () => performance.now(),
    events: process,
    exit: (code) => process.exit(code),
    createGateway: async (config, parts) => (await import('../gateway.ts')).createGateway(config, parts),
  }
}
