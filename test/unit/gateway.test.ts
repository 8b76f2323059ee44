import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { createGateway } from '../../src/gateway.ts'
import { temporaryFolder } from '../support/upstream.ts'

test('closed while it starts, nothing listens', async () => {
  const proxySettings = { transport: 'streamable-http', port: 0, dataDir: temporaryFolder() }
  const gateway = await createGateway(parseConfig({ mcpServers: {}, proxySettings }))
  const starting = gateway.start()
  await Promise.all([gateway.close(), gateway.close()])
  const { url } = await starting
  await expect(fetch(`${url}`)).rejects.toThrow('fetch failed')
})
