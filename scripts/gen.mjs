/**
 * Writes what is made from tables in the code: `mcp.schema.json`, the table of options in docs/configuration.md between
 * `<!-- options:start -->` and `<!-- options:end -->` and, in the same way, those in docs/commands.md, docs/modules.md, docs/errors.md,
 * docs/content.md, docs/questions.md, docs/results.md, docs/shared-store.md and docs/clients.md. Needs a build.
 * With --check nothing is written, and a difference is an error.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandsTable } from '../dist/cli/program.js'
import {
  contentTable,
  errorsTable,
  externalTable,
  jsonSchemaText,
  modulesText,
  resultsTable,
  rpcTable,
  serversTable,
  settingsTable,
  sharedStoreTable,
} from '../dist/config/generate.js'
import { routesTable } from '../dist/features/console/routes.js'
import { featuresTable } from '../dist/gateway/onion.js'
import { TABLES } from '../dist/query/page.js'
import { clientSettings, clientsTable } from './clients-table.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const check = process.argv.includes('--check')
const stale = []

update('mcp.schema.json', () => jsonSchemaText())
update('docs/configuration.md', (text) => fill(text, 'options', `${serversTable()}\n\n${settingsTable()}`))
update('docs/commands.md', (text) => fill(text, 'commands', commandsTable()))
update('docs/modules.md', (text) =>
  fill(fill(fill(text, 'features', featuresTable()), 'modules', modulesText()), 'external', externalTable()),
)
update('docs/clients.md', (text) => {
  const recorded = JSON.parse(readFileSync(join(root, 'benchmarks/results/clients.json'), 'utf8'))
  return fill(fill(text, 'measured', clientsTable(recorded)), 'settings', clientSettings())
})
update('docs/content.md', (text) => fill(text, 'content', contentTable()))
update('docs/console.md', (text) => fill(text, 'routes', routesTable()))
update('docs/results.md', (text) => fill(text, 'results', resultsTable()))
update('docs/shared-store.md', (text) => fill(text, 'shared-store', sharedStoreTable()))
update('docs/questions.md', (text) =>
  Object.entries(TABLES).reduce((page, [name, table]) => fill(page, name, table()), text),
)
update('docs/errors.md', (text) => fill(fill(text, 'errors', errorsTable()), 'rpc', rpcTable()))

if (stale.length > 0) {
  console.error(`${stale.join(', ')}: not up to date. Run: npm run gen`)
  process.exitCode = 1
}

function update(name, make) {
  const path = join(root, name)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const after = make(before)
  if (after === before) return
  if (check) stale.push(name)
  else {
    writeFileSync(path, after)
    console.log(`wrote ${name}`)
  }
}

function fill(text, name, content) {
  const [begin, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const start = text.indexOf(begin)
  const stop = text.indexOf(end, start)
  if (start < 0 || stop < 0) return text
  return `${text.slice(0, start + begin.length)}\n\n${content}\n\n${text.slice(stop)}`
}
