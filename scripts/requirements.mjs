/**
 * Lists requirements without a proof: ids of `test/requirements.json` that no `verifies(…)` in the tests cites, and cited ids
 * that do not exist. Fails when there is either.
 */
import { readdirSync, readFileSync } from 'node:fs'

const requirements = JSON.parse(readFileSync('test/requirements.json', 'utf8'))
const tests = readdirSync('test', { recursive: true }).filter(
  (name) => name.endsWith('.test.ts') || name.includes('contract/'),
)
const cited = new Map()
for (const name of tests.filter((name) => name.endsWith('.ts'))) {
  const source = readFileSync(`test/${name}`, 'utf8')
  for (const [, ids] of source.matchAll(/\bverifies\(\s*['"`]([^'"`]+)['"`]/g)) {
    for (const id of ids.split(/\s+/)) cited.set(id, [...(cited.get(id) ?? []), name])
  }
}
const missing = Object.keys(requirements).filter((id) => !cited.has(id))
for (const id of missing) console.error(`no proof: ${id} ${requirements[id]}`)
const all = Object.keys(requirements)
const later = [...cited.keys()].filter((id) => !all.includes(id))
console.log(
  `requirements: ${all.length - missing.length} of ${all.length} proved; cited beyond the list: ${later.sort().join(' ') || 'none'}`,
)
process.exitCode = missing.length > 0 ? 1 : 0
