import { expect, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'

const parsed = (store: JsonValue) => parseConfig({ proxySettings: { store } }).settings.store

test('a store is a word or an address', () => {
  expect(parsed('memory')).toBe('memory')
  for (const url of [
    'valkey://a',
    'valkeys://u:p%40@a:1/15',
    'redis://[::1]:6379',
    'rediss://a/',
    'valkey+sentinel://a/mymaster',
    'rediss+sentinel://u:p@a:1,[::1]:2/my%20master/3?sentinel_password=x',
    'valkey+cluster://a,b:2',
    'rediss+cluster://:p@a/0',
  ])
    expect(parsed({ url })).toMatchObject({ url, maxBytesPerClient: 256 * 1024 * 1024 })
})

test('what is no such address is refused without telling it: it may hold a password', () => {
  for (const store of [
    'redis://me:secret-word@host',
    { url: 'http://me:secret-word@host' },
    { url: 'redis://me:secret-word@host/not-a-number' },
    { url: 'redis://me:secret-word%@host' },
    { url: 'redis://host?password=secret-word' },
    { url: 'redis://me:secret-word@host,host2' },
    { url: 'redis://me:secret-word@host:secret-word' },
    { url: 'redis://me:secret-word@host:65536' },
    { url: 'redis+sentinel://me:secret-word@host' },
    { url: 'redis+sentinel://me:secret-word@host/mymaster/0/1' },
    { url: 'redis+sentinel://host/mymaster?password=secret-word' },
    { url: 'redis+cluster://me:secret-word@host/1' },
    { url: 'redis+cluster://me:secret-word@,host' },
    { url: 'redis://a', key: 'secret-word' },
  ]) {
    let message = ''
    try {
      parsed(store)
    } catch (error) {
      message = String(error)
    }
    expect(message).toContain('proxySettings.store')
    expect(message).not.toContain('secret-word')
  }
})
