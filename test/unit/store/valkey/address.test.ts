import { describe, expect, test } from 'vitest'
import { readStoreAddress } from '../../../../src/store/valkey/address.ts'

describe('the address of a shared store', () => {
  test.each([
    [
      'valkey://a',
      { kind: 'server', places: [{ host: 'a', port: 6379 }], tls: false, database: 0, text: 'a:6379' },
    ],
    [
      'rediss://u:p%40%2F@[::1]:7/15',
      {
        places: [{ host: '::1', port: 7 }],
        tls: true,
        username: 'u',
        password: 'p@/',
        database: 15,
        text: '[::1]:7',
      },
    ],
    ['redis://:p@a', { username: undefined, password: 'p' }],
    ['redis://u@a', { username: 'u', password: undefined }],
    ['redis://u:p:q@a', { username: 'u', password: 'p:q' }],
    [
      'valkeys+sentinel://u:p@a,b:1/my%2Fmaster/2?sentinel_username=s&sentinel_password=t%26',
      {
        kind: 'sentinel',
        tls: true,
        master: 'my/master',
        database: 2,
        places: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 1 },
        ],
        sentinelUsername: 's',
        sentinelPassword: 't&',
        text: 'a:26379,b:1/my/master',
      },
    ],
    ['redis+cluster://a:1,b:2', { kind: 'cluster', text: 'a:1,b:2', master: '', database: 0 }],
  ])('%s is read', (url, expected) => {
    expect(readStoreAddress(url)).toMatchObject(expected)
  })

  test.each([
    ['http://a', 'write it as valkey://'],
    ['valkey://', 'write it as valkey://'],
    ['valkey://a#x', 'write it as valkey://'],
    ['valkey://a,b', 'valkey+sentinel:// or valkey+cluster://'],
    ['valkey://a b', 'host:port'],
    ['valkey://a:0', 'host:port'],
    ['valkey://a:65536', 'host:port'],
    ['valkey+cluster://a,', 'host:port'],
    ['valkey+cluster://a/1', 'database 0'],
    ['valkey+sentinel://a', 'name the master'],
    ['valkey+sentinel://a/m/x', 'number of a database'],
    ['valkey+sentinel://a/m?x=1', 'sentinel_username'],
    ['valkey://a?sentinel_username=x', 'leave out'],
    ['valkey://a%@b', 'write % as %25'],
  ])('%s is refused with what to write', (url, words) => {
    expect(() => readStoreAddress(url)).toThrow(words)
  })
})
