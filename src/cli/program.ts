/** The command line as it is declared. Every command's code is loaded when it is used, so `--version` is quick. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { flagName, OPTION_NAMES } from '../config/aliases.ts'
import { packageVersion } from '../config/identity.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import type { Printing } from './ask.ts'
import type { Host, Invocation } from './host.ts'

/** A command as the command line declares it. */
interface CliCommand {
  readonly name: string
  /** Its work, as help and the documentation say it. */
  readonly what: string
  /** As commander declares them, with what they are and the default. */
  readonly arguments?: readonly (readonly [name: string, what: string, fallback?: string])[]
  readonly options?: readonly (readonly [flags: string, what: string])[]
  /** It runs when no command is written. */
  readonly isDefault?: boolean
  /** Runs it and gives the exit code. Its code is loaded here. A command with `commands` has none of its own. */
  readonly run?: (call: Call) => number | Promise<number>
  readonly commands?: readonly CliCommand[]
}

/** The arguments of a command. */
interface Call {
  readonly host: Host
  readonly invocation: Invocation
  /** The words for its arguments, or their defaults. */
  readonly words: readonly string[]
  /** Its options by name: texts, and true for those without a value. */
  readonly options: Readonly<Record<string, unknown>>
}

const SERVER = [['<server>', 'its name in the configuration']] as const

const JSON_REPLY = [['--json', 'print the result as JSON']] as const

/** The questions about a kept result: the command, its work, and its words. */
const KEPT_QUESTIONS = [
  [
    'filter',
    'ask about the records of a kept result: conditions, fields, sorting, grouping, counting',
    'where',
  ],
  ['search', 'search a kept result', 'pattern'],
  ['explore', 'show the structure of a kept result', 'path'],
] as const

/** The marks that a person can give a kept result. */
const MARKS = [
  ['pin', 'keep a result until you unpin it, however old it gets', () => ({ pinned: true }), []],
  ['unpin', 'let a pinned result expire again', () => ({ pinned: false }), []],
  [
    'rename',
    'give a kept result a name for lists; without a name, remove the name',
    (name: string) => ({ label: name === '' ? undefined : name }),
    [['[name...]', 'its name']],
  ],
] as const

function printingOf(options: Call['options']): Printing {
  return { json: options.json === true, whole: options.whole === true }
}

/** The commands, in the order of help and of the documentation. A command is added here and in the file that it loads. */
const CLI_COMMANDS: readonly CliCommand[] = [
  {
    name: 'run',
    what: 'serve (the default)',
    isDefault: true,
    run: async ({ host, invocation }) => (await import('./run.ts')).run(host, invocation),
  },
  {
    name: 'connect',
    what: 'serve one client over standard input and output, through a gateway in the background; start the gateway if none runs',
    options: [['--as <name>', 'the owner of the kept results: a later run with this name finds them again']],
    run: async ({ host, invocation, options }) =>
      (await import('./connect.ts')).connect(host, invocation, textIn(options.as)),
  },
  {
    name: 'stop',
    what: 'end the gateways that run in the background',
    run: async ({ host, invocation }) => (await import('./background.ts')).stop(host, invocation),
  },
  {
    name: 'doctor',
    what: 'check the configuration and every server, and say how to fix problems',
    options: [['--json', 'print the findings as JSON']],
    run: async ({ host, invocation, options }) =>
      (await import('./doctor.ts')).doctor(host, invocation, options.json === true),
  },
  {
    name: 'status',
    what: 'list the active layers of every call in order, and the features that you could turn on',
    options: [['--json', 'print it as JSON']],
    run: async ({ host, invocation, options }) =>
      (await import('./status.ts')).status(host, invocation, options.json === true),
  },
  {
    name: 'stats',
    what: 'show what past runs saved',
    options: [['--json', 'print it as JSON']],
    run: async ({ host, invocation, options }) =>
      (await import('./status.ts')).stats(host, invocation, options.json === true),
  },
  {
    name: 'console',
    what: 'open the console in a browser; start a proxy for it if none serves a console',
    options: [
      ['--print', 'print its address, and open no browser'],
      ['--read-only', 'use a token that sees everything and changes nothing'],
    ],
    run: async ({ host, invocation, options }) =>
      (await import('./console.ts')).openConsole(host, invocation, {
        print: options.print === true,
        readOnly: options.readOnly === true,
      }),
  },
  {
    name: 'tools',
    what: 'list the tools that a client sees, or find the tools that fit some words',
    arguments: [['[words...]', 'what the tool is for; without them all tools are listed']],
    options: JSON_REPLY,
    run: async ({ host, invocation, words, options }) =>
      (await import('./ask.ts')).listTools(host, invocation, words, printingOf(options)),
  },
  {
    name: 'call',
    what: 'call a tool; a large result is kept, and its preview names the cache_id',
    arguments: [
      ['<tool>', 'its name, as `tools` lists it'],
      ['[arguments...]', 'key=value, or one JSON object'],
    ],
    options: [...JSON_REPLY, ['--whole', 'print the whole result, however large']],
    run: async ({ host, invocation, words, options }) =>
      (await import('./ask.ts')).callTool(host, invocation, words, printingOf(options)),
  },
  ...KEPT_QUESTIONS.map(
    ([name, what, asked]): CliCommand => ({
      name,
      what,
      arguments: [
        ['<cache_id>', 'the kept result; last: the newest'],
        [`[${asked}...]`, `${asked}, and key=value for the other parameters of proxy_${name}`],
      ],
      options: JSON_REPLY,
      run: async ({ host, invocation, words, options }) =>
        (await import('./ask.ts')).askKept(host, invocation, name, words, printingOf(options)),
    }),
  ),
  {
    name: 'code',
    what: 'run a JavaScript program over kept results, in the sandbox of proxy_code',
    arguments: [
      ['<cache_id>', 'the kept results that `d` stands for, with commas between; last: the newest; -: none'],
      ['[program]', 'the program; without it, the command reads standard input'],
    ],
    options: JSON_REPLY,
    run: async ({ host, invocation, words, options }) =>
      (await import('./ask.ts')).runProgram(host, invocation, words, printingOf(options)),
  },
  {
    name: 'results',
    what: 'list, pin and name kept results',
    commands: [
      {
        name: 'list',
        what: 'list kept results, the newest first',
        isDefault: true,
        options: [
          ...JSON_REPLY,
          ['--all', 'of all clients of a running proxy that serves its console, as JSON to a pipe'],
        ],
        async run({ host, invocation, options }) {
          const { askKept, listAllKept } = await import('./ask.ts')
          return options.all === true
            ? listAllKept(host, invocation, printingOf(options))
            : askKept(host, invocation, 'explore', [], printingOf(options))
        },
      },
      ...MARKS.map(
        ([name, what, mark, more]): CliCommand => ({
          name,
          what,
          arguments: [['<cache_id>', 'the kept result; last: the newest'], ...more],
          run: async ({ host, invocation, words: [id = '', ...words] }) =>
            (await import('./ask.ts')).markKept(host, invocation, id, mark(words.join(' ').trim())),
        }),
      ),
    ],
  },
  {
    name: 'servers',
    what: 'show the state of every server of the gateway in the background; start the servers if no gateway runs',
    options: [['--json', 'print it as JSON; a pipe always gets JSON']],
    run: async ({ host, invocation, options }) =>
      (await import('./background.ts')).listServers(host, invocation, options.json === true),
  },
  {
    name: 'logs',
    what: 'print the log of the gateway in the background, the file that `log.file` names, or the log of a proxy that serves its console',
    options: [
      ['-f, --follow', 'print new lines until Ctrl-C'],
      ['-n, --lines <number>', 'the number of last lines to print; 50 without it'],
    ],
    run: async ({ host, invocation, options }) =>
      (await import('./background.ts')).logs(
        host,
        invocation,
        options.follow === true,
        textIn(options.lines),
      ),
  },
  {
    name: 'init',
    what: 'write a first mcp.json, or show the entry for a client',
    arguments: [
      ['[file]', 'the configuration file to write, or the name of a client as for --client', 'mcp.json'],
    ],
    options: [
      ['--client <name>', 'show the entry that starts the proxy in this client, with its settings'],
      ['--write', "add that entry to the client's file"],
    ],
    run: async ({ host, words: [file = ''], options }) =>
      (await import('./init.ts')).init(host, file, textIn(options.client), options.write === true),
  },
  {
    name: 'import',
    what: 'make an mcp.json from the servers that your clients already have',
    arguments: [['[client]', 'codex, cursor, vscode, …; without it, all clients']],
    options: [
      ['-o, --out <file>', 'write a new file; without it, the command prints the result'],
      ['--into', 'replace the servers in the files of clients by the proxy, and keep copies of the files'],
      ['--undo', 'restore the files of clients as they were before --into'],
    ],
    run: async ({ host, words: [client], options }) =>
      (await import('./init.ts')).importClients(host, client, {
        out: textIn(options.out),
        into: options.into === true,
        undo: options.undo === true,
      }),
  },
  {
    name: 'login',
    what: 'sign in to a server in the browser, and keep the tokens',
    arguments: SERVER,
    run: async ({ host, invocation, words: [server = ''] }) =>
      (await import('./login.ts')).login(host, invocation, server),
  },
  {
    name: 'logout',
    what: 'delete the tokens of a server',
    arguments: SERVER,
    run: async ({ host, invocation, words: [server = ''] }) =>
      (await import('./login.ts')).logout(host, invocation, server),
  },
  {
    name: 'token',
    what: 'make, list and remove the tokens with which clients connect over HTTP',
    commands: [
      {
        name: 'add',
        what: 'make a token and print it once; the proxy keeps only its hash. With --profile the token opens only that profile',
        arguments: [['<name>', 'the name of its owner']],
        options: [['--expires <when>', '12h, 90d, 8w, 1y or a date; without it, the token never expires']],
        run: async ({ host, invocation, words: [name = ''], options }) =>
          (await import('./token.ts')).addToken(host, invocation, name, textIn(options.expires)),
      },
      {
        name: 'list',
        what: 'list the tokens with the names of their owners',
        options: [['--json', 'print them as JSON']],
        run: async ({ host, invocation, options }) =>
          (await import('./token.ts')).listTokens(host, invocation, options.json === true),
      },
      {
        name: 'remove',
        what: 'end a token',
        arguments: [['<name|id>', 'the name of its owner, or its id']],
        run: async ({ host, invocation, words: [which = ''] }) =>
          (await import('./token.ts')).removeToken(host, invocation, which),
      },
    ],
  },
  {
    name: 'pins',
    what: 'show and approve the tools that the module pin holds back',
    commands: [
      {
        name: 'list',
        what: 'show which tools are held back, why, and what changed',
        isDefault: true,
        options: [['--json', 'print them as JSON, with whole definitions']],
        run: async ({ host, invocation, options }) =>
          (await import('./pins.ts')).listPins(host, invocation, options.json === true),
      },
      {
        name: 'approve',
        what: 'accept the present definitions of tools',
        arguments: [
          [
            '[server/tool...]',
            'the tools; with @ and the beginning of a hash: only the definition that pins list showed',
          ],
        ],
        options: [['--all', 'approve all tools that are held back']],
        run: async ({ host, invocation, words, options }) =>
          (await import('./pins.ts')).approvePins(host, invocation, words, options.all === true),
      },
    ],
  },
  {
    name: 'completion',
    what: 'print a script that completes commands and options in your shell',
    arguments: [['<shell>', 'bash, zsh or fish']],
    run: async ({ host, words: [shell = ''] }) => {
      const { completion } = await import('./completion.ts')
      const flags = Object.values(OPTION_NAMES).flatMap(({ flag }) => flag?.match(/--[a-z-]+/) ?? [])
      host.stdout.write(completion(shell, CLI_COMMANDS, ['--config', ...flags, '--help', '--version']))
      return 0
    },
  },
]

/** The names that are commands. Any other first word is a program to wrap. */
export const COMMANDS: readonly string[] = [...CLI_COMMANDS.map(({ name }) => name), 'help']

/** Markdown: one row a command. */
export function commandsTable(): string {
  const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
  const rowsOf = (commands: readonly CliCommand[], before: string): string[] =>
    commands.flatMap(({ name, what, arguments: taken = [], options = [], isDefault, commands: inner }) => {
      const full = `${before} ${name}`
      if (inner) return rowsOf(inner, full)
      const called = [full, ...taken.map(([argument]) => argument)].join(' ')
      const choices = options.map(([flags, told]) => `${code(flags)}: ${told}`).join('<br>')
      return [`| ${isDefault ? `${code(before)}, ` : ''}${code(called)} | ${what} | ${choices} |`]
    })
  return [
    '| command | what it does | options |',
    '| --- | --- | --- |',
    ...rowsOf(CLI_COMMANDS, 'mcp-rlm-proxy'),
  ].join('\n')
}

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
      'One connection to all your MCP servers. Large results stay outside the context of the model. It reads a preview and asks for the part that it needs.',
    )
    .version(packageVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ minWidthToWrap: 30 })
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

  const declare = (parent: Command, declared: CliCommand): void => {
    const {
      name,
      what,
      arguments: taken = [],
      options: choices = [],
      isDefault,
      run,
      commands = [],
    } = declared
    const command = parent.command(name, isDefault ? { isDefault } : {}).description(what)
    for (const [argument, told, fallback] of taken) command.argument(argument, told, fallback)
    for (const [flags, told] of choices) command.option(flags, told)
    if (run)
      command.action(async () => {
        const words = command.processedArgs.flat().filter((word) => word !== undefined)
        done(await run({ host, invocation: invocation(), words, options: command.opts() }))
      })
    for (const inner of commands) declare(command, inner)
    command.addHelpText('after', '\nGlobal options: see mcp-rlm-proxy --help')
  }
  for (const command of CLI_COMMANDS) declare(program, command)
  return program
}

/** A flag without a value is `true` when it is there. */
function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

/** The value of an option that takes one. Undefined: it was not given. */
function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The schema is loaded only when help is wanted: loading it takes time. */
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
Exit codes: 0: all is well. 1: something failed; for example, a tool answered with an error.
2: the configuration or the command line is wrong.

The configuration has the form of the files of Claude Desktop, Cursor and VS Code; such a file works unchanged.
The command line wins over the environment (MCPPROXY_PORT, …), the environment over the file, and the file over the defaults.

Examples:
  mcp-rlm-proxy init                              write a first mcp.json
  mcp-rlm-proxy import claude-desktop -o mcp.json copy the servers of a client
  mcp-rlm-proxy init --client codex               show the entry of the proxy for a client
  mcp-rlm-proxy doctor                            check every server
  mcp-rlm-proxy status                            list the layers of a call in their order
  mcp-rlm-proxy                                   serve one local client over standard input and output
  mcp-rlm-proxy --transport streamable-http       serve many clients at http://127.0.0.1:8000/mcp
  mcp-rlm-proxy --profile notes                   serve only this profile; over HTTP clients use …/mcp/notes
  mcp-rlm-proxy call files_read_text_file path=big.json
                                                  call a tool, then ask about its result:
  mcp-rlm-proxy filter last "state = open" group_by=author aggregate=count
  mcp-rlm-proxy -- npx -y @modelcontextprotocol/server-filesystem .
                                                  wrap one server, without a file

In your client, write the proxy instead of the servers:
  { "mcpServers": { "proxy": { "command": "npx", "args": ["-y", "mcp-rlm-proxy", "--config", "/path/to/mcp.json"] } } }`

// From arguments to an exit code: 0 all well, 1 something failed, 2 the configuration or the command line is wrong.

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

// `mcp-rlm-proxy [--] CMD ARGS…`: where the proxy's own arguments end.

/**
 * The arguments of the proxy and the command to wrap. The command follows `--`. Some clients swallow `--`; then it begins at the first
 * word that is neither an option nor a command of the proxy. Throws a ProxyError (CONFIG_INVALID) when that word
 * is no program either, so that a mistyped command is told and not started.
 */
async function splitWrapped(
  host: Pick<Host, 'env' | 'cwd' | 'platform'>,
  argv: readonly string[],
  commands: readonly string[],
): Promise<{ own: readonly string[]; wrapped: readonly string[] | undefined }> {
  const at = firstWord(argv)
  const word = at === undefined ? undefined : argv[at]
  if (word === undefined || word === '--' || commands.includes(word)) {
    const split = argv.indexOf('--')
    if (split < 0) return { own: argv, wrapped: undefined }
    return { own: argv.slice(0, split), wrapped: argv.slice(split + 1) }
  }
  if (!isProgram(word, host)) {
    const { nearest } = await import('../config/keys.ts')
    const meant = nearest(word, commands)
    throw new ProxyError(
      'CONFIG_INVALID',
      `"${word}" is neither a command of mcp-rlm-proxy nor a program on the PATH. Commands: ${commands.join(', ')}.`,
      `${meant === undefined ? '' : `Did you mean ${meant}? `}To use a configuration file, write: mcp-rlm-proxy --config <file>`,
    )
  }
  return { own: argv.slice(0, at), wrapped: argv.slice(at) }
}

/** Options that stand before a command, and whether the next argument is their value. */
const OWN_OPTIONS: ReadonlyMap<string, boolean> = new Map([
  ...['-v', '--version', '-h', '--help'].map((option) => [option, false] as const),
  ...['-c', '--config'].map((option) => [option, true] as const),
  ...Object.values(OPTION_NAMES).flatMap(({ flag = '' }) =>
    flag === '' ? [] : [[`--${flagName(flag)}`, flag.includes('<')] as const],
  ),
])

/**
 * Where the options of the proxy end: the index of the first word, or of `--`. Undefined: there is none, or an option before it
 * is not known, so that the word may be its value.
 */
function firstWord(argv: readonly string[]): number | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--' || !word.startsWith('-')) return at
    const option = /^--[^=]+(?==)|^-c(?=.)/.exec(word)?.[0] ?? word
    const valued = OWN_OPTIONS.get(option)
    if (valued === undefined) return undefined
    if (valued && option === word) at++
  }
  return undefined
}

/** Whether the system would find a program of that name or at that path. */
function isProgram(word: string, { env, cwd, platform }: Pick<Host, 'env' | 'cwd' | 'platform'>): boolean {
  const windows = platform === 'win32'
  const folders = /[/\\]/.test(word) ? [cwd] : (env.PATH ?? '').split(delimiter)
  const endings = windows ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT;.COM').split(';')] : ['']
  return folders.some((folder) => endings.some((ending) => isExecutable(resolve(cwd, folder, word + ending))))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
