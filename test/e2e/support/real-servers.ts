/** Servers that people use, in a world of their own. Servers that speak HTTP are started here, on loopback. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { loadSqlite } from '../../../src/discovery/catalogue/tools-file.ts'
import { type AnyClient, type Command, connectClient, type Generation } from './clients.ts'
import { bring } from './command.ts'
import { MAIN, ROOT, type ToolResult, temporaryDirectory, writeConfig } from './world.ts'

const packages = join(ROOT, 'node_modules/@modelcontextprotocol')
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The SQLite server needs `node:sqlite`. Where Node is older, npx brings a newer one and keeps it for the next time. */
const NEWER = Number.parseInt(process.versions.node, 10) < 24 ? ['-p', 'node@24'] : []
const SQL = ['-y', '--prefer-offline', ...NEWER, '-p', '@bytebase/dbhub@1.4.0']

export const everything: Command = {
  command: process.execPath,
  args: [join(packages, 'server-everything/dist/index.js'), 'stdio'],
}

export function filesystem(folder: string): Command {
  return { command: process.execPath, args: [join(packages, 'server-filesystem/dist/index.js'), folder] }
}

export function memory(file: string): Command {
  return {
    command: process.execPath,
    args: [join(packages, 'server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: file },
  }
}

export function sqlite(file: string): Command {
  return { command: 'npx', args: [...SQL, 'dbhub', '--transport', 'stdio', '--dsn', `sqlite://${file}`] }
}

/** Has npx fetch what `sqlite` needs. */
export const bringSqlite = (): Promise<void> => bring(SQL)

/** Makes a file with so many orders. */
export async function makeDatabase(file: string, orders: number): Promise<void> {
  const database = (await loadSqlite())(file)
  database.exec(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, state TEXT, total REAL, note TEXT)',
  )
  database.exec('BEGIN')
  for (let id = 1; id <= orders; id++) {
    const state = ['open', 'paid', 'sent'][id % 3] ?? ''
    const note = id === 4321 ? 'a needle in the rows' : ''
    const values = [id, `customer ${id % 97}`, state, (id % 500) / 4, note]
    database.run('INSERT INTO orders VALUES (?, ?, ?, ?, ?)', values)
  }
  database.exec('COMMIT')
  database.close()
}

/** Starts the everything server over HTTP for the time of a test and tells its address. */
export async function overHttp(kind: 'streamableHttp' | 'sse'): Promise<{ url: string }> {
  const [script = ''] = everything.args
  const child = spawn(process.execPath, ['--import', here('./loopback.mjs'), script, kind], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const address = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += String(chunk)
      const found = /listening on (\S+)\n/.exec(said)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)))
  })
  return { url: `http://${address}/${kind === 'sse' ? 'sse' : 'mcp'}` }
}

/** A folder with a small file, a large log, a table and a thousand files in forty folders. */
export function makeFolder(folder: string): string {
  const files = join(folder, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'small.txt'), 'a small file\n')
  writeFileSync(join(files, 'picture.png'), Buffer.from('iVBORw0KGgo=', 'base64'))
  writeFileSync(join(files, 'app.log'), logLines(20_000).join('\n'))
  for (let branch = 0; branch < 40; branch++) {
    const path = join(files, 'tree', `branch-${branch}`)
    mkdirSync(path, { recursive: true })
    for (let leaf = 0; leaf < 25; leaf++) writeFileSync(join(path, `leaf-${branch}-${leaf}.md`), '#\n')
  }
  return files
}

/** Every hundredth line is an error. */
function logLines(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
    return `${time} ${n % 100 === 99 ? 'ERROR' : 'INFO'} worker-${n % 8} request ${n} took ${n % 350} ms`
  })
}

export interface World {
  client: AnyClient
  servers: Record<string, Command | { url: string }>
  files: string
  directory: string
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>
}

/** The proxy before these servers; `all` adds servers that take longer to start. */
export async function realWorld(generation: Generation, all: boolean, settings = {}): Promise<World> {
  const directory = temporaryDirectory()
  const files = makeFolder(directory)
  const servers: World['servers'] = {
    files: filesystem(files),
    memory: memory(join(directory, 'memory.jsonl')),
    everything,
  }
  if (all) {
    await makeDatabase(join(directory, 'orders.db'), 20_000)
    servers.sql = sqlite(join(directory, 'orders.db'))
    ;[servers.web, servers.events] = await Promise.all([overHttp('streamableHttp'), overHttp('sse')])
  }
  const config = writeConfig(directory, { servers, settings })
  const client = await connectClient(generation, {
    command: process.execPath,
    args: [MAIN, '--config', config],
  })
  // A list does not wait long for a server that is late, and npx may be.
  await expect
    .poll(() => missing(client, Object.keys(servers)), { timeout: 170_000, interval: 200 })
    .toEqual([])
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolResult> =>
    client.callTool({ name, arguments: args })
  return { client, servers, files, directory, call }
}

/** The servers without a listed tool yet. */
async function missing(client: AnyClient, servers: readonly string[]): Promise<string[]> {
  const { tools } = await client.listTools()
  return servers.filter((server) => !tools.some(({ name }) => name.startsWith(`${server}_`)))
}
