/**
 * Writes what is made from tables in the code and from recorded benchmarks: `mcp.schema.json`, the picture of the README, and the parts of
 * pages in docs/ between `<!-- NAME:start -->` and `<!-- NAME:end -->`. Needs a build.
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
  modulesTable,
  moduleText,
  resultsTable,
  rpcTable,
  serversTable,
  settingsTable,
  sharedStoreTable,
} from '../dist/config/generate.js'
import { routesTable } from '../dist/features/console/routes.js'
import { BUILT_IN } from '../dist/features/modules.js'
import { featuresTable } from '../dist/gateway/onion.js'
import { TABLES } from '../dist/query/language/page.js'
import { clientSettings, clientsTable } from './clients-table.mjs'
import { summaryTable, tokensPicture } from './figures.mjs'
import { installLinks } from './install-links.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const check = process.argv.includes('--check')
const stale = []

update('mcp.schema.json', () => jsonSchemaText())
update('docs/configuration.md', (text) => fill(text, 'options', `${serversTable()}\n\n${settingsTable()}`))
update('docs/commands.md', (text) => fill(text, 'commands', commandsTable()))
update('docs/modules.md', (text) => fill(fill(text, 'features', featuresTable()), 'modules', modulesTable()))
for (const name of Object.keys(BUILT_IN)) {
  const empty = `# \`${name}\`\n\n<!-- module:start -->\n\n<!-- module:end -->\n`
  update(`docs/modules/${name}.md`, (text) => fill(text || empty, 'module', moduleText(name)))
}
update('docs/writing-modules.md', (text) => fill(text, 'external', externalTable()))
update('docs/clients.md', (text) => {
  const filled = fill(fill(text, 'measured', clientsTable(recorded('clients'))), 'settings', clientSettings())
  return fill(filled, 'links', installLinks())
})
update('docs/content.md', (text) => fill(text, 'content', contentTable()))
update('docs/console.md', (text) => fill(text, 'routes', routesTable()))
update('docs/results.md', (text) => fill(text, 'results', resultsTable()))
update('docs/shared-store.md', (text) => fill(text, 'shared-store', sharedStoreTable()))
update('docs/query-language.md', (text) =>
  Object.entries(TABLES).reduce((page, [name, table]) => fill(page, name, table()), text),
)
const figures = {
  answers: recorded('answers'),
  dispatch: recorded('dispatch'),
  overhead: recorded('overhead'),
}
update('docs/performance.md', (text) => fill(text, 'summary', summaryTable(figures)))
update('docs/tokens.svg', () => tokensPicture(figures))
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

function recorded(name) {
  return JSON.parse(readFileSync(join(root, `benchmarks/results/${name}.json`), 'utf8'))
}

function fill(text, name, content) {
  const [begin, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`]
  const start = text.indexOf(begin)
  const stop = text.indexOf(end, start)
  if (start < 0 || stop < 0) return text
  return `${text.slice(0, start + begin.length)}\n\n${content}\n\n${text.slice(stop)}`
}
