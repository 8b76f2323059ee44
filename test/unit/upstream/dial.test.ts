import fc from 'fast-check'
import { expect, test } from 'vitest'
import { serverEnvironment } from '../../../src/upstream/dial.ts'
import { verifies } from '../../support/verifies.ts'

verifies('S3.35', 'passes on variables that programs need, and none of the proxy’s own', () => {
  const passing = {
    PATH: '/bin',
    LC_ALL: 'C',
    https_proxy: 'http://proxy',
    XDG_CACHE_HOME: '/cache',
    npm_config_registry: 'https://registry.example',
    NODE_EXTRA_CA_CERTS: '/ca.pem',
  }
  const staying = {
    OPENAI_API_KEY: 'k',
    NODE_OPTIONS: '--inspect',
    MCPPROXY_DATA_DIR: '/d',
    npm_config__authToken: 't',
    UV_INDEX_PASSWORD: 'p',
    UNSET: undefined,
  }
  expect(serverEnvironment({ ...passing, ...staying })).toEqual(passing)
})

test('configured variables win and pass under any name', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.stringMatching(/^[A-Z_]{1,12}$/), fc.string()), (extra) => {
      expect(serverEnvironment({ PATH: '/bin', SECRET_TOKEN: 'x' }, extra)).toEqual({
        PATH: '/bin',
        ...extra,
      })
    }),
  )
})
