/** The built proxy in front of given servers, over streamable HTTP on a free port. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from './processes.mjs'

/** The address in the line that it prints when it is ready. */
const ADDRESS = /(?<= at )http:\S+(?=\n)/

/**
 * @param main its `main.js`
 * @param place a directory for its configuration and its data
 * @param mcpServers as in `mcp.json`
 * @param options of `startServer`
 */
export async function startProxy(main, place, mcpServers, options) {
  mkdirSync(place, { recursive: true })
  const config = join(place, 'mcp.json')
  const proxySettings = {
    dataDir: join(place, 'data'),
    naming: { prefix: 'never' },
    log: { level: 'warn' },
  }
  writeFileSync(config, JSON.stringify({ mcpServers, proxySettings }))
  const args = [main, '--config', config, '--transport', 'streamable-http', '--port', '0']
  const { found, ...proxy } = await startServer(process.execPath, args, ADDRESS, options)
  // The scenario for DNS rebinding wants the name.
  return { url: found.replace('127.0.0.1', 'localhost'), ...proxy }
}
