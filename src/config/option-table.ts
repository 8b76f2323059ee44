/** The tables of options in the documentation, made from the schema. */
import { flagName } from './names.ts'
import { type OptionRow, serverRows, settingRows } from './options.ts'

/** Markdown: one row an option of `proxySettings`. */
export function settingsTable(): string {
  return table(
    ['`proxySettings.`', 'default', 'what it is', 'environment, command line'],
    settingRows().map((row) => [`\`${row.path}\``, fallback(row), about(row), otherNames(row)]),
  )
}

/** Markdown: one row a key of a server's entry. */
export function serversTable(): string {
  return table(
    ['`mcpServers.<name>.`', 'default', 'what it is'],
    serverRows().map((row) => [`\`${row.path}\``, fallback(row), about(row)]),
  )
}

function about(row: OptionRow): string {
  return `${row.description} ${capital(row.allowed)}.`
}

function fallback({ default: value }: OptionRow): string {
  if (value === undefined) return '–'
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function otherNames({ env, flag }: OptionRow): string {
  const names = flag === undefined ? env : [...env, `--${flagName(flag)}`]
  return names.map((name) => `\`${name}\``).join(' ')
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
