/** Scripts that complete words of the command line in a shell. */
import { ProxyError } from '../protocol/errors.ts'

/** A command as it is completed. */
export interface Completed {
  readonly name: string
  readonly what: string
  readonly options?: readonly (readonly [flags: string, what: string])[]
  readonly commands?: readonly Completed[]
}

const PROGRAM = 'mcp-rlm-proxy'

/** The script of each shell that has one. */
const SHELLS: Readonly<Record<string, (commands: readonly Completed[], flags: readonly string[]) => string>> =
  {
    bash,
    // Zsh runs the scripts of bash once it is told to.
    zsh: (commands, flags) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands, flags)}`,
    fish,
  }

/** `flags`: the options before any command. Throws a ProxyError for a shell that is not known. */
export function completion(shell: string, commands: readonly Completed[], flags: readonly string[]): string {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (script === undefined)
    throw new ProxyError(
      'CONFIG_INVALID',
      `There is no completion for "${shell}".`,
      `Write one of: ${Object.keys(SHELLS).join(', ')}.`,
    )
  return script(commands, flags)
}

function bash(commands: readonly Completed[], flags: readonly string[]): string {
  const cases = commands.flatMap((command) => {
    const words = wordsOf(command)
    return words.length === 0 ? [] : [`    ${command.name}) words='${words.join(' ')}' ;;`]
  })
  return `_mcp_rlm_proxy() {
  local words='${[...commands.map(({ name }) => name), ...flags].join(' ')}' word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$word" in
${cases.map((line) => line.replace(/^ {4}/, '      ')).join('\n')}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mcp_rlm_proxy ${PROGRAM}
`
}

function fish(commands: readonly Completed[], flags: readonly string[]): string {
  const of = (command: string): string => `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${command}'`
  return [
    ...flags.map((flag) => `complete -c ${PROGRAM} -n __fish_use_subcommand -l ${flag.replace(/^--/, '')}`),
    ...commands.flatMap((command) => [
      `complete -c ${PROGRAM} -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.what)}`,
      ...(command.commands ?? []).map(
        (inner) => `${of(command.name)} -a ${inner.name} -d ${quoted(inner.what)}`,
      ),
      ...longOf(command).map(
        ([flag, what]) => `${of(command.name)} -l ${flag.replace(/^--/, '')} -d ${quoted(what)}`,
      ),
    ]),
    '',
  ].join('\n')
}

/** The words that may follow a command: the commands in it, and its options. */
function wordsOf(command: Completed): string[] {
  return [...(command.commands ?? []).map(({ name }) => name), ...longOf(command).map(([flag]) => flag)]
}

/** The long forms of the options of a command and of those in it. */
function longOf({ options = [], commands = [] }: Completed): [flag: string, what: string][] {
  const all = [...options, ...commands.flatMap((inner) => inner.options ?? [])]
  const byFlag = new Map(all.map(([flags, what]) => [/--[a-z-]+/.exec(flags)?.[0] ?? '', what]))
  return [...byFlag].filter(([flag]) => flag !== '')
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
