import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Completed, completion } from '../../../src/cli/completion.ts'
import { temporaryFolder } from '../../support/upstream.ts'

const COMMANDS: readonly Completed[] = [
  { name: 'status', what: "show what's there" },
  { name: 'stats', what: 'show \\ savings' },
  {
    name: 'token',
    what: 'tokens',
    commands: [
      { name: 'add', what: 'add one', options: [['--expires <days>', 'how long']] },
      { name: 'list', what: 'list all', options: [['-j, --json', 'as JSON']] },
    ],
  },
  { name: 'call', what: 'call a tool', options: [['--whole', 'all of it']] },
]
const FLAGS = ['--config', '--port']

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')

/** How each shell is asked for what may follow these words, the last of which is begun. */
const SHELLS: Readonly<Record<string, (words: readonly string[]) => string>> = {
  bash: (words) =>
    `COMP_WORDS=(mcp-rlm-proxy ${quoted(words)}); COMP_CWORD=${words.length}; _mcp_rlm_proxy; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The steps of bashcompinit of zsh at a Tab.
  zsh: (words) =>
    `words=(mcp-rlm-proxy ${quoted(words)}); CURRENT=${words.length + 1}; COMP_WORDS=("\${words[@]}"); COMP_CWORD=${words.length}; compgen -F _mcp_rlm_proxy -- '${words.at(-1)}'`,
  fish: (words) => `complete -C 'mcp-rlm-proxy ${words.join(' ')}'`,
}
const BEFORE: Readonly<Record<string, string>> = { zsh: 'autoload -U +X compinit && compinit -D -u\n' }

describe.each(Object.keys(SHELLS))('%s', (shell) => {
  const isThere = spawnSync(shell, ['-c', 'exit 0']).status === 0
  if (!isThere)
    process.stderr.write(`SKIPPED: completion of ${shell}. Install it: apt-get install ${shell}\n`)

  test.skipIf(!isThere).each<[words: string[], offered: string[]]>([
    [['sta'], ['stats', 'status']],
    [['token', 'l'], ['list']],
    [['token', '--e'], ['--expires']],
    [['call', 'files_read', '--w'], ['--whole']],
    [['--p'], ['--port']],
  ])('after %j', (words, offered) => {
    const script = completion(shell, COMMANDS, FLAGS)
    const text = `${BEFORE[shell] ?? ''}${script}\n${SHELLS[shell]?.(words)}`
    // Files of the folder are offered, too.
    const cwd = temporaryFolder()
    const env = { ...process.env, HOME: cwd }
    const { stdout, stderr } = spawnSync(shell, ['-c', text], { cwd, env, encoding: 'utf8' })
    const found = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]]))
    // Zsh takes what begins as the word does out of what it is given.
    const fitting = found.filter((one) => shell !== 'zsh' || one?.startsWith(words.at(-1) ?? ''))
    expect([fitting.toSorted(), stderr]).toEqual([offered, ''])
  })
})

test('a shell without a script is refused', () => {
  for (const shell of ['tcsh', '__proto__', ''])
    expect(() => completion(shell, COMMANDS, FLAGS)).toThrow(`There is no completion for "${shell}"`)
})
