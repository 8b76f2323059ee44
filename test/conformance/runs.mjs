/** What is run: groups of columns, each a run of the suite in another surrounding. */
import { fileURLToPath } from 'node:url'
import { startServer } from './processes.mjs'
import { startProxy } from './proxy.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const FIXTURE = here('server.mjs')
const CLIENT = here('client/run.mjs')

const REVISIONS = { legacy: '2025-11-25', modern: '2026-07-28' }

/** A server that has nothing to do with the scenarios, of the legacy era, with resources, prompts and requests of its own. */
const ANOTHER = {
  command: process.execPath,
  args: [here('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
}

const STDIO = { command: process.execPath, args: [FIXTURE, '--stdio'] }

/**
 * @param suite of `loadSuite`
 * @param main the proxy's `main.js`
 * @param folder makes a new directory of the given name
 * @returns by the name that `--only` takes: groups of `{ title, columns }`; a column is a title and how to get its results,
 *   and the first of them is what the others are measured against
 */
export function createRuns(suite, main, folder) {
  /** Runs the server scenarios against the fixture started with these arguments, or against what `around` puts before it. */
  const withFixture = (era, title, args, around) => async () => {
    const fixture = await startServer(process.execPath, [FIXTURE, ...args], /^http:\S+(?=\n)/)
    try {
      const run = (url) => suite.serverScenarios(url, REVISIONS[era], folder(`${era} ${title}`))
      return await (around ? around(fixture.found, run) : run(fixture.found))
    } finally {
      await fixture.end()
    }
  }
  const direct = (era, place) => ['direct', withFixture(era, `${place} direct`, [])]
  const proxied = (era, title, serversOf, args = []) => [
    title,
    withFixture(era, title, args, async (url, run) => {
      const proxy = await startProxy(main, folder(`${era} ${title} proxy`), serversOf({ url }))
      try {
        return await run(proxy.url)
      } finally {
        await proxy.end()
      }
    }),
  ]
  const servers = (era) => ({
    title: `${era} (${REVISIONS[era]})`,
    columns: [
      direct(era, 'servers'),
      proxied(era, 'through the proxy', (fixture) => ({ fixture })),
      proxied(era, 'next to another', (fixture) => ({ fixture, another: ANOTHER })),
      proxied(era, 'over stdio', () => ({ fixture: STDIO })),
    ],
  })
  const cross = (era, other) => ({
    title: `${era} (${REVISIONS[era]}) across eras`,
    columns: [
      direct(era, 'cross'),
      proxied(era, `server only ${other}`, (fixture) => ({ fixture }), [`--${other}-only`]),
    ],
  })
  const client = (era) => {
    const driven = (title, args) => [
      title,
      () => {
        const command = [process.execPath, CLIENT, ...args].join(' ')
        return suite.clientScenarios(command, REVISIONS[era], folder(`${era} client ${title}`))
      },
    ]
    return {
      title: `${era} client (${REVISIONS[era]})`,
      columns: [driven('direct', []), driven('through the proxy', [main])],
    }
  }
  return {
    legacy: [servers('legacy')],
    modern: [servers('modern')],
    cross: [cross('modern', 'legacy'), cross('legacy', 'modern')],
    client: [client('legacy'), client('modern')],
  }
}
