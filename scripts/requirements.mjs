/**
 * Checks `test/requirements.json` against the `verifies(…)` of the tests. Lists ids that no test cites and cited ids that do not
 * exist, and fails when there is either. Usage: `node scripts/requirements.mjs [FOLDER]`, the project's folder if none is given.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const tests = join(process.argv[2] ?? '.', 'test')
const requirements = JSON.parse(readFileSync(join(tests, 'requirements.json'), 'utf8'))
const files = readdirSync(tests, { recursive: true }).filter(
  (name) => name.endsWith('.test.ts') || /^contract\/.*\.ts$/.test(name),
)
const cited = new Set()
for (const name of files) {
  const source = readFileSync(join(tests, name), 'utf8')
  for (const [, ids] of source.matchAll(/\bverifies\(\s*['"`]([^'"`]+)['"`]/g)) {
    for (const id of ids.split(/\s+/)) cited.add(id)
  }
}
const all = Object.keys(requirements)
const missing = all.filter((id) => !cited.has(id))
const unknown = [...cited].filter((id) => !all.includes(id)).sort()
for (const id of missing) console.error(`no proof: ${id} ${requirements[id]}`)
for (const id of unknown) console.error(`no such requirement: ${id}, which a test cites`)
console.log(`requirements: ${all.length - missing.length} of ${all.length} proved`)
process.exitCode = missing.length + unknown.length > 0 ? 1 : 0
