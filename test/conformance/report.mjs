/** What a run says: a table by scenario, and what is wrong. */

/** @param columns `[title, results by scenario]`, the direct run first */
export function table(columns) {
  const [[, direct]] = columns
  const width = Math.max(...[...direct.keys()].map((name) => name.length))
  const row = (name, cells) =>
    `${name.padEnd(width)}  ${cells.map((cell) => cell.padEnd(22)).join('')}`.trimEnd()
  const lines = [...direct.keys()].map((scenario) => {
    const name = direct.get(scenario).required ? scenario : `(${scenario})`
    return row(
      name.slice(0, width),
      columns.map(([, results]) => cell(results.get(scenario))),
    )
  })
  const titles = row(
    'scenario',
    columns.map(([title]) => title),
  )
  const totals = row(
    'scenarios without a failure',
    columns.map(([, results]) => total(results)),
  )
  return [titles, ...lines, totals].join('\n')
}

function cell(result) {
  if (result === undefined) return 'did not run'
  const { passed, failed, warned } = result
  return [`${passed} passed`, failed > 0 && `${failed} failed`, warned > 0 && `${warned} warned`]
    .filter(Boolean)
    .join(', ')
}

function total(results) {
  const all = [...results.values()]
  return `${all.filter(({ failed }) => failed === 0).length} of ${all.length}`
}

/** What the direct run did not manage: the fixture is wrong, or does not have an extension that nobody requires. */
export function faultsOfFixture(direct) {
  return [...direct]
    .filter(([, { required, failed }]) => required && failed > 0)
    .map(([scenario, { failures }]) => `${scenario} fails without the proxy: ${failures.join('; ')}`)
}

/**
 * Scenarios that the proxy spoils, with what is wrong: a check fails, or fewer pass than without it. One that fails without
 * the proxy as well says nothing about it.
 */
export function failuresOf(direct, through) {
  const failures = new Map()
  for (const [scenario, expected] of direct) {
    const found = through.get(scenario)
    if (expected.failed > 0 || (found?.failed === 0 && found.passed >= expected.passed)) continue
    const counts = `${cell(found)}; without the proxy ${cell(expected)}`
    failures.set(scenario, found?.failures[0] ?? counts)
  }
  return failures
}

/** Failures that are not known, and known ones that are none any more. */
export function surprises(failures, known) {
  const listed = Object.values(known).flat()
  const unknown = [...failures].filter(([scenario]) => !listed.includes(scenario))
  const stale = listed.filter((scenario) => !failures.has(scenario))
  return [
    ...unknown.map(([scenario, message]) => `${scenario} fails: ${message}`),
    ...stale.map((scenario) => `${scenario} is listed as a known failure and passes: take it off the list`),
  ]
}

/** The known failures as they are now: known ones keep their reason, the reason of a new one is what its check says. */
export function updated(failures, known) {
  const reasonOf = (scenario) => Object.keys(known).find((reason) => known[reason].includes(scenario))
  const next = {}
  for (const [scenario, message] of failures) {
    const reason = reasonOf(scenario) ?? message.split('\n')[0]
    next[reason] = [...(next[reason] ?? []), scenario]
  }
  return next
}
