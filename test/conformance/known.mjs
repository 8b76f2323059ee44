/**
 * The known shortcomings, by run, with the reason for each: `{ failures: { run: { reason: [scenario] } }, fewerChecks: … }`.
 * The file says exactly what is so: what is not in it must not happen, and what is in it must.
 */
import { cell } from './report.mjs'

/** Sections of the file, with what they hold of a run, by scenario. */
const SECTIONS = { failures: failuresOf, fewerChecks: fewerChecksOf }

/**
 * Scenarios that do worse in a run than without the proxy, with what is wrong. One that fails without the proxy as well has to
 * fail in the same checks.
 */
function failuresOf(direct, found) {
  const failures = new Map()
  for (const [scenario, expected] of direct) {
    const result = found.get(scenario)
    if (result !== undefined && isSameOutcome(expected, result)) continue
    failures.set(scenario, result?.failures[0] ?? cell(result))
  }
  return failures
}

function isSameOutcome(expected, result) {
  const [one, other] = [expected, result].map(({ failures }) => [...new Set(failures.map(checkOf))].sort())
  return JSON.stringify(one) === JSON.stringify(other) && result.warned <= expected.warned
}

/** The check that a message of a failure belongs to. */
function checkOf(failure) {
  return failure.split(': ')[0]
}

/** Scenarios without a failure in which a check of the direct run was not made: nothing was there to be checked. */
function fewerChecksOf(direct, found) {
  const fewer = new Map()
  for (const [scenario, expected] of direct) {
    const result = found.get(scenario)
    if (expected.failed > 0 || result === undefined || result.failed > 0) continue
    const missing = expected.checks.filter((check) => !result.checks.includes(check))
    if (missing.length > 0) fewer.set(scenario, `not made: ${missing.join(', ')}`)
  }
  return fewer
}

/** The differences between the file and this run, as sentences. */
export function surprises(known, run, direct, found) {
  return Object.entries(SECTIONS).flatMap(([section, find]) => {
    const now = find(direct, found)
    const listed = Object.values(known[section]?.[run] ?? {}).flat()
    const unknown = [...now].filter(([scenario]) => !listed.includes(scenario))
    const stale = listed.filter((scenario) => !now.has(scenario))
    return [
      ...unknown.map(
        ([scenario, message]) => `${run}: ${scenario} is not among the known ${section}: ${message}`,
      ),
      ...stale.map(
        (scenario) => `${run}: ${scenario} is among the known ${section} and is none: take it off the list`,
      ),
    ]
  })
}

/** The file as it is now: what is known keeps its reason, the reason of what is new is what its check says. */
export function updated(known, run, direct, found) {
  const next = { ...known }
  for (const [section, find] of Object.entries(SECTIONS)) {
    const { [run]: listed = {}, ...others } = known[section] ?? {}
    const now = byReason(find(direct, found), listed)
    next[section] = Object.keys(now).length === 0 ? others : { ...others, [run]: now }
  }
  return next
}

function byReason(found, listed) {
  const reasonOf = (scenario) => Object.keys(listed).find((reason) => listed[reason].includes(scenario))
  const next = {}
  for (const [scenario, message] of found) {
    const reason = reasonOf(scenario) ?? message.split('\n')[0].slice(0, 200)
    next[reason] = [...(next[reason] ?? []), scenario]
  }
  return next
}

/** Required scenarios that fail without the proxy: the fixture or the client of the scenarios is wrong. */
export function ownFaults(run, direct) {
  return [...direct]
    .filter(([, { required, failed }]) => required && failed > 0)
    .map(([scenario, { failures }]) => `${run}: ${scenario} fails without the proxy: ${failures.join('; ')}`)
}
