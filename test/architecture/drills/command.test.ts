/** Adding a command is a file in `src/cli/` and one entry in `CLI_COMMANDS` of `src/cli/program.ts`. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { processHost } from '../../../src/cli/host.ts'
import type * as Program from '../../../src/cli/program.ts'
import { plantedCopy } from '../../support/planted.ts'

const copy = plantedCopy('command')
afterAll(() => copy.remove())
const manifest = fileURLToPath(new URL('../../../package.json', import.meta.url))
cpSync(manifest, join(copy.folder, 'package.json'))

copy.write(
  'src/cli/moon.ts',
  `import type { Host } from './host.ts'

export function moon(host: Host, place: string, rises: boolean): number {
  host.stdout.write(\`moon over \${place}\${rises ? ', rising' : ''}\\n\`)
  return 0
}
`,
)
copy.insert(
  'src/cli/program.ts',
  "  {\n    name: 'stats',",
  `  {
    name: 'moon',
    what: 'show the moon',
    arguments: [['[place]', 'over which it stands', 'Delft']],
    options: [['--rises', 'say that it rises']],
    run: async ({ host, words: [place = ''], options }) =>
      (await import('./moon.ts')).moon(host, place, options.rises === true),
  },
`,
)

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const { runCli } = await copy.load<typeof Program>('src/cli/program.ts')
  const [out, err]: [string[], string[]] = [[], []]
  const host = {
    ...processHost(),
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => err.push(text) },
  }
  return { code: await runCli(host, argv), out: out.join(''), err: err.join('') }
}

test('a new command works, with its arguments and options', async () => {
  expect(await run('moon')).toEqual({ code: 0, out: 'moon over Delft\n', err: '' })
  expect((await run('moon', 'Rome', '--rises')).out).toBe('moon over Rome, rising\n')
})

test('it is documented in help and in the table of commands', async () => {
  expect((await run('--help')).out).toMatch(/^ {2}moon \[options\] \[place\] +show the moon$/m)
  const { commandsTable } = await copy.load<typeof Program>('src/cli/program.ts')
  expect(commandsTable()).toContain(
    '| `mcp-rlm-proxy moon [place]` | show the moon | `--rises`: say that it rises |',
  )
})

test('it is checked: its name is a command and no program to wrap, and other options are refused', async () => {
  const { COMMANDS } = await copy.load<typeof Program>('src/cli/program.ts')
  expect(COMMANDS).toContain('moon')
  expect(await run('moon', '--sets')).toMatchObject({ code: 2, out: '' })
  expect((await run('mooon')).err).toContain('Did you mean moon?')
})
