/** Tables of a run, for a terminal and for PERFORMANCE.md. */
import { LONG } from './summary.mjs'

const COLUMNS = [
  ['system', ({ system }) => system],
  ['recovered %', ({ recovered }) => recovered],
  ['95 % interval', ({ interval }) => (interval ? `${interval[0]}–${interval[1]}` : '')],
  ['wrong', ({ wrong }) => wrong],
  ['tokens, median', ({ medianTokens }) => medianTokens],
  ['mean', ({ meanTokens }) => meanTokens],
  ['of the correct, median', ({ medianOfCorrect }) => medianOfCorrect],
  ['per correct answer', ({ perCorrect }) => perCorrect],
  ['trips', ({ trips }) => trips],
]

const COSTS = [
  ['system', ({ system }) => system],
  ['definitions, tokens', ({ definitions }) => definitions],
  ['per correct answer', ({ perCorrect }) => perCorrect],
  ['with definitions, one question', ({ perCorrectAlone }) => perCorrectAlone],
  [`with definitions, ${LONG} questions`, ({ perCorrectInLong }) => perCorrectInLong],
  ['largest reply, characters', ({ largest }) => largest],
  ['replies over their budget', ({ overBudget }) => overBudget],
  ['call p50 ms', ({ p50 }) => p50],
  ['p95 ms', ({ p95 }) => p95],
]

const LOSSES = [
  ['payload', ({ payload }) => payload],
  ['characters', ({ characters }) => characters],
  ['raw, tokens a question', ({ raw }) => raw],
  ['naive', ({ naive }) => naive],
  ['expert', ({ expert }) => expert],
]

/**
 * The tables by name. Each has a title, what it says, and cells as text, the heading first.
 * @returns {{ title: string, note?: string, cells: string[][] }[]}
 */
export function tablesOf(summary) {
  const withDefinitions = summary.systems.map((row) => ({
    ...row,
    definitions: summary.definitions[row.system.replace(/ \(.*/, '')],
  }))
  return [
    { title: 'All questions', cells: cells(COLUMNS, summary.systems) },
    { title: 'What else it costs', cells: cells(COSTS, withDefinitions) },
    { title: 'Recovered %, by type', cells: byType(summary, ({ recovered }) => recovered) },
    { title: 'Wrong answers, by type', cells: byType(summary, ({ wrong }) => wrong) },
    {
      title: 'Tokens per correct answer, by type',
      cells: byType(summary, ({ perCorrect }) => perCorrect),
    },
    { title: 'Trips, by type', cells: byType(summary, ({ trips }) => trips) },
    ...summary.forms
      .filter(({ systems }) => systems.some(({ questions }) => questions > 0))
      .map(({ form, systems }) => ({
        title: { minified: 'Minified JSON', pretty: 'Pretty-printed JSON', other: 'Everything else' }[form],
        cells: cells(COLUMNS, systems),
      })),
    ...(summary.losses.length > 0
      ? [{ title: 'Where the proxy costs more than it saves', cells: cells(LOSSES, summary.losses) }]
      : []),
  ]
}

function cells(columns, rows) {
  return [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, of]) => shown(of(row))))]
}

function byType({ types, systems }, figure) {
  return [
    ['', 'questions', ...systems.map(({ system }) => system)],
    ...types.map(({ type, questions, systems: own }) => [
      type,
      shown(questions),
      ...own.map((row) => shown(figure(row))),
    ]),
  ]
}

function shown(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return ''
  return typeof value === 'number' ? value.toLocaleString('en') : String(value)
}

/** For a terminal: columns aligned, figures to the right. */
export function printReport(summary) {
  console.log(`\nseed: ${summary.seed}, policies: ${summary.policies}`)
  for (const { title, cells: rows } of tablesOf(summary)) {
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
    console.log(`\n${title}`)
    for (const row of rows) {
      console.log(
        row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
      )
    }
  }
}

/** For Markdown. */
export function markdownTable(rows) {
  const line = (row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    line(rows[0]),
    `| ${rows[0].map((_, at) => (at === 0 ? '---' : '---:')).join(' | ')} |`,
    ...rows.slice(1).map(line),
  ].join('\n')
}
