/** The report of a run: a table by scenario, and the numbers of results. */

const CELL = 22

/** @param columns `[title, results by scenario]`; the first one gives the order */
export function table(columns) {
  const [[, first]] = columns
  const names = [...first].map(([scenario, { required }]) => (required ? scenario : `(${scenario})`))
  const width = Math.max(...names.map((name) => name.length)) + 2
  const row = (name, cells) =>
    `${name.padEnd(width)}${cells.map((cell) => cell.padEnd(CELL)).join('')}`.trimEnd()
  const lines = [...first.keys()].map((scenario, index) =>
    row(
      names[index],
      columns.map(([, results]) => cell(results.get(scenario))),
    ),
  )
  const titles = columns.map(([title]) => title)
  return [row('scenario', titles), ...lines].join('\n')
}

/** Counts of one result, for people. */
export function cell(result) {
  if (result === undefined) return 'did not run'
  const { passed, failed, warned } = result
  return [`${passed} passed`, failed > 0 && `${failed} failed`, warned > 0 && `${warned} warned`]
    .filter(Boolean)
    .join(', ')
}

/** One line a run: scenarios without a failure, of the required ones and of all. */
export function summary(runs) {
  const width = Math.max(...runs.map(([title]) => title.length))
  return runs
    .map(([title, results]) => {
      const all = [...results.values()]
      const share = (some) => `${some.filter(({ failed }) => failed === 0).length} of ${some.length}`
      const required = all.filter((result) => result.required)
      return `${title.padEnd(width)}  ${share(required)} required, ${share(all)} in all`
    })
    .join('\n')
}
