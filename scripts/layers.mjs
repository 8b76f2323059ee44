/**
 * The layer check: who imports whom, against the table in `.dependency-cruiser.cjs`. Prints how many modules it saw and fails
 * when that is not every file, for a check that sees nothing passes.
 * Usage: node scripts/layers.mjs [directory that holds src/]
 */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise } from 'dependency-cruiser'

const here = fileURLToPath(new URL('..', import.meta.url))
const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')
process.chdir(resolve(process.argv[2] ?? here))

const files = readdirSync('src', { recursive: true }).filter((name) => /(?<!\.d)\.ts$/.test(name))
const { output } = await cruise(
  ['src'],
  {
    ...options,
    ruleSet: { forbidden, options },
    validate: true,
    tsConfig: { fileName: join(here, 'tsconfig.json') },
  },
  undefined,
  { tsConfig: { options: { allowImportingTsExtensions: true, module: 199, moduleResolution: 99 } } },
)
const { summary, modules } = output
const seen = new Set(
  modules.map(({ source }) => source).filter((source) => /^src\/.*(?<!\.d)\.ts$/.test(source)),
)
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`)
const unseen = files.map((name) => `src/${name}`).filter((name) => !seen.has(name))
for (const name of unseen) console.error(`not seen: ${name}`)
console.log(
  `layers: ${seen.size} of ${files.length} modules, ${summary.totalDependenciesCruised} dependencies, ${summary.violations.length} violations`,
)
process.exitCode = summary.violations.length > 0 || unseen.length > 0 || files.length === 0 ? 1 : 0
