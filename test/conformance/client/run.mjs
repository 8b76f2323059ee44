/**
 * The program that the conformance suite starts as the client under test: `node run.mjs [main.js of the proxy] <server URL>`. With the
 * first argument the scenario's server is behind a proxy, which is started for it and ended; without, it is spoken to directly.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProxy } from '../proxy.mjs'
import { drive } from './drive.mjs'
import { CLIENT_METADATA_URL, createProvider } from './oauth.mjs'

/** Milliseconds the scenario may take; less than the suite gives it, so that the proxy is ended here. */
const LIMIT_MS = 45_000

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const [url, main] = process.argv.slice(2).reverse()
const isAuth = scenario.startsWith('auth/')

/** The settings under which a proxy authorises itself as the scenario wants it. */
function oauth() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey, issuer } = context
  const grant = scenario.startsWith('auth/client-credentials-') ? 'client_credentials' : undefined
  const clientMetadataUrl = scenario === 'auth/basic-cimd' ? CLIENT_METADATA_URL : undefined
  return {
    clientId,
    clientSecret,
    privateKey,
    algorithm: context.signing_algorithm,
    issuer,
    grant,
    clientMetadataUrl,
  }
}

async function driveInTime(options) {
  const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The scenario took longer than ${LIMIT_MS} ms`)
  })
  await Promise.race([drive(options), late])
}

async function throughProxy() {
  const place = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-client-'))
  const browser = fileURLToPath(new URL('browser.mjs', import.meta.url))
  const servers = { scenario: { url, ...(isAuth && { oauth: oauth() }) } }
  // In the group of this process, with which the suite's limit ends it.
  const options = { env: { ...process.env, BROWSER: browser }, detached: false }
  const proxy = await startProxy(main, place, servers, options)
  try {
    await driveInTime({ url: proxy.url, scenario, revision, context })
  } finally {
    await proxy.end()
    process.stderr.write(proxy.output())
    rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  }
}

try {
  if (main !== undefined) await throughProxy()
  else
    await driveInTime({
      url,
      scenario,
      revision,
      context,
      provider: isAuth && createProvider(scenario, context),
    })
} catch (error) {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
}
// The client of a scenario that failed may still wait for something: that is of no interest.
process.exit()
