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

test('an address with a password or a token in it stays behind, unless the server asks for it', () => {
  const staying = {
    UV_INDEX_URL: 'https://user:password@index.example/simple',
    UV_EXTRA_INDEX_URL: 'https://a.example/simple https://token@b.example/simple',
    UV_DEFAULT_INDEX: 'private=https://user:password@index.example/simple',
    NPM_CONFIG_REGISTRY: 'https://user:password@registry.example/',
    npm_config_proxy: 'HTTP://user:pass%40word@proxy.example:8080',
    HTTP_PROXY: 'user:password@proxy.example:8080',
    https_proxy: 'http://user:@p@proxy.example',
    ALL_PROXY: 'socks5://:password@proxy.example',
    DOCKER_HOST: 'ssh://user:password@docker.example',
    npm_config_otp: '123456',
  }
  const passing = {
    PATH: '/opt/node@20/bin:/usr/bin',
    LANG: 'de_DE.UTF-8@euro',
    DOCKER_HOST: 'ssh://user@docker.example',
    HTTP_PROXY: 'http://proxy.example:8080',
    NPM_CONFIG_REGISTRY: 'https://registry.example/@scope:x',
    NO_PROXY: 'localhost,127.0.0.1:8080',
  }
  expect(serverEnvironment(staying)).toEqual({})
  expect(serverEnvironment(staying, { HTTP_PROXY: staying.HTTP_PROXY })).toEqual({
    HTTP_PROXY: staying.HTTP_PROXY,
  })
  expect(serverEnvironment(passing)).toEqual(passing)
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
