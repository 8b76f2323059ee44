/** The runs: groups of columns, each a run of the suite in another surrounding. */
import { fileURLToPath } from 'node:url'
import { startServer } from './processes.mjs'
import { startProxy } from './proxy.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const FIXTURE = here('server.mjs')
const CLIENT = here('client/run.mjs')

const REVISIONS = { legacy: '2025-11-25', modern: '2026-07-28' }

/**
 * A server that has nothing to do with the scenarios, of the legacy era, with resources, prompts and requests of its own. Over
 * HTTP: one that has to be started for a new kind of client takes longer than some scenarios wait.
 */
const ANOTHER = {
  args: [
    '--import',
    here('../e2e/support/loopback.mjs'),
    here('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
    'streamableHttp',
  ],
  address: /(?<=listening on )\S+(?=\n)/,
}

async function startAnother() {
  const env = { ...process.env, PORT: '0' }
  const { found, end } = await startServer(process.execPath, ANOTHER.args, ANOTHER.address, { env })
  return { url: `http://${found}/mcp`, end }
}

async function startFixture(args) {
  const { found, end } = await startServer(process.execPath, [FIXTURE, ...args], /^http:\S+(?=\n)/)
  return { url: found, end }
}

/** Does the work with what was started, and ends it. */
async function using(start, work) {
  const started = await start
  try {
    return await work(started)
  } finally {
    await started.end()
  }
}

const STDIO = { command: process.execPath, args: [FIXTURE, '--stdio'] }

/**
 * @param suite of `loadSuite`
 * @param main the proxy's `main.js`
 * @param folder makes a new directory of the given name
 * @param given the address of a server of the legacy era that listens already, in place of the fixture
 * @returns by the name that `--only` takes: groups of `{ title, columns }`; a column is a title and how to get its results. The others
 * are measured against the first one
 */
export function createRuns(suite, main, folder, given) {
  const run = (era, title, { url }) => suite.serverScenarios(url, REVISIONS[era], folder(`${era} ${title}`))
  const direct = (era, group) => [
    'direct',
    () => using(startFixture([]), (fixture) => run(era, `${group} direct`, fixture)),
  ]
  const proxied = (era, title, servers) => {
    const proxy = startProxy(main, folder(`${era} ${title} proxy`), servers)
    return using(proxy, (started) => run(era, title, started))
  }
  /** Through the proxy, with the fixture started with these arguments as one of its servers. */
  const through = (era, title, args = []) => [
    title,
    () => using(startFixture(args), ({ url }) => proxied(era, title, { fixture: { url } })),
  ]
  const nextToAnother = (era) => [
    'next to another',
    () =>
      using(startFixture([]), ({ url }) =>
        using(startAnother(), (another) =>
          proxied(era, 'next to another', { fixture: { url }, another: { url: another.url } }),
        ),
      ),
  ]
  const servers = (era) => ({
    title: `${era} (${REVISIONS[era]})`,
    columns: [
      direct(era, 'servers'),
      through(era, 'through the proxy'),
      nextToAnother(era),
      ...(era === 'legacy' ? [through(era, 'any _meta is modern', ['--meta-is-modern'])] : []),
      ['over stdio', () => proxied(era, 'over stdio', { fixture: STDIO })],
    ],
  })
  const cross = (era, other) => ({
    title: `${era} (${REVISIONS[era]}) across eras`,
    columns: [direct(era, 'cross'), through(era, `server only ${other}`, [`--${other}-only`])],
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
  if (given !== undefined) {
    const columns = [
      ['direct', () => run('legacy', 'direct', { url: given })],
      ['through the proxy', () => proxied('legacy', 'through the proxy', { given: { url: given } })],
    ]
    return { legacy: [{ title: `legacy (${REVISIONS.legacy}), a given server`, columns }] }
  }
  return {
    legacy: [servers('legacy')],
    modern: [servers('modern')],
    cross: [cross('modern', 'legacy'), cross('legacy', 'modern')],
    client: [client('legacy'), client('modern')],
  }
}
