// node benchmarks/clients/install.mjs [--cache FOLDER] [CLIENT…]: installs the clients of ./clients.mjs (some 4 GB for all).
// Packages come from the registries that npm and pip are set to. Clients that are installed in their version already are left alone.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { clients, NODE } from './clients.mjs'

const LIMIT_MS = 15 * 60_000

/** The folder of installs, homes and logs: `--cache`, else MCP_CLIENTS_CACHE, else a folder in the temporary directory. */
export const cacheFolder = (option) =>
  option ?? process.env.MCP_CLIENTS_CACHE ?? join(tmpdir(), 'mcp-rlm-proxy-clients')

/** The Node of the cache that clients run on; the Node of this process where the platform has no package for it. */
export function nodeOf(cache) {
  const name = NODE.packages[`${process.platform}-${process.arch}`]
  const file = name && join(cache, 'installs/node/node_modules', name, 'bin/node')
  return file && existsSync(file) ? file : process.execPath
}

/** The folder of a client's install; `undefined` while it is not installed in the versions of the table. */
export function installOf(cache, name) {
  const folder = join(cache, 'installs', name)
  const done = join(folder, 'installed.json')
  return existsSync(done) && readFileSync(done, 'utf8') === wanted(clients[name]) ? folder : undefined
}

const wanted = ({ npm, pip }) => JSON.stringify(npm ?? pip)

/** Runs one command in a folder, its output kept for the error. Rejects when it fails or takes longer than 15 minutes. */
function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-4000)
      })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${command} ended with ${code}: ${output.trim().slice(-600)}`)),
    )
  })
}

async function npmInstall(folder, packages) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await run(
    'npm',
    [
      'install',
      '--no-audit',
      '--no-fund',
      ...Object.entries(packages).map(([name, version]) => (version ? `${name}@${version}` : name)),
    ],
    folder,
  )
}

async function pipInstall(folder, packages) {
  await run('python3', ['-m', 'venv', folder])
  await run(join(folder, 'bin/pip'), [
    'install',
    '-q',
    '--disable-pip-version-check',
    ...Object.entries(packages).map(([name, version]) => (version ? `${name}==${version}` : name)),
  ])
}

/**
 * Installs clients, one after another.
 * @param names names of rows of ./clients.mjs
 * @returns reasons by name, of the clients that could not be installed
 */
export async function install(cache, names, say = () => {}) {
  const failed = {}
  const node = NODE.packages[`${process.platform}-${process.arch}`]
  if (node && nodeOf(cache) === process.execPath)
    await npmInstall(join(cache, 'installs/node'), { [node]: NODE.version }).catch((error) =>
      say(`node ${NODE.version}: ${error.message}`),
    )
  for (const name of names) {
    if (installOf(cache, name)) continue
    const folder = join(cache, 'installs', name)
    const started = Date.now()
    try {
      await (clients[name].npm
        ? npmInstall(folder, clients[name].npm)
        : pipInstall(folder, clients[name].pip))
      writeFileSync(join(folder, 'installed.json'), wanted(clients[name]))
      say(`${name}: installed in ${Math.round((Date.now() - started) / 1000)} s`)
    } catch (error) {
      failed[name] = error.message
      say(`${name}: not installed: ${error.message}`)
    }
  }
  return failed
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const args = process.argv.slice(2)
  const at = args.indexOf('--cache')
  const [, cache] = at < 0 ? [] : args.splice(at, 2)
  const failed = await install(cacheFolder(cache), args.length ? args : Object.keys(clients), console.log)
  process.exitCode = Object.keys(failed).length ? 1 : 0
}
