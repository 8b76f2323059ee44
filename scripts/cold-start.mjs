/**
 * Measures how long a client waits for `npx -y mcp-rlm-proxy -- SERVER`, with the package as npm makes it. The registry is on this
 * machine and the cache is empty. The first start downloads, later ones do not. Needs the network for what the package depends on.
 * Usage: node scripts/cold-start.mjs [TARBALL] (without it the package is packed)
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = fileURLToPath(new URL('..', import.meta.url))
const server = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
const work = mkdtempSync(join(tmpdir(), 'cold-start-'))
const text = (command, args) => execFileSync(command, args, { encoding: 'utf8', cwd: root }).trim()
const packed = () =>
  join(work, text('npm', ['pack', '--silent', '--pack-destination', work]).split('\n').at(-1))
const tarball = process.argv[2] ? resolve(process.argv[2]) : packed()

const bytes = readFileSync(tarball)
const manifest = JSON.parse(text('tar', ['-xzOf', tarball, 'package/package.json']))
const upstream = text('npm', ['config', 'get', 'registry'])
const registry = createServer(({ url }, response) => {
  if (url === '/package.tgz') return response.end(bytes)
  if (url !== `/${manifest.name}`)
    return response.writeHead(302, { Location: new URL(url.slice(1), upstream) }).end()
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const version = { ...manifest, dist: { tarball: `${address}/package.tgz`, integrity } }
  response.end(
    JSON.stringify({
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: version },
    }),
  )
})
await new Promise((listening) => registry.listen(0, '127.0.0.1', listening))
const address = `http://127.0.0.1:${registry.address().port}`

try {
  for (const what of ['with the download', ...Array(5).fill('later')]) {
    const began = performance.now()
    const elapsed = () => Math.round(performance.now() - began)
    const client = new Client({ name: 'cold-start', version: '1.0.0' })
    const command = {
      command: 'npx',
      args: ['-y', manifest.name, '--', process.execPath, server, work],
      cwd: work,
    }
    const env = {
      ...process.env,
      npm_config_registry: address,
      npm_config_cache: join(work, 'cache'),
      HOME: work,
    }
    await client.connect(new StdioClientTransport({ ...command, env, stderr: 'ignore' }))
    const connected = elapsed()
    await client.listTools()
    console.log(`${what}: initialize ${connected} ms, first list of tools ${elapsed()} ms`)
    await client.close()
  }
} finally {
  registry.close()
  rmSync(work, { recursive: true, force: true, maxRetries: 5 })
}
