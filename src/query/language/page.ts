/** The language on paper: what the description of parameters names of it, and the tables of the documentation. */
import { AGGREGATES, TOLD_AGGREGATES } from './aggregates.ts'
import { DIALECTS } from './dialects/index.ts'
import { FUNCTIONS, TOLD_FUNCTIONS } from './functions.ts'
import { operatorsTable, operatorsTold } from './operators.ts'
import { TOLD_WINDOWS, WINDOWS } from './windows.ts'

/** Names for the description of parameters, which models read with every conversation: names that they may not guess. */
export const conditionsTold = (): string => operatorsTold()
export const functionsTold = (): string => TOLD_FUNCTIONS.join(', ')
export const aggregatesTold = (): string => TOLD_AGGREGATES.join(', ')
export const windowsTold = (): string => TOLD_WINDOWS.join(', ')

/** One of the tables of things that are called by a name. */
function callsTable(
  title: string,
  table: readonly { name: string; otherNames: readonly string[]; text: string; example: string }[],
): string {
  const rows = table.map(
    ({ name, otherNames, text, example }) =>
      `| \`${name}\` | ${cell(text)} | \`${cell(example)}\` | ${otherNames.map((one) => `\`${one}\``).join(', ')} |`,
  )
  return [`| ${title} | What it is | Example | Other names |`, '|---|---|---|---|', ...rows].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** The tables of `docs/query-language.md`, by the names of their places in it. */
export const TABLES: Readonly<Record<string, () => string>> = {
  operators: operatorsTable,
  functions: () => callsTable('Function', FUNCTIONS),
  aggregates: () => callsTable('Aggregate', AGGREGATES),
  windows: () => callsTable('Window function', WINDOWS),
  dialects: () =>
    [
      '| Written like | Example |',
      '|---|---|',
      ...DIALECTS.map(({ name, example }) => `| ${name} | \`${cell(example)}\` |`),
    ].join('\n'),
}
