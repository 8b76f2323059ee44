/** The tables of options in the documentation, made from the schema. */
import { MODULE_PURPOSES } from './module-purposes.ts'
import { externalSchema } from './modules/entry.ts'
import { BUILT_IN_OPTIONS } from './modules/index.ts'
import { flagName } from './names.ts'
import { type OptionRow, rowsIn, serverRows, settingRows } from './options.ts'

/** Markdown: one row an option of `proxySettings`. */
export function settingsTable(): string {
  return table(
    ['`proxySettings.`', 'default', 'values', 'what it is', 'environment, command line'],
    settingRows().map((row) => [
      `\`${row.path}\``,
      fallback(row),
      row.range,
      row.description,
      otherNames(row),
    ]),
  )
}

/** Markdown: one row a key of a server's entry. */
export function serversTable(): string {
  return table(
    ['`mcpServers.<name>.`', 'default', 'values', 'what it is'],
    serverRows().map((row) => [`\`${row.path}\``, fallback(row), row.range, row.description]),
  )
}

/** Markdown: the built-in modules, each with its options. */
export function modulesText(): string {
  return Object.entries(BUILT_IN_OPTIONS)
    .map(([name, options]) => {
      const rows = rowsIn(options)
      const text = `### \`${name}\`\n\n${MODULE_PURPOSES[name] ?? ''}`
      return rows.length === 0 ? text : `${text}\n\n${optionsTable(rows)}`
    })
    .join('\n\n')
}

/** Markdown: the keys of an entry that names an external module. */
export function externalTable(): string {
  return optionsTable(rowsIn(externalSchema))
}

function optionsTable(rows: readonly OptionRow[]): string {
  return table(
    ['option', 'default', 'values', 'what it is'],
    rows.map((row) => [`\`${row.path}\``, fallback(row), row.range, row.description]),
  )
}

function fallback({ default: value }: OptionRow): string {
  if (value === undefined) return '–'
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function otherNames({ env, flag }: OptionRow): string {
  const names = flag === undefined ? env : [...env, `--${flagName(flag)}`]
  return names.map((name) => `\`${name}\``).join(' ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
